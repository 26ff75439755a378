"""Documents in the order of their scores, by class or pooled.

Sorting floats together with their positions is slow; sorting integers is fast. So a score and the position of its
document are packed into one 64-bit integer: the bits of a float, read as an integer, are ordered like the float. Low
bits of scores that do not fit are dropped, and the few documents that they would have told apart are sorted again
afterwards. Scores of up to four decimals are integers of 16 bits, which numpy sorts by radix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.scores import Floats, Ints, divide

Bools = NDArray[np.bool_]
WORD_BITS = 64
SEARCH_COST = 16  # a binary search costs about as much as scanning this many documents
UNITS, MAX_UNITS = 10_000, 2**16  # scores of four decimals are whole numbers of units
CHECKED_SCORES = 256  # before all are checked, which takes time
MAGNITUDE_MASK = np.int64(2**63 - 1)


def sort_scores(score: Floats) -> tuple[Ints, Floats]:
    """Return positions by ascending score (ties in order), and the sorted scores.

    Args:
        score: (n,) scores, not nan.
    """
    if not len(score):
        return np.zeros(0, np.int64), score
    short = _to_short_keys(score)
    if short is not None:
        order = np.argsort(short, kind="stable")
        return order, score[order]
    packed = _to_sort_keys(score)
    index_bits = (len(packed) - 1).bit_length()
    left_out = max(0, int(packed.max()).bit_length() - (WORD_BITS - index_bits))
    packed >>= np.uint64(left_out)
    packed <<= np.uint64(index_bits)
    packed |= np.arange(len(packed), dtype=np.uint64)
    packed.sort()
    order = (packed & np.uint64((1 << index_bits) - 1)).view(np.int64)
    ordered = score[order]
    wrong = np.flatnonzero(ordered[1:] < ordered[:-1]) if left_out else np.zeros(0, np.int64)
    if len(wrong):
        order = _repair_order(order, packed >> np.uint64(index_bits), ordered, wrong)
        ordered = score[order]
    return order, ordered


def _to_short_keys(score: Floats) -> NDArray[np.uint16] | None:
    """Return small integers ordered like the scores: (n,).

    The result is None if the scores have more than four decimals, or are far apart.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        for part in (score[:CHECKED_SCORES], score):
            units = np.rint(part * UNITS)
            if not (units / UNITS == part).all():
                return None
        least = units.min()
        return (units - least).astype(np.uint16) if units.max() - least < MAX_UNITS else None


def _to_sort_keys(score: Floats) -> NDArray[np.uint64]:
    """Return integers ordered like the scores, beginning at 0: (n,)."""
    bits = (score + 0.0).view(np.int64)  # no -0.0, which equals 0.0
    least = bits.min()
    if least < 0:
        np.bitwise_xor(bits, MAGNITUDE_MASK, out=bits, where=bits < 0)
        least = bits.min()
    keys = bits.view(np.uint64)
    keys -= least.view(np.uint64)
    return keys


def _repair_order(order: Ints, short: NDArray[np.uint64], ordered: Floats, wrong: Ints) -> Ints:
    """Sort documents again whose shortened keys (n,) hide a wrong order."""
    alike = np.unique(short[wrong])
    edges = np.zeros(len(order) + 1, np.int8)  # 1 where a run of equal shortened keys begins, -1 after it
    edges[np.searchsorted(short, alike)] += 1
    edges[np.searchsorted(short, alike, "right")] -= 1
    at = np.flatnonzero(np.cumsum(edges[:-1]))
    result = order.copy()
    result[at] = order[at][np.argsort(ordered[at], kind="stable")]
    return result


@dataclass(frozen=True, eq=False)
class PositiveSteps:
    """Steps that hold a positive, from the lowest score to the highest.

    A step is all documents of one score. The documents may be a piece of a longer order; ranks count from its lowest
    score.

    Args:
        low: (steps,) documents below each step.
        high: (steps,) documents below the next rank after the step.
        hits_low: (steps,) positives below the step.
        hits_high: (steps,) positives below the next rank after the step.
        documents: number of all documents.
        positives: how many of them belong to the class.
    """

    low: Ints
    high: Ints
    hits_low: Ints
    hits_high: Ints
    documents: int
    positives: int

    @property
    def negatives(self) -> int:
        """Number of documents outside the class."""
        return self.documents - self.positives

    def count_wins(self) -> int:
        """Return twice the number of rightly ordered pairs, ties counting half."""
        misses = (self.low - self.hits_low) + (self.high - self.hits_high)
        return int(((self.hits_high - self.hits_low) * misses).sum())

    def sum_precisions(self) -> float:
        """Sum over positives the precision at their step and above."""
        precision = (self.positives - self.hits_low) / (self.documents - self.low)
        return float(((self.hits_high - self.hits_low) * precision).sum())

    def compute_roc_auc(self) -> float:
        """Compute the area under the ROC curve.

        It is nan if a side is empty.
        """
        return float(divide(self.count_wins(), 2 * self.positives * self.negatives))

    def compute_average_precision(self) -> float:
        """Compute the mean precision at the positives, nan if there are none."""
        return float(divide(self.sum_precisions(), self.positives))


