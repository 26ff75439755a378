"""Pairs of documents to batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.batches import Passage, Side, SpanPairs
from isogloss.exceptions import DataError
from isogloss.formats.attributes import FILE
from isogloss.formats.span_pairing.columns import SpanColumns, span_pairs
from isogloss.formats.span_pairing.documents import Reading, SpanFile, place_of_span
from isogloss.formats.span_pairing.partners import Partners, partners
from isogloss.formats.span_pairing.passages import passage_of, units_of
from isogloss.formats.span_pairing.scored import scored
from isogloss.formats.span_pairing.texts import different_texts
from isogloss.scores import Ints

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
