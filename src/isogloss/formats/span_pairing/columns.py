"""Labelled spans of one side as columns, checked, and two sides of them as a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from isogloss.batches import Notice, Origin, SpanPairs, Spans
from isogloss.exceptions import DataError
from isogloss.scores import Ints

Triple = tuple[int, int, str]
Place = Callable[[int, int], str]  # of a document and one of its spans
HALF_OPEN = "A span begins at `start` and ends before `end`; both count from 0."
LONGEST = 1 << 40  # units that a text may have; sums and products of such positions are exact


@dataclass(frozen=True, eq=False)
class SpanColumns:
    """Spans, document by document.

    Args:
        counts: (documents,) spans of each document.
        starts: (spans,) first unit.
        ends: (spans,) unit after the last.
        labels: (spans,) their labels.
    """

    counts: Ints
    starts: Ints
    ends: Ints
    labels: Sequence[str]

    @classmethod
    def of(cls, documents: Sequence[Sequence[Triple]], place: Place) -> SpanColumns:
        """Columns of the spans of each document.

        Args:
            documents: (documents,) their spans.
            place: tells an error where a span of a document is.

        Raises:
            DataError: no text is long enough for a span.
        """
        triples = list(chain.from_iterable(documents))
        counts = np.fromiter(map(len, documents), np.int64, len(documents))  # (documents,)
        try:
            starts = np.fromiter((start for start, _, _ in triples), np.int64, len(triples))  # (spans,)
            ends = np.fromiter((end for _, end, _ in triples), np.int64, len(triples))  # (spans,)
        except OverflowError:
            raise _too_far(documents, place) from None
        return cls(counts, starts, ends, [label for _, _, label in triples])

    @property
    def rows(self) -> Ints:
        """(spans,) position of each span's document."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def check(self, place: Place, lengths: Ints | None = None) -> None:
        """Fails at the first span that no text can have.

        Args:
            place: tells where a span of a document is.
            lengths: (documents,) code points of each text, negative where it is not known.

        Raises:
            DataError: a span begins before its text, ends where it starts or earlier, or reaches beyond its text, or
                beyond any; or a label holds half of a character.
        """
        self._check_labels(place)
        faulty = (self.starts < 0) | (self.ends <= self.starts) | (self.ends > LONGEST)  # (spans,)
        if lengths is not None:
            limits = np.repeat(lengths, self.counts)  # (spans,)
            faulty |= (limits >= 0) & (self.ends > limits)
        if not faulty.any():
            return
        at = int(faulty.argmax())
        row, nth = self._place(at)
        raise self._fault(at, place(row, nth), -1 if lengths is None else int(lengths[row]))

    def _place(self, at: int) -> tuple[int, int]:
        """The document of a span, and which of its spans it is."""
        row = int(np.searchsorted(np.cumsum(self.counts), at, side="right"))
        return row, at - int(self.counts[:row].sum())

    def _check_labels(self, place: Place) -> None:
        broken = {label for label in set(self.labels) if any("\ud800" <= each <= "\udfff" for each in label)}
        if broken:
            at = next(at for at, label in enumerate(self.labels) if label in broken)
            message = f"the label {self.labels[at]!r} holds a surrogate, which is no character by itself"
            raise DataError(message, where=place(*self._place(at)), remedy="Decode what it comes from as UTF-8.")

    def _fault(self, at: int, where: str, length: int) -> DataError:
        start, end = int(self.starts[at]), int(self.ends[at])
        span = f"the span [{start}, {end}) {self.labels[at]!r}"
        if start < 0:
            return DataError(f"{span} begins before its text", where=where, remedy=HALF_OPEN)
        if end <= start:
            return DataError(f"{span} has no extent: its end is not after its start", where=where, remedy=HALF_OPEN)
        if length < 0:
            return _beyond_any(span, where)
        return DataError(
            f"{span} reaches beyond its text, which has {length} code points",
            where=where,
            remedy=f"{HALF_OPEN} They count Unicode code points, not bytes or UTF-16 units.",
        )


def _too_far(documents: Sequence[Sequence[Triple]], place: Place) -> DataError:
    """The error for the first span with a position that does not fit into 64 bits."""
    row, at, (start, end, label) = next(
        (row, at, span)
        for row, spans in enumerate(documents)
        for at, span in enumerate(spans)
        if max(abs(span[0]), abs(span[1])) > LONGEST
    )
    return _beyond_any(f"the span [{start}, {end}) {label!r}", place(row, at))


def _beyond_any(span: str, where: str) -> DataError:
    return DataError(f"no text is long enough for {span}", where=where, remedy=HALF_OPEN)


def span_pairs(
    documents: Ints, reference: SpanColumns, predicted: SpanColumns, origin: Origin, notices: Iterable[Notice] = ()
) -> SpanPairs:
    """A batch with its labels ascending and its spans in order.

    Args:
        documents: (documents,) their numbers.
        reference: their spans, checked.
        predicted: likewise.
        origin: where they come from.
        notices: what was done about them on the way here.
    """
    labels = tuple(sorted({*reference.labels, *predicted.labels}))
    codes = {label: code for code, label in enumerate(labels)}
    return SpanPairs(
        documents=documents,
        labels=labels,
        reference=_spans(reference, codes),
        predicted=_spans(predicted, codes),
        origin=origin,
        notices=Notice.merge(notices),
    )


def _spans(columns: SpanColumns, codes: dict[str, int]) -> Spans:
    labels = np.array([codes[label] for label in columns.labels], np.int64)  # (spans,)
    return Spans.of(columns.rows, columns.starts, columns.ends, labels)
