"""Whether both sides of a pair have the same text, and where they begin to differ."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice, takewhile
from typing import Literal

import msgspec
import numpy as np

from isogloss.errors import DataError, FormatError, MismatchError
from isogloss.formats.documents import (
    WORDS,
    Bounds,
    Mention,
    Reading,
    SpanColumns,
    SpanDocument,
    SpanFile,
    Triple,
    place_of,
    place_of_span,
    span_pairs,
    without_text,
)
from isogloss.kernel.provenance import Notice, Passage, Side
from isogloss.kernel.scores import Ints
from isogloss.records.attributes import FILE
from isogloss.spans.batches import SpanPairs
from isogloss.text.display import counted

AROUND = 20  # code points shown before and after a difference
BY_ORDER = "The documents were paired by their order; with ids on both sides, order would not matter."
FORMS: tuple[Literal["NFC", "NFKC"], ...] = ("NFC", "NFKC")  # equal in the first, they are the same characters


def different_texts(
    reference: str,
    predicted: str,
    where: str,
    document: str,
    *,
    by_order: bool = False,
) -> MismatchError:
    """The error for two texts that differ.

    Args:
        reference: the reference's text.
        predicted: the prediction's.
        where: file and line of the prediction's.
        document: what the user calls the document.
        by_order: whether the documents are partners because of their order.
    """
    at = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(reference, predicted, strict=False)))
    return MismatchError(
        f"the texts of document {document} differ from code point {at} on",
        where=where,
        detail=f"reference   {_around(reference, at)}\nprediction  {_around(predicted, at)}",
        remedy=_remedy(reference, predicted) + (f" {BY_ORDER}" if by_order else ""),
    )


def _around(text: str, at: int) -> str:
    """The text around a position, and the name of the code point there."""
    low, high = max(0, at - AROUND), at + AROUND
    shown = f"{'…' * (low > 0)}{text[low:high]}{'…' * (high < len(text))}"
    return f"{shown!r}, {_name(text, at)}"


def _name(text: str, at: int) -> str:
    if at == len(text):
        return f"ends after {len(text)} code points"
    return f"U+{ord(text[at]):04X} {unicodedata.name(text[at], 'without a name')} at {at}"


def _remedy(reference: str, predicted: str) -> str:
    remedy = "Offsets only mean something in one text: predict on the text of the reference."
    for form in FORMS:
        if unicodedata.normalize(form, reference) == unicodedata.normalize(form, predicted):
            return f"{remedy} The texts are equal after normalisation to {form}: leave it out."
    if reference.split() == predicted.split():
        return f"{remedy} They differ in white space only: do not strip or join it."
    return remedy


NAMELESS = "∅"  # what is shown of a name that is empty


def on_one_text(pair: Partners, names: tuple[str, str]) -> Partners:
    """Both documents with spans in the same units.

    Args:
        pair: reference and prediction.
        names: of their files, for errors.

    Raises:
        FormatError: one has names without positions, and neither has a text.
        DataError: a span is white space only and that is not compared, or one is not within its text and would be taken
            for a name that no text holds.
    """
    reference, predicted = pair
    if reference.locate is not None or predicted.locate is not None:
        reference, predicted = _located(reference, predicted, names[0]), _located(predicted, reference, names[1])
    if (reference.joined or predicted.joined) and _differ_in_spaces(reference.text, predicted.text):
        reference, predicted = _without_spaces(reference, predicted, names)
    if reference.padded or predicted.padded:
        reference, predicted = _with_the_same_end(reference, predicted)
    if reference.unlocated or predicted.unlocated:
        for document, name in zip((reference, predicted), names, strict=True):
            _check_within(document, name, units_of((reference, predicted)))
        reference, predicted = _with_unlocated(reference, predicted)
    return reference, predicted


def passage_of(pair: Partners) -> Passage | None:
    """The text of the side that has one, and what spans count of it."""
    reference, predicted = pair
    document = predicted if reference.text is None else reference
    if document.text is None:
        return None
    if document.units is None:
        return Passage(document.text)
    return Passage(document.text, *map(tuple, document.units))


def units_of(pair: Partners) -> int:
    """How many units the text of the side that has one has, -1 where neither has."""
    reference, predicted = pair
    document = predicted if reference.text is None else reference
    if document.units is not None:
        return len(document.units[0])
    return -1 if document.text is None else len(document.text)


def _located(document: SpanDocument, other: SpanDocument, name: str) -> SpanDocument:
    if document.locate is None:
        return document
    text = document.text if document.text is not None else other.text
    if text is None:
        raise without_text(document, name, "Give its `text`, or compare with a file that has the text.")
    found = document.locate(text)
    return msgspec.structs.replace(
        document,
        text=text,
        spans=[*document.spans, *found.spans],
        unlocated=[*document.unlocated, *found.unlocated],
        notices=(*document.notices, *found.notices),
        locate=None,
    )


def _differ_in_spaces(reference: str | None, predicted: str | None) -> bool:
    """Whether two texts differ, but only in white space."""
    if reference is None or predicted is None or reference == predicted:
        return False
    return "".join(reference.split()) == "".join(predicted.split())


def _check_within(document: SpanDocument, name: str, length: int) -> None:
    """Fails at a span that is not within the text, before anything is added to it."""

    def place(_row: int, _nth: int) -> str:
        return place_of(document, name)

    SpanColumns.of([document.spans], place).check(place, np.array([length]))


def _with_the_same_end(reference: SpanDocument, predicted: SpanDocument) -> Partners:
    """Both with the longer text, if they differ in white space at the end only: all positions mean the same in it."""
    one, two = reference.text, predicted.text
    if one is None or two is None or one == two or one.rstrip() != two.rstrip():
        return reference, predicted
    longer = max(one, two, key=len)
    return msgspec.structs.replace(reference, text=longer), msgspec.structs.replace(predicted, text=longer)


def _without_spaces(reference: SpanDocument, predicted: SpanDocument, names: tuple[str, str]) -> Partners:
    """Spans that count the characters that are no white space, on the text that was not made by joining."""
    text = (predicted if reference.joined else reference).text or ""
    starts = [at for at, character in enumerate(text) if not character.isspace()]
    units = starts, [at + 1 for at in starts]
    return _counting(reference, text, units, names[0]), _counting(predicted, text, units, names[1])


def _counting(document: SpanDocument, text: str, units: Bounds, name: str) -> SpanDocument:
    own = document.text or ""
    before = list(accumulate((not character.isspace() for character in own), initial=0))  # (code points + 1,)
    last = len(own)

    def unit(position: int) -> int:
        return before[position] if 0 <= position <= last else position - last + before[last]

    spans = [(unit(start), unit(end), label) for start, end, label in document.spans]
    for (start, end, label), (first, after, _) in zip(document.spans, spans, strict=True):
        if first == after and start < end:
            raise DataError(
                f"the span [{start}, {end}) {label!r} is white space only, which differs on the two sides",
                where=place_of(document, name),
                remedy="Leave it out, or compare files with the same white space.",
            )
    return msgspec.structs.replace(document, text=text, spans=spans, units=units)


def _with_unlocated(reference: SpanDocument, predicted: SpanDocument) -> Partners:
    """The text with a line for each name that it does not hold, and these names as spans."""
    own = predicted if reference.text is None else reference
    if predicted.text is not None and predicted.text != own.text:
        return reference, predicted  # which is an error of its own
    text, units = own.text or "", own.units
    surfaces = [surface or NAMELESS for surface, _ in chain(reference.unlocated, predicted.unlocated)]
    longer = "\n".join([text, *surfaces])
    starts = list(accumulate((len(surface) + 1 for surface in surfaces), initial=len(text) + 1))[:-1]
    bounds = [(start, start + len(surface)) for start, surface in zip(starts, surfaces, strict=True)]
    if units is not None:  # a name is one unit more
        first = len(units[0])
        units = [*units[0], *(start for start, _ in bounds)], [*units[1], *(end for _, end in bounds)]
        bounds = [(first + at, first + at + 1) for at in range(len(bounds))]
    middle = len(reference.unlocated)
    return (
        _lengthened(reference, longer, units, bounds[:middle]),
        _lengthened(predicted, longer, units, bounds[middle:]),
    )


def _lengthened(
    document: SpanDocument,
    text: str,
    units: Bounds | None,
    bounds: Sequence[tuple[int, int]],
) -> SpanDocument:
    names: Sequence[Mention] = document.unlocated
    more: list[Triple] = [(*bound, label) for bound, (_, label) in zip(bounds, names, strict=True)]
    return msgspec.structs.replace(document, text=text, units=units, spans=[*document.spans, *more], unlocated=())


def scored(pairs: Iterable[Partners], names: tuple[str, str]) -> Iterator[Partners]:
    """The pairs that are scored, on one text. The last has the notices of those that are not.

    Args:
        pairs: reference and prediction.
        names: of their files, for errors.

    Raises:
        FormatError: no pair is left; or one has names without positions, and neither side has a text.
    """
    held: Partners | None = None
    notices: tuple[Notice, ...] = ()
    without = 0
    try:
        for pair in pairs:
            if pair[0].left_out or pair[1].left_out:
                notices = Notice.merge((*notices, *pair[0 if pair[0].left_out else 1].notices))
                without += 1
                continue
            if held is not None:
                before, held = held, None
                yield before
            held = on_one_text(pair, names)
    except DataError:
        if held is not None:
            yield held
        raise
    if held is None:
        raise _nothing_left(names[0], without, notices)
    reference, predicted = held
    yield msgspec.structs.replace(reference, notices=(*reference.notices, *notices)), predicted


def _nothing_left(name: str, without: int, notices: Iterable[Notice]) -> FormatError:
    return FormatError(
        f"nothing is left to score: {counted(without, 'document')} left out",
        where=name,
        detail="\n".join(f"{notice.message} ({notice.count}, first {notice.where})" for notice in notices),
        remedy="Export documents that were annotated.",
    )


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
    document: SpanDocument,
    others: Iterable[SpanDocument],
    held: dict[str | None, SpanDocument],
    predicted: Reading,
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


DOCUMENTS = 1 << 12  # of a batch: four times as many no longer stay in the processor's cache and cost a quarter more
SIZE = 1 << 22  # code points of a batch
SPAN = 100  # what a span counts as in code points: the memory that it takes


def paired(reference: SpanFile, prediction: SpanFile, *, lenient: bool = False) -> Iterator[SpanPairs]:
    """Documents of both sides in batches.

    Args:
        reference: documents with their spans.
        prediction: the same documents, in any order if both sides have ids.
        lenient: whether only one side may have ids, or both other ones, where both have texts.

    Yields:
        Batches in the order of the reference, whose document numbers are positions in the reference, not counting
        documents that are left out. Each has the labels that occur in it.

    Raises:
        FormatError: a side holds no documents, or ids in some documents only; or all are left out.
        MismatchError: documents without a partner, or partners with different texts.
        DataError: an id stands twice on a side; `end <= start`, `start < 0`, or a span reaches beyond its text.
    """
    names = reference.name, prediction.name
    first = 0
    together = partners(Reading(reference, "reference"), Reading(prediction, "predicted"), lenient=lenient)
    for pairs in _batches(scored(together, names)):
        yield _batch(PairOrigin(names, first, pairs))
        first += len(pairs)


@dataclass(frozen=True, eq=False)
class PairOrigin:
    """Documents are known by their id or number, places by file and line.

    Args:
        names: of the files of both sides.
        first: number of the first document, from 0.
        pairs: (documents,) reference and prediction.
    """

    names: tuple[str, str]
    first: int
    pairs: Sequence[Partners]

    def name(self, row: int) -> str:
        """The document's id, or its number from 1."""
        name = self.pairs[row][0].id
        return str(self.first + row + 1) if name is None else name

    def where(self, row: int, position: int, side: Side) -> str:
        """File and line of the span that starts there, else of the document on that side: `pred.jsonl:42`."""
        nth = 0 if side == "reference" else 1
        return place_of_span(self.pairs[row][nth], position, self.names[nth])

    def passage(self, row: int) -> Passage | None:
        """The text of the side that has one."""
        return passage_of(self.pairs[row])

    def value(self, row: int, column: str) -> str | None:
        """What the reference has in a column, or else the prediction; the file of the prediction."""
        for document in self.pairs[row]:
            if document.columns is not None and column in document.columns:
                return document.columns[column]
        return (self.pairs[row][1].file or self.names[1]) if column == FILE else None


