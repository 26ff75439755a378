"""Rows with tags: tags of one side as a batch, and the decoded spans as code points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from isogloss.batches import Notice, Passage, Side, SpanPairs, TagPairs
from isogloss.formats.attributes import Values
from isogloss.formats.jsonl.rows import Token
from isogloss.formats.span_pairing import Triple
from isogloss.formats.tag_table import TagTable

Decode = Callable[[TagPairs], SpanPairs]


@dataclass(frozen=True)
class TaggedRow:
    """A row with tags.

    Args:
        file: name of its file.
        line: its line.
        id: what it is called, None where the file has no ids.
        text: its text, None where it has none.
        tokens: where its tokens stand.
        tags: one a token.
        columns: what is wanted of it beside, None where nothing is.
    """

    file: str
    line: int
    id: str | None
    text: str | None
    tokens: Sequence[Token]
    tags: Sequence[str]
    columns: Values | None = None


@dataclass(frozen=True, eq=False)
class TaggedOrigin:
    """Every token of a row is in the row's line.

    Args:
        first: number of the first row, from 0.
        rows: (documents,) the rows of the batch.
    """

    first: int
    rows: Sequence[TaggedRow]

    def name(self, row: int) -> str:
        """The row's id, or its number from 1."""
        name = self.rows[row].id
        return str(self.first + row + 1) if name is None else name

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002 - as `Origin` asks
        """File and line of the row."""
        return f"{self.rows[row].file}:{self.rows[row].line}"

    def passage(self, row: int) -> Passage | None:
        """The row's text and where its tokens stand in it."""
        text, tokens = self.rows[row].text, self.rows[row].tokens
        if text is None:
            return None
        return Passage(text, tuple(token.start for token in tokens), tuple(token.end for token in tokens))


def batch_of(rows: Sequence[TaggedRow], first: int, side: Side, table: TagTable) -> TagPairs:
    """Tags of one side; those of the other side are all "O".

    Args:
        rows: consecutive rows.
        first: number of the first, from 0.
        side: whose tags they are.
        table: codes of the tags met so far.
    """
    tags = [table.code(tag.encode()) for tag in chain.from_iterable(row.tags for row in rows)]
    codes, none = table.array(tags), table.array(np.zeros(len(tags), table.dtype))  # (tokens,)
    return TagPairs(
        documents=np.arange(first, first + len(rows)),
        offsets=np.concatenate([[0], np.cumsum([len(row.tags) for row in rows])]).astype(np.int64),
        vocabulary=table.vocabulary,
        reference=codes if side == "reference" else none,
        predicted=codes if side == "predicted" else none,
        origin=TaggedOrigin(first, rows),
        sides=(side,),
    )


def decoded(
    rows: Sequence[TaggedRow], batch: TagPairs, side: Side, decode: Decode
) -> tuple[list[list[Triple]], tuple[Notice, ...]]:
    """The spans (documents,) of each row in code points, and what was done about its tags.

    Args:
        rows: the rows of the batch.
        batch: their tags.
        side: whose tags they are.
        decode: turns tags into spans.
    """
    pairs = decode(batch)
    spans = pairs.reference if side == "reference" else pairs.predicted
    tokens = [token for row in rows for token in row.tokens]
    starts = np.array([token.start for token in tokens], np.int64)  # (tokens,)
    ends = np.array([token.end for token in tokens], np.int64)  # (tokens,)
    offset = batch.offsets[spans.row]  # (spans,)
    triples: list[list[Triple]] = [[] for _ in rows]
    columns = spans.row, starts[offset + spans.start], ends[offset + spans.end - 1], spans.label
    for row, start, end, label in zip(*(column.tolist() for column in columns), strict=True):
        triples[row].append((start, end, pairs.labels[label]))
    return triples, pairs.notices
