"""Documents with labelled spans: as columns, checked, and in two-sided batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

import msgspec
import numpy as np

from isogloss.errors import DataError, FormatError
from isogloss.kernel.provenance import Provenance, RunWarning, Side
from isogloss.kernel.scores import Ints
from isogloss.records.attributes import FILE_COLUMN, Values
from isogloss.records.pairing import RowFile
from isogloss.records.sources import format_place
from isogloss.spans.batches import SpanPairs, Spans

LabelledSpan = tuple[int, int, str]
PlaceFinder = Callable[[int, int], str]  # (document, span) to file and line
HALF_OPEN_REMEDY = "A span begins at `start` and ends before `end`; both count from 0."
T = TypeVar("T")
MAX_TEXT_LENGTH = 1 << 40  # units of a text; sums and products of such positions are exact


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
    def from_documents(cls, documents: Sequence[Sequence[LabelledSpan]], place: PlaceFinder) -> SpanColumns:
        """Build columns from the spans of each document.

        Args:
            documents: (documents,) their spans.
            place: gives the place of a span of a document, for errors.

        Raises:
            DataError: if a position exceeds any text.
        """
        triples = list(chain.from_iterable(documents))
        counts = np.fromiter(map(len, documents), np.int64, len(documents))  # (documents,)
        try:
            starts = np.fromiter((start for start, _, _ in triples), np.int64, len(triples))  # (spans,)
            ends = np.fromiter((end for _, end, _ in triples), np.int64, len(triples))  # (spans,)
        except OverflowError:
            raise _make_overflow_error(documents, place) from None
        return cls(counts, starts, ends, [label for _, _, label in triples])

    @property
    def rows(self) -> Ints:
        """(spans,) position of each span's document."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def check(self, place: PlaceFinder, lengths: Ints | None = None) -> None:
        """Check that each span is possible.

        Args:
            place: gives the place of a span of a document, for errors.
            lengths: (documents,) code points of each text, negative if unknown.

        Raises:
            DataError: if a span begins before its text, is empty, or reaches beyond its text or any text; or if a label
                holds half a surrogate pair.
        """
        self._check_labels(place)
        faulty = (self.starts < 0) | (self.ends <= self.starts) | (self.ends > MAX_TEXT_LENGTH)  # (spans,)
        if lengths is not None:
            limits = np.repeat(lengths, self.counts)  # (spans,)
            faulty |= (limits >= 0) & (self.ends > limits)
        if not faulty.any():
            return
        at = int(faulty.argmax())
        row, nth = self._locate_span(at)
        raise self._make_error(at, place(row, nth), -1 if lengths is None else int(lengths[row]))

    def _locate_span(self, at: int) -> tuple[int, int]:
        """Return the document of a span and its position there.

        The position counts the spans of the document.
        """
        row = int(np.searchsorted(np.cumsum(self.counts), at, side="right"))
        return row, at - int(self.counts[:row].sum())

    def _check_labels(self, place: PlaceFinder) -> None:
        broken = {label for label in set(self.labels) if any("\ud800" <= each <= "\udfff" for each in label)}
        if broken:
            at = next(at for at, label in enumerate(self.labels) if label in broken)
            message = f"the label {self.labels[at]!r} holds a surrogate, which is not a character by itself"
            raise DataError(message, where=place(*self._locate_span(at)), remedy="Decode what it comes from as UTF-8.")

    def _make_error(self, at: int, where: str, length: int) -> DataError:
        start, end = int(self.starts[at]), int(self.ends[at])
        span = f"the span [{start}, {end}) {self.labels[at]!r}"
        if start < 0:
            return DataError(f"{span} begins before its text", where=where, remedy=HALF_OPEN_REMEDY)
        if end <= start:
            return DataError(
                f"{span} has no extent: its end is not after its start", where=where, remedy=HALF_OPEN_REMEDY
            )
        if length < 0:
            return _make_too_long_error(span, where)
        return DataError(
            f"{span} reaches beyond its text, which has {length} code points",
            where=where,
            remedy=f"{HALF_OPEN_REMEDY} They count Unicode code points, not bytes or UTF-16 units.",
        )


def _make_overflow_error(documents: Sequence[Sequence[LabelledSpan]], place: PlaceFinder) -> DataError:
    """Return the error for the first span beyond 64 bits.

    A position of this span does not fit into 64 bits.
    """
    row, at, (start, end, label) = next(
        (row, at, span)
        for row, spans in enumerate(documents)
        for at, span in enumerate(spans)
        if max(abs(span[0]), abs(span[1])) > MAX_TEXT_LENGTH
    )
    return _make_too_long_error(f"the span [{start}, {end}) {label!r}", place(row, at))


def _make_too_long_error(span: str, where: str) -> DataError:
    return DataError(f"no text is long enough for {span}", where=where, remedy=HALF_OPEN_REMEDY)


def build_span_batch(
    documents: Ints,
    reference: SpanColumns,
    predicted: SpanColumns,
    provenance: Provenance,
    warnings: Iterable[RunWarning] = (),
) -> SpanPairs:
    """Build a batch with ascending labels and ordered spans.

    Args:
        documents: (documents,) their numbers.
        reference: the checked spans of the reference.
        predicted: the checked spans of the prediction.
        provenance: where the documents come from.
        warnings: what was changed while reading them.
    """
    labels = tuple(sorted({*reference.labels, *predicted.labels}))
    codes = {label: code for code, label in enumerate(labels)}
    return SpanPairs(
        documents=documents,
        labels=labels,
        reference=_build_spans(reference, codes),
        predicted=_build_spans(predicted, codes),
        provenance=provenance,
        warnings=RunWarning.merge(warnings),
    )