def _batches(pairs: Iterable[Partners]) -> Iterator[list[Partners]]:
    """Pairs in lists that are bounded in number and size. Those before a fault come first: they may have one too."""
    batch: list[Partners] = []
    size = 0
    try:
        for pair in pairs:
            batch.append(pair)
            reference, predicted = pair
            size += len(reference.text or predicted.text or "") + SPAN * (len(reference.spans) + len(predicted.spans))
            if len(batch) == DOCUMENTS or size >= SIZE:
                yield batch
                batch, size = [], 0
    except DataError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def _batch(origin: PairOrigin) -> SpanPairs:
    pairs = origin.pairs
    _check_texts(origin)
    lengths = np.fromiter(map(units_of, pairs), np.int64, len(pairs))  # (documents,)
    return span_pairs(
        np.arange(origin.first, origin.first + len(pairs)),
        _columns(origin, "reference", lengths),
        _columns(origin, "predicted", lengths),
        origin,
        [notice for pair in pairs for document in pair if document.notices for notice in document.notices],
    )


def _columns(origin: PairOrigin, side: Side, lengths: Ints) -> SpanColumns:
    def place(row: int, _: int) -> str:
        return origin.where(row, 0, side)

    nth = 0 if side == "reference" else 1
    columns = SpanColumns.of([pair[nth].spans for pair in origin.pairs], place)
    columns.check(place, lengths)
    return columns


def _check_texts(origin: PairOrigin) -> None:
    for row, (reference, predicted) in enumerate(origin.pairs):
        if reference.text != predicted.text and reference.text is not None and predicted.text is not None:
            where = origin.where(row, 0, "predicted")
            by_order = None in (reference.id, predicted.id)
            raise different_texts(reference.text, predicted.text, where, origin.name(row), by_order=by_order)
