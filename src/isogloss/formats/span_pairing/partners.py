"""Which document of the prediction belongs to which of the reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

import msgspec

from isogloss.batches import Notice
from isogloss.exceptions import MismatchError
from isogloss.formats.span_pairing.documents import WORDS, Reading, SpanDocument
from isogloss.text import counted

Partners = tuple[SpanDocument, SpanDocument]
OTHER_IDS = "ids-ignored"
PAIRED_BY_ORDER = "No id is on both sides: documents are paired by their order."
NAMED = 5  # ids that a message names
SHOWN = 60  # code points of a text that a message shows


def partners(reference: Reading, predicted: Reading, *, lenient: bool = False) -> Iterator[Partners]:
    """Documents of the reference in their order, each with its partner.

    Args:
        reference: a pass over the reference.
        predicted: a pass over the prediction.
        lenient: whether documents are paired by order where only one side has ids, or none of them is on both sides,
            and both have texts to tell that they belong together.

    Raises:
        MismatchError: only one side has ids; an id is on one side only; without ids, another number of documents.
        DataError: an id stands twice on a side.
    """
    lenient = lenient and reference.with_text and predicted.with_text
    if reference.with_ids is not predicted.with_ids and not lenient:
        raise _one_side_has_ids(reference, predicted)
    if reference.with_ids and predicted.with_ids:
        return _by_id(reference, predicted, lenient=lenient)
    return _by_order(reference, predicted)


def _by_order(reference: Reading, predicted: Reading) -> Iterator[Partners]:
    others = iter(predicted)
    for document in reference:
        other = next(others, None)
        if other is None:
            raise _other_number(reference, predicted, reference, document)
        yield document, other
    for other in others:
        raise _other_number(reference, predicted, predicted, other)


def _by_id(reference: Reading, predicted: Reading, *, lenient: bool) -> Iterator[Partners]:
    others = iter(predicted)
    held: dict[str | None, SpanDocument] = {}
    for document in reference:
        other = held.pop(document.id, None) or _find(document, others, held, predicted)
        if other is None:
            rest = (later for later in reference if held.pop(later.id, None) is None)
            missing = _Unpaired.of(chain([document], rest), reference, predicted)
            unasked = _Unpaired.of(held.values(), predicted, reference)
            if lenient and missing.is_all and unasked.is_all:
                held.clear()
                yield from _by_order_instead(reference, predicted)
                return
            raise _unpaired(missing, unasked)
        yield document, other
    unasked = _Unpaired.of(chain(held.values(), others), predicted, reference)
    if unasked.count:
        raise _unpaired(unasked)
    reference.check_ids()
    predicted.check_ids()


def _find(
    document: SpanDocument, others: Iterable[SpanDocument], held: dict[str | None, SpanDocument], predicted: Reading
) -> SpanDocument | None:
    """The partner among the documents still to come; those before it are held."""
    for other in others:
        if other.id == document.id:
            return other
        if held.setdefault(other.id, other) is not other:
            raise predicted.twice(held[other.id], other)
    return None


def _by_order_instead(reference: Reading, predicted: Reading) -> Iterator[Partners]:
    """Documents by order after all, which the first of them says."""
    notices: tuple[Notice, ...] = (Notice(OTHER_IDS, PAIRED_BY_ORDER),)
    for one, other in _by_order(Reading(reference.file, "reference"), Reading(predicted.file, "predicted")):
        yield msgspec.structs.replace(one, notices=(*notices, *one.notices)) if notices else one, other
        notices = ()


@dataclass(frozen=True)
class _Unpaired:
    """Documents whose id the other side does not have: how many, and the first of them."""

    of_side: Reading
    other: Reading
    count: int
    first: list[SpanDocument]

    @classmethod
    def of(cls, documents: Iterable[SpanDocument], of_side: Reading, other: Reading) -> _Unpaired:
        documents = iter(documents)
        first = list(islice(documents, NAMED + 1))
        return cls(of_side, other, len(first) + sum(1 for _ in documents), first)

    @property
    def is_all(self) -> bool:
        """Whether no document of the side has a partner."""
        return self.count == self.of_side.count

    @property
    def message(self) -> str:
        side, other = WORDS[self.of_side.side], WORDS[self.other.side]
        return f"{self.count} of {self.of_side.count} ids of the {side} are not in the {other}"

    @property
    def detail(self) -> str:
        return f"only in {self.of_side.file.name}: {_named(self.first)}"


def _unpaired(*sides: _Unpaired) -> MismatchError:
    """The error for documents that one side or each lacks, unless an id that stands twice is the reason."""
    for side in sides[0].of_side, sides[0].other:
        side.check_ids()
    sides = tuple(side for side in sides if side.count)
    return MismatchError(
        ", and ".join(side.message for side in sides),
        where=sides[0].of_side.where(sides[0].first[0]),
        detail="\n".join(side.detail for side in sides),
        remedy="Predict each document of the reference, without spans where it has none, and no others.",
    )


def _named(documents: Iterable[SpanDocument]) -> str:
    ids = [repr(document.id) for document in islice(documents, NAMED + 1)]
    return ", ".join(ids[:NAMED]) + (", …" if len(ids) > NAMED else "")


def _other_number(reference: Reading, predicted: Reading, longer: Reading, first: SpanDocument) -> MismatchError:
    """The error for `first`, which has no partner; the rest is read to be counted."""
    for _ in longer:
        pass
    text = "" if first.text is None else f": {first.text[:SHOWN]!r}"
    return MismatchError(
        f"the reference has {counted(reference.count, 'document')}, the prediction {predicted.count}",
        where=longer.where(first),
        detail=f"document {min(reference.count, predicted.count) + 1} of the {WORDS[longer.side]} has no partner{text}",
        remedy="Give one row for each document on both sides, in the same order, or an id in every row.",
    )


def _one_side_has_ids(reference: Reading, predicted: Reading) -> MismatchError:
    having, lacking = (reference, predicted) if reference.with_ids else (predicted, reference)
    first = next(iter(lacking))
    return MismatchError(
        f"the documents of the {WORDS[having.side]} have ids, those of the {WORDS[lacking.side]} have none",
        where=lacking.where(first),
        detail=f"{having.file.name} begins with the ids {_named(having)}",
        remedy="Give both files ids to pair documents by id, or neither to pair them by order.",
    )
