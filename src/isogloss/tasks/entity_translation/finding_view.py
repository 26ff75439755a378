"""How findings of entity translation look: source, translation and the accepted names."""

from __future__ import annotations

from isogloss.kernel.findings import Finding
from isogloss.runs.finding_view import FindingView, Lane, Piece, lane


def _translation(finding: Finding) -> tuple[Lane, ...]:
    """Source, translation and the names that are accepted."""
    lanes = [Lane("source", "", (Piece(str(finding.more["source"])),))] if "source" in finding.more else []
    for mark in finding.marks:
        whole = mark.begin == 0 and finding.text is not None and mark.stop == len(finding.text)
        lanes.append(lane(finding, mark, "plain" if whole else f"side-{mark.side}"))
    accepted = tuple(Piece(str(one), "word word-reference") for one in finding.more.get("accepted", ()))
    return (*lanes, *([Lane("accepted", "", accepted)] if accepted else []))


VIEW = FindingView(lanes=_translation)
