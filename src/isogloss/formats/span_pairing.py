"""Pair documents with spans by id or order, and build batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import msgspec
import numpy as np

from isogloss.errors import DataError, FormatError, MismatchError
from isogloss.formats.documents import (
    SIDE_WORDS,
    DocumentPass,
    SpanColumns,
    SpanDocument,
    SpanFile,
    build_span_batch,
    format_span_place,
    get_column_value,
    split_batches,
)
from isogloss.formats.text_alignment import (
    DocumentPair,
    align_texts,
    count_text_units,
    get_text_excerpt,
    make_different_texts_error,
)
from isogloss.kernel.provenance import RunWarning, Side, TextExcerpt
from isogloss.kernel.scores import Ints
from isogloss.spans.batches import SpanPairs
from isogloss.text.display import format_count

IDS_IGNORED = "ids-ignored"
PAIRED_BY_ORDER = "No id is on both sides: documents are paired by their order."
MAX_NAMED = 5  # ids that a message names
SHOWN = 60  # code points of a text that a message shows
BATCH_DOCUMENTS = 1 << 12  # per batch: four times as many exceed the processor's cache and cost a quarter more
BATCH_SIZE = 1 << 22  # code points of a batch
SPAN_COST = 100  # code points with the memory of a span


def batch_document_pairs(reference: SpanFile, prediction: SpanFile, *, lenient: bool = False) -> Iterator[SpanPairs]:
    """Read the documents of both sides in batches.

    Args:
        reference: documents with their spans.
        prediction: the same documents, in any order if both sides have ids.
        lenient: whether documents are paired by order if only one side has ids, or the ids differ, and both have texts.

    Yields:
        Batches in the order of the reference. Document numbers are positions in the reference, not counting documents
        that are left out. Each batch has the labels that occur in it.

    Raises:
        FormatError: if a side holds no documents, or ids in some documents only, or all documents are left out.
        MismatchError: if a document has no partner, or partners have different texts.
        DataError: if an id occurs twice on a side, or `end <= start`, `start < 0`, or a span reaches beyond its text.
    """
    names = reference.name, prediction.name
    first = 0
    together = pair_documents(
        DocumentPass(reference, "reference"), DocumentPass(prediction, "predicted"), lenient=lenient
    )
    for pairs in split_batches(select_scored_pairs(together, names), _measure_pair, BATCH_SIZE, BATCH_DOCUMENTS):
        yield _build_batch(PairProvenance(names, first, pairs))
        first += len(pairs)


@dataclass(frozen=True, eq=False)
class PairProvenance:
    """Paired documents of two files.

    Documents are named by id or number, places are file and line.

    Args:
        names: the names of the files of both sides.
        first: number of the first document, from 0.
        pairs: (documents,) reference and prediction.
    """

    names: tuple[str, str]
    first: int
    pairs: Sequence[DocumentPair]

    def name(self, row: int) -> str:
        """Return the id of the document, or its number from 1."""
        name = self.pairs[row][0].id
        return str(self.first + row + 1) if name is None else name

    def where(self, row: int, position: int, side: Side) -> str:
        """Return file and line of the span, else of the document."""
        nth = 0 if side == "reference" else 1
        return format_span_place(self.pairs[row][nth], position, self.names[nth])

    def get_excerpt(self, row: int) -> TextExcerpt | None:
        """Return the text of the side that has one."""
        return get_text_excerpt(self.pairs[row])

    def value(self, row: int, column: str) -> str | None:
        """Return a column of the reference, else of the prediction.

        The column `file` is the file of the prediction, unless a document defines it.
        """
        reference, predicted = self.pairs[row]
        return get_column_value((reference.columns, predicted.columns), column, predicted.file or self.names[1])


def _measure_pair(pair: DocumentPair) -> int:
    """Return about how much memory a pair takes, in code points."""
    reference, predicted = pair
    spans = len(reference.spans) + len(predicted.spans)
    return len(reference.text or predicted.text or "") + SPAN_COST * spans


def _build_batch(provenance: PairProvenance) -> SpanPairs:
    pairs = provenance.pairs
    _check_texts(provenance)
    lengths = np.fromiter(map(count_text_units, pairs), np.int64, len(pairs))  # (documents,)
    return build_span_batch(
        np.arange(provenance.first, provenance.first + len(pairs)),
        _build_columns(provenance, "reference", lengths),
        _build_columns(provenance, "predicted", lengths),
        provenance,
        [warning for pair in pairs for document in pair if document.warnings for warning in document.warnings],
    )


def _build_columns(provenance: PairProvenance, side: Side, lengths: Ints) -> SpanColumns:
    def place(row: int, _: int) -> str:
        return provenance.where(row, 0, side)

    nth = 0 if side == "reference" else 1
    columns = SpanColumns.from_documents([pair[nth].spans for pair in provenance.pairs], place)
    columns.check(place, lengths)
    return columns


def _check_texts(provenance: PairProvenance) -> None:
    for row, (reference, predicted) in enumerate(provenance.pairs):
        if reference.text != predicted.text and reference.text is not None and predicted.text is not None:
            where = provenance.where(row, 0, "predicted")
            by_order = None in (reference.id, predicted.id)
            raise make_different_texts_error(
                reference.text, predicted.text, where, provenance.name(row), by_order=by_order
            )


def select_scored_pairs(pairs: Iterable[DocumentPair], names: tuple[str, str]) -> Iterator[DocumentPair]:
    """Yield the pairs that are scored, on one text.

    The last gets the warnings of the pairs that are left out.

    Args:
        pairs: reference and prediction.
        names: the names of their files, for errors.

    Raises:
        FormatError: if no pair is left, or one has names to locate and neither side has a text.
    """
    held: DocumentPair | None = None
    warnings: tuple[RunWarning, ...] = ()
    without = 0
    try:
        for pair in pairs:
            if pair[0].left_out or pair[1].left_out:
                warnings = RunWarning.merge((*warnings, *pair[0 if pair[0].left_out else 1].warnings))
                without += 1
                continue
            if held is not None:
                before, held = held, None
                yield before
            held = align_texts(pair, names)
    except DataError:
        if held is not None:
            yield held
        raise
    if held is None:
        raise FormatError(
            f"all documents were left out: {format_count(without, 'document')}",
            where=names[0],
            detail="\n".join(f"{each.message} ({each.count}, first {each.where})" for each in warnings),
            remedy="Export documents that were annotated.",
        )
    reference, predicted = held
    yield msgspec.structs.replace(reference, warnings=(*reference.warnings, *warnings)), predicted


def pair_documents(
    reference: DocumentPass, predicted: DocumentPass, *, lenient: bool = False
) -> Iterator[DocumentPair]:
    """Yield the documents of the reference in their order, each with its partner.

    Args:
        reference: a pass over the reference.
        predicted: a pass over the prediction.
        lenient: whether documents are paired by order if only one side has ids, or no id is on both sides. Both sides
            must have texts, which show whether they belong together.

    Raises:
        MismatchError: if only one side has ids, an id is on one side only, or without ids the numbers of documents
            differ.
        DataError: if an id occurs twice on a side.
    """
    lenient = lenient and reference.has_text and predicted.has_text
    if reference.has_ids is not predicted.has_ids and not lenient:
        raise _make_missing_ids_error(reference, predicted)
    if reference.has_ids and predicted.has_ids:
        return _pair_by_id(reference, predicted, lenient=lenient)
    return _pair_by_order(reference, predicted)


def _pair_by_order(reference: DocumentPass, predicted: DocumentPass) -> Iterator[DocumentPair]:
    others = iter(predicted)
    for document in reference:
        other = next(others, None)
        if other is None:
            raise _make_count_error(reference, predicted, reference, document)
        yield document, other
    for other in others:
        raise _make_count_error(reference, predicted, predicted, other)


def _pair_by_id(reference: DocumentPass, predicted: DocumentPass, *, lenient: bool) -> Iterator[DocumentPair]:
    others = iter(predicted)
    held: dict[str | None, SpanDocument] = {}
    for document in reference:
        other = held.pop(document.id, None) or _find_partner(document, others, held, predicted)
        if other is None:
            rest = (later for later in reference if held.pop(later.id, None) is None)
            missing = _Unpaired.from_documents(chain([document], rest), reference, predicted)
            extra = _Unpaired.from_documents(held.values(), predicted, reference)
            if lenient and missing.is_all and extra.is_all:
                held.clear()
                yield from _fall_back_to_order(reference, predicted)
                return
            raise _make_unpaired_error(missing, extra)
        yield document, other
    extra = _Unpaired.from_documents(chain(held.values(), others), predicted, reference)
    if extra.count:
        raise _make_unpaired_error(extra)
    reference.check_ids()
    predicted.check_ids()


def _find_partner(
    document: SpanDocument,
    others: Iterable[SpanDocument],
    held: dict[str | None, SpanDocument],
    predicted: DocumentPass,
) -> SpanDocument | None:
    """Find the partner among the documents still to come; the documents before it are held."""
    for other in others:
        if other.id == document.id:
            return other
        if held.setdefault(other.id, other) is not other:
            raise predicted.make_duplicate_error(held[other.id], other)
    return None


def _fall_back_to_order(reference: DocumentPass, predicted: DocumentPass) -> Iterator[DocumentPair]:
    """Pair documents by order after all, with a warning on the first."""
    warnings: tuple[RunWarning, ...] = (RunWarning(IDS_IGNORED, PAIRED_BY_ORDER),)
    for one, other in _pair_by_order(
        DocumentPass(reference.file, "reference"), DocumentPass(predicted.file, "predicted")
    ):
        yield msgspec.structs.replace(one, warnings=(*warnings, *one.warnings)) if warnings else one, other
        warnings = ()


@dataclass(frozen=True)
class _Unpaired:
    """Documents whose id the other side lacks: their number, and the first of them."""

    own: DocumentPass
    other: DocumentPass
    count: int
    first: list[SpanDocument]

    @classmethod
    def from_documents(cls, documents: Iterable[SpanDocument], of_side: DocumentPass, other: DocumentPass) -> _Unpaired:
        documents = iter(documents)
        first = list(islice(documents, MAX_NAMED + 1))
        return cls(of_side, other, len(first) + sum(1 for _ in documents), first)

    @property
    def is_all(self) -> bool:
        """Whether no document of the side has a partner."""
        return self.count == self.own.count

    @property
    def message(self) -> str:
        side, other = SIDE_WORDS[self.own.side], SIDE_WORDS[self.other.side]
        return f"{self.count} of {self.own.count} ids of the {side} are not in the {other}"

    @property
    def detail(self) -> str:
        return f"only in {self.own.file.name}: {_format_ids(self.first)}"


def _make_unpaired_error(*sides: _Unpaired) -> MismatchError:
    """Return the error for documents without partners, unless an id that occurs twice is the reason."""
    for side in sides[0].own, sides[0].other:
        side.check_ids()
    sides = tuple(side for side in sides if side.count)
    return MismatchError(
        ", and ".join(side.message for side in sides),
        where=sides[0].own.format_place(sides[0].first[0]),
        detail="\n".join(side.detail for side in sides),
        remedy="Predict each document of the reference, without spans where it has none, and no others.",
    )


def _format_ids(documents: Iterable[SpanDocument]) -> str:
    ids = [repr(document.id) for document in islice(documents, MAX_NAMED + 1)]
    return ", ".join(ids[:MAX_NAMED]) + (", …" if len(ids) > MAX_NAMED else "")


def _make_count_error(
    reference: DocumentPass, predicted: DocumentPass, longer: DocumentPass, first: SpanDocument
) -> MismatchError:
    """Return the error for `first`, which has no partner, after counting the remaining documents."""
    for _ in longer:
        pass
    text = "" if first.text is None else f": {first.text[:SHOWN]!r}"
    shorter = min(reference.count, predicted.count)
    return MismatchError(
        f"the reference has {format_count(reference.count, 'document')}, the prediction {predicted.count}",
        where=longer.format_place(first),
        detail=f"document {shorter + 1} of the {SIDE_WORDS[longer.side]} has no partner{text}",
        remedy="Give one row for each document on both sides, in the same order, or an id in every row.",
    )


def _make_missing_ids_error(reference: DocumentPass, predicted: DocumentPass) -> MismatchError:
    having, lacking = (reference, predicted) if reference.has_ids else (predicted, reference)
    first = next(iter(lacking))
    return MismatchError(
        f"the documents of the {SIDE_WORDS[having.side]} have ids, those of the {SIDE_WORDS[lacking.side]} have none",
        where=lacking.format_place(first),
        detail=f"{having.file.name} begins with the ids {_format_ids(having)}",
        remedy="Give both files ids to pair documents by id, or neither to pair them by order.",
    )
