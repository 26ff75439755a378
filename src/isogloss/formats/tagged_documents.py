"""Documents with a tag for each token, paired token by token.

Pairs are in the order of the reference, and both documents of a pair must have the same tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from isogloss.errors import FormatError, MismatchError
from isogloss.formats.documents import LabelledSpan, SpanDocument, get_column_value, split_batches
from isogloss.formats.tag_table import TagTable
from isogloss.kernel.provenance import SIDES, RunWarning, Side, TextExcerpt
from isogloss.records.attributes import Values
from isogloss.records.json_fields import LazyRow
from isogloss.records.pairing import RowFile, RowPass, pair_rows
from isogloss.records.sources import format_place
from isogloss.spans.batches import SpanPairs, TagPairs
from isogloss.text.display import format_count

TagDecoder = Callable[[TagPairs], SpanPairs]


class TokenPosition(msgspec.Struct, gc=False):
    """Start and end of a token in the text."""

    start: int
    end: int


_TOKENS = msgspec.json.Decoder(list[TokenPosition])


def read_token_bounds(row: LazyRow) -> list[tuple[int, int]] | None:
    """Return the bounds of the field `tokens`, None without this field.

    Args:
        row: the row.

    Raises:
        FormatError: if the tokens are not objects with `start` and `end`.
    """
    tokens = row.read("tokens", _TOKENS)
    return None if tokens is None else [(token.start, token.end) for token in tokens]


@dataclass(frozen=True)
class TaggedRow:
    """A document with tags.

    Args:
        file: the name of its file.
        line: its line, or its place in words: `row 3`.
        id: its id, None if the file has no ids.
        text: its text, None if it has no text.
        tokens: the positions of its tokens.
        tags: one for each token.
        columns: values of the wanted columns, None if no columns are wanted.
        joined: whether its text was joined from tokens, so that white space may differ from the other side.
        lines: the line of each token, None if all are on `line`.
        forms: its words, if they are not parts of the text, such as French `de le` for `du`: then each of them has the
            position of the whole. None if the tokens give the words.
    """

    file: str
    line: int | str
    id: str | None
    text: str | None
    tokens: Sequence[TokenPosition]
    tags: Sequence[str]
    columns: Values | None = None
    joined: bool = False
    lines: Sequence[int] | None = None
    forms: Sequence[str] | None = None

    @classmethod
    def from_words(
        cls, file: str, line: int | str, words: Iterable[str], tags: Sequence[str], **more: Any
    ) -> TaggedRow:
        """Build a document whose text is its words joined by spaces.

        Args:
            file: the name of its file.
            line: its line.
            words: its tokens, none of them empty.
            tags: one for each token.
            **more: the other fields.
        """
        passage = TextExcerpt.from_words(words)
        tokens = list(map(TokenPosition, passage.starts or (), passage.ends or ()))
        return cls(
            **{"file": file, "line": line, "id": None, "text": passage.text} | more,
            tokens=tokens,
            tags=tags,
            joined=True,
        )

    def get_words(self) -> list[str]:
        """Return its words; the text must be known."""
        if self.forms is not None:
            return [*self.forms]
        text = self.text or ""
        return [text[token.start : token.end] for token in self.tokens]

    def format_place(self, position: int) -> str:
        """Return file and line of a token, else of the document."""
        lines = self.lines or ()
        return format_place(self.file, lines[position] if position < len(lines) else self.line)


TaggedPair = tuple[TaggedRow, TaggedRow]


@dataclass(frozen=True, eq=False)
class TokenProvenance:
    """Documents with tags on both sides.

    Args:
        first: number of the first document, from 0.
        pairs: (documents,) reference and prediction; twice the same row for documents of one side.
    """

    first: int
    pairs: Sequence[TaggedPair]

    def name(self, row: int) -> str:
        """Return the id of the document, or its number from 1."""
        name = self.pairs[row][0].id
        return str(self.first + row + 1) if name is None else name

    def where(self, row: int, position: int, side: Side) -> str:
        """Return file and line of a token."""
        return self.pairs[row][0 if side == "reference" else 1].format_place(position)

    def get_excerpt(self, row: int) -> TextExcerpt | None:
        """Return the text of the reference and the positions of its tokens."""
        reference = self.pairs[row][0]
        if reference.text is None:
            return None
        tokens = reference.tokens
        return TextExcerpt(reference.text, tuple(token.start for token in tokens), tuple(token.end for token in tokens))

    def value(self, row: int, column: str) -> str | None:
        """Return a column of the reference, else of the prediction.

        The column `file` is the file of the prediction, unless a document defines it.
        """
        reference, predicted = self.pairs[row]
        return get_column_value((reference.columns, predicted.columns), column, predicted.file)


def build_tag_batch(rows: Sequence[TaggedRow], first: int, side: Side, table: TagTable) -> TagPairs:
    """Build a batch from the tags of one side.

    Those of the other side are all "O".

    Args:
        rows: consecutive rows.
        first: number of the first row, from 0.
        side: the side of the tags.
        table: codes of the tags met so far.
    """
    return _build_batch([(row, row) for row in rows], first, table, (side,))


def _build_batch(pairs: Sequence[TaggedPair], first: int, table: TagTable, sides: Sequence[Side] = SIDES) -> TagPairs:
    lengths = [len(reference.tags) for reference, _ in pairs]
    codes = {
        side: _encode_tags([tag for pair in pairs for tag in pair[nth].tags], table)
        for nth, side in enumerate(SIDES)
        if side in sides
    }
    outside = np.zeros(sum(lengths), table.dtype)  # (tokens,)
    return TagPairs(
        documents=np.arange(first, first + len(pairs)),
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        vocabulary=table.vocabulary,
        reference=table.to_codes(codes.get("reference", outside)),
        predicted=table.to_codes(codes.get("predicted", outside)),
        provenance=TokenProvenance(first, pairs),
        sides=tuple(sides),
    )


def _encode_tags(tags: Sequence[str], table: TagTable) -> list[int]:
    """Return (tokens,) codes; each distinct tag is looked up once."""
    codes = {tag: table.encode_tag(tag.encode()) for tag in dict.fromkeys(tags)}
    return [codes[tag] for tag in tags]


def decode_rows(
    rows: Sequence[TaggedRow], batch: TagPairs, side: Side, decode: TagDecoder
) -> tuple[list[list[LabelledSpan]], tuple[RunWarning, ...]]:
    """Return the spans of each row in code points, and warnings.

    Spans are a list of (documents,).

    Args:
        rows: the rows of the batch.
        batch: their tags.
        side: the side of the tags.
        decode: converts tags to spans.
    """
    pairs = decode(batch)
    spans = pairs.reference if side == "reference" else pairs.predicted
    tokens = [token for row in rows for token in row.tokens]
    starts = np.array([token.start for token in tokens], np.int64)  # (tokens,)
    ends = np.array([token.end for token in tokens], np.int64)  # (tokens,)
    offset = batch.offsets[spans.row]  # (spans,)
    triples: list[list[LabelledSpan]] = [[] for _ in rows]
    columns = spans.row, starts[offset + spans.start], ends[offset + spans.end - 1], spans.label
    for row, start, end, label in zip(*(column.tolist() for column in columns), strict=True):
        triples[row].append((start, end, pairs.labels[label]))
    return triples, pairs.warnings


CHUNK_TOKENS = 1 << 15  # per batch, approximately: a document is never cut
CHUNK_DOCUMENTS = 1 << 12  # per batch at most, as documents may be empty
SAME_DOCUMENTS = "Reference and prediction must hold the same documents, token by token, in the same order."
SPELLING = "If only the spelling of tokens differs, add --ignore-tokens."
IDS_REMEDY = "Where ids of one side name something else, leave them out."


TaggedFile = RowFile[TaggedRow]


def batch_file_tags(file: TaggedFile, side: Side) -> Iterator[TagPairs]:
    """Read the tags of a file, as evidence for their scheme.

    Args:
        file: documents with tags.
        side: which side they belong to. The tags of the other side are all "O".
    """
    table, first = TagTable(), 0
    for rows in _split_rows(file):
        yield build_tag_batch(rows, first, side, table)
        first += len(rows)


@dataclass(frozen=True, eq=False)
class DecodedFile:
    """Documents with tags, read as documents with spans.

    Args:
        file: documents with tags.
        side: which side they belong to.
        decode: converts tags to spans.
        keep_tokens: whether the documents keep their tokens, which writers need.
    """

    file: TaggedFile
    side: Side
    decode: TagDecoder
    keep_tokens: bool = False

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        return self.file.name

    def __iter__(self) -> Iterator[SpanDocument]:
        """Read its documents from the beginning."""
        table, first = TagTable(), 0
        for rows in _split_rows(self.file):
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
                    tokens=_list_token_bounds(row) if self.keep_tokens else None,
                    lines=_list_span_lines(row, of_row),
                )
                warnings = ()
            first += len(rows)


def pair_tagged_files(
    reference: TaggedFile, prediction: TaggedFile, *, ignore_tokens: bool = False, ignore_ids: bool = False
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
    for batch in split_batches(pairs, lambda pair: len(pair[0].tags), CHUNK_TOKENS, CHUNK_DOCUMENTS):
        yield _build_batch(batch, first, table)
        first += len(batch)
    if not first:
        raise FormatError("holds no documents", where=reference.name, remedy="Check that it is the right file.")


def _split_rows(file: TaggedFile) -> Iterator[list[TaggedRow]]:
    return split_batches(file, lambda row: len(row.tags), CHUNK_TOKENS, CHUNK_DOCUMENTS)


def _list_token_bounds(row: TaggedRow) -> list[tuple[int, int]]:
    """Return token bounds, with words in one place as one token."""
    return list(dict.fromkeys((token.start, token.end) for token in row.tokens))


def _list_span_lines(row: TaggedRow, spans: Iterable[LabelledSpan]) -> Sequence[int]:
    """Return the line of the first token of each span.

    The result is empty if the tokens have no lines.
    """
    if row.lines is None:
        return ()
    line_at = {token.start: line for token, line in zip(reversed(row.tokens), reversed(row.lines), strict=True)}
    return [line_at[start] for start, _, _ in spans]


def _pair_rows(
    reference: TaggedFile, prediction: TaggedFile, *, ignore_tokens: bool, ignore_ids: bool
) -> Iterator[TaggedPair]:
    sides = _start_pass(reference, "reference"), _start_pass(prediction, "prediction")
    for one, other in pair_rows(*sides, remedy=SAME_DOCUMENTS):
        if not ignore_ids:
            _check_id(one, other)
        _check_tokens(one, other, ignore_tokens=ignore_tokens)
        yield one, other


def _start_pass(file: TaggedFile, side: str) -> RowPass[TaggedRow]:
    """Start a pass over documents that are paired by order.

    Ids may only confirm the order.
    """
    return RowPass(file, side, lambda row: row.format_place(0), uses_ids=False)


def _check_id(one: TaggedRow, other: TaggedRow) -> None:
    if one.id is not None and other.id is not None and one.id != other.id:
        raise MismatchError(
            f"the document is {other.id!r}, but {one.id!r} in the reference ({one.format_place(0)})",
            where=other.format_place(0),
            remedy=f"{SAME_DOCUMENTS} {IDS_REMEDY}",
        )


def _check_tokens(one: TaggedRow, other: TaggedRow, *, ignore_tokens: bool) -> None:
    expected, other_words = one.get_words(), other.get_words()
    if expected == other_words or (ignore_tokens and len(expected) == len(other_words)):
        return
    at = next((at for at, pair in enumerate(zip(expected, other_words, strict=False)) if pair[0] != pair[1]), None)
    if at is None or ignore_tokens:
        raise MismatchError(
            f"the document has {format_count(len(other_words), 'token')}, "
            f"but {len(expected)} in the reference ({one.format_place(0)})",
            where=other.format_place(0),
            detail=f"reference   {expected[:20]}\nprediction  {other_words[:20]}",
            remedy=SAME_DOCUMENTS,
        )
    raise MismatchError(
        f"token {at + 1} is {other_words[at]!r}, but {expected[at]!r} in the reference ({one.format_place(at)})",
        where=other.format_place(at),
        remedy=f"{SAME_DOCUMENTS} {SPELLING}",
    )
