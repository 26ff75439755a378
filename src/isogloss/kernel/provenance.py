"""Where documents come from, what was done about them, and their text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

Side = Literal["reference", "predicted"]
SIDES: tuple[Side, Side] = ("reference", "predicted")


@dataclass(frozen=True)
class RunWarning:
    """Something that was done about the input, or could not be told from it.

    Args:
        code: what users filter by, such as `tags-repaired`.
        message: one sentence without numbers, so that equal notices of several batches add up.
        count: how often.
        where: the first place.
    """

    code: str
    message: str
    count: int = 1
    where: str | None = None

    def format_line(self, *, always_count: bool = False) -> str:
        """What, how often, and where first.

        Args:
            counted: whether it says how often also when it is once.
        """
        said = f"{self.message[:1].upper()}{self.message[1:]}"
        if always_count or self.count > 1:
            said = f"{said.removesuffix('.')}: {self.count:,}"
        first = "first: " if self.count > 1 else ""
        return f"{said} ({first}{self.where})" if self.where else said

    @staticmethod
    def merge(warnings: Iterable[RunWarning]) -> tuple[RunWarning, ...]:
        """Counts of equal notices added, in the order of their first place."""
        merged: dict[tuple[str, str], RunWarning] = {}
        for notice in warnings:
            key = (notice.code, notice.message)
            first = merged.get(key)
            merged[key] = notice if first is None else RunWarning(*key, first.count + notice.count, first.where)
        return tuple(merged.values())


@dataclass(frozen=True)
class TextExcerpt:
    """The text of a document and where its units stand in it.

    Args:
        text: the text.
        starts: code point at which each unit starts; None where the units are code points.
        ends: code point after each unit.
    """

    text: str
    starts: tuple[int, ...] | None = None
    ends: tuple[int, ...] | None = None

    @classmethod
    def from_words(cls, words: Iterable[str]) -> TextExcerpt:
        """Words joined by spaces."""
        starts, ends, at = [], [], 0
        words = list(words)
        for word in words:
            starts.append(at)
            ends.append(at + len(word))
            at += len(word) + 1
        return cls(" ".join(words), tuple(starts), tuple(ends))

    def locate_span(self, start: int, end: int) -> tuple[int, int]:
        """Code points of the units from `start` to before `end`; `start < end`."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


class Provenance(Protocol):
    """Where the documents of a batch come from. Asked only for findings and errors, so it may be slow."""

    def name(self, row: int) -> str:
        """What the user calls the document at this position of the batch: its id, or its number from 1."""

    def where(self, row: int, position: int, side: Side) -> str:
        """Place of a unit of the document: `pred.conll:42`, or `prediction[3][5]` for Python lists."""

    def passage(self, row: int) -> TextExcerpt | None:
        """The document's text, None where there is none."""


@runtime_checkable
class ColumnProvenance(Protocol):
    """An origin whose documents have columns beside what is scored: those of a JSON row, comments, the file."""

    def value(self, row: int, column: str) -> str | None:
        """What a column has for a document; None where it has nothing."""
