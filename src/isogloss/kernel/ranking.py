"""Rankings: scores and verdicts by class, their influence functions and weighted areas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.score_order import Bools, PooledClasses, ScoreOrder, sum_before
from isogloss.kernel.scores import Floats, Ints, ScoreKey, divide


@dataclass(frozen=True, eq=False)
class WeightedOrder:
    """Documents in the order of their scores, ready for many weights.

    Args:
        document: (n,) document at each rank, from the lowest score to the highest.
        positive: (positives,) document of each positive, in the same order.
        low: (steps,) rank at which each step with a positive begins.
        high: (steps,) rank after the step.
        hits_low: (steps,) positives below the step.
        hits_high: (steps,) positives below the next rank after the step.
    """

    document: Ints
    positive: Ints
    low: Ints
    high: Ints
    hits_low: Ints
    hits_high: Ints

    @classmethod
    def from_class(cls, ranking: Ranking, name: str) -> Self:
        """Build the order of one class of a ranking."""
        order = ranking.get_order(name)
        return cls._from_orders([ranking.get_ranked_documents(name)], [order])

    @classmethod
    def from_pool(cls, pool: PooledClasses) -> Self:
        """Build one order of all classes."""
        pieces = list(pool.iterate_pieces())
        return cls._from_orders(
            [piece.list_documents(pool.documents) for piece in pieces], [piece.order for piece in pieces]
        )

    @classmethod
    def _from_orders(cls, documents: Sequence[Ints], orders: Sequence[ScoreOrder]) -> Self:
        none = np.zeros(0, np.int64)
        rises = [order.find_positive_steps() for order in orders]
        positive = [document[order.gold] for document, order in zip(documents, orders, strict=True)]
        return cls(
            document=np.concatenate([none, *documents]),
            positive=np.concatenate([none, *positive]),
            low=np.concatenate([none, *(part.low for part in rises)]),
            high=np.concatenate([none, *(part.high for part in rises)]),
            hits_low=np.concatenate([none, *(part.hits_low for part in rises)]),
            hits_high=np.concatenate([none, *(part.hits_high for part in rises)]),
        )

    def compute_areas(self, weights: Ints) -> tuple[Floats, Floats, Ints]:
        """Compute ROC-AUC, average precision and positives for weights (draws, documents): (draws,) each."""
        taken = sum_before(weights[:, self.document])  # (draws, n + 1)
        hits = sum_before(weights[:, self.positive])  # (draws, positives + 1)
        positives, documents = hits[:, -1], taken[:, -1]
        hits_low, gained = hits[:, self.hits_low], hits[:, self.hits_high] - hits[:, self.hits_low]
        below = taken[:, self.low]
        misses = (below - hits_low) + (taken[:, self.high] - hits[:, self.hits_high])
        roc = divide((gained * misses).sum(axis=1), 2 * positives * (documents - positives))
        precision = divide(positives[:, None] - hits_low, documents[:, None] - below, 0.0)
        return roc, divide((gained * precision).sum(axis=1), positives), positives


@dataclass(frozen=True)
class AucDesign:
    """What a ROC-AUC was computed from.

    Args:
        positives: number of documents of the class, or of positive pairs of document and class.
        negatives: number of the others.
        variance: DeLong's variance if all of them are independent, nan where unknown.
        largest_effect: the design effect of pairs of a document that are all alike: 1 for one pair of each document.
    """

    positives: int
    negatives: int
    variance: float
    largest_effect: float = 1.0


@dataclass(frozen=True, eq=False)
class Influence:
    """Estimates, and the contribution of each document to them.

    Args:
        keys: names of the scores.
        estimates: (keys,) values, nan where undefined.
        documents: (documents,) numbers, ascending.
        values: (documents, keys) such that cov(j, k) = sum of values[:, j] * values[:, k]; nan where undefined.
        designs: what each ROC-AUC was computed from, by key.
        means: the share of each averaged score, by the key of the mean.
        clusters: number of clusters; None for single documents.
        largest_effect: the design effect of clusters whose documents are all alike; 1 for single documents.
    """

    keys: tuple[ScoreKey, ...]
    estimates: Floats
    documents: Ints
    values: Floats
    designs: Mapping[ScoreKey, AucDesign] = field(default_factory=dict)
    means: Mapping[ScoreKey, Mapping[ScoreKey, float]] = field(default_factory=dict)
    clusters: int | None = None
    largest_effect: float = 1.0

    def group_by_cluster(self, clusters: Ints) -> Self:
        """Replace documents by clusters (documents,); a single cluster has variance nan."""
        names, place, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
        values = np.zeros((len(names), len(self.keys)))
        np.add.at(values, place, self.values)
        if len(names) == 1:
            values[:] = np.nan
        effect = float(np.square(sizes).sum() / max(1, sizes.sum()))
        return replace(self, documents=names, values=values, clusters=len(names), largest_effect=effect)

    def subtract(self, other: Self) -> Self:
        """Return the differences `self - other` of two systems.

        Args:
            other: the other system, on the same documents and scores.

        Raises:
            ValueError: if documents or scores differ.
        """
        if not np.array_equal(self.documents, other.documents) or self.keys != other.keys:
            raise ValueError("systems are compared on the same documents and scores")
        return replace(self, estimates=self.estimates - other.estimates, values=self.values - other.values)

    def add_mean(
        self, key: ScoreKey, keys: Sequence[ScoreKey], weights: Sequence[float] | None = None, scale: float = 1.0
    ) -> Self:
        """Add the mean of the defined scores.

        Args:
            key: name of the mean.
            keys: names of the scores.
            weights: weight of each score, not negative and taken as constant; None for equal weights.
            scale: factor of the mean; below 1 if undefined scores count as 0.
        """
        given = np.ones(len(keys)) if weights is None else np.asarray(weights, np.float64)
        estimates = [self.estimates[self.keys.index(own)] for own in keys]
        known = {own: w for own, w, e in zip(keys, given.tolist(), estimates, strict=True) if w > 0 and not np.isnan(e)}
        shares = {own: scale * weight / sum(known.values()) for own, weight in known.items()}
        mean, values = self.average_scores(keys, weights)
        added = self.add_scores({key: (scale * mean, scale * values)})
        return replace(added, means={**self.means, key: shares})

    def average_scores(self, keys: Sequence[ScoreKey], weights: Sequence[float] | None = None) -> tuple[float, Floats]:
        """Return the mean of the defined scores, and contributions to it.

        The contributions are those of the documents: (documents,).

        Args:
            keys: names of the scores.
            weights: weight of each score, not negative and taken as constant; None for equal weights.
        """
        chosen = np.array([self.keys.index(k) for k in keys], np.int64)
        given = np.ones(len(chosen)) if weights is None else np.asarray(weights, np.float64)
        known = ~np.isnan(self.estimates[chosen]) & (given > 0)
        if not known.any():
            return np.nan, np.full(len(self.documents), np.nan)
        at, shares = chosen[known], given[known] / given[known].sum()
        return float(self.estimates[at] @ shares), self.values[:, at] @ shares

    def add_scores(
        self, scores: Mapping[ScoreKey, tuple[float, Floats]], designs: Mapping[ScoreKey, AucDesign] | None = None
    ) -> Self:
        """Add scores.

        Args:
            scores: value and document contributions (documents,) of each.
            designs: what each ROC-AUC among them was computed from.
        """
        return replace(
            self,
            keys=(*self.keys, *scores),
            estimates=np.append(self.estimates, [estimate for estimate, _ in scores.values()]),
            values=np.concatenate([self.values.T, [values for _, values in scores.values()]]).T,
            designs={**self.designs, **(designs or {})},
        )

    def compute_standard_errors(self) -> Floats:
        """Compute standard errors: (keys,)."""
        return np.sqrt([float(np.square(values).sum()) for values in self.values.T])


def compute_auc_influence(ranking: Ranking, key: ScoreKey) -> Influence:
    """Compute ROC-AUC of each class against the rest, named `("by_label", class, *key)`.

    It is undefined if all documents of a class have one verdict; its variance is undefined if either verdict has one
    document.
    """
    documents = ranking.documents
    estimates = np.full(len(ranking.classes), np.nan)
    values = np.zeros((len(ranking.classes), len(documents)))
    keys = tuple(("by_label", name, *key) for name in ranking.classes)
    designs: dict[ScoreKey, AucDesign] = {}
    for k, name in enumerate(ranking.classes):
        order = ranking.get_order(name)
        rises = order.find_positive_steps()
        estimates[k] = rises.compute_roc_auc()
        if np.isnan(estimates[k]):
            values[k] = np.nan
            designs[keys[k]] = AucDesign(rises.positives, rises.negatives, np.nan)
            continue
        sides = np.array([rises.negatives, rises.positives], np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            scale = 1 / np.sqrt(sides * (sides - 1))
            contributed = (order.compute_placements() - estimates[k]) * np.where(order.gold, scale[1], scale[0])
        values[k, ranking.get_ranked_documents(name)] = contributed
        designs[keys[k]] = AucDesign(rises.positives, rises.negatives, float(np.square(values[k]).sum()))
    return Influence(keys, estimates, documents, values.T, designs)


@dataclass(frozen=True, eq=False)
class ClassColumn:
    """Documents scored for one class.

    The arrays may be views of larger ones.

    Args:
        document: (n,) numbers that mean the same in every batch and for every system.
        score: (n,) scores, not nan.
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
        """Merge the documents of all columns."""
        if len(columns) == 1:
            return columns[0]
        return cls(
            np.concatenate([column.document for column in columns]),
            np.concatenate([column.score for column in columns]),
            np.concatenate([column.gold for column in columns]),
        )

    def take(self, at: Ints | Bools) -> Self:
        """Take the documents at these positions, or of this mask, in order."""
        return replace(self, document=self.document[at], score=self.score[at], gold=self.gold[at])

    def is_ascending(self) -> bool:
        """Check whether document numbers are ascending and unique."""
        return bool((self.document[1:] > self.document[:-1]).all())


