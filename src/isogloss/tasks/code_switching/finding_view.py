"""How findings of code-switching look: one text with foreign words marked and excused ones outlined."""

from __future__ import annotations

from collections import defaultdict

from isogloss.kernel.findings import Finding, Mark
from isogloss.runs.finding_view import (
    EXCUSED,
    FindingContext,
    FindingExcerpt,
    FindingView,
    RoleSpans,
    build_span_lane,
    count_kinds,
    language_of,
)

FOREIGN = "foreign"


def _build_mixed_context(passage: FindingExcerpt) -> FindingContext:
    """A text in which foreign words are marked, and excused ones outlined; their reasons stand below."""
    spans: RoleSpans = []
    facts: dict[str, list[str]] = defaultdict(list)
    for finding in passage.findings:
        excused = finding.kind == EXCUSED
        for mark in finding.marks:
            begin, stop = (passage.to_excerpt_position(finding, at or 0) for at in (mark.text_start, mark.text_end))
            spans.append((begin, stop, "excused" if excused else "foreign"))
            if finding.kind != FOREIGN:
                facts[_describe_reason(finding, mark)].append(passage.text[begin:stop])
    told = tuple((name, tuple(dict.fromkeys(words))) for name, words in facts.items())
    first = passage.findings[0]
    return FindingContext(
        count_kinds(passage.findings),
        first.where,
        language_of(first),
        (build_span_lane(passage, "text", spans),),
        told,
    )


def _describe_reason(finding: Finding, mark: Mark) -> str:
    """Why a word is excused, or what is odd about it and its script."""
    if finding.kind == EXCUSED:
        return f"excused: {mark.label or 'no reason'}".replace("_", " ")
    script = finding.extra.get("script")
    return finding.kind.replace("_", " ") + (f", {script}" if script else "")


VIEW = FindingView(title="Foreign words, excused ones last", names_sides=False, passage=_build_mixed_context)
