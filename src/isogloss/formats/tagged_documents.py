"""Documents of tokens with a tag each: the tags of one side as a batch, and decoded spans in code points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import msgspec
import numpy as np

from isogloss.formats.documents import LabelledSpan, get_column_value
from isogloss.formats.tag_table import TagTable
from isogloss.kernel.provenance import RunWarning, Side, TextExcerpt
from isogloss.records.attributes import Values
from isogloss.records.json_fields import LazyRow
from isogloss.spans.batches import SpanPairs, TagPairs

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
        return f"{self.file}:{lines[position] if position < len(lines) else self.line}"


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
    tags = [table.encode_tag(tag.encode()) for tag in chain.from_iterable(row.tags for row in rows)]
    codes, none = table.to_codes(tags), table.to_codes(np.zeros(len(tags), table.dtype))  # (tokens,)
    return TagPairs(
        documents=np.arange(first, first + len(rows)),
        offsets=np.concatenate([[0], np.cumsum([len(row.tags) for row in rows])]).astype(np.int64),
        vocabulary=table.vocabulary,
        reference=codes if side == "reference" else none,
        predicted=codes if side == "predicted" else none,
        origin=TokenProvenance(first, [(row, row) for row in rows]),
        sides=(side,),
    )


def decode_rows(
    rows: Sequence[TaggedRow],
    batch: TagPairs,
    side: Side,
    decode: TagDecoder,
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
