"""How findings of classification look: the text of the document, and the label of each side with its score."""

from __future__ import annotations

from isogloss.kernel.findings import Finding
from isogloss.runs.finding_view import FindingView, Lane, Piece, around
from isogloss.text.display import snap

MOST_TEXT = 1000  # code points of a document that has labels


def _labels(finding: Finding) -> tuple[Lane, ...]:
    """The label of each side, with the score that it got."""
    scores = finding.more.get("scores", {})
    lanes = []
    for mark in finding.marks:
        score = scores.get(mark.label)
        told = () if score is None else (Piece(f"score {score:.3f}"),)
        lanes.append(Lane(mark.side, mark.label or "", told))
    return tuple(lanes)


def _text(finding: Finding) -> tuple[Lane, ...]:
    """The text of a document that has labels, where it is known: of a long one the beginning."""
    if not finding.text:
        return ()
    text = finding.text[: 2 * MOST_TEXT]
    stop = snap(text, 0, min(MOST_TEXT, len(text)))[1]
    after = finding.after or stop < len(finding.text)
    return (Lane("text", "", around((Piece(text[:stop]),), before=finding.before, after=after)),)


VIEW = FindingView(lanes=_labels, text=_text)
