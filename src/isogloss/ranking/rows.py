"""What was said of documents and classes: a score each, and whether the document belongs to the class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from isogloss.ranking.order import Bools, Order
from isogloss.ranking.pooled import Pool
from isogloss.scores import Floats, Ints


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