@dataclass(frozen=True, eq=False)
class Ranking:
    """Scores and verdicts by class.

    A document without a score for a class is not in the column of that class.

    Args:
        classes: names of the classes.
        columns: the documents of each class.

    Raises:
        ValueError: if the numbers of classes and columns differ.
    """

    classes: tuple[str, ...]
    columns: tuple[ClassColumn, ...]

    def __post_init__(self) -> None:
        if len(self.classes) != len(self.columns):
            raise ValueError(f"{len(self.columns)} columns for {len(self.classes)} classes")

    @classmethod
    def from_rows(cls, classes: tuple[str, ...], document: Ints, code: Ints, score: Floats, gold: Bools) -> Self:
        """Build a ranking from rows (document, class) in any order.

        Args:
            classes: names of the classes.
            document: (rows,) number of the document.
            code: (rows,) position in `classes`.
            score: (rows,) scores, not nan.
            gold: (rows,) whether the document belongs to the class.

        Raises:
            ValueError: if the arrays differ in length or a score is nan.
        """
        rows = ClassColumn(document, score, gold)
        if len(code) != len(document):
            raise ValueError("each row of a ranking has a document, a class, a score and a verdict")
        return cls(classes, tuple(rows.take(np.flatnonzero(code == k)) for k in range(len(classes))))

    @classmethod
    def merge(cls, batches: Iterable[Self]) -> Self:
        """Merge the documents of all batches; classes are aligned by name."""
        parts: dict[str, list[ClassColumn]] = {}
        for batch in batches:
            for name, column in zip(batch.classes, batch.columns, strict=True):
                parts.setdefault(name, []).append(column)
        classes = tuple(sorted(parts))
        return cls(classes, tuple(ClassColumn.merge(parts[name]) for name in classes))

    @cached_property
    def documents(self) -> Ints:
        """Documents with a score for any class, ascending: (documents,)."""
        parts = [column.document for column in self.columns]
        if not parts:
            return np.zeros(0, np.int64)
        if self.columns[0].is_ascending() and all(p is parts[0] or np.array_equal(p, parts[0]) for p in parts):
            return parts[0]
        return np.unique(np.concatenate(parts))

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: at for at, name in enumerate(self.classes)}

    @property
    def pair_count(self) -> int:
        """Number of pairs of a document and a class."""
        return sum(len(column.document) for column in self.columns)

    def select(self, keep: Bools) -> Self:
        """Keep only the documents of the mask (documents,): a document slice."""
        chosen = self.documents[keep]
        return replace(self, columns=tuple(column.take(np.isin(column.document, chosen)) for column in self.columns))

    def split(self, groups: NDArray[np.integer]) -> list[Self]:
        """Split documents into groups (documents,), numbered from 0 without gaps."""
        columns: list[list[ClassColumn]] = []
        for column in self.columns:
            own = groups[np.searchsorted(self.documents, column.document)]  # (documents of the class,)
            order = np.argsort(own, kind="stable")
            ends = np.searchsorted(own[order], np.arange(int(groups.max()) + 2 if len(groups) else 1))
            columns.append([column.take(order[low:high]) for low, high in pairwise(ends.tolist())])
        return [replace(self, columns=each) for each in zip(*columns, strict=True)]

    def get_class_column(self, name: str) -> ClassColumn:
        """Return the documents of one class, ascending.

        Args:
            name: name of the class.

        Raises:
            ValueError: if a document occurs twice.
        """
        if name not in self._positions:
            raise ValueError(f"{name!r} is not a class")
        column = self.columns[self._positions[name]]
        if column.is_ascending():
            return column
        column = column.take(np.argsort(column.document, kind="stable"))
        if not column.is_ascending():
            raise ValueError(f"a document is ranked twice for class {name!r}")
        return column

    def get_order(self, name: str) -> ScoreOrder:
        """Return one class sorted by score, with positions in `get_class_column`."""
        if name not in self._orders:
            column = self.get_class_column(name)
            self._orders[name] = ScoreOrder.from_scores(np.ascontiguousarray(column.score), column.gold)
        return self._orders[name]

    def get_ranked_documents(self, name: str) -> Ints:
        """Return the position in `documents` at each rank of a class: (n,)."""
        order = self.get_order(name)
        if len(order.position) == len(self.documents):
            return order.position
        return np.searchsorted(self.documents, self.get_class_column(name).document)[order.position]

    @cached_property
    def pool(self) -> PooledClasses:
        """All classes in one order."""
        orders = [self.get_order(name) for name in self.classes]
        return PooledClasses(orders, [self.get_ranked_documents(name) for name in self.classes], len(self.documents))

    @cached_property
    def _orders(self) -> dict[str, ScoreOrder]:
        return {}
