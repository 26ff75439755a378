"""Documents with one label each: the label with the highest score is taken.

Definition
    1. A cell is (label of the reference or none, label that was taken or none), a document is one count in it.
    2. accuracy = documents with equal labels on both sides, or none on either / documents.
    3. Of labels with the same score the first by name is taken. Without scores nothing is taken.
    4. Precision, recall, F and their means as in `figures`, with tn = documents - tp - fp - fn. Where each document has
       a label and was given one, micro precision, recall and F1 are the accuracy.

Differences from other implementations
    1. spaCy's `score_cats` fails on a document with a label and no scores; here nothing is taken, and the label is
       missed.
    2. With scikit-learn one takes the first column of those with the highest score; here the order of columns means
       nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import LabelledDocuments
from isogloss.counts import Counts, Name, Sums
from isogloss.metrics.classification.figures import (
    Averaging,
    Outcomes,
    by_cell,
    by_label,
    labels_of,
    micro,
    proportions,
)
from isogloss.scores import Floats, Ints, Proportions, Scores, ratio


@dataclass(frozen=True)
class Exclusive:
    """Documents with one label each.

    Args:
        labels: labels that are scored also where no document has them and none was given them.
        averaging: choices behind ratios and means.
        first_column: of labels with the same score, whether the first column is taken and not the first name.
    """

    labels: tuple[str, ...] = ()
    averaging: Averaging = field(default_factory=Averaging)
    first_column: bool = False

    def count(self, batch: LabelledDocuments) -> Counts:
        """One count per document."""
        parts = {
            "reference": (labels_had(batch), batch.labels),
            "predicted": (labels_taken(batch, first_column=self.first_column), batch.labels),
        }
        return Counts.build(batch.documents, {"documents": np.ones(len(batch.documents), np.int64)}, parts=parts)

    def overall(self, sums: Sums) -> Scores:
        """Accuracy, and the scores of all labels together."""
        correct = _right(sums)
        total = sums.column("documents").sum(axis=-1)
        return {
            ("overall", "accuracy"): ratio(correct, total, self.averaging.zero_division),
            ("overall", "correct"): correct,
            ("overall", "total"): total,
        } | micro(self.outcomes(sums), self.averaging)

    def score(self, sums: Sums) -> Scores:
        """The overall scores, those of each label, their means, and the number of each kind."""
        return self.overall(sums) | by_label(self.outcomes(sums), self.averaging) | _kinds(sums)

    def proportions(self, sums: Sums) -> Proportions:
        """Accuracy, precision and recall."""
        return proportions(self.score(sums), self.outcomes(sums))

    def outcomes(self, sums: Sums) -> Outcomes:
        """How often each label was right, wrong and left out."""
        labels = labels_of(sums, self.labels)
        tp, fn, fp = by_cell(sums, "documents", labels)
        total = sums.column("documents").sum(axis=-1)
        return Outcomes(labels, tp, fp, fn, total[..., None] - tp - fp - fn)

    def confusion(self, sums: Sums) -> dict[tuple[Name, Name], int]:
        """Documents by (label of the reference, label that was taken)."""
        return {(own, other): int(n) for (own, other), n in zip(sums.cells, sums.column("documents"), strict=True) if n}


def labels_had(batch: LabelledDocuments) -> Ints:
    """The label of each document in the reference, -1 for none: (documents,)."""
    return _only(batch.gold == 1)


def labels_taken(batch: LabelledDocuments, *, first_column: bool = False) -> Ints:
    """The label that each document is given, -1 for none: (documents,)."""
    if batch.scores is None:
        assert batch.chosen is not None  # noqa: S101  the batch checks it
        return _only(batch.chosen)
    if not batch.scores.size:
        return np.full(len(batch.documents), -1)
    taken, highest = _highest(batch.scores)
    for row in () if first_column else np.flatnonzero(_several(batch.scores, highest)).tolist():
        columns = np.flatnonzero(batch.scores[row] == highest[row]).tolist()
        taken[row] = min(columns, key=batch.labels.__getitem__)
    return np.where(np.isneginf(highest), -1, taken)


def tied(batch: LabelledDocuments) -> NDArray[np.bool_]:
    """Documents with several labels that have the highest score: (documents,)."""
    if batch.scores is None or not batch.scores.size:
        return np.zeros(len(batch.documents), np.bool_)
    return _several(batch.scores, _highest(batch.scores)[1])


def _highest(scores: Floats) -> tuple[Ints, Floats]:
    """The first column with the highest score, and that score: (documents,) each."""
    column = scores.argmax(axis=1)
    return column, scores[np.arange(len(column)), column]


def _several(scores: Floats, highest: Floats) -> NDArray[np.bool_]:
    """Documents that have their highest score several times: (documents,)."""
    equal = scores == highest[:, None]  # (documents, labels)
    if np.count_nonzero(equal) == len(highest):  # the usual case, without a sum over each row
        return np.zeros(len(highest), np.bool_)
    several: NDArray[np.bool_] = (equal.sum(axis=1) > 1) & ~np.isneginf(highest)
    return several


def _only(given: NDArray[np.bool_]) -> Ints:
    """The column of the one true value of each row, -1 where there is none: (rows,)."""
    row, column = np.nonzero(given)
    result = np.full(len(given), -1)
    result[row] = column
    return result


def _right(sums: Sums) -> Ints:
    """Documents with equal labels on both sides, or none on either: (...)."""
    equal = np.array([own == other for own, other in sums.cells], np.bool_)
    right: Ints = sums.column("documents")[..., equal].sum(axis=-1)
    return right


def _kinds(sums: Sums) -> Scores:
    """How many documents there are of each kind."""
    documents = sums.column("documents")
    missed = np.array([own is not None and other is None for own, other in sums.cells], np.bool_)
    spurious = np.array([own is None and other is not None for own, other in sums.cells], np.bool_)
    wrong = np.array([None not in cell and cell[0] != cell[1] for cell in sums.cells], np.bool_)
    kinds = {"wrong_label": wrong, "missed": missed, "spurious": spurious}
    scores: Scores = {("findings", "correct"): _right(sums)}
    return scores | {("findings", kind): documents[..., chosen].sum(axis=-1) for kind, chosen in kinds.items()}