@dataclass(frozen=True, eq=False)
class ScoreOrder:
    """Documents of one class by ascending score.

    They may be a piece of a longer order.

    Args:
        position: (n,) position of the document at each rank.
        score: (n,) its score.
        gold: (n,) whether it belongs to the class.
        below: number of documents of lower score in earlier pieces.
        hits_below: how many of those belong to the class.
        documents: number of all documents.
        positives: how many of them belong to the class.
    """

    position: Ints
    score: Floats
    gold: Bools
    below: int
    hits_below: int
    documents: int
    positives: int

    @classmethod
    def from_scores(
        cls, score: Floats, gold: Bools, *, previous: Self | None = None, totals: tuple[int, int] | None = None
    ) -> Self:
        """Sort documents by score.

        Args:
            score: (n,) scores, not nan.
            gold: (n,) whether each document belongs to the class.
            previous: the piece with the next lower scores; None for none.
            totals: number of all documents, and of those in the class; None if these are all.
        """
        position, ordered = sort_scores(score)
        below, hits = (
            (0, 0) if previous is None else (previous.below + len(previous.gold), previous.hits_below + previous.hits)
        )
        documents, positives = totals or (len(gold), int(np.count_nonzero(gold)))
        return cls(position, ordered, gold[position], below, hits, documents, positives)

    @property
    def hits(self) -> int:
        """How many of these documents belong to the class."""
        return int(np.count_nonzero(self.gold))

    @cached_property
    def step_starts(self) -> Ints | None:
        """Rank at which each step begins: (steps,).

        It is None if each document is a step.
        """
        edges = self.score[1:] != self.score[:-1]
        if np.count_nonzero(edges) == len(edges):
            return None
        return np.append(0, np.flatnonzero(edges) + 1)

    def count_below_steps(self) -> tuple[Ints, Ints]:
        """Count documents and positives below each step and in all.

        The shapes are (steps + 1,) each.
        """
        passed = sum_before(self.gold)
        if self.step_starts is None:
            return np.arange(len(passed)), passed
        ends = np.append(self.step_starts, len(self.gold))
        return ends, passed[ends]

    def find_positive_steps(self) -> PositiveSteps:
        """Find the steps that hold a positive."""
        at = np.flatnonzero(self.gold)  # (positives,) ranks
        if self.step_starts is None:
            hits = np.arange(self.hits_below, self.hits_below + len(at))
            return PositiveSteps(at + self.below, at + (self.below + 1), hits, hits + 1, self.documents, self.positives)
        ends = np.append(self.step_starts, len(self.gold))
        few = len(ends) * SEARCH_COST < len(self.gold)
        hits = np.searchsorted(at, ends) if few else sum_before(self.gold)[ends]
        step = np.flatnonzero(np.diff(hits))
        low, high = ends[step] + self.below, ends[step + 1] + self.below
        return PositiveSteps(
            low,
            high,
            hits[step] + self.hits_below,
            hits[step + 1] + self.hits_below,
            self.documents,
            self.positives,
        )

    def compute_placements(self) -> Floats:
        """Return each rank's share of rightly ordered documents: (n,).

        The documents are those of the other side; a tie counts half.
        """
        at = np.flatnonzero(self.gold)  # (positives,) ranks
        ends, hits = self.count_below_steps()
        hits += self.hits_below
        if self.step_starts is None:
            halves = 1
            above = self.positives - hits[:-1]  # (n,) right for those that do not belong to the class
            below = at + self.below - hits[at]  # (positives,) right for those that do
        else:
            halves = 2
            twice, sizes = hits[:-1] + hits[1:], np.diff(ends)  # (steps,) positives below, those of the step half
            above = np.repeat(2 * self.positives - twice, sizes)
            below = np.repeat(ends[:-1] + ends[1:] + 2 * self.below - twice, sizes)[at]
        with np.errstate(invalid="ignore", divide="ignore"):
            shares: Floats = above / (halves * self.positives)
            shares[at] = below / (halves * (self.documents - self.positives))
        return shares


def sum_before(values: Bools | Ints) -> Ints:
    """Sum the values before each rank.

    The shapes are (..., n) -> (..., n + 1).
    """
    result = np.zeros((*values.shape[:-1], values.shape[-1] + 1), np.int64)
    np.cumsum(values, axis=-1, out=result[..., 1:])
    return result


PAIRS_PER_PIECE = 2**18  # approximately
SAMPLED_SCORES = 64  # scores of each class per piece, from which cuts are chosen


