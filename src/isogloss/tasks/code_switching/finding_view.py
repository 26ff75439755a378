"""How findings of code-switching look: one text with foreign words marked and excused ones outlined."""

from __future__ import annotations

from collections import defaultdict

from isogloss.kernel.findings import Finding, Mark
from isogloss.runs.finding_view import (
    EXCUSED,
    Context,
    FindingView,
    Passage,
    Spans,
    count_kinds,
    lane_of_spans,
    language_of,
)

FOREIGN = "foreign"


def _mixed(passage: Passage) -> Context:
    """A text in which foreign words are marked, and excused ones outlined; their reasons stand below."""
    spans: Spans = []
    facts: dict[str, list[str]] = defaultdict(list)
    for finding in passage.findings:
        excused = finding.kind == EXCUSED
        for mark in finding.marks:
            begin, stop = (passage.within(finding, at or 0) for at in (mark.begin, mark.stop))
            spans.append((begin, stop, "excused" if excused else "foreign"))
            if finding.kind != FOREIGN:
                facts[_reason(finding, mark)].append(passage.text[begin:stop])
    told = tuple((name, tuple(dict.fromkeys(words))) for name, words in facts.items())
    first = passage.findings[0]
    return Context(
        count_kinds(passage.findings),
        first.where,
        language_of(first),
        (lane_of_spans(passage, "text", spans),),
        told,
    )


def _reason(finding: Finding, mark: Mark) -> str:
    """Why a word is excused, or what is odd about it and its script."""
    if finding.kind == EXCUSED:
        return f"excused: {mark.label or 'no reason'}".replace("_", " ")
    script = finding.more.get("script")
    return finding.kind.replace("_", " ") + (f", {script}" if script else "")


VIEW = FindingView(title="Foreign words, excused ones last", names_sides=False, passage=_mixed)
