"""All classes in one order, every pair of a document and a class for itself: what a micro average ranks.

The classes are sorted already, so they are cut at the same scores and merged a piece at a time, in the processor's
cache. A step never crosses a cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isogloss.ranking.order import Order
from isogloss.scores import Floats, Ints, ratio

PIECE = 2**18  # pairs that are merged at a time, about
SAMPLED = 64  # scores of each class, for each piece, by which cuts are chosen


@dataclass(frozen=True, eq=False)
class Piece:
    """Pairs that follow each other in the order of their scores.

    Args:
        order: the pairs; positions are those in the ranks of all classes one after the other.
        ranks: per class the ranks that are in this piece.
    """

    order: Order
    ranks: Sequence[slice]

    def documents(self, of_classes: Sequence[Ints]) -> Ints:
        """The document of each pair, in the order of all: (pairs,).

        Args:
            of_classes: per class the (n,) document at each rank.
        """
        return np.concatenate([own[ranks] for own, ranks in zip(of_classes, self.ranks, strict=True)])[
            self.order.position
        ]

    def by_class(self, values: Floats) -> Iterator[Floats]:
        """What belongs to the ranks of each class, from values (pairs,) in the order of all."""
        apart = np.empty_like(values)
        apart[self.order.position] = values
        first = 0
        for ranks in self.ranks:
            yield apart[first : first + ranks.stop - ranks.start]
            first += ranks.stop - ranks.start


@dataclass(frozen=True, eq=False)
class Pool:
    """The classes to be pooled.

    Args:
        orders: one per class.
        documents: per class the (n,) document at each rank, as a position among all documents.
        number: how many documents there are.
    """

    orders: Sequence[Order]
    documents: Sequence[Ints]
    number: int

    @cached_property
    def size(self) -> int:
        """How many pairs there are."""
        return sum(len(order.gold) for order in self.orders)

    @cached_property
    def positives(self) -> int:
        """How many pairs belong together."""
        return sum(order.positives for order in self.orders)

    @property
    def negatives(self) -> int:
        """How many pairs do not."""
        return self.size - self.positives

    @cached_property
    def areas(self) -> tuple[float, float]:
        """Area under the ROC curve of all pairs and their average precision, nan where undefined."""
        wins, precisions = 0, 0.0
        for piece in self.pieces():
            rises = piece.order.rises()
            wins += rises.wins()
            precisions += rises.precisions()
        return float(ratio(wins, 2 * self.positives * self.negatives)), float(ratio(precisions, self.positives))

    def influence(self) -> Floats:
        """What each document contributes to the area under the ROC curve, its pairs added: (documents,).

        The pairs of a document depend on each other: adding them first gives the clustered variance of Obuchowski
        (1997).
        """
        sides = np.array([self.negatives, self.positives], np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            scale = 1 / np.sqrt(sides * (sides - 1))
        contributed = [np.empty(len(order.gold)) for order in self.orders]
        for piece in self.pieces():
            gold = piece.order.gold
            with np.errstate(invalid="ignore"):  # a side of one pair has no variance
                values = (piece.order.placed() - self.areas[0]) * np.where(gold, scale[1], scale[0])
            for own, ranks, part in zip(contributed, piece.ranks, piece.by_class(values), strict=True):
                own[ranks] = part
        total = np.zeros(self.number)
        for document, own in zip(self.documents, contributed, strict=True):
            total[document] += own
        return total

    def pieces(self) -> Iterator[Piece]:
        """All pairs from the lowest score to the highest, in pieces of bounded memory."""
        order: Order | None = None
        for at in self._cuts():
            cuts = [slice(*cut) for cut in at.tolist()]
            score = np.concatenate([order.score[cut] for order, cut in zip(self.orders, cuts, strict=True)])
            gold = np.concatenate([order.gold[cut] for order, cut in zip(self.orders, cuts, strict=True)])
            order = Order.of(score, gold, after=order, among=(self.size, self.positives))
            yield Piece(order, cuts)

    def _cuts(self) -> Ints:
        """Ranks at which each class is cut: (pieces, classes, 2)."""
        if not self.size:
            return np.zeros((0, len(self.orders), 2), np.int64)
        number = -(-self.size // PIECE)
        steps = [max(1, len(order.score) // (SAMPLED * number)) for order in self.orders]
        sample = np.sort(np.concatenate([order.score[::step] for order, step in zip(self.orders, steps, strict=True)]))
        at = np.unique(sample[np.arange(1, number) * len(sample) // number])
        inner = [np.searchsorted(order.score, at).tolist() for order in self.orders]
        ranks = [[0, *cuts, len(order.score)] for order, cuts in zip(self.orders, inner, strict=True)]
        ends = np.array(ranks, np.int64)  # (classes, pieces + 1)
        return np.stack([ends[:, :-1].T, ends[:, 1:].T], axis=-1)
