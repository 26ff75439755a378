"""Documents with any number of labels: each label whose score reaches a threshold is taken.

Definition
    1. A cell is a label on both sides (tp), on the side of the reference (fn) or on that of the prediction (fp); the
       cell (none, none) counts documents.
    2. Labels that nobody said a document has or has not are left out for it.
    3. accuracy = documents all of whose labels are right / documents: the subset accuracy of scikit-learn.
    4. Precision, recall, F and their means as in `figures`, with tn = documents - left out - tp - fp - fn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import LabelledDocuments
from isogloss.counts import Counts, Sums
from isogloss.metrics.classification.figures import (
    Averaging,
    Outcomes,
    by_cell,
    by_label,
    labels_of,
    micro,
    proportions,
)
from isogloss.scores import Ints, Proportions, Scores, ratio

DEFAULT = 0.5


@dataclass(frozen=True)
class MultiLabel:
    """Documents with any number of labels.

    Args:
        labels: labels that are scored also where no document has them and none was given them.
        averaging: choices behind ratios and means.
        threshold: a label is taken when its score is at least this.
        thresholds: other thresholds for some labels.
    """

    labels: tuple[str, ...] = ()
    averaging: Averaging = field(default_factory=Averaging)
    threshold: float = DEFAULT
    thresholds: Mapping[str, float] = field(default_factory=dict)

    def count(self, batch: LabelledDocuments) -> Counts:
        """One count per document, and one per label that it has or was given."""
        taken = labels_taken(batch, self.threshold, self.thresholds)
        had, told = batch.gold == 1, batch.gold >= 0
        taken &= told
        cells = [np.nonzero(mask) for mask in (had & taken, had & ~taken, taken & ~had, ~told)]
        rows, codes = ([cell[k] for cell in cells] for k in (0, 1))
        none = [np.full(len(row), -1) for row in rows]
        number = len(batch.documents)
        correct = (had == taken).all(axis=1)
        sizes = [number, *map(len, rows)]
        reference = np.concatenate([np.full(number, -1), codes[0], codes[1], none[2], codes[3]])
        predicted = np.concatenate([np.full(number, -1), codes[0], none[1], codes[2], codes[3]])
        columns = {
            "documents": _marked(sizes, {0}),
            "correct": np.concatenate([correct, np.zeros(sum(sizes[1:]), np.bool_)]),
            "labels": _marked(sizes, {1, 2, 3}),
            "unsaid": _marked(sizes, {4}),
        }
        return Counts.build(
            batch.documents,
            columns,
            row=np.concatenate([np.arange(number), *rows]),
            parts={"reference": (reference, batch.labels), "predicted": (predicted, batch.labels)},
        )

    def overall(self, sums: Sums) -> Scores:
        """Accuracy, and the scores of all labels together."""
        correct, total = (sums.column(name).sum(axis=-1) for name in ("correct", "documents"))
        return {
            ("overall", "accuracy"): ratio(correct, total, self.averaging.zero_division),
            ("overall", "correct"): correct,
            ("overall", "total"): total,
        } | micro(self.outcomes(sums), self.averaging)

    def score(self, sums: Sums) -> Scores:
        """The overall scores, those of each label, their means, and the number of each kind."""
        outcomes = self.outcomes(sums)
        kinds = {"correct": outcomes.tp, "missed": outcomes.fn, "spurious": outcomes.fp}
        counts = {("findings", kind): number.sum(axis=-1) for kind, number in kinds.items()}
        return self.overall(sums) | by_label(outcomes, self.averaging) | counts

    def proportions(self, sums: Sums) -> Proportions:
        """Accuracy, precision and recall."""
        return proportions(self.score(sums), self.outcomes(sums))

    def outcomes(self, sums: Sums) -> Outcomes:
        """How often each label was right, wrong and left out."""
        labels = labels_of(sums, self.labels)
        tp, fn, fp = by_cell(sums, "labels", labels)
        unsaid = by_cell(sums, "unsaid", labels)[0]
        total = sums.column("documents").sum(axis=-1)
        return Outcomes(labels, tp, fp, fn, total[..., None] - unsaid - tp - fp - fn)


def labels_taken(batch: LabelledDocuments, threshold: float, thresholds: Mapping[str, float]) -> NDArray[np.bool_]:
    """Which labels each document is given: (documents, labels)."""
    if batch.scores is None:
        assert batch.chosen is not None  # noqa: S101  the batch checks it
        return batch.chosen.copy()
    least = np.array([thresholds.get(label, threshold) for label in batch.labels], np.float64)  # (labels,)
    return batch.scores >= least


def _marked(sizes: list[int], parts: set[int]) -> Ints:
    """1 in some of consecutive parts of these sizes, else 0."""
    return np.repeat(np.array([k in parts for k in range(len(sizes))], np.int64), sizes)