@dataclass(frozen=True, eq=False)
class OrderPiece:
    """Consecutive pairs of document and class in the order of their scores.

    Args:
        order: the pairs; positions count the ranks of all classes one after the other.
        ranks: per class the ranks in this piece.
    """

    order: ScoreOrder
    ranks: Sequence[slice]

    def list_documents(self, class_documents: Sequence[Ints]) -> Ints:
        """Return the document of each pair, in order of score: (pairs,).

        Args:
            class_documents: per class the (n,) document at each rank.
        """
        return np.concatenate([own[ranks] for own, ranks in zip(class_documents, self.ranks, strict=True)])[
            self.order.position
        ]

    def split_by_class(self, values: Floats) -> Iterator[Floats]:
        """Yield values (pairs,) of this piece by class.

        They are in the order of the ranks of the class.
        """
        apart = np.empty_like(values)
        apart[self.order.position] = values
        first = 0
        for ranks in self.ranks:
            yield apart[first : first + ranks.stop - ranks.start]
            first += ranks.stop - ranks.start


@dataclass(frozen=True, eq=False)
class PooledClasses:
    """All classes merged into one order.

    Args:
        orders: one order per class.
        documents: per class the (n,) document at each rank, as a position among all documents.
        document_count: number of documents.
    """

    orders: Sequence[ScoreOrder]
    documents: Sequence[Ints]
    document_count: int

    @cached_property
    def size(self) -> int:
        """Number of pairs of document and class."""
        return sum(len(order.gold) for order in self.orders)

    @cached_property
    def positives(self) -> int:
        """Number of pairs whose document belongs to the class."""
        return sum(order.positives for order in self.orders)

    @property
    def negatives(self) -> int:
        """Number of pairs whose document does not belong to the class."""
        return self.size - self.positives

    @cached_property
    def areas(self) -> tuple[float, float]:
        """ROC-AUC and average precision of all pairs, nan where undefined."""
        wins, precisions = 0, 0.0
        for piece in self.iterate_pieces():
            rises = piece.order.find_positive_steps()
            wins += rises.count_wins()
            precisions += rises.sum_precisions()
        return float(divide(wins, 2 * self.positives * self.negatives)), float(divide(precisions, self.positives))

    def compute_influence(self) -> tuple[Floats, float]:
        """Compute each document's contribution to ROC-AUC, and a variance.

        A contribution is summed over the pairs of the document: (documents,). The pairs of a document depend on each
        other; adding them first gives the clustered variance of Obuchowski (1997). The variance is that of pairs that
        are all independent.
        """
        sides = np.array([self.negatives, self.positives], np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            scale = 1 / np.sqrt(sides * (sides - 1))
        contributed = [np.empty(len(order.gold)) for order in self.orders]
        for piece in self.iterate_pieces():
            gold = piece.order.gold
            with np.errstate(invalid="ignore"):  # one pair has no variance
                values = (piece.order.compute_placements() - self.areas[0]) * np.where(gold, scale[1], scale[0])
            for own, ranks, part in zip(contributed, piece.ranks, piece.split_by_class(values), strict=True):
                own[ranks] = part
        total = np.zeros(self.document_count)
        for document, own in zip(self.documents, contributed, strict=True):
            total[document] += own
        return total, sum(float(np.square(own).sum()) for own in contributed)

    def iterate_pieces(self) -> Iterator[OrderPiece]:
        """Yield all pairs in ascending order, in pieces of bounded memory."""
        order: ScoreOrder | None = None
        for at in self._choose_cuts():
            cuts = [slice(*cut) for cut in at.tolist()]
            score = np.concatenate([order.score[cut] for order, cut in zip(self.orders, cuts, strict=True)])
            gold = np.concatenate([order.gold[cut] for order, cut in zip(self.orders, cuts, strict=True)])
            order = ScoreOrder.from_scores(score, gold, previous=order, totals=(self.size, self.positives))
            yield OrderPiece(order, cuts)

    def _choose_cuts(self) -> Ints:
        """Choose the ranks at which each class is cut: (pieces, classes, 2)."""
        if not self.size:
            return np.zeros((0, len(self.orders), 2), np.int64)
        number = -(-self.size // PAIRS_PER_PIECE)
        steps = [max(1, len(order.score) // (SAMPLED_SCORES * number)) for order in self.orders]
        sample = np.sort(np.concatenate([order.score[::step] for order, step in zip(self.orders, steps, strict=True)]))
        at = np.unique(sample[np.arange(1, number) * len(sample) // number])
        inner = [np.searchsorted(order.score, at).tolist() for order in self.orders]
        ranks = [[0, *cuts, len(order.score)] for order, cuts in zip(self.orders, inner, strict=True)]
        ends = np.array(ranks, np.int64)  # (classes, pieces + 1)
        return np.stack([ends[:, :-1].T, ends[:, 1:].T], axis=-1)
