"""Batches of documents with spans for `records.pairing`, which pairs the sides.

The texts and spans of both sides are checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from operator import attrgetter

import msgspec
import numpy as np

from isogloss.errors import DataError, FormatError
from isogloss.formats.documents import (
    SpanColumns,
    SpanDocument,
    SpanFile,
    build_span_batch,
    format_document_place,
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
from isogloss.records.pairing import IDS_IGNORED, RowPass, pair_rows
from isogloss.spans.batches import SpanPairs
from isogloss.text.display import format_count

PAIRED_BY_ORDER = "No id is on both sides: documents are paired by their order."
MISSING_REMEDY = "Predict each document of the reference, without spans where it has none, and no others."
BATCH_DOCUMENTS = 1 << 12  # per batch: four times as many exceed the processor's cache and cost a quarter more
BATCH_SIZE = 1 << 22  # code points of a batch
SPAN_COST = 100  # code points with the memory of a span


def batch_document_pairs(
    reference: SpanFile, prediction: SpanFile, *, lenient: bool = False, needs_texts: bool = True
) -> Iterator[SpanPairs]:
    """Read the documents of both sides in batches.

    Args:
        reference: documents with their spans.
        prediction: the same documents, in any order if both sides have ids.
        lenient: whether documents are paired by order if only one side has ids, or the ids differ, and both have texts.
        needs_texts: whether `lenient` needs these texts.

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
    sides = _start_pass(reference, "reference"), _start_pass(prediction, "prediction")
    has_texts = all(side.first is not None and side.first.text is not None for side in sides)
    lenient = lenient and (has_texts or not needs_texts)
    ignored: list[RunWarning] = []
    warn = partial(ignored.append, RunWarning(IDS_IGNORED, PAIRED_BY_ORDER))
    together = pair_rows(*sides, may_lack_ids=lenient, on_ids_ignored=warn if lenient else None, remedy=MISSING_REMEDY)
    for pairs in split_batches(select_scored_pairs(together, names), _measure_pair, BATCH_SIZE, BATCH_DOCUMENTS):
        yield _build_batch(PairProvenance(names, first, pairs), ignored)
        ignored.clear()
        first += len(pairs)


def _start_pass(file: SpanFile, side: str) -> RowPass[SpanDocument]:
    """Start a pass over a file that must not be empty."""
    started = RowPass(
        file, side, lambda document: format_document_place(document, file.name), get_text=attrgetter("text")
    )
    if started.first is None:
        raise FormatError("holds no documents", where=file.name, remedy="Give a row for each document.")
    return started


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


def _build_batch(provenance: PairProvenance, warnings: Sequence[RunWarning]) -> SpanPairs:
    pairs = provenance.pairs
    _check_texts(provenance)
    lengths = np.fromiter(map(count_text_units, pairs), np.int64, len(pairs))  # (documents,)
    return build_span_batch(
        np.arange(provenance.first, provenance.first + len(pairs)),
        _build_columns(provenance, "reference", lengths),
        _build_columns(provenance, "predicted", lengths),
        provenance,
        chain(warnings, *(document.warnings for pair in pairs for document in pair if document.warnings)),
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
