"""How findings of entity translation look: source, translation and the accepted names."""

from __future__ import annotations

from isogloss.kernel.findings import Finding
from isogloss.runs.finding_view import FindingLane, FindingView, TextPiece, build_lane


def _build_translation_lanes(finding: Finding) -> tuple[FindingLane, ...]:
    """Source, translation and the names that are accepted."""
    lanes = [FindingLane("source", "", (TextPiece(str(finding.extra["source"])),))] if "source" in finding.extra else []
    for mark in finding.marks:
        whole = mark.text_start == 0 and finding.text is not None and mark.text_end == len(finding.text)
        lanes.append(build_lane(finding, mark, "plain" if whole else f"side-{mark.side}"))
    accepted = tuple(TextPiece(str(one), "word word-reference") for one in finding.extra.get("accepted", ()))
    return (*lanes, *([FindingLane("accepted", "", accepted)] if accepted else []))


VIEW = FindingView(lanes=_build_translation_lanes)
