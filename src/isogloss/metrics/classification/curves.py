"""Curves as points: ROC and precision-recall, thinned for plotting, and the threshold with the highest F.

Definition
    1. A point stands for taking all documents whose score is at least a threshold, one point for each score that
       occurs. Equal scores are one step.
    2. The ROC curve begins at (0, 0) with the threshold inf, where nothing is taken, and ends at (1, 1).
    3. The precision-recall curve begins at recall 0 and precision 1 with the threshold inf, as it does in scikit-learn,
       and ends where all are taken.
    4. A curve of more than 500 points is thinned to 500 of them. `moved` is how far a point that was left out is from
       the line that takes its place, in the coordinate in which that is farther, at the most. It stays below 0.001
       unless a curve turns more than 500 times by more than that: the ROC curve of two positives and two negatives in
       turn does.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np

from isogloss.ranking import Order
from isogloss.scores import Floats, Ints, f_measure, ratio

POINTS = 500
TINY = np.finfo(np.float64).tiny
SPARE = 4  # times as many points are chosen first
ON_THE_LINE = 1e-12  # what rounding makes of a distance of 0


@dataclass(frozen=True, eq=False)
class Curve:
    """Points that straight lines join.

    Args:
        x: (points,) false positive rate, or recall.
        y: (points,) true positive rate, or precision.
        threshold: (points,) least score that is taken; inf where nothing is.
        moved: largest distance of a point that was left out to the line that takes its place; 0 when none was.
    """

    x: Floats
    y: Floats
    threshold: Floats
    moved: float = 0.0

    def thinned(self, points: int = POINTS) -> Curve:
        """At most so many of the points, those that leave the curve nearest to where it was."""
        if len(self.x) <= points:
            return self
        kept, moved = _thinned(self.x, self.y, points)
        return Curve(self.x[kept], self.y[kept], self.threshold[kept], moved)


def roc_curve(order: Order) -> Curve:
    """The ROC curve of a label, all of its points; undefined rates are nan."""
    taken = _taken(order)
    return Curve(ratio(taken.wrong, taken.wrong[-1]), ratio(taken.right, taken.right[-1]), taken.threshold)


def precision_recall_curve(order: Order) -> Curve:
    """The precision-recall curve of a label, all of its points; undefined recalls are nan."""
    taken = _taken(order)
    precision = ratio(taken.right, taken.right + taken.wrong, 1.0)
    return Curve(ratio(taken.right, taken.right[-1]), precision, taken.threshold)


def best_step(order: Order, beta: float) -> dict[str, float]:
    """The threshold with the highest F, of several the highest, and what it gives; nan without documents."""
    taken = _taken(order)
    right, actual, possible = taken.right[1:], (taken.right + taken.wrong)[1:], int(taken.right[-1])
    name = "f1" if beta == 1 else "f"
    if not possible:
        return dict.fromkeys(("threshold", "precision", "recall", name), np.nan)
    f = f_measure(right, actual, right, np.full(len(right), possible), beta)
    at = int(f.argmax())
    return {
        "threshold": float(taken.threshold[1:][at]),
        "precision": float(right[at] / actual[at]),
        "recall": float(right[at] / possible),
        name: float(f[at]),
    }


@dataclass(frozen=True, eq=False)
class _Taken:
    """What is taken at each threshold, the highest first: (points,) each."""

    threshold: Floats
    right: Ints
    wrong: Ints


def _taken(order: Order) -> _Taken:
    below, hits = order.bounds()
    threshold = np.append(np.inf, order.score[below[:-1]][::-1])
    right, wrong = (counts[-1] - counts[::-1] for counts in (hits, below - hits))
    return _Taken(threshold, right, wrong)


def _thinned(x: Floats, y: Floats, points: int) -> tuple[Ints, float]:
    """The points to keep, ascending, and how far the others are from the lines between them.

    First more points than wanted are chosen, always the one that is farthest from its line (Ramer 1972; Douglas and
    Peucker 1973). Of these the one is given up again whose loss moves the curve least, until few enough are left: that
    comes nearer to the best choice than either way alone.
    """
    kept = _chosen(x, y, SPARE * points)
    last = len(kept) - 1
    before, after = list(range(-1, last)), list(range(1, last + 2))
    moved = np.zeros(last + 1)  # distance of the points between a kept point and the next to the line between them
    for k in range(last):
        moved[k] = _farthest(x, y, kept[k], kept[k + 1])[0]
    losses = [(_farthest(x, y, kept[k - 1], kept[k + 1])[0], k, k - 1, k + 1) for k in range(1, last)]
    heapify(losses)
    left = len(kept)
    while left > points:
        loss, k, low, high = heappop(losses)
        if (before[k], after[k]) != (low, high):  # a neighbour is gone, and with it this loss
            continue
        before[high], after[low], before[k], after[k], moved[low], moved[k] = low, high, -1, -1, loss, 0.0
        left -= 1
        for own in (low, high):
            if 0 < own < last:
                ends = before[own], after[own]
                heappush(losses, (_farthest(x, y, kept[ends[0]], kept[ends[1]])[0], own, *ends))
    at = [k for k in range(last + 1) if k in (0, last) or after[k] > 0]
    return np.array(kept, np.int64)[at], float(moved.max())


def _chosen(x: Floats, y: Floats, points: int) -> list[int]:
    """So many points, or all that are not on a line between others, ascending."""
    kept = {0, len(x) - 1}
    parts = [(*_farthest(x, y, 0, len(x) - 1), 0, len(x) - 1)]
    parts = [(-distance, at, first, last) for distance, at, first, last in parts]
    while parts and len(kept) < points:
        distance, at, first, last = heappop(parts)
        if -distance <= ON_THE_LINE:
            break
        kept.add(at)
        for ends in ((first, at), (at, last)):
            farther, inner = _farthest(x, y, *ends)
            heappush(parts, (-farther, inner, *ends))
    return sorted(kept)


def _farthest(x: Floats, y: Floats, first: int, last: int) -> tuple[float, int]:
    """Distance and position of the point that is farthest from the line between two; 0 where none is between them."""
    if last - first < 2:  # noqa: PLR2004  no point between
        return 0.0, first
    inner = slice(first + 1, last)
    distance = _distances(x[inner], y[inner], (x[first], y[first]), (x[last], y[last]))
    at = int(distance.argmax())
    return float(distance[at]), first + 1 + at


def _distances(x: Floats, y: Floats, one: tuple[float, float], two: tuple[float, float]) -> Floats:
    """Distance of each point to the line between two, in the coordinate in which it is larger: (n,)."""
    dx, dy = two[0] - one[0], two[1] - one[1]
    across = np.abs(dx * (y - one[1]) - dy * (x - one[0])) / max(abs(dx) + abs(dy), TINY)
    beside = np.maximum(np.minimum(one[0], two[0]) - x, x - np.maximum(one[0], two[0]))
    above = np.maximum(np.minimum(one[1], two[1]) - y, y - np.maximum(one[1], two[1]))
    distance: Floats = np.maximum(across, np.maximum(beside, above))
    return distance
