"""Scores and gold verdicts per document and class, and statistics of their order.

`Influence` makes intervals and paired tests of such statistics arithmetic again: one number per document and score,
whose sum of squares is the variance of the score. For ROC-AUC these are the placement values of DeLong, DeLong and
Clarke-Pearson (1988), found by sorting (Sun and Xu 2014); summed over clusters first they give the clustered variance
of Obuchowski (1997).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from isogloss.scores import Floats, Ints, Key

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Ranking:
    """Rows (document, class). A document that was not scored for a class has no row there.

    Args:
        classes: names of the classes.
        document: (rows,) numbers that mean the same in every batch and for every system.
        code: (rows,) position in `classes`.
        score: (rows,) not nan.
        gold: (rows,) whether the document belongs to the class.

    Raises:
        ValueError: if the arrays differ in length or a score is nan.
    """

    classes: tuple[str, ...]
    document: Ints
    code: Ints
    score: Floats
    gold: Bools

    def __post_init__(self) -> None:
        if len({len(self.document), len(self.code), len(self.score), len(self.gold)}) != 1:
            raise ValueError("each row of a ranking has a document, a class, a score and a verdict")
        if np.isnan(self.score).any():
            raise ValueError(f"{int(np.isnan(self.score).sum())} scores are nan; leave their rows out")

    @classmethod
    def merge(cls, batches: Iterable[Self]) -> Self:
        """The rows of all batches; classes are aligned by name."""
        batches = list(batches)
        classes = tuple(sorted({c for b in batches for c in b.classes}))
        place = {name: k for k, name in enumerate(classes)}
        return cls(
            classes,
            document=np.concatenate([b.document for b in batches]),
            code=np.concatenate([np.array([place[c] for c in b.classes], np.int64)[b.code] for b in batches]),
            score=np.concatenate([b.score for b in batches]),
            gold=np.concatenate([b.gold for b in batches]),
        )

    @property
    def documents(self) -> Ints:
        """The documents that have rows, ascending: (documents,)."""
        return np.unique(self.document)

    def select(self, keep: Bools) -> Self:
        """Only the rows of the documents of the mask (documents,): a document slice."""
        chosen = np.isin(self.document, self.documents[keep])
        rows = {name: getattr(self, name)[chosen] for name in ("document", "code", "score", "gold")}
        return replace(self, **rows)

    def of_class(self, name: str) -> tuple[Ints, Floats, Bools]:
        """Documents ascending, scores and verdicts of one class: three (n,).

        Raises:
            ValueError: if a document has two rows for the class.
        """
        rows = np.flatnonzero(self.code == self.classes.index(name))
        rows = rows[np.argsort(self.document[rows], kind="stable")]
        if (np.diff(self.document[rows]) == 0).any():
            raise ValueError(f"a document is ranked twice for class {name!r}")
        return self.document[rows], self.score[rows], self.gold[rows]


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
        """Clusters (documents,) take the place of documents."""
        names, place = np.unique(clusters, return_inverse=True)
        values = np.zeros((len(names), len(self.keys)))
        np.add.at(values, place, self.values)
        return replace(self, documents=names, values=values)

    def minus(self, other: Self) -> Self:
        """The differences `self - other` of two systems.

        Raises:
            ValueError: if they were scored on other documents or have other scores.
        """
        if not np.array_equal(self.documents, other.documents) or self.keys != other.keys:
            raise ValueError("systems are compared on the same documents and scores")
        return replace(self, estimates=self.estimates - other.estimates, values=self.values - other.values)

    def with_mean(self, key: Key, of: Sequence[Key]) -> Self:
        """One more score: the mean of those among `of` that are defined."""
        at = [k for k in map(self.keys.index, of) if not np.isnan(self.estimates[k])]
        estimate = self.estimates[at].mean() if at else np.nan
        value = self.values[:, at].mean(axis=1) if at else np.full(len(self.documents), np.nan)
        return replace(
            self,
            keys=(*self.keys, key),
            estimates=np.append(self.estimates, estimate),
            values=np.column_stack([self.values, value]),
        )

    def errors(self) -> Floats:
        """Standard errors: (keys,)."""
        variances: Floats = np.square(self.values).sum(axis=0)
        return np.sqrt(variances)


def placements(score: Floats, gold: Bools) -> Floats:
    """Share of the other side that each document is ordered rightly against, ties counting half: (n,) in [0, 1]."""
    if not len(score):
        return np.zeros(0)
    order = np.argsort(score, kind="stable")
    edge = np.append(True, score[order][1:] != score[order][:-1])  # a difference of infinities is nan
    tie = np.cumsum(edge) - 1  # (n,) number of the group of equal scores
    bounds = np.append(np.flatnonzero(edge), len(order))
    low, high = bounds[tie], bounds[tie + 1]
    hits = np.append(0, np.cumsum(gold[order]))  # (n + 1,) positives before a position
    positives, negatives = int(hits[-1]), len(order) - int(hits[-1])
    below = (low - hits[low]) + (high - hits[high])  # twice the negatives below, ties half
    above = 2 * positives - hits[low] - hits[high]  # twice the positives above
    result = np.empty(len(order))
    with np.errstate(invalid="ignore", divide="ignore"):
        result[order] = np.where(gold[order], below / (2 * negatives), above / (2 * positives))
    return result


def auc_influence(ranking: Ranking, key: Key) -> Influence:
    """ROC-AUC of each class against the rest, as the score `("by_label", class, *key)`.

    Undefined when all documents of a class have one verdict; its variance is undefined when a side has one document.
    """
    documents = ranking.documents
    estimates = np.full(len(ranking.classes), np.nan)
    values = np.zeros((len(documents), len(ranking.classes)))
    for k, name in enumerate(ranking.classes):
        document, score, gold = ranking.of_class(name)
        positives, negatives = int(gold.sum()), int((~gold).sum())
        if not positives or not negatives:
            values[:, k] = np.nan
            continue
        placed = placements(score, gold)
        estimates[k] = placed[gold].sum() / positives
        side = np.where(gold, positives, negatives).astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            values[np.searchsorted(documents, document), k] = (placed - estimates[k]) / np.sqrt(side * (side - 1))
    return Influence(tuple(("by_label", c, *key) for c in ranking.classes), estimates, documents, values)
