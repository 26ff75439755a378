"""Documents with a wrong label, one by one: what a person looks at.

Kinds
    correct: the label is right; it is not shown.
    wrong_label: the document has one label and was given another; only where labels exclude each other.
    missed: a label that the document has and was not given.
    spurious: a label that it was given and has not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.findings import Finding, Mark, add_context
from isogloss.kernel.provenance import Side
from isogloss.tasks.classification.label_matrix import LabelledDocuments

LABEL_KINDS = ("correct", "wrong_label", "missed", "spurious")
ColumnPair = tuple[int, int]  # columns of the label in the reference and in the prediction, -1 for none


def find_label_errors(
    batch: LabelledDocuments, predicted: NDArray[np.bool_], limit: int, *, exclusive: bool
) -> list[Finding]:
    """Everything but the correct labels, in the order of documents and of the names of labels.

    Args:
        batch: documents.
        taken: (documents, labels) which labels each was given.
        limit: at most so many.
        exclusive: whether a label left out and one made up are one error.
    """
    return list(islice(_build_findings(batch, predicted, exclusive=exclusive), limit))


def _build_findings(batch: LabelledDocuments, predicted: NDArray[np.bool_], *, exclusive: bool) -> Iterator[Finding]:
    had = batch.gold == 1
    wrong = (had != predicted) & (batch.gold >= 0)
    for row in np.flatnonzero(wrong.any(axis=1)).tolist():
        columns = sorted(np.flatnonzero(wrong[row]).tolist(), key=batch.labels.__getitem__)
        pairs: list[ColumnPair] = [(k, -1) if had[row, k] else (-1, k) for k in columns]
        if exclusive:
            pairs = [(max(own for own, _ in pairs), max(given for _, given in pairs))]
        for pair in pairs:
            yield _build_finding(batch, row, pair)


def _build_finding(batch: LabelledDocuments, row: int, pair: ColumnPair) -> Finding:
    passage = batch.origin.passage(row)
    length = 0 if passage is None else len(passage.text)
    sides: Sequence[Side] = ("reference", "predicted")
    marks = tuple(Mark(side, batch.labels[k], 0, length) for side, k in zip(sides, pair, strict=True) if k >= 0)
    kind = "wrong_label" if min(pair) >= 0 else "missed" if pair[0] >= 0 else "spurious"
    scores = {} if batch.scores is None else {batch.labels[k]: _get_score(batch, row, k) for k in pair if k >= 0}
    finding = Finding(
        kind=kind,
        document=batch.origin.name(row),
        where=batch.origin.where(row, 0, marks[-1].side),
        marks=marks,
        extra={"scores": scores} if scores else {},
    )
    return add_context(finding, passage if length else None, 0)


def _get_score(batch: LabelledDocuments, row: int, column: int) -> float | None:
    assert batch.scores is not None  # noqa: S101  asked for of scores only
    score = float(batch.scores[row, column])
    return score if np.isfinite(score) else None
