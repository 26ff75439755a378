"""Findings: verdicts about places in a text, with context, for people to read.

Findings are built only on request. They carry no count: every count comes from `Counts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from isogloss.kernel.provenance import Side, TextExcerpt
from isogloss.text.display import snap_to_clusters


@dataclass(frozen=True)
class Mark:
    """Span that one side marks.

    Args:
        side: the side that marks it.
        label: its label; None if spans have no labels.
        start: first unit, in units of the document (tokens or code points).
        end: unit after the last.
        text_start: code point in the finding's text where it starts; None without a text.
        text_end: code point in the finding's text after its end; None without a text.
    """

    side: Side
    label: str | None
    start: int
    end: int
    text_start: int | None = None
    text_end: int | None = None


@dataclass(frozen=True)
class Finding:
    """Verdict about a place in a text.

    Args:
        kind: kind of the verdict, as in the task's table of kinds.
        document: id of the document, or its number from 1.
        where: file and line.
        marks: spans that each side marks there; at least one.
        text: the marked spans with context, cut from the document's text; None without a text.
        before: whether the document has text before `text`.
        after: whether the document has text after `text`.
        extra: further keys and values of the JSON row.
        document_text: the whole text of the document if it is short, to show the finding on it; not in the JSON row.
        text_start: code point of `document_text` where `text` begins.
    """

    kind: str
    document: str
    where: str
    marks: tuple[Mark, ...]
    text: str | None = None
    before: bool = False
    after: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)
    document_text: str | None = field(default=None, compare=False, repr=False)
    text_start: int = field(default=0, compare=False, repr=False)

    def show_whole_document(self) -> Finding:
        """Return the finding on the whole text of its document; itself if that text is not kept."""
        if self.document_text is None or self.text is None:
            return self
        shift = self.text_start
        marks = (
            replace(mark, text_start=(mark.text_start or 0) + shift, text_end=(mark.text_end or 0) + shift)
            for mark in self.marks
        )
        whole = self.document_text
        return replace(self, text=whole, marks=tuple(marks), before=False, after=False, text_start=0)

    def get_mark(self, side: Side) -> Mark | None:
        """Return the span that a side marks; None if it marks none."""
        return next((mark for mark in self.marks if mark.side == side), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the row of the run's JSON, without empty keys."""
        row: dict[str, Any] = {"kind": self.kind, "document": self.document, "where": self.where}
        for mark in self.marks:
            span = {"start": mark.start, "end": mark.end, "label": mark.label}
            row[mark.side] = span if self.text is None else span | {"in_text": [mark.text_start, mark.text_end]}
        if self.text is not None:
            row |= {"text": self.text, "before": self.before, "after": self.after}
        return row | dict(self.extra)


def add_context(finding: Finding, excerpt: TextExcerpt | None, context: int) -> Finding:
    """Add the text around its marks to a finding.

    Args:
        finding: finding whose marks have `start` and `end`.
        excerpt: text of its document; None leaves the finding unchanged.
        context: number of words to show on each side.
    """
    if excerpt is None:
        return finding
    spans = [excerpt.locate_span(mark.start, mark.end) for mark in finding.marks]
    low, high = min(begin for begin, _ in spans), max(stop for _, stop in spans)
    low -= _measure_words(excerpt.text[max(0, low - MAX_CONTEXT) : low][::-1], context)
    high += _measure_words(excerpt.text[high : high + MAX_CONTEXT], context)
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
        document_text=excerpt.text if len(excerpt.text) <= MAX_DOCUMENT_TEXT else None,
        text_start=low,
    )


MAX_DOCUMENT_TEXT = 400  # code points of a text that is kept whole: a sentence, not a book
MAX_CONTEXT = 40  # code points of context, for scripts without spaces


def _measure_words(text: str, words: int) -> int:
    """Return the length of the first words of a text, with leading spaces."""
    at = 0
    for _ in range(words):
        for is_space in (True, False):
            while at < len(text) and text[at].isspace() is is_space:
                at += 1
    return at
