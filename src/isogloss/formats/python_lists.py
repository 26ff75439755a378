"""Lists of tag lists and of span lists, in batches.

Each side of a block of tag lists is joined into one text and processed as bytes, because touching each string once is
nearly the whole cost. Only tags other than a lone "O" are looked up. If the number and length of the lines show that a
tag holds a newline, is empty or is not a string, every tag is checked by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter, index, itemgetter
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import DataError, MismatchError
from isogloss.formats.documents import LabelledSpan, SpanColumns, build_span_batch
from isogloss.formats.list_words import TAGS_NOTE, ListWords
from isogloss.formats.python_arguments import ARGUMENT_NAMES, SHOWN, SPAN_LENGTH, DocumentBlock, read_blocks
from isogloss.formats.tag_table import ByteArray, TagTable
from isogloss.kernel.provenance import Side, TextExcerpt
from isogloss.kernel.scores import Ints
from isogloss.spans.batches import Codes, SpanPairs, TagPairs

TAG_BATCH_DOCUMENTS = 1 << 13  # per batch: at twenty tags each they fit into the processor's cache
TAG_BATCH_TOKENS = 1 << 18  # per batch
PADDING = "\n" * 8  # ends the last tag, and allows reading it without a copy


def batch_tag_lists(reference: Any, prediction: Any, *, words: ListWords | None = None) -> Iterator[TagPairs]:
    """Read tag lists of both sides in batches of whole documents.

    Args:
        reference: per document a list of tags; tuples, arrays or a Series of lists count as lists.
        prediction: per document a list of tags, with as many documents and as many tags in each.
        words: words of the documents; None if they are unknown.

    Yields:
        Batches with one growing vocabulary: a tag has the same code on both sides and in all batches.

    Raises:
        UsageError: if an argument is not a list of documents.
        MismatchError: if the numbers of documents, or of tags in a document, differ.
        DataError: if a document is not a list, or a tag is empty or not a string.
    """
    table = TagTable()
    for block in read_blocks(reference, prediction, TAG_BATCH_DOCUMENTS, TAG_BATCH_TOKENS):
        batch = _build_tag_batch(block, table, words)
        if words is not None:
            words.check_tags(block.first, block.counts)
        yield batch


@dataclass(frozen=True, eq=False)
class TagListProvenance:
    """Documents of tag lists, with indices as places.

    Without words, the tags stand for them.

    Args:
        first: number of the first document, from 0.
        documents: the tags of the reference.
        words: words of all documents; None if they are unknown.
    """

    first: int
    documents: Sequence[Sequence[str]]
    words: ListWords | None = None

    def name(self, row: int) -> str:
        """Return the number of the document, from 1."""
        return str(self.first + row + 1)

    def where(self, row: int, position: int, side: Side) -> str:
        """Return the indices of the tag: `prediction[3][5]`."""
        return f"{ARGUMENT_NAMES[side]}[{self.first + row}][{position}]"

    def get_excerpt(self, row: int) -> TextExcerpt:
        """Return the words of a document, or its tags as words.

        The tags are those of the reference.
        """
        if self.words is not None:
            return self.words.get_token_excerpt(self.first + row)
        return TextExcerpt.from_words(self.documents[row], TAGS_NOTE)


def _build_tag_batch(block: DocumentBlock, table: TagTable, words: ListWords | None) -> TagPairs:
    _check_lengths(block)
    offsets = np.concatenate([[0], np.cumsum(block.counts)])  # (documents + 1,)
    reference = _encode_tags(block, "reference", table)  # (tokens,)
    predicted = _encode_tags(block, "predicted", table)  # (tokens,)
    return TagPairs(
        documents=np.arange(block.first, block.first + len(block.counts)),
        offsets=offsets,
        vocabulary=table.vocabulary,
        reference=table.to_codes(reference),  # the prediction may have made the vocabulary larger
        predicted=predicted,
        provenance=TagListProvenance(block.first, block.reference, words),
    )


def _check_lengths(block: DocumentBlock) -> None:
    counts, predicted = block.counts.tolist(), list(map(len, block.predicted))
    if predicted == counts:
        return
    row = next(row for row, count in enumerate(counts) if count != predicted[row])
    sides: dict[Side, Sequence[str]] = {"reference": block.reference[row], "predicted": block.predicted[row]}
    around = max(0, min(map(len, sides.values())) - SHOWN)
    raise MismatchError(
        f"{len(sides['reference'])} reference tags, but {len(sides['predicted'])} predicted tags",
        where=f"prediction[{block.first + row}]",
        detail="\n".join(_format_tag_context(tags, around, ARGUMENT_NAMES[side]) for side, tags in sides.items()),
        remedy="Give one predicted tag for each reference tag; the tag of a token without a name is 'O'.",
    )


def _format_tag_context(tags: Sequence[str], first: int, name: str) -> str:
    """Show a document's tags around the end of the shorter document.

    The tags are shown from `first` on.
    """
    shown = " ".join(map(str, tags[first : first + 2 * SHOWN]))
    before = "… " if first else ""
    after = " …" if first + 2 * SHOWN < len(tags) else " (end)"
    return f"{name:<10}  {before}{shown}{after}".replace("  (end)", " (end)")


def _encode_tags(block: DocumentBlock, side: Side, table: TagTable) -> Codes:
    """Return (tokens,) codes of one side."""
    documents = block.reference if side == "reference" else block.predicted
    filled = documents if block.counts.all() else [tags for tags in documents if tags]
    codes = _encode_bytes(filled, int(block.counts.sum()), table)
    if codes is not None:
        return codes
    return table.to_codes([table.encode_tag(tag) for tag in _check_tags(documents, block.first, side)])


def _encode_bytes(documents: Sequence[Sequence[str]], tokens: int, table: TagTable) -> Codes | None:
    """Return (tokens,) codes of the tags of documents.

    Return None unless every tag is a line of its own.
    """
    try:
        text = "\n".join(map("\n".join, documents))
        buffer = np.frombuffer(f"\n{text}{PADDING}".encode(), np.uint8)  # (bytes,)
    except (TypeError, UnicodeEncodeError):  # a tag is not a string, or holds a lone surrogate
        return None
    newline = buffer[: 1 - len(PADDING)] == ord("\n")  # (bytes up to the last tag's end,)
    ends = np.flatnonzero(newline)  # (tokens + 1,) the first is before the first tag
    if len(ends) != tokens + 1:
        return None
    widths = np.diff(ends)  # (tokens,) bytes with the newline
    named = _find_inside_tags(buffer, newline, ends, widths)
    lengths = widths[named] - 1
    if not lengths.all():
        return None
    looked_up = table.encode_tags(buffer, ends[named] + 1, lengths)
    codes = table.to_codes(np.zeros(tokens, looked_up.dtype))  # (tokens,)
    codes[named] = looked_up
    return codes


def _find_inside_tags(buffer: ByteArray, newline: NDArray[np.bool_], ends: Ints, widths: Ints) -> Ints:
    """Return the positions of the tags other than a lone "O"."""
    outside = (buffer[1 : len(newline) - 1] == ord("O")) & newline[:-2] & newline[2:]
    named = np.flatnonzero(widths != len("O\n"))
    if np.count_nonzero(outside) + len(named) == len(widths):  # so no other tag has a single byte
        return named
    return np.flatnonzero((widths != len("O\n")) | (buffer[ends[:-1] + 1] != ord("O")))


def _check_tags(documents: Sequence[Sequence[Any]], first: int, side: Side) -> Iterator[bytes]:
    """Yield tags one by one in UTF-8."""
    for row, tags in enumerate(documents, first):
        for position, tag in enumerate(tags):
            where = f"{ARGUMENT_NAMES[side]}[{row}][{position}]"
            if not isinstance(tag, str):
                message = f"a tag is a string, but {tag!r} is of type {type(tag).__name__}"
                raise DataError(message, where=where, remedy="The tag of a token without a name is 'O'.")
            if not tag:
                raise DataError("the tag is empty", where=where, remedy="The tag of a token without a name is 'O'.")
            yield _to_utf8(tag, where)


def _to_utf8(tag: str, where: str) -> bytes:
    try:
        return tag.encode()
    except UnicodeEncodeError:
        message = f"the tag {tag!r} holds a surrogate, which is not a character by itself"
        raise DataError(message, where=where, remedy="Decode the file it comes from as UTF-8.") from None


SPAN_BATCH_DOCUMENTS = 1 << 14  # per batch
SPAN_BATCH_SPANS = 1 << 17  # reference spans per batch
KEYS = ("start", "end", "label")
SPAN_FORMS = "A span is a tuple (start, end, label), a dict with these keys, or an object with these attributes."


def batch_span_lists(reference: Any, prediction: Any, *, words: ListWords | None = None) -> Iterator[SpanPairs]:
    """Read span lists of both sides in batches of whole documents.

    Args:
        reference: per document a list of spans; positions count any unit that both sides share.
        prediction: per document a list of spans, with as many documents.
        words: tokens or texts of the documents, whose tokens or code points the positions count; None if unknown.

    Yields:
        Batches with the labels that occur in them.

    Raises:
        UsageError: if an argument is not a list of documents.
        MismatchError: if the numbers of documents differ.
        DataError: if an item is not a span, or `end <= start`, or `start < 0`.
    """
    for block in read_blocks(reference, prediction, SPAN_BATCH_DOCUMENTS, SPAN_BATCH_SPANS):
        yield build_span_batch(
            np.arange(block.first, block.first + len(block.counts)),
            _build_columns(block.reference, block.first, "reference", words),
            _build_columns(block.predicted, block.first, "predicted", words),
            SpanListProvenance(block, words),
        )


@dataclass(frozen=True, eq=False)
class SpanListProvenance:
    """Documents of span lists: places are indices.

    Args:
        block: the documents.
        words: tokens or texts of all documents; None if they are unknown.
    """

    block: DocumentBlock
    words: ListWords | None = None

    def name(self, row: int) -> str:
        """Return the number of the document, from 1."""
        return str(self.block.first + row + 1)

    def where(self, row: int, position: int, side: Side) -> str:
        """Return the indices of the span that starts at a position.

        If no span starts there, return the indices of the document.
        """
        spans = (self.block.reference if side == "reference" else self.block.predicted)[row]
        document = f"{ARGUMENT_NAMES[side]}[{self.block.first + row}]"
        starts = (_build_getters(span)[0](span) for span in spans)
        return next((f"{document}[{at}]" for at, start in enumerate(starts) if start == position), document)

    def get_excerpt(self, row: int) -> TextExcerpt | None:
        """Return the text of a document; None if it is unknown."""
        return None if self.words is None else self.words.get_span_excerpt(self.block.first + row)


def _build_columns(
    documents: Sequence[Sequence[Any]], first: int, side: Side, words: ListWords | None = None
) -> SpanColumns:
    """Build checked columns from consecutive documents.

    The first document has the number `first`.
    """

    def place(row: int, at: int) -> str:
        return f"{ARGUMENT_NAMES[side]}[{first + row}][{at}]"

    columns = _build_uniform_columns(documents)
    if columns is None:
        exact = [
            [convert_span(span, place(row, at)) for at, span in enumerate(spans)] for row, spans in enumerate(documents)
        ]
        columns = SpanColumns.from_documents(exact, place)
    columns.check(place)
    if words is not None:
        words.check_spans(first, columns, place)
    return columns


def _build_uniform_columns(documents: Sequence[Sequence[Any]]) -> SpanColumns | None:
    """Build columns from spans of one type, else return None.

    Positions must be plain numbers, and labels plain strings.
    """
    spans = list(chain.from_iterable(documents))
    kinds = set(map(type, spans))
    if len(kinds) != 1 or (kinds <= {tuple, list} and set(map(len, spans)) != {SPAN_LENGTH}):
        return None
    try:
        starts, ends, labels = (list(map(getter, spans)) for getter in _build_getters(spans[0]))
        if {*map(type, starts), *map(type, ends)} != {int} or set(map(type, labels)) != {str}:
            return None
        counts = np.fromiter(map(len, documents), np.int64, len(documents))  # (documents,)
        return SpanColumns(counts, np.array(starts, np.int64), np.array(ends, np.int64), labels)
    except (LookupError, AttributeError, OverflowError):
        return None


def _build_getters(span: Any) -> tuple[Callable[[Any], Any], ...]:
    """Return functions that get a span's start, end and label.

    The functions work for all spans of the same type.
    """
    if isinstance(span, Mapping):
        return tuple(itemgetter(key) for key in KEYS)
    if isinstance(span, (tuple, list)) and not hasattr(span, "start"):
        return tuple(itemgetter(at) for at in range(SPAN_LENGTH))
    label = "label_" if isinstance(getattr(span, "label", ""), int) and hasattr(span, "label_") else "label"
    return attrgetter("start"), attrgetter("end"), attrgetter(label)


def convert_span(span: Any, where: str) -> LabelledSpan:
    """Convert a span to a tuple.

    Args:
        span: a tuple (start, end, label), a dict with these keys, or an object with these attributes.
        where: its place, for messages.

    Raises:
        DataError: if it is not a span.
    """
    try:
        start, end, label = (getter(span) for getter in _build_getters(span))
    except (LookupError, AttributeError):
        start = end = label = None
    if label is None or (isinstance(span, (tuple, list)) and len(span) != SPAN_LENGTH and not hasattr(span, "start")):
        raise DataError(f"{span!r} is not a span", where=where, remedy=SPAN_FORMS)
    if not isinstance(label, str):
        raise DataError(
            f"a label is a string, but {label!r} is of type {type(label).__name__}", where=where, remedy=SPAN_FORMS
        )
    return _convert_position(start, where), _convert_position(end, where), str(label)


def _convert_position(value: Any, where: str) -> int:
    if isinstance(value, SupportsIndex) and not isinstance(value, (bool, np.bool_)):
        return index(value)
    message = f"a position is a whole number, but {value!r} is of type {type(value).__name__}"
    raise DataError(message, where=where, remedy=SPAN_FORMS)
