"""What a person looks at: one verdict about a place in a text, with its context.

Findings are built only on request. They carry no count: every count comes from `Counts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from isogloss.kernel.provenance import Side, TextExcerpt
from isogloss.text.display import snap_to_clusters


@dataclass(frozen=True)
class Mark:
    """A span that one side sets.

    Args:
        side: who sets it.
        label: its label, None where spans have none.
        start: first unit, in the document's units (tokens or code points).
        end: unit after the last.
        begin: code point in the finding's text where it starts; None where there is no text.
        stop: code point in the finding's text after its last.
    """

    side: Side
    label: str | None
    start: int
    end: int
    text_start: int | None = None
    text_end: int | None = None


@dataclass(frozen=True)
class Finding:
    """One verdict about a place in a text.

    Args:
        kind: the kind of verdict, as in the task's table of kinds.
        document: id of the document, or its number from 1.
        where: file and line.
        marks: what either side sets there; at least one.
        text: the marked spans and some context, a slice of the document's text; None where there is none.
        before: whether the document goes on before `text`.
        after: whether the document goes on after `text`.
    """

    kind: str
    document: str
    where: str
    marks: tuple[Mark, ...]
    text: str | None = None
    before: bool = False
    after: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)

    def get_mark(self, side: Side) -> Mark | None:
        """The span that a side sets, None where it sets none."""
        return next((mark for mark in self.marks if mark.side == side), None)

    def to_dict(self) -> dict[str, Any]:
        """The row of a run's JSON. Keys without content are left out."""
        row: dict[str, Any] = {"kind": self.kind, "document": self.document, "where": self.where}
        for mark in self.marks:
            span = {"start": mark.start, "end": mark.end, "label": mark.label}
            row[mark.side] = span if self.text is None else span | {"in_text": [mark.text_start, mark.text_end]}
        if self.text is not None:
            row |= {"text": self.text, "before": self.before, "after": self.after}
        return row | dict(self.extra)


def add_context(finding: Finding, excerpt: TextExcerpt | None, context: int) -> Finding:
    """The finding with the text around its marks.

    Args:
        finding: a finding whose marks have `start` and `end`.
        passage: the text of its document; None leaves the finding as it is.
        context: how many words to show on each side.
    """
    if excerpt is None:
        return finding
    spans = [excerpt.locate_span(mark.start, mark.end) for mark in finding.marks]
    low = _find_context_start(excerpt.text, min(begin for begin, _ in spans), context)
    high = _find_context_end(excerpt.text, max(stop for _, stop in spans), context)
    low, high = snap_to_clusters(excerpt.text, low, high)
    marks = tuple(
        Mark(mark.side, mark.label, mark.start, mark.end, begin - low, stop - low)
        for mark, (begin, stop) in zip(finding.marks, spans, strict=True)
    )
    return Finding(
        kind=finding.kind,
        document=finding.document,
        where=finding.where,
        marks=marks,
        text=excerpt.text[low:high],
        before=low > 0,
        after=high < len(excerpt.text),
        extra=finding.extra,
    )


MAX_CONTEXT = 40  # code points of context taken where a script has no spaces


def _find_context_start(text: str, at: int, words: int) -> int:
    """Where `words` words before `at` begin."""
    low = at
    for _ in range(words):
        while low > 0 and text[low - 1].isspace():
            low -= 1
        while low > 0 and not text[low - 1].isspace():
            low -= 1
    return max(low, at - MAX_CONTEXT)


def _find_context_end(text: str, at: int, words: int) -> int:
    """Where `words` words after `at` end."""
    high = at
    for _ in range(words):
        while high < len(text) and text[high].isspace():
            high += 1
        while high < len(text) and not text[high].isspace():
            high += 1
    return min(high, at + MAX_CONTEXT)
