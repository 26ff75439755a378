"""Reference and prediction as Python arguments.

They are paths, lists of tag lists, or lists of span lists.

Each side of a block of tag lists is joined into one text and processed as bytes, because touching each string once is
nearly the whole cost. Only tags other than a lone "O" are looked up. If the number and length of the lines show that a
tag holds a newline, is empty or is not a string, every tag is checked by itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from operator import attrgetter, countOf, index, itemgetter
from typing import Any, Literal, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import DataError, MismatchError, UsageError
from isogloss.formats.documents import LabelledSpan, SpanColumns, build_span_batch
from isogloss.formats.list_words import TAGS_NOTE, ListWords
from isogloss.formats.tag_table import ByteArray, TagTable
from isogloss.kernel.provenance import Side, TextExcerpt
from isogloss.kernel.scores import Ints
from isogloss.spans.batches import Codes, SpanPairs, TagPairs
from isogloss.text.display import format_count

ArgumentKind = Literal["path", "tags", "spans", "empty"]
ARGUMENT_FORMS = "paths, lists of tag lists, or lists of span lists"
KIND_WORDS: dict[ArgumentKind, str] = {
    "path": "a path",
    "tags": "a list of tag lists",
    "spans": "a list of span lists",
    "empty": "a list of empty lists",
}


def detect_argument_kind(value: Any, side: Side) -> ArgumentKind:
    """Return the kind of an argument, by its first non-empty document.

    Args:
        value: the argument.
        side: which argument it is, for messages.

    Returns:
        "empty" if all documents are: it fits tags and spans.

    Raises:
        UsageError: if it is not of any kind, or is a single document instead of a list of documents.
        DataError: if the first item is neither a tag nor a span.
    """
    if isinstance(value, (str, os.PathLike)):
        return "path"
    for number, document in enumerate(to_document_list(value, side)):
        for first in to_unit_list(document, number, side)[:1]:
            return _detect_item_kind(first, f"{ARGUMENT_NAMES[side]}[{number}][0]")
    return "empty"


def detect_common_kind(reference: Any, prediction: Any) -> ArgumentKind:
    """Return the common kind of both arguments.

    Args:
        reference: the reference argument.
        prediction: the prediction argument.

    Returns:
        "empty" if all documents of both are.

    Raises:
        UsageError: if their kinds differ.
        DataError: if the first item of one is neither a tag nor a span.
    """
    kinds: tuple[ArgumentKind, ArgumentKind] = (
        detect_argument_kind(reference, "reference"),
        detect_argument_kind(prediction, "predicted"),
    )
    known = set(kinds) - {"empty"}
    if len(known) > 1 or ("path" in known and "empty" in kinds):
        raise UsageError(
            f"reference is {KIND_WORDS[kinds[0]]}, but prediction is {KIND_WORDS[kinds[1]]}. Both must be of one kind: "
            f"{ARGUMENT_FORMS}"
        )
    return known.pop() if known else "empty"


def _detect_item_kind(item: Any, where: str) -> ArgumentKind:
    if isinstance(item, str):
        return "tags"
    if is_span(item):
        return "spans"
    remedy = "A tag is a string. A span is a tuple (start, end, label), a dict with these keys, or such an object."
    if isinstance(item, int):
        remedy = "Replace the numbers by the names of their tags, such as 'B-PER'; isogloss.ner takes label_names=."
    raise DataError(f"{item!r} is neither a tag nor a span", where=where, remedy=remedy)


ARGUMENT_NAMES: dict[Side, str] = {"reference": "reference", "predicted": "prediction"}
SPAN_LENGTH = 3  # start, end, label
SHOWN = 4  # tags or spans shown on either side of a place
WRAP_REMEDY = "For a single document, wrap it in a list"


@dataclass(frozen=True, eq=False)
class DocumentBlock:
    """Consecutive documents of both sides.

    Args:
        first: number of the first document, from 0.
        counts: (documents,) tags of each document on both sides; of the reference if the sides may differ.
        reference: (documents,) their reference.
        predicted: (documents,) their prediction.
    """

    first: int
    counts: Ints
    reference: Sequence[Sequence[Any]]
    predicted: Sequence[Sequence[Any]]


def to_document_list(value: Any, side: Side) -> Sequence[Any]:
    """Return the documents of an argument as a list.

    Args:
        value: a list or any other collection of documents that can be read twice.
        side: which argument it is.

    Raises:
        UsageError: if it is not such a collection, or is a single document instead of a list of documents.
    """
    name = ARGUMENT_NAMES[side]
    if not _is_collection(value):
        raise UsageError(f"{name} must be a list of documents, got {type(value).__name__}")
    documents = value if isinstance(value, (list, tuple)) else list(value)
    first = next(iter(documents), None)
    if isinstance(first, str):
        raise UsageError(
            f"{name} is a flat list of strings, but a list of documents is expected. {WRAP_REMEDY}: [{name}]"
        )
    if is_row(first):
        raise UsageError(
            f"{name} is a list of rows, such as {{'tokens': …, 'tags': …}}, but a list of tag lists or span lists is "
            "expected. Give the tags or spans of each row; isogloss.ner takes rows too"
        )
    if is_span(first):
        raise UsageError(
            f"{name} is a flat list of spans, but a list of documents is expected. {WRAP_REMEDY}: [{name}]"
        )
    return documents


def is_row(value: Any) -> bool:
    """Return whether a value is a document as a dict.

    An example is `{"tokens": ..., "tags": ...}`. A span is not a document.
    """
    return isinstance(value, Mapping) and "start" not in value and "end" not in value


def is_span(value: Any) -> bool:
    """Return whether a value is a span and not a document.

    A span is (start, end, label), a dict or an object.
    """
    if isinstance(value, Mapping):
        return True
    if isinstance(value, (tuple, list)) and value and not hasattr(value, "start"):
        return len(value) == SPAN_LENGTH and not isinstance(value[0], str) and isinstance(value[-1], str)
    return hasattr(value, "start") and hasattr(value, "end") and not isinstance(value, str)


def check_document_counts(reference: Sequence[Any], predicted: Sequence[Any]) -> None:
    """Check that both sides have equally many documents.

    Args:
        reference: the documents of the reference.
        predicted: the documents of the prediction.

    Raises:
        MismatchError: if they do not; it shows the first document without a partner.
    """
    if len(reference) == len(predicted):
        return
    at = min(len(reference), len(predicted))
    longer: Side = "reference" if len(reference) > at else "predicted"
    rest = to_unit_list((reference if longer == "reference" else predicted)[at], at, longer)
    raise MismatchError(
        f"the reference has {format_count(len(reference), 'document')}, the prediction {len(predicted)}",
        where=f"prediction[{at}]",
        detail=f"{ARGUMENT_NAMES[longer]}[{at}] has no partner: {list(islice(rest, 2 * SHOWN))}",
        remedy="Give one predicted list for each reference list, in the same order; [] where nothing is predicted.",
    )


def split_blocks(
    reference: Sequence[Any], predicted: Sequence[Any], max_documents: int, max_units: int
) -> Iterator[DocumentBlock]:
    """Split both sides into blocks of whole documents.

    Args:
        reference: documents, as many as `predicted`.
        predicted: documents.
        max_documents: the maximum number of documents of a block.
        max_units: the maximum number of tags or spans of the reference in a block of several documents.

    Raises:
        DataError: if a document is not a list, such as a string in the middle.
    """
    first = 0
    while first < len(reference):
        chunk = reference[first : first + max_documents]
        counts = _count_units(chunk, first)  # (documents,)
        size = max(1, int(np.searchsorted(np.cumsum(counts), max_units, side="right")))
        documents = _convert_documents(chunk if size >= len(chunk) else chunk[:size], first, "reference")
        other = _convert_documents(predicted[first : first + size], first, "predicted")
        yield DocumentBlock(first, counts[:size], documents, other)
        first += size


def _count_units(chunk: Sequence[Any], first: int) -> Ints:
    """Return (documents,) the number of units of each reference document.

    The documents are not converted.
    """
    try:
        return np.fromiter(map(len, chunk), np.int64, len(chunk))
    except TypeError:  # to_unit_list names the item that is not a document
        return np.array([len(to_unit_list(document, first + row, "reference")) for row, document in enumerate(chunk)])


def _convert_documents(chunk: Sequence[Any], first: int, side: Side) -> Sequence[Sequence[Any]]:
    """Return consecutive documents as lists or tuples, which they nearly always are."""
    if countOf(map(type, chunk), list) == len(chunk) or set(map(type, chunk)) <= {list, tuple}:
        return chunk
    return [to_unit_list(document, first + row, side) for row, document in enumerate(chunk)]


def to_unit_list(value: Any, number: int, side: Side) -> Sequence[Any]:
    """Return a document as a list or tuple.

    Args:
        value: a collection of tags or spans.
        number: the number of the document, from 0.
        side: which argument holds it.

    Raises:
        DataError: if it is not a collection.
    """
    if isinstance(value, (list, tuple)):
        return value
    if not _is_collection(value):
        raise DataError(
            f"{value!r} is of type {type(value).__name__}, but a document is a list of tags or of spans",
            where=f"{ARGUMENT_NAMES[side]}[{number}]",
            remedy=f"{WRAP_REMEDY}; an empty list stands for a document without any.",
        )
    return list(value.tolist() if hasattr(value, "tolist") else value)


def _is_collection(value: Any) -> bool:
    """Return whether a value can be read twice as a list."""
    if isinstance(value, (str, bytes, Mapping)) or getattr(value, "ndim", 1) == 0:
        return False
    return hasattr(value, "__iter__") and hasattr(value, "__len__")


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
    documents = to_document_list(reference, "reference"), to_document_list(prediction, "predicted")
    check_document_counts(*documents)
    table = TagTable()
    for block in split_blocks(*documents, TAG_BATCH_DOCUMENTS, TAG_BATCH_TOKENS):
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
    documents = to_document_list(reference, "reference"), to_document_list(prediction, "predicted")
    check_document_counts(*documents)
    for block in split_blocks(*documents, SPAN_BATCH_DOCUMENTS, SPAN_BATCH_SPANS):
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
