"""Provenance of scores: signatures, warnings about the input, places and texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

import msgspec

if TYPE_CHECKING:
    from isogloss.kernel.scores import Ints  # it imports numpy, and help pages need none

Side = Literal["reference", "predicted"]
SIDES: tuple[Side, Side] = ("reference", "predicted")
ESCAPES = str.maketrans({"\\": "\\\\", "|": "\\|", "\n": "\\n", "\r": "\\r"})


@dataclass(frozen=True)
class Signature:
    """Task and choices behind the scores of a run.

    Two runs with equal signatures on equal inputs have equal scores.

    Args:
        task: name of the task.
        version: version of isogloss.
        choices: name and value of each choice, in the order they were made. A line end, `|` or a backslash in a value
            is escaped.
        definition: version of the definitions of the task's scores, for comparisons; not written.
    """

    task: str
    version: str
    choices: Mapping[str, str | int | float] = field(default_factory=dict)
    definition: int = 1

    def __str__(self) -> str:
        """Write the signature as `ner|scheme:iob2|repair:begin|...|version:0.1.0`."""
        chosen = (f"{name}:{_format_choice(value)}" for name, value in self.choices.items())
        return "|".join((self.task, *chosen, f"version:{self.version}"))


def _format_choice(value: str | float) -> str:
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value).translate(ESCAPES)


@dataclass(frozen=True)
class RunWarning:
    """Warning about the input.

    It says what isogloss did about the input, or could not find out.

    Args:
        code: code for filtering, such as `tags-repaired`.
        message: one sentence without numbers, so that equal warnings of several batches add up.
        count: how often it occurred.
        where: the first place; None if unknown.
    """

    code: str
    message: str
    count: int = 1
    where: str | None = None

    def format_line(self, *, always_count: bool = False) -> str:
        """Write message, count and first place in one line.

        Args:
            always_count: whether the line has the count also when it is 1.
        """
        line = f"{self.message[:1].upper()}{self.message[1:]}"
        if always_count or self.count > 1:
            line = f"{line.removesuffix('.')}: {self.count:,}"
        first = "first: " if self.count > 1 else ""
        return f"{line} ({first}{self.where})" if self.where else line

    @staticmethod
    def merge(warnings: Iterable[RunWarning]) -> tuple[RunWarning, ...]:
        """Add the counts of equal warnings, ordered by their first place."""
        merged: dict[tuple[str, str], RunWarning] = {}
        for warning in warnings:
            key = (warning.code, warning.message)
            first = merged.get(key)
            merged[key] = warning if first is None else RunWarning(*key, first.count + warning.count, first.where)
        return tuple(merged.values())


class TextExcerpt(msgspec.Struct, frozen=True):
    """Text of a document, and the places of its units.

    Args:
        text: the text.
        starts: code point at which each unit starts; None if units are code points.
        ends: code point after each unit; None if units are code points.
        note: what a reader must know about the text, if it is not the text of the document; empty for nothing.
        are_words: whether all units are known to be the words of the text, with one space between two.
    """

    text: str
    starts: Sequence[int] | None = None
    ends: Sequence[int] | None = None
    note: str = ""
    are_words: bool = False

    @classmethod
    def from_words(cls, words: Iterable[str], note: str = "") -> TextExcerpt:
        """Join words by spaces."""
        words = list(words)
        ends = tuple([stop - 1 for stop in accumulate([len(word) + 1 for word in words])])
        starts = (0, *[end + 1 for end in ends[:-1]]) if words else ()
        return cls(" ".join(words), starts, ends, note=note)

    def locate_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the code points of a range of units.

        The range is `start` to before `end`, with `start < end`.
        """
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


class Provenance(Protocol):
    """Source of the documents of a batch.

    It may be slow, because only findings and errors use it.
    """

    def name(self, row: int) -> str:
        """Return the id of a document, or its number from 1.

        The document is given by its row.
        """

    def where(self, row: int, position: int, side: Side) -> str:
        """Return the place of a unit: `pred.conll:42`, or `prediction[3][5]` for Python lists."""

    def get_excerpt(self, row: int) -> TextExcerpt | None:
        """Return the document's text; None if there is none."""


@runtime_checkable
class BatchProvenance(Protocol):
    """Provenance that is fast for many documents."""

    def get_excerpts(self, rows: Ints) -> Sequence[TextExcerpt | None]:
        """Return the text of each document: (rows,)."""

    def list_places(self, rows: Ints, positions: Ints, side: Side) -> Sequence[str]:
        """Return the place of each unit of one side: (rows,)."""


def get_excerpts(provenance: Provenance, rows: Ints) -> Sequence[TextExcerpt | None]:
    """Return the texts of documents: (rows,), None without a text."""
    if isinstance(provenance, BatchProvenance):
        return provenance.get_excerpts(rows)
    return [provenance.get_excerpt(row) for row in rows.tolist()]


def list_places(provenance: Provenance, rows: Ints, positions: Ints, side: Side) -> Sequence[str]:
    """Return the places of units of one side: (rows,).

    Args:
        provenance: the source of the documents.
        rows: (rows,) the document of each unit.
        positions: (rows,) the unit, within its document.
        side: the side.
    """
    if isinstance(provenance, BatchProvenance):
        return provenance.list_places(rows, positions, side)
    where = provenance.where
    return [where(row, position, side) for row, position in zip(rows.tolist(), positions.tolist(), strict=True)]


@runtime_checkable
class ColumnProvenance(Protocol):
    """Provenance with further columns: JSON keys, comments, the file."""

    def value(self, row: int, column: str) -> str | None:
        """Return the value of a column for a document, or None.

        It is None if the document has no value.
        """
