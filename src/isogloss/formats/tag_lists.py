"""Convert Python lists of tags to batches.

Each side of a block is joined into one text and processed as bytes, because touching each string once is nearly the
whole cost. Only tags other than a lone "O" are looked up. If the number and length of the lines show that a tag holds a
newline, is empty or is not a string, every tag is checked by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import DataError, MismatchError
from isogloss.formats.python_lists import (
    ARGUMENT_NAMES,
    SHOWN,
    DocumentBlock,
    check_document_counts,
    split_blocks,
    to_document_list,
)
from isogloss.formats.tag_table import ByteArray, TagTable
from isogloss.kernel.provenance import Side, TextExcerpt
from isogloss.kernel.scores import Ints
from isogloss.spans.batches import Codes, TagPairs

BATCH_DOCUMENTS = 1 << 13  # per batch: at twenty tags each they fit into the processor's cache
BATCH_TOKENS = 1 << 18  # per batch
PADDING = "\n" * 8  # ends the last tag, and allows reading it without a copy


def batch_tag_lists(reference: Any, prediction: Any) -> Iterator[TagPairs]:
    """Read tag lists of both sides in batches of whole documents.

    Args:
        reference: per document a list of tags; tuples, arrays or a Series of lists count as lists.
        prediction: per document a list of tags, with as many documents and as many tags in each.

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
    for block in split_blocks(*documents, BATCH_DOCUMENTS, BATCH_TOKENS):
        yield _build_batch(block, table)


@dataclass(frozen=True, eq=False)
class TagListProvenance:
    """Documents of tag lists: tags stand for the words, and places are indices.

    Args:
        first: number of the first document, from 0.
        documents: the tags of the reference.
    """

    first: int
    documents: Sequence[Sequence[str]]

    def name(self, row: int) -> str:
        """Return the number of the document, from 1."""
        return str(self.first + row + 1)

    def where(self, row: int, position: int, side: Side) -> str:
        """Return the indices of the tag: `prediction[3][5]`."""
        return f"{ARGUMENT_NAMES[side]}[{self.first + row}][{position}]"

    def get_excerpt(self, row: int) -> TextExcerpt:
        """Return the tags of the reference as if they were words."""
        return TextExcerpt.from_words(self.documents[row])


def _build_batch(block: DocumentBlock, table: TagTable) -> TagPairs:
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
        origin=TagListProvenance(block.first, block.reference),
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
        detail="\n".join(_format_context(tags, around, ARGUMENT_NAMES[side]) for side, tags in sides.items()),
        remedy="Give one predicted tag for each reference tag; the tag of a token without a name is 'O'.",
    )


def _format_context(tags: Sequence[str], first: int, name: str) -> str:
    """Show the tags from `first` on, near the end of the shorter document."""
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
    """Return (tokens,) codes of documents with tags; None unless every tag is a line of its own."""
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
