"""Files of documents with a tag for each token: one file as evidence or as spans, two files paired token by token.

Pairs are in the order of the reference, and both documents of a pair must have the same tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Protocol, TypeVar

import numpy as np

from isogloss.errors import DataError, FormatError, MismatchError
from isogloss.formats.documents import LabelledSpan, SpanDocument
from isogloss.formats.tag_table import TagTable
from isogloss.formats.tagged_documents import (
    TagDecoder,
    TaggedPair,
    TaggedRow,
    TokenProvenance,
    build_tag_batch,
    decode_rows,
)
from isogloss.kernel.provenance import Side
from isogloss.spans.batches import TagPairs
from isogloss.text.display import format_count

CHUNK_TOKENS = 1 << 15  # per batch, approximately: a document is never cut
CHUNK_DOCUMENTS = 1 << 12  # per batch at most, as documents may be empty
SAME_DOCUMENTS = "Reference and prediction must hold the same documents, token by token, in the same order."
SPELLING = "If only the spelling of tokens differs, add --ignore-tokens."
IDS_REMEDY = "Where ids of one side name something else, leave them out."
T = TypeVar("T")


class TaggedFile(Protocol):
    """Documents with tags that can be read any number of times."""

    @property
    def name(self) -> str:
        """The name of the file in messages."""

    def __iter__(self) -> Iterator[TaggedRow]:
        """Read its documents in order, from the beginning."""


def batch_file_tags(file: TaggedFile, side: Side) -> Iterator[TagPairs]:
    """Read the tags of a file, as evidence for their scheme.

    Args:
        file: documents with tags.
        side: which side they belong to. The tags of the other side are all "O".
    """
    table, first = TagTable(), 0
    for rows in _split_chunks(file, _count_tokens):
        yield build_tag_batch(rows, first, side, table)
        first += len(rows)


@dataclass(frozen=True, eq=False)
class DecodedFile:
    """Documents with tags, read as documents with spans.

    Args:
        file: documents with tags.
        side: which side they belong to.
        decode: converts tags to spans.
    """

    file: TaggedFile
    side: Side
    decode: TagDecoder

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        return self.file.name

    def __iter__(self) -> Iterator[SpanDocument]:
        """Read its documents from the beginning."""
        table, first = TagTable(), 0
        for rows in _split_chunks(self.file, _count_tokens):
            spans, warnings = decode_rows(rows, build_tag_batch(rows, first, self.side, table), self.side, self.decode)
            for row, of_row in zip(rows, spans, strict=True):
                yield SpanDocument(
                    row.line,
                    row.id,
                    row.text,
                    of_row,
                    warnings,
                    row.columns,
                    file=row.file,
                    joined=row.joined,
                    tokens=list(dict.fromkeys((token.start, token.end) for token in row.tokens)),
                    lines=_list_span_lines(row, of_row),
                )
                warnings = ()
            first += len(rows)


def pair_tagged_files(
    reference: TaggedFile,
    prediction: TaggedFile,
    *,
    ignore_tokens: bool = False,
    ignore_ids: bool = False,
) -> Iterator[TagPairs]:
    """Pair two files token by token.

    Args:
        reference: documents with tags.
        prediction: the same documents with other tags.
        ignore_tokens: whether the spelling of tokens may differ, though not their number.
        ignore_ids: whether ids may differ, as in formats that number documents differently.

    Yields:
        Batches with one growing vocabulary.

    Raises:
        FormatError: if the reference holds no documents. Errors of the files are passed on.
        MismatchError: if the number of documents, the number of tokens in one, a token, or an id differs.
    """
    table, first = TagTable(), 0
    pairs = _pair_rows(reference, prediction, ignore_tokens=ignore_tokens, ignore_ids=ignore_ids)
    for batch in _split_chunks(pairs, lambda pair: len(pair[0].tags)):
        yield _build_batch(batch, first, table)
        first += len(batch)
    if not first:
        raise FormatError("holds no documents", where=reference.name, remedy="Check that it is the right file.")


def _split_chunks(items: Iterable[T], count_tokens: Callable[[T], int]) -> Iterator[list[T]]:
    """Split items into lists of about `CHUNK_TOKENS` tokens; those before a fault come first."""
    chunk: list[T] = []
    tokens = 0
    try:
        for item in items:
            chunk.append(item)
            tokens += count_tokens(item)
            if tokens >= CHUNK_TOKENS or len(chunk) == CHUNK_DOCUMENTS:
                yield chunk
                chunk, tokens = [], 0
    except DataError:
        if chunk:
            yield chunk
        raise
    if chunk:
        yield chunk


def _list_span_lines(row: TaggedRow, spans: Iterable[LabelledSpan]) -> Sequence[int]:
    """Return the line of the first token of each span; empty if tokens have no lines."""
    if row.lines is None:
        return ()
    line_at = {token.start: line for token, line in zip(reversed(row.tokens), reversed(row.lines), strict=True)}
    return [line_at[start] for start, _, _ in spans]


def _count_tokens(row: TaggedRow) -> int:
    return len(row.tags)


def _pair_rows(
    reference: TaggedFile, prediction: TaggedFile, *, ignore_tokens: bool, ignore_ids: bool
) -> Iterator[TaggedPair]:
    both = zip_longest(reference, prediction)
    for before, (one, other) in enumerate(both):
        if one is None or other is None:
            raise _make_count_error(one, other, before, both)
        if not ignore_ids:
            _check_id(one, other)
        _check_tokens(one, other, ignore_tokens=ignore_tokens)
        yield one, other


def _check_id(one: TaggedRow, other: TaggedRow) -> None:
    if one.id is not None and other.id is not None and one.id != other.id:
        raise MismatchError(
            f"the document is {other.id!r}, but {one.id!r} in the reference ({one.format_place(0)})",
            where=other.format_place(0),
            remedy=f"{SAME_DOCUMENTS} {IDS_REMEDY}",
        )


def _check_tokens(one: TaggedRow, other: TaggedRow, *, ignore_tokens: bool) -> None:
    expected, found = one.get_words(), other.get_words()
    if expected == found or (ignore_tokens and len(expected) == len(found)):
        return
    at = next((at for at, pair in enumerate(zip(expected, found, strict=False)) if pair[0] != pair[1]), None)
    if at is None or ignore_tokens:
        raise MismatchError(
            f"the document has {format_count(len(found), 'token')}, "
            f"but {len(expected)} in the reference ({one.format_place(0)})",
            where=other.format_place(0),
            detail=f"reference   {expected[:20]}\nprediction  {found[:20]}",
            remedy=SAME_DOCUMENTS,
        )
    raise MismatchError(
        f"token {at + 1} is {found[at]!r}, but {expected[at]!r} in the reference ({one.format_place(at)})",
        where=other.format_place(at),
        remedy=f"{SAME_DOCUMENTS} {SPELLING}",
    )


def _make_count_error(
    one: TaggedRow | None,
    other: TaggedRow | None,
    count: int,
    rest: Iterator[tuple[TaggedRow | None, TaggedRow | None]],
) -> MismatchError:
    more = count + 1
    try:
        for _ in rest:
            more += 1
        number = str(more)
    except DataError:  # an unreadable line further down
        number = f"{more} or more"
    reference, predicted = (number, str(count)) if other is None else (str(count), number)
    extra = one or other
    return MismatchError(
        f"the reference has {reference} document{'' if reference == '1' else 's'}, the prediction {predicted}",
        where=extra.format_place(0) if extra is not None else None,
        detail=f"document {count + 1} has no partner",
        remedy=SAME_DOCUMENTS,
    )


def _build_batch(pairs: Sequence[TaggedPair], first: int, table: TagTable) -> TagPairs:
    codes = [
        [table.encode_tag(tag.encode()) for tag in chain.from_iterable(pair[side].tags for pair in pairs)]
        for side in (0, 1)
    ]
    lengths = [len(pair[0].tags) for pair in pairs]
    return TagPairs(
        documents=np.arange(first, first + len(pairs)),
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        vocabulary=table.vocabulary,
        reference=table.to_codes(codes[0]),
        predicted=table.to_codes(codes[1]),
        origin=TokenProvenance(first, pairs),
    )
