"""Four metrics of about twenty lines. Whatever else they can do comes from the kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from corpora import Answers
from numpy.typing import NDArray

from isogloss.kernel.counts import Counts
from isogloss.kernel.metric import Metric
from isogloss.kernel.ranking import Influence, Ranking, compute_auc_influence
from isogloss.kernel.scores import Scores, divide
from isogloss.kernel.sums import Sums
from isogloss.stats.bootstrap import Score
from isogloss.stats.system_pairs import SYSTEMS, join_systems, score_each_system


@dataclass(frozen=True)
class Share:
    """A plain ratio: right answers among all answers."""

    sliced: bool = False

    def count(self, batch: Answers) -> Counts:
        parts = {"length": batch.parts["length"]} if self.sliced else {}
        columns = {"right": batch.right, "total": np.ones_like(batch.right)}
        return Counts.build(batch.documents, columns, row=batch.row, parts=parts)

    def overall(self, sums: Sums) -> Scores:
        right, total = (sums.get_column(name).sum(axis=-1) for name in ("right", "total"))
        return {("overall", "share"): divide(right, total), ("overall", "right"): right, ("overall", "total"): total}

    def score(self, sums: Sums) -> Scores:
        return self.overall(sums)


@dataclass(frozen=True)
class Quality:
    """Right answers by kind, beside a float that comes from outside; made for documents that belong together."""

    sliced: bool = False

    def count(self, batch: Answers) -> Counts:
        parts = {name: batch.parts[name] for name in ("kind", "length")[: 1 + self.sliced]}
        columns = {"right": batch.right, "total": np.ones_like(batch.right)}
        return Counts.build(batch.documents, columns, row=batch.row, parts=parts, measures={"fluency": batch.fluency})

    def overall(self, sums: Sums) -> Scores:
        return _share(sums, np.ones(len(sums.cells), np.bool_)) | {("fluency", "mean"): sums.average_measure("fluency")}

    def score(self, sums: Sums) -> Scores:
        scores, kinds = self.overall(sums), sums.get_names("kind")
        for kind in sorted({name or "none" for name in kinds}):
            chosen = np.array([(name or "none") == kind for name in kinds], np.bool_)
            scores |= {("by_label", kind, *key): value for key, value in _share(sums, chosen).items()}
        return scores


@dataclass(frozen=True)
class Auc:
    """ROC-AUC of each class and their mean."""

    def rank(self, batch: Answers) -> Ranking:
        row, code = np.nonzero(~np.isnan(batch.scores))
        at = (row, code)
        return Ranking.from_rows(batch.classes, batch.documents[row], code, batch.scores[at], batch.gold[at])

    def influence(self, ranking: Ranking) -> Influence:
        classes = compute_auc_influence(ranking, ("ranking", "roc_auc"))
        return classes.add_mean(("roc_auc", "macro"), classes.keys)


def score_difference(score: Score) -> Score:
    """A score of joined counts: other system minus baseline."""

    def subtract(sums: Sums) -> Scores:
        scores = score_each_system(score)(sums)
        keys = [key for name, *key in scores if name == SYSTEMS[0]]
        return {tuple(key): scores[SYSTEMS[1], *key] - scores[SYSTEMS[0], *key] for key in keys}

    return subtract


@dataclass(frozen=True)
class Gain:
    """How much better the second system is than the first, by another metric."""

    of: Metric[Answers]

    def count(self, batch: Answers) -> Counts:
        return join_systems(self.of.count(batch), self.of.count(batch.of_other_system()))

    def overall(self, sums: Sums) -> Scores:
        return score_difference(self.of.overall)(sums)

    def score(self, sums: Sums) -> Scores:
        return score_difference(self.of.score)(sums)


def _share(sums: Sums, chosen: NDArray[np.bool_]) -> Scores:
    right, total = (sums.get_column(name)[..., chosen].sum(axis=-1) for name in ("right", "total"))
    return {("overall", "share"): divide(right, total), ("overall", "total"): total}
