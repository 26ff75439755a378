"""A file in any format as documents with spans, each with its place, and with the tags that do not fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from isogloss.batches import Notice
from isogloss.exceptions import UsageError
from isogloss.formats.annotation import Annotations
from isogloss.formats.span_pairing import Mention, SpanDocument, TaggedRow, batch_of, place_of
from isogloss.formats.tag_table import TagTable
from isogloss.formats.token_pairing import tag_batches
from isogloss.tagging import AUTO, Decision, Decoder, Evidence, Rule, decided

ROWS = 1 << 10  # documents that are decoded at once
OUTSIDE = "O"


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
        notices: what was done about it.
    """

    name: str
    id: str | None
    where: str
    text: str | None
    spans: Sequence[Span]
    misfits: Sequence[Misfit] = ()
    unlocated: Sequence[Mention] = ()
    notices: Sequence[Notice] = ()


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
            yield _with_spans(document, number, place_of(document, name))
    elif file.tags is not None and decision is not None:
        yield from _Tags(decision).documents(file.tags)


def _with_spans(document: SpanDocument, number: int, where: str) -> Document:
    return Document(
        document.id or str(number),
        document.id,
        where,
        document.text,
        [Span(*span, where) for span in document.spans],
        unlocated=document.unlocated,
        notices=document.notices,
    )


class _Tags:
    """Documents with tags, decoded.

    Args:
        decision: how.
    """

    def __init__(self, decision: Decision) -> None:
        self._rule: Rule = decision.rules[0]
        self._decode = Decoder(decision)
        self._table = TagTable()
        self._letters: dict[str, str | None] = {OUTSIDE: OUTSIDE}

    def documents(self, rows: Iterable[TaggedRow]) -> Iterator[Document]:
        """The documents of these rows."""
        rest, first = iter(rows), 1
        while chunk := list(islice(rest, ROWS)):
            yield from self._decoded(chunk, first)
            first += len(chunk)

    def _decoded(self, rows: Sequence[TaggedRow], first: int) -> Iterator[Document]:
        misfits = [self._unknown(row) for row in rows]
        known = [self._without_unknown(row) if found else row for row, found in zip(rows, misfits, strict=True)]
        pairs = self._decode(batch_of(known, first - 1, "reference", self._table))
        spans: list[list[Span]] = [[] for _ in rows]
        columns = pairs.reference.row, pairs.reference.start, pairs.reference.end, pairs.reference.label
        for at, start, end, label in zip(*(column.tolist() for column in columns), strict=True):
            row = rows[at]
            bounds = row.tokens[start].start, row.tokens[end - 1].end
            spans[at].append(Span(*bounds, pairs.labels[label], row.place(start)))
            misfits[at] += self._misfits(row, start, end - 1)
        for number, (row, of_row, found) in enumerate(zip(rows, spans, misfits, strict=True), first):
            yield Document(row.id or str(number), row.id, row.place(0), row.text, of_row, sorted(found))

    def _letter(self, tag: str) -> str | None:
        """The letter of a tag, None where the scheme has no such tag."""
        if tag not in self._letters:
            split = self._rule.split(tag)
            self._letters[tag] = None if split is None else split[0]
        return self._letters[tag]

    def _unknown(self, row: TaggedRow) -> list[Misfit]:
        if all(self._letter(tag) is not None for tag in set(row.tags)):
            return []
        return [
            Misfit(at, row.place(at), f"{tag!r} is no tag of {self._rule.title}, which has {self._rule.expects}")
            for at, tag in enumerate(row.tags)
            if self._letter(tag) is None
        ]

    def _without_unknown(self, row: TaggedRow) -> TaggedRow:
        return replace(row, tags=[OUTSIDE if self._letter(tag) is None else tag for tag in row.tags])

    def _misfits(self, row: TaggedRow, first: int, last: int) -> Iterator[Misfit]:
        """The tags of a span that do not fit: the first, the last or, of a single tag, that one."""
        opens, closes = self._rule.opens, self._rule.closes
        if opens is not None and self._letter(row.tags[first]) not in opens:
            yield self._misfit(row, first, f"begins a span, and {self._rule.title} begins spans with {_either(opens)}")
            if first == last:
                return
        if closes is not None and self._letter(row.tags[last]) not in closes:
            yield self._misfit(row, last, f"ends a span, and {self._rule.title} ends spans with {_either(closes)}")

    def _misfit(self, row: TaggedRow, at: int, why: str) -> Misfit:
        return Misfit(at, row.place(at), f"{row.tags[at]!r} {why}")


def _either(letters: Iterable[str]) -> str:
    return " or ".join(sorted(letters))