def _build_spans(columns: SpanColumns, codes: dict[str, int]) -> Spans:
    labels = np.array([codes[label] for label in columns.labels], np.int64)  # (spans,)
    return Spans.from_unsorted(columns.rows, columns.starts, columns.ends, labels)


SIDE_WORDS: dict[Side, str] = {"reference": "reference", "predicted": "prediction"}


Mention = tuple[str, str]  # a name as written, and its label
UnitBounds = tuple[Sequence[int], Sequence[int]]  # starts and ends of the units of a text


class SpanDocument(msgspec.Struct, frozen=True, gc=False):
    """A document of one side.

    Args:
        line: its line in the file, from 1, or its place in words if the file has no lines: `row 3`.
        id: its id, None if the file has no ids.
        text: its text, None if the file has no text.
        spans: its spans (start, end, label) in code points of the text, unchecked.
        warnings: what was changed while reading it, or the block of documents that it begins.
        columns: values of the wanted columns, None if no columns are wanted.
        file: its file within a folder; None for the file that is read.
        joined: whether its text was joined from tokens, so that white space may differ from the other side.
        unlocated: names that are not in its text. They count as spans that overlap no other span.
        locate: finds the names of a document without text in the text of the other side; None if it has no such names.
            What it finds replaces `spans`.
        has_offsets: whether `spans` count code points if neither side has a text for `locate`.
        units: bounds of the units that spans count, if these are not code points of the text.
        tokens: start and end of each token in the text, if the file has tokens; used by formats that need them.
        left_out: whether it is paired but not scored, such as a document that nobody annotated; its warnings say why.
        padded: whether white space at the end of its text, such as a last line break, may be missing on the other side.
        lines: the line of each span, if they have lines of their own; else empty.
    """

    line: int | str
    id: str | None
    text: str | None
    spans: Sequence[LabelledSpan]
    warnings: tuple[RunWarning, ...] = ()
    columns: Values | None = None
    file: str | None = None
    joined: bool = False
    unlocated: Sequence[Mention] = ()
    locate: Callable[[str], LocatedSpans] | None = None
    has_offsets: bool = False
    units: UnitBounds | None = None
    tokens: Sequence[tuple[int, int]] | None = None
    left_out: bool = False
    lines: Sequence[int] = ()
    padded: bool = False


class LocatedSpans(msgspec.Struct, frozen=True, gc=False):
    """The result of locating the names of a document in a text.

    Args:
        spans: the names that were found, in code points.
        unlocated: the names that were not found.
        warnings: how names were found.
    """

    spans: Sequence[LabelledSpan]
    unlocated: Sequence[Mention] = ()
    warnings: tuple[RunWarning, ...] = ()


SpanFile = RowFile[SpanDocument]


def split_batches(items: Iterable[T], measure: Callable[[T], int], max_size: int, max_items: int) -> Iterator[list[T]]:
    """Split items into batches of bounded size and number.

    If an item cannot be read, the items before this fault come first.

    Args:
        items: documents or pairs of documents.
        measure: gives the size of an item.
        max_size: the size at which a batch is complete.
        max_items: the number of items at which a batch is complete.
    """
    batch: list[T] = []
    size = 0
    try:
        for item in items:
            batch.append(item)
            size += measure(item)
            if len(batch) == max_items or size >= max_size:
                yield batch
                batch, size = [], 0
    except DataError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def get_column_value(columns: Iterable[Values | None], column: str, file: str) -> str | None:
    """Return the first value of a column among paired documents.

    The column `file` is the given file, unless a document defines it.
    """
    for values in columns:
        if values is not None and column in values:
            return values[column]
    return file if column == FILE_COLUMN else None


def make_no_text_error(document: SpanDocument, name: str, remedy: str = "Give its `text`.") -> FormatError:
    """Return the error for a document without text for its names.

    The text would locate names without positions, or show what offsets count.

    Args:
        document: a document of a file or folder.
        name: the name of that file or folder.
        remedy: what to do about it.
    """
    where = format_document_place(document, name)
    if document.spans:
        message = "what the offsets of the document count is unknown, and no text shows it"
        return FormatError(message, where=where, remedy=f"{remedy} Code points: --offset-unit code-points.")
    return FormatError(
        "the document has names without positions, and no text to find them in", where=where, remedy=remedy
    )


def format_document_place(document: SpanDocument, name: str) -> str:
    """Return file and line of a document.

    Args:
        document: a document of a file or folder.
        name: the name of that file or folder.
    """
    return format_place(document.file or name, document.line)


def format_span_place(document: SpanDocument, start: int, name: str) -> str:
    """Return file and line of a span, else of the document.

    Args:
        document: a document of a file or folder.
        start: the unit.
        name: the name of that file or folder.
    """
    for line, span in zip(document.lines, document.spans, strict=False):
        if span[0] == start:
            return format_place(document.file or name, line)
    return format_document_place(document, name)
