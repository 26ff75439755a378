"""What each document contributes to statistics of order, so that intervals and paired tests are arithmetic again.

One number per document and score, whose sum of squares is the variance of the score. For ROC-AUC these are the
placement values of DeLong, DeLong and Clarke-Pearson (1988), found by sorting (Sun and Xu 2014); summed over clusters
first they give the clustered variance of Obuchowski (1997).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from isogloss.ranking.rows import Ranking
from isogloss.scores import Floats, Ints, Key


@dataclass(frozen=True, eq=False)
class Influence:
    """Estimates, and what each document contributes to them.

    Args:
        keys: names of the scores.
        estimates: (keys,) nan where undefined.
        documents: (documents,) ascending.
        values: (documents, keys) such that cov(j, k) = sum of values[:, j] * values[:, k]; nan where it is undefined.
    """

    keys: tuple[Key, ...]
    estimates: Floats
    documents: Ints
    values: Floats

    def grouped(self, clusters: Ints) -> Self:
        """Clusters (documents,) take the place of documents. One cluster tells of no variance: it is nan then."""
        names, place = np.unique(clusters, return_inverse=True)
        values = np.zeros((len(names), len(self.keys)))
        np.add.at(values, place, self.values)
        if len(names) == 1:
            values[:] = np.nan
        return replace(self, documents=names, values=values)

    def minus(self, other: Self) -> Self:
        """The differences `self - other` of two systems.

        Raises:
            ValueError: if they were scored on other documents or have other scores.
        """
        if not np.array_equal(self.documents, other.documents) or self.keys != other.keys:
            raise ValueError("systems are compared on the same documents and scores")
        return replace(self, estimates=self.estimates - other.estimates, values=self.values - other.values)

    def mean(self, of: Sequence[Key], weights: Sequence[float] | None = None) -> tuple[float, Floats]:
        """The mean of those scores that are defined, and what each document (documents,) contributes to it.

        Args:
            of: the scores.
            weights: of each, not negative, taken as they are: they contribute nothing to the variance; None for equal.
        """
        chosen = np.array([self.keys.index(k) for k in of], np.int64)
        given = np.ones(len(chosen)) if weights is None else np.asarray(weights, np.float64)
        known = ~np.isnan(self.estimates[chosen]) & (given > 0)
        if not known.any():
            return np.nan, np.full(len(self.documents), np.nan)
        at, shares = chosen[known], given[known] / given[known].sum()
        return float(self.estimates[at] @ shares), self.values[:, at] @ shares

    def with_mean(self, key: Key, of: Sequence[Key]) -> Self:
        """One more score: the mean of those among `of` that are defined."""
        return self.with_scores({key: self.mean(of)})

    def with_scores(self, scores: Mapping[Key, tuple[float, Floats]]) -> Self:
        """More scores, each with what each document (documents,) contributes to it."""
        return replace(
            self,
            keys=(*self.keys, *scores),
            estimates=np.append(self.estimates, [estimate for estimate, _ in scores.values()]),
            values=np.concatenate([self.values.T, [values for _, values in scores.values()]]).T,
        )

    def errors(self) -> Floats:
        """Standard errors: (keys,)."""
        return np.sqrt([float(np.square(values).sum()) for values in self.values.T])


def auc_influence(ranking: Ranking, key: Key) -> Influence:
    """ROC-AUC of each class against the rest, as the score `("by_label", class, *key)`.

    Undefined when all documents of a class have one verdict; its variance is undefined when a side has one document.
    """
    documents = ranking.documents
    estimates = np.full(len(ranking.classes), np.nan)
    values = np.zeros((len(ranking.classes), len(documents)))
    for k, name in enumerate(ranking.classes):
        order = ranking.order_of(name)
        rises = order.rises()
        estimates[k] = rises.roc_auc()
        if np.isnan(estimates[k]):
            values[k] = np.nan
            continue
        sides = np.array([rises.negatives, rises.positives], np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            scale = 1 / np.sqrt(sides * (sides - 1))
            contributed = (order.placed() - estimates[k]) * np.where(order.gold, scale[1], scale[0])
        values[k, ranking.ranked(name)] = contributed
    return Influence(tuple(("by_label", c, *key) for c in ranking.classes), estimates, documents, values.T)
