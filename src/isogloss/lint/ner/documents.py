"""A file in any format as documents with spans, each with its place, and with the tags that do not fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from isogloss.batches import Notice, TagPairs
from isogloss.exceptions import UsageError
from isogloss.formats.annotation import Annotations
from isogloss.formats.offsets import OTHER_TEXT
from isogloss.formats.span_pairing import Mention, SpanDocument, TaggedRow, batch_of, place_of, without_text
from isogloss.formats.tag_table import TagTable
from isogloss.formats.token_pairing import tag_batches
from isogloss.scores import Ints
from isogloss.tagging import AUTO, Decision, Decoder, Evidence, decided
from isogloss.tagging.misfits import UNKNOWN, Misfits

ROWS = 1 << 10  # documents that are decoded at once


class Span(NamedTuple):
    """A span: (start, end, label) in code points of the text, and its file and line."""

    start: int
    end: int
    label: str
    where: str


class Misfit(NamedTuple):
    """A tag that does not fit: the position of its token, its file and line, and why."""

    at: int
    where: str
    message: str


@dataclass(frozen=True, eq=False)
class Document:
    """A document as it is looked at.

    Args:
        name: its id, or its number from 1.
        id: its id, None where it has none.
        where: file and line.
        text: None where the file has none.
        spans: its spans.
        misfits: its tags that do not fit.
        unlocated: its names that are not in its text.
        other_texts: spans whose own text is elsewhere.
        notices: what was done about it.
        left_out: whether it is not scored, as one that nobody annotated.
    """

    name: str
    id: str | None
    where: str
    text: str | None
    spans: Sequence[Span]
    misfits: Sequence[Misfit] = ()
    unlocated: Sequence[Mention] = ()
    other_texts: Sequence[Notice] = ()
    notices: Sequence[Notice] = ()
    left_out: bool = False


def decision_of(file: Annotations, name: str, scheme: str) -> Decision | None:
    """How the tags of a file are read, None where it has spans.

    Args:
        file: the file, opened.
        name: what messages call it.
        scheme: a tag scheme, or `auto` to decide by all of its tags.

    Raises:
        UsageError: there is no such scheme, or the file has spans, which have none.
        TagError: no scheme has all of its letters.
    """
    if file.tags is None:
        if scheme != AUTO:
            raise UsageError(f"{name} has spans, which have no tag scheme: leave out --scheme {scheme}.")
        return None
    evidence = sum(map(Evidence.of, tag_batches(file.tags, "reference")), Evidence())
    return decided(evidence, scheme, f"the file {name}")


def documents(file: Annotations, name: str, decision: Decision | None) -> Iterator[Document]:
    """The documents of a file.

    Args:
        file: the file, opened.
        name: what messages call it.
        decision: how its tags are read, where it has tags.

    Raises:
        DataError: the file cannot be read.
    """
    if file.spans is not None:
        for number, document in enumerate(file.spans, 1):
            if document.locate is not None:
                raise without_text(document, name)
            yield _with_spans(document, number, name)
    elif file.tags is not None and decision is not None:
        yield from _Tags(decision).documents(file.tags)


def _with_spans(document: SpanDocument, number: int, name: str) -> Document:
    where, file = place_of(document, name), document.file or name
    places = [f"{file}:{line}" for line in document.lines] or [where] * len(document.spans)
    return Document(
        document.id or str(number),
        document.id,
        where,
        document.text,
        [Span(*span, place) for span, place in zip(document.spans, places, strict=True)],
        unlocated=document.unlocated,
        other_texts=[notice for notice in document.notices if notice.code == OTHER_TEXT],
        notices=[notice for notice in document.notices if notice.code != OTHER_TEXT],
        left_out=document.left_out,
    )


class _Tags:
    """Documents with tags, decoded.

    Args:
        decision: how.
    """

    def __init__(self, decision: Decision) -> None:
        self._decision = decision
        self._decode = Decoder(decision)
        self._table = TagTable()

    def documents(self, rows: Iterable[TaggedRow]) -> Iterator[Document]:
        """The documents of these rows."""
        rest, first = iter(rows), 1
        while chunk := list(islice(rest, ROWS)):
            yield from self._decoded(chunk, first)
            first += len(chunk)

    def _decoded(self, rows: Sequence[TaggedRow], first: int) -> Iterator[Document]:
        batch = batch_of(rows, first - 1, "reference", self._table)
        found = Misfits.of(batch, self._decision)
        misfits = self._located(found, rows)
        unknown = found.at[found.kind == UNKNOWN]  # (unknown tags,)
        pairs = self._decode(_without(batch, unknown))
        spans: list[list[Span]] = [[] for _ in rows]
        columns = pairs.reference.row, pairs.reference.start, pairs.reference.end, pairs.reference.label
        for at, start, end, label in zip(*(column.tolist() for column in columns), strict=True):
            row = rows[at]
            bounds = row.tokens[start].start, row.tokens[end - 1].end
            spans[at].append(Span(*bounds, pairs.labels[label], row.place(start)))
        for number, (row, of_row, wrong) in enumerate(zip(rows, spans, misfits, strict=True), first):
            yield Document(row.id or str(number), row.id, row.place(0), row.text, of_row, wrong)

    def _located(self, found: Misfits, rows: Sequence[TaggedRow]) -> list[list[Misfit]]:
        """The misfits of each row."""
        offsets = found.batch.offsets
        located: list[list[Misfit]] = [[] for _ in rows]
        at_rows = np.searchsorted(offsets, found.at, side="right") - 1  # (misfits,)
        for number, (at, row) in enumerate(zip(found.at.tolist(), at_rows.tolist(), strict=True)):
            position = at - int(offsets[row])
            located[row].append(Misfit(position, rows[row].place(position), found.message(number)))
        return located


def _without(batch: TagPairs, at: Ints) -> TagPairs:
    """The same tags, but O at these positions."""
    codes = batch.reference.copy()
    codes[at] = 0
    return replace(batch, reference=codes)
