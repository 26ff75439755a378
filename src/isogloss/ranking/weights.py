"""Statistics of an order for other weights of the documents, such as the draws of a bootstrap: sorted once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from isogloss.ranking.order import Order
from isogloss.ranking.pooled import Pool
from isogloss.ranking.rows import Ranking
from isogloss.scores import Floats, Ints, ratio


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
