"""Find wrong labels, document by document, and lay out such findings.

Kinds
    correct: the label is right; such labels are counted, but not listed.
    wrong_label: the prediction has another label than the reference; only if labels exclude each other.
    missed: the reference has the label, the prediction does not.
    spurious: the prediction has the label, the reference does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.findings import Finding, Mark, add_context
from isogloss.kernel.provenance import Side
from isogloss.runs.finding_view import FindingLane, FindingView, TextPiece, add_ellipses
from isogloss.tasks.classification.label_matrix import LabelledDocuments
from isogloss.text.display import snap_to_clusters

MOST_TEXT = 1000  # code points of a document that a view shows
ColumnPair = tuple[int, int]  # columns of the label in the reference and in the prediction, -1 for no label


def find_label_errors(
    batch: LabelledDocuments, predicted: NDArray[np.bool_], limit: int, *, exclusive: bool
) -> Iterator[Finding]:
    """Return the wrong labels, ordered by document and label name.

    Args:
        batch: documents.
        predicted: (documents, labels) whether each label is predicted.
        limit: largest number of findings.
        exclusive: whether a missed label and a spurious one of the same document are one finding.
    """
    return islice(_build_findings(batch, predicted, exclusive=exclusive), limit)


def _build_findings(batch: LabelledDocuments, predicted: NDArray[np.bool_], *, exclusive: bool) -> Iterator[Finding]:
    in_reference = batch.gold == 1
    wrong = (in_reference != predicted) & (batch.gold >= 0)
    for row in np.flatnonzero(wrong.any(axis=1)).tolist():
        columns = sorted(np.flatnonzero(wrong[row]).tolist(), key=batch.labels.__getitem__)
        pairs: list[ColumnPair] = [(k, -1) if in_reference[row, k] else (-1, k) for k in columns]
        if exclusive:
            pairs = [(max(own for own, _ in pairs), max(other for _, other in pairs))]
        for pair in pairs:
            yield _build_finding(batch, row, pair)


def _build_finding(batch: LabelledDocuments, row: int, pair: ColumnPair) -> Finding:
    excerpt = batch.provenance.get_excerpt(row)
    length = 0 if excerpt is None else len(excerpt.text)
    sides: Sequence[Side] = ("reference", "predicted")
    marks = tuple(Mark(side, batch.labels[k], 0, length) for side, k in zip(sides, pair, strict=True) if k >= 0)
    kind = "wrong_label" if min(pair) >= 0 else "missed" if pair[0] >= 0 else "spurious"
    scores = {}
    if batch.scores is not None:
        score_by_label = {batch.labels[k]: float(batch.scores[row, k]) for k in pair if k >= 0}
        scores = {label: score if np.isfinite(score) else None for label, score in score_by_label.items()}
    finding = Finding(
        kind=kind,
        document=batch.provenance.name(row),
        where=batch.provenance.where(row, 0, marks[-1].side),
        marks=marks,
        extra={"scores": scores} if scores else {},
    )
    return add_context(finding, excerpt if length else None, 0)


def _build_label_lanes(finding: Finding) -> tuple[FindingLane, ...]:
    """Return the label of each side, with its score."""
    scores = finding.extra.get("scores", {})
    lanes = []
    for mark in finding.marks:
        score = scores.get(mark.label)
        pieces = () if score is None else (TextPiece(f"score {score:.3f}"),)
        lanes.append(FindingLane(mark.side, mark.label or "", pieces))
    return tuple(lanes)


def _build_text_lane(finding: Finding) -> tuple[FindingLane, ...]:
    """Return the first characters of the document, if its text is known."""
    if not finding.text:
        return ()
    text = finding.text[: 2 * MOST_TEXT]
    stop = snap_to_clusters(text, 0, min(MOST_TEXT, len(text)))[1]
    after = finding.after or stop < len(finding.text)
    return (FindingLane("text", "", add_ellipses((TextPiece(text[:stop]),), before=finding.before, after=after)),)


VIEW = FindingView(lanes=_build_label_lanes, text=_build_text_lane)
