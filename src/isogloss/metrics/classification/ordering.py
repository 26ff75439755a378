"""Scores that depend on the order of all documents: areas under the ROC and the precision-recall curve.

Definition
    1. ROC-AUC of a label is the share of pairs (document that has it, document that has it not) whose scores are in the
       right order, equal scores half. Undefined when a side is empty.
    2. Average precision of a label is the mean, over the documents that have it, of the precision of taking all
       documents with at least their score. Undefined when no document has it.
    3. `macro` is the mean over the labels for which a score is defined, `weighted` weighs them by the documents that
       have them, `labels` is how many there are. `micro` ranks all pairs of a document and a label in one order.
    4. A document of which nobody said whether it has a label is left out for it. A missing score is below all others. A
       label that has no score at all is not ranked.
    5. Intervals of ROC-AUC are those of DeLong, DeLong and Clarke-Pearson (1988), jointly over labels: a document's
       placement values add up over labels before they are squared. That of `micro` takes the pairs of a document as a
       cluster (Obuchowski 1997); weights of `weighted` are taken as given.

Differences from other implementations
    1. scikit-learn takes the average precision of a label without documents as 0; here it is undefined.
    2. spaCy divides the sum of the defined areas by the number of all labels: one perfect label and one without
       documents give 0.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import LabelledDocuments
from isogloss.metrics.classification.curves import best_step
from isogloss.ranking import Column, Influence, Ranking, Weighted, auc_influence
from isogloss.scores import Floats, Ints, Scores, mean_defined

AUC = "roc_auc"
PRECISION = "average_precision"
GROUP = "ranking"
AREAS = (AUC, PRECISION)


@dataclass(frozen=True)
class Ordering:
    """Areas under curves, by label and over labels.

    Args:
        best: whether the threshold with the highest F of each label is wanted.
        beta: weight of recall in that F.
    """

    best: bool = False
    beta: float = 1.0

    def rank(self, batch: LabelledDocuments) -> Ranking:
        """The scores of each label."""
        return ranking_of(batch)

    def score(self, ranking: Ranking) -> Scores:
        """The areas of each label and over labels, and the best thresholds when they are wanted."""
        steps = {name: ranking.order_of(name).rises() for name in ranking.classes}
        by_area = {
            AUC: np.array([of.roc_auc() for of in steps.values()]),
            PRECISION: np.array([of.average_precision() for of in steps.values()]),
        }
        positives = np.array([of.positives for of in steps.values()], np.int64)
        scores: Scores = {}
        for area, pooled in zip(AREAS, ranking.pool.areas, strict=True):
            scores |= _over_labels(area, by_area[area], positives) | {(area, "micro"): np.asarray(pooled)}
            scores[area, "labels"] = np.asarray(np.count_nonzero(~np.isnan(by_area[area])))
        for k, name in enumerate(steps):
            scores |= {("by_label", name, GROUP, area): by_area[area][k] for area in AREAS}
            if self.best:
                found = best_step(ranking.order_of(name), self.beta)
                scores |= {("by_label", name, "best", key): np.asarray(value) for key, value in found.items()}
        return scores

    def influence(self, ranking: Ranking) -> Influence:
        """The ROC-AUC of each label and over labels."""
        classes = auc_influence(ranking, (GROUP, AUC))
        positives = [ranking.order_of(name).positives for name in ranking.classes]
        return classes.with_scores(
            {
                (AUC, "macro"): classes.mean(classes.keys),
                (AUC, "weighted"): classes.mean(classes.keys, positives),
                (AUC, "micro"): (ranking.pool.areas[0], ranking.pool.influence()),
            }
        )

    def weighted(self, ranking: Ranking, draws: Iterable[Ints]) -> Scores:
        """The areas of each label and over labels for other weights of the documents: leading axis the draws."""
        classes = {name: Weighted.of_class(ranking, name) for name in ranking.classes}
        pooled = Weighted.of_pool(ranking.pool)
        return joined(_weighted(classes, pooled, weights) for weights in draws)


def _weighted(classes: Mapping[str, Weighted], pooled: Weighted, weights: Ints) -> Scores:
    found = {name: of.areas(weights) for name, of in classes.items()}
    positives = stacked([areas[-1] for areas in found.values()], len(weights))
    together = pooled.areas(weights)
    scores: Scores = {}
    for k, area in enumerate(AREAS):
        of_labels = stacked([areas[k] for areas in found.values()], len(weights))
        scores |= {("by_label", name, GROUP, area): areas[k] for name, areas in found.items()}
        scores |= _over_labels(area, of_labels, positives) | {(area, "micro"): together[k]}
    return scores


def _over_labels(area: str, of_labels: Floats, positives: NDArray[Any]) -> Scores:
    """Means over labels: (..., labels) -> (...) each."""
    return {
        (area, "macro"): mean_defined(of_labels)[0],
        (area, "weighted"): mean_defined(of_labels, positives)[0],
    }


def ranking_of(batch: LabelledDocuments) -> Ranking:
    """The scores of each label that has some, those of a label together.

    Raises:
        ValueError: if the batch has no scores: labels that are named have no order.
    """
    scores = batch.scores
    if scores is None:
        raise ValueError("labels that are named have no order")
    ranked = _ranked(batch.labels, scores)
    columns = [Column(batch.documents, scores[:, k], batch.gold[:, k] == 1) for k in ranked]
    if (batch.gold < 0).any():
        columns = [column.take(batch.gold[:, k] >= 0) for k, column in zip(ranked, columns, strict=True)]
    return Ranking(tuple(batch.labels[k] for k in ranked), tuple(columns))


def joined(pieces: Iterable[Scores]) -> Scores:
    """Pieces of draws one after the other."""
    pieces = list(pieces)
    return {key: np.concatenate([piece[key] for piece in pieces]) for key in pieces[0]} if pieces else {}


def stacked(columns: Sequence[NDArray[Any]], draws: int) -> Floats:
    """(draws,) each -> (draws, columns)."""
    return np.stack(columns, axis=-1).astype(np.float64) if columns else np.zeros((draws, 0))


def _ranked(labels: Sequence[str], scores: Floats) -> list[int]:
    """Columns of the labels that have a score, in the order of their names."""
    if not len(scores):
        return []
    first = np.isneginf(scores[0])  # a glance that saves to look at all
    columns = sorted(range(len(labels)), key=labels.__getitem__)
    return [k for k in columns if not (first[k] and np.isneginf(scores[:, k]).all())]
