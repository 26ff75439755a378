"""Findings: verdicts about places in a text, with context, for readers.

Findings are built only on request. They carry no count: every count comes from `Counts`.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import groupby
from typing import Any

import msgspec

from isogloss.kernel.presenters import call_presenter
from isogloss.kernel.provenance import Side, TextExcerpt
from isogloss.text.display import snap_to_clusters


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Pause the search for reference cycles.

    Findings have no cycles, and among a million of them the search takes a third of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def keep_first_documents(findings: Iterable[Finding], number: int) -> tuple[list[Finding], int]:
    """Keep the findings of the first documents that have any.

    Args:
        findings: findings, documents in order.
        number: most documents.

    Returns:
        Their findings, and how many documents they are.
    """
    kept: list[Finding] = []
    documents = 0
    for _, own in groupby(findings, key=lambda finding: finding.document):
        if documents == number:
            break
        kept += own
        documents += 1
    return kept, documents


class Mark(msgspec.Struct, frozen=True, gc=False, array_like=True):
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


CorrectSpan = tuple[int, int, str | None]  # first code point, code point after the last, label


class Finding(msgspec.Struct, frozen=True, eq=False, gc=False, array_like=True):
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
        document_text: the whole text of the document, to show the finding on it; not in the JSON row. It is None
            if the text has more than `MAX_DOCUMENT_TEXT` code points.
        text_start: code point of `document_text` where `text` begins.
        correct: code points of `document_text` and label of each span that both sides have alike: (start, end, label).
            Not in the JSON row.
    """

    kind: str
    document: str
    where: str
    marks: tuple[Mark, ...]
    text: str | None = None
    before: bool = False
    after: bool = False
    extra: Mapping[str, Any] = {}
    document_text: str | None = None
    text_start: int = 0
    correct: tuple[CorrectSpan, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Finding) and self._list_compared() == other._list_compared()

    def __hash__(self) -> int:
        return hash(self._list_compared()[:-1])

    def _list_compared(self) -> tuple[Any, ...]:
        """Return the values that make two findings equal.

        They are all values but the text of the document and the spans in it.
        """
        return (self.kind, self.document, self.where, self.marks, self.text, self.before, self.after, self.extra)

    def show_whole_document(self) -> Finding:
        """Return the finding on the whole text of its document.

        It is the finding itself if that text is not kept.
        """
        if self.document_text is None or self.text is None:
            return self
        shift = self.text_start
        marks = (
            msgspec.structs.replace(
                mark, text_start=(mark.text_start or 0) + shift, text_end=(mark.text_end or 0) + shift
            )
            for mark in self.marks
        )
        whole = self.document_text
        return msgspec.structs.replace(self, text=whole, marks=tuple(marks), before=False, after=False, text_start=0)

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

    def __str__(self) -> str:
        text: str = call_presenter("finding_text", self)
        return text

    def _repr_html_(self) -> str:
        html: str = call_presenter("finding_html", self)
        return html


class DocumentText(msgspec.Struct, frozen=True):
    """Whole text of a document with findings.

    Args:
        text: the text; None if it was not kept.
        correct: its correct spans, see `Finding`.
    """

    text: str | None
    correct: tuple[CorrectSpan, ...] = ()


def add_context(
    finding: Finding, excerpt: TextExcerpt | None, context: int, correct: tuple[CorrectSpan, ...] = ()
) -> Finding:
    """Add the text around its marks to a finding.

    Args:
        finding: finding whose marks have `start` and `end`.
        excerpt: text of its document; None leaves the finding unchanged.
        context: number of words to show on each side.
        correct: spans of the document that both sides have alike, by code points of its text.
    """
    if excerpt is None:
        return finding
    text, marks = excerpt.text, finding.marks
    low, high = _find_window(excerpt, marks, context)
    mark = marks[0]
    start, end = excerpt.locate_span(mark.start, mark.end)
    located = _build_only_mark(mark.side, mark.label, mark.start, mark.end, start - low, end - low)
    for mark in marks[1:]:
        start, end = excerpt.locate_span(mark.start, mark.end)
        located += (Mark(mark.side, mark.label, mark.start, mark.end, start - low, end - low),)
    return Finding(
        finding.kind,
        finding.document,
        finding.where,
        located,
        text[low:high],
        low > 0,
        high < len(text),
        {**finding.extra, "note": excerpt.note} if excerpt.note else finding.extra,
        text if len(text) <= MAX_DOCUMENT_TEXT else None,
        low,
        correct,
    )


MAX_DOCUMENT_TEXT = 1_000_000  # code points of a text that is kept whole
MAX_CONTEXT = 40  # code points of context, for scripts without spaces


def _find_window(excerpt: TextExcerpt, marks: Sequence[Mark], words: int) -> tuple[int, int]:
    """Return the code points of marks with the words around them."""
    text, first, stop = excerpt.text, marks[0].start, marks[0].end
    for mark in marks[1:]:
        first, stop = min(first, mark.start), max(stop, mark.end)
    starts, ends = excerpt.starts, excerpt.ends
    if not excerpt.are_words or starts is None or ends is None:
        low = min([excerpt.locate_span(mark.start, mark.end)[0] for mark in marks])
        high = max([excerpt.locate_span(mark.start, mark.end)[1] for mark in marks])
        return snap_to_clusters(text, *_widen_by_words(text, low, high, words))
    low, high = starts[first] - MAX_CONTEXT, ends[stop - 1] + MAX_CONTEXT
    start = starts[first - words] if first > words else 0
    end = ends[stop - 1 + words] if stop + words <= len(ends) else len(text)
    low, high = max(start, low), min(end, high)
    return (low, high) if text.isascii() else snap_to_clusters(text, low, high)


def _widen_by_words(text: str, low: int, high: int, words: int) -> tuple[int, int]:
    """Widen a span by the words before and after it."""
    before, after = text[low - MAX_CONTEXT if low > MAX_CONTEXT else 0 : low], text[high : high + MAX_CONTEXT]
    parts = before.rsplit(None, words)
    if len(parts) > words:
        before = before[len(parts[0]) :]
    low -= len(before if len(parts) < words else before.lstrip())
    parts = after.split(None, words)
    if len(parts) > words:
        after = after[: len(after) - len(parts[words])]
    return low, high + len(after if len(parts) < words else after.rstrip())


@lru_cache(1 << 14)
def _build_only_mark(
    side: Side, label: str | None, start: int, end: int, text_start: int, text_end: int
) -> tuple[Mark, ...]:
    """Build the only mark of a finding.

    Findings at the same place of other texts share it, which halves the memory of many findings.
    """
    return (Mark(side, label, start, end, text_start, text_end),)
