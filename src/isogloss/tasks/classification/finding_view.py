"""How findings of classification look: the text of the document, and the label of each side with its score."""

from __future__ import annotations

from isogloss.kernel.findings import Finding
from isogloss.runs.finding_view import FindingLane, FindingView, TextPiece, add_ellipses
from isogloss.text.display import snap_to_clusters

MOST_TEXT = 1000  # code points of a document that has labels


def _build_label_lanes(finding: Finding) -> tuple[FindingLane, ...]:
    """The label of each side, with the score that it got."""
    scores = finding.extra.get("scores", {})
    lanes = []
    for mark in finding.marks:
        score = scores.get(mark.label)
        told = () if score is None else (TextPiece(f"score {score:.3f}"),)
        lanes.append(FindingLane(mark.side, mark.label or "", told))
    return tuple(lanes)


def _build_text_lane(finding: Finding) -> tuple[FindingLane, ...]:
    """The text of a document that has labels, where it is known: of a long one the beginning."""
    if not finding.text:
        return ()
    text = finding.text[: 2 * MOST_TEXT]
    stop = snap_to_clusters(text, 0, min(MOST_TEXT, len(text)))[1]
    after = finding.after or stop < len(finding.text)
    return (FindingLane("text", "", add_ellipses((TextPiece(text[:stop]),), before=finding.before, after=after)),)


VIEW = FindingView(lanes=_build_label_lanes, text=_build_text_lane)
