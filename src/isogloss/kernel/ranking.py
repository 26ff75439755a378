"""Statistics of an order for other weights of the documents, such as the draws of a bootstrap: sorted once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from isogloss.kernel.ranking_order import Bools, Order, Pool
from isogloss.kernel.scores import Floats, Ints, Key, ratio


@dataclass(frozen=True, eq=False)
class Weighted:
    """Steps that hold a positive, and the documents in the order of their scores.

    Args:
        document: (n,) the document at each rank, from the lowest score to the highest.
        positive: (positives,) the document of each positive, in the same order.
        low: (steps,) rank at which each step with a positive begins.
        high: (steps,) rank after it.
        hits_low: (steps,) positives below it.
        hits_high: (steps,) positives below what comes after it.
    """

    document: Ints
    positive: Ints
    low: Ints
    high: Ints
    hits_low: Ints
    hits_high: Ints

    @classmethod
    def of_class(cls, ranking: Ranking, name: str) -> Self:
        """One class of a ranking."""
        order = ranking.order_of(name)
        return cls._of([ranking.ranked(name)], [order])

    @classmethod
    def of_pool(cls, pool: Pool) -> Self:
        """All classes in one order."""
        pieces = list(pool.pieces())
        return cls._of([piece.documents(pool.documents) for piece in pieces], [piece.order for piece in pieces])

    @classmethod
    def _of(cls, documents: Sequence[Ints], orders: Sequence[Order]) -> Self:
        none = np.zeros(0, np.int64)
        rises = [order.rises() for order in orders]
        positive = [document[order.gold] for document, order in zip(documents, orders, strict=True)]
        return cls(
            document=np.concatenate([none, *documents]),
            positive=np.concatenate([none, *positive]),
            low=np.concatenate([none, *(part.low for part in rises)]),
            high=np.concatenate([none, *(part.high for part in rises)]),
            hits_low=np.concatenate([none, *(part.hits_low for part in rises)]),
            hits_high=np.concatenate([none, *(part.hits_high for part in rises)]),
        )

    def areas(self, weights: Ints) -> tuple[Floats, Floats, Ints]:
        """Area under the ROC curve, average precision and positives for weights (draws, documents): (draws,) each."""
        taken = _passed(weights[:, self.document])  # (draws, n + 1)
        hits = _passed(weights[:, self.positive])  # (draws, positives + 1)
        positives, documents = hits[:, -1], taken[:, -1]
        hits_low, gained = hits[:, self.hits_low], hits[:, self.hits_high] - hits[:, self.hits_low]
        below = taken[:, self.low]
        misses = (below - hits_low) + (taken[:, self.high] - hits[:, self.hits_high])
        roc = ratio((gained * misses).sum(axis=1), 2 * positives * (documents - positives))
        precision = ratio(positives[:, None] - hits_low, documents[:, None] - below, 0.0)
        return roc, ratio((gained * precision).sum(axis=1), positives), positives


def _passed(weights: Ints) -> Ints:
    """Sum of the weights before each rank: (draws, n) -> (draws, n + 1)."""
    result = np.zeros((len(weights), weights.shape[1] + 1), np.int64)
    np.cumsum(weights, axis=1, out=result[:, 1:])
    return result


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


@dataclass(frozen=True, eq=False)
class Column:
    """The documents that were scored for one class. The arrays may be views of larger ones.

    Args:
        document: (n,) numbers that mean the same in every batch and for every system.
        score: (n,) not nan.
        gold: (n,) whether the document belongs to the class.

    Raises:
        ValueError: if the arrays differ in length or a score is nan.
    """

    document: Ints
    score: Floats
    gold: Bools

    def __post_init__(self) -> None:
        if not len(self.document) == len(self.score) == len(self.gold):
            raise ValueError("each row of a ranking has a document, a class, a score and a verdict")
        if len(self.score) and np.isnan(self.score.min()):
            raise ValueError(f"{int(np.isnan(self.score).sum())} scores are nan; leave their rows out")

    @classmethod
    def merge(cls, columns: Sequence[Self]) -> Self:
        """The documents of all columns."""
        if len(columns) == 1:
            return columns[0]
        return cls(
            np.concatenate([column.document for column in columns]),
            np.concatenate([column.score for column in columns]),
            np.concatenate([column.gold for column in columns]),
        )

    def take(self, at: Ints | Bools) -> Self:
        """The documents at these positions, or of this mask, in their order."""
        return replace(self, document=self.document[at], score=self.score[at], gold=self.gold[at])

    def is_ascending(self) -> bool:
        """Whether documents stand in the order of their numbers, each once."""
        return bool((self.document[1:] > self.document[:-1]).all())


@dataclass(frozen=True, eq=False)
class Ranking:
    """Scores and verdicts by class. A document that was not scored for a class is not in its column.

    Args:
        classes: names of the classes.
        columns: the documents of each class.

    Raises:
        ValueError: if there are not as many of both.
    """

    classes: tuple[str, ...]
    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        if len(self.classes) != len(self.columns):
            raise ValueError(f"{len(self.columns)} columns for {len(self.classes)} classes")

    @classmethod
    def of_rows(cls, classes: tuple[str, ...], document: Ints, code: Ints, score: Floats, gold: Bools) -> Self:
        """A ranking from rows (document, class) in any order.

        Args:
            classes: names of the classes.
            document: (rows,) number of the document.
            code: (rows,) position in `classes`.
            score: (rows,) not nan.
            gold: (rows,) whether the document belongs to the class.

        Raises:
            ValueError: if the arrays differ in length or a score is nan.
        """
        rows = Column(document, score, gold)
        if len(code) != len(document):
            raise ValueError("each row of a ranking has a document, a class, a score and a verdict")
        return cls(classes, tuple(rows.take(np.flatnonzero(code == k)) for k in range(len(classes))))

    @classmethod
    def merge(cls, batches: Iterable[Self]) -> Self:
        """The documents of all batches; classes are aligned by name."""
        parts: dict[str, list[Column]] = {}
        for batch in batches:
            for name, column in zip(batch.classes, batch.columns, strict=True):
                parts.setdefault(name, []).append(column)
        classes = tuple(sorted(parts))
        return cls(classes, tuple(Column.merge(parts[name]) for name in classes))

    @cached_property
    def documents(self) -> Ints:
        """The documents that were scored for a class, ascending: (documents,)."""
        parts = [column.document for column in self.columns]
        if not parts:
            return np.zeros(0, np.int64)
        if self.columns[0].is_ascending() and all(p is parts[0] or np.array_equal(p, parts[0]) for p in parts):
            return parts[0]
        return np.unique(np.concatenate(parts))

    @property
    def size(self) -> int:
        """How many pairs of a document and a class there are."""
        return sum(len(column.document) for column in self.columns)

    def select(self, keep: Bools) -> Self:
        """Only the documents of the mask (documents,): a document slice."""
        chosen = self.documents[keep]
        return replace(self, columns=tuple(column.take(np.isin(column.document, chosen)) for column in self.columns))

    def of_class(self, name: str) -> Column:
        """The documents of one class, ascending.

        Raises:
            ValueError: if a document is there twice.
        """
        column = self.columns[self.classes.index(name)]
        if column.is_ascending():
            return column
        column = column.take(np.argsort(column.document, kind="stable"))
        if not column.is_ascending():
            raise ValueError(f"a document is ranked twice for class {name!r}")
        return column

    def order_of(self, name: str) -> Order:
        """The documents of one class by their scores, sorted once. Positions are those in `of_class`."""
        if name not in self._orders:
            column = self.of_class(name)
            self._orders[name] = Order.of(np.ascontiguousarray(column.score), column.gold)
        return self._orders[name]

    def ranked(self, name: str) -> Ints:
        """The document at each rank of a class, as a position in `documents`: (n,)."""
        order = self.order_of(name)
        if len(order.position) == len(self.documents):
            return order.position
        return np.searchsorted(self.documents, self.of_class(name).document)[order.position]

    @cached_property
    def pool(self) -> Pool:
        """All classes in one order."""
        orders = [self.order_of(name) for name in self.classes]
        return Pool(orders, [self.ranked(name) for name in self.classes], len(self.documents))

    @cached_property
    def _orders(self) -> dict[str, Order]:
        return {}
