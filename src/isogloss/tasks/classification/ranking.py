"""Score rankings of documents: areas, curves and the best threshold.

The areas are those under the curves. The best threshold is the one with the highest F.

Definition
    1. A point of a curve selects all documents with at least a certain score. Each distinct score gives one point.
    2. The ROC curve begins at (0, 0) with threshold inf, which selects nothing, and ends at (1, 1).
    3. The precision-recall curve begins at recall 0 and precision 1 with threshold inf, as in scikit-learn, and ends
       where all documents are selected.
    4. A curve of more than 500 points is thinned to 500. `moved` is the largest distance of a dropped point from the
       new line, in the coordinate in which the distance is larger. It stays below 0.001, unless the curve turns more
       than 500 times by more than that, as does the ROC curve of alternating pairs of positives and negatives.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from isogloss.errors import UsageError
from isogloss.kernel.ranking import AucDesign, ClassColumn, Influence, Ranking, WeightedOrder, compute_auc_influence
from isogloss.kernel.score_order import ScoreOrder
from isogloss.kernel.scores import Floats, Ints, Scores, average_defined, compute_f_measure, divide
from isogloss.records.destinations import open_text_output
from isogloss.runs.ranking_evidence import RankingEvidence
from isogloss.runs.run import Run
from isogloss.tasks.classification.label_matrix import LabelledDocuments

MAX_CURVE_POINTS = 500
SMALLEST_FLOAT = np.finfo(np.float64).tiny
CANDIDATE_FACTOR = 4  # thinning first selects this many times the points it keeps
LINE_TOLERANCE = 1e-12  # a smaller distance is a rounding error of 0


@dataclass(frozen=True, eq=False)
class Curve:
    """A curve of straight lines between points.

    Args:
        x: (points,) false positive rate, or recall.
        y: (points,) true positive rate, or precision.
        threshold: (points,) lowest selected score; inf if nothing is selected.
        max_distance: largest distance of a dropped point from the curve; 0 if no point was dropped.
    """

    x: Floats
    y: Floats
    threshold: Floats
    max_distance: float = 0.0

    def thin(self, points: int = MAX_CURVE_POINTS) -> Curve:
        """Drop points so that the curve changes least.

        Args:
            points: largest number of points to keep.
        """
        if len(self.x) <= points:
            return self
        kept, max_distance = _thin_points(self.x, self.y, points)
        return Curve(self.x[kept], self.y[kept], self.threshold[kept], max_distance)


def compute_roc_curve(order: ScoreOrder) -> Curve:
    """Return all points of a label's ROC curve.

    Undefined rates are nan.
    """
    threshold, tp, fp = _count_by_threshold(order)
    return Curve(divide(fp, fp[-1]), divide(tp, tp[-1]), threshold)


def compute_precision_recall_curve(order: ScoreOrder) -> Curve:
    """Return all points of a label's precision-recall curve.

    Undefined recalls are nan.
    """
    threshold, tp, fp = _count_by_threshold(order)
    return Curve(divide(tp, tp[-1]), divide(tp, tp + fp, 1.0), threshold)


def find_best_threshold(order: ScoreOrder, beta: float) -> dict[str, float]:
    """Return the highest threshold with the highest F, and scores there.

    The scores are precision, recall and F. All values are nan without positives.

    Args:
        order: scores of a label, in order.
        beta: weight of recall in F, above 0.
    """
    threshold, tp, fp = _count_by_threshold(order)
    right, actual, possible = tp[1:], (tp + fp)[1:], int(tp[-1])
    name = "f1" if beta == 1 else "f"
    if not possible:
        return dict.fromkeys(("threshold", "precision", "recall", name), np.nan)
    f = compute_f_measure(right, actual, right, np.full(len(right), possible), beta)
    at = int(f.argmax())
    return {
        "threshold": float(threshold[1:][at]),
        "precision": float(right[at] / actual[at]),
        "recall": float(right[at] / possible),
        name: float(f[at]),
    }


def _count_by_threshold(order: ScoreOrder) -> tuple[Floats, Ints, Ints]:
    """Return thresholds, and the true and false positives at each.

    The highest threshold is first. Each result is (points,).
    """
    below, hits = order.count_below_steps()
    threshold = np.append(np.inf, order.score[below[:-1]][::-1])
    return threshold, hits[-1] - hits[::-1], (below - hits)[-1] - (below - hits)[::-1]


def _thin_points(x: Floats, y: Floats, points: int) -> tuple[Ints, float]:
    """Return the points to keep, and the largest distance of dropped points.

    The points are ascending. The distance is that of a dropped point from the line between the kept points around it.

    First select more points than needed, each time the one farthest from its line (Ramer 1972; Douglas and Peucker
    1973). Then drop the point whose loss changes the curve least, until few enough are left. The two steps together
    come nearer to the best selection than either of them alone.
    """
    kept = _choose_points(x, y, CANDIDATE_FACTOR * points)
    last = len(kept) - 1
    before, after = list(range(-1, last)), list(range(1, last + 2))
    moved = np.zeros(last + 1)  # largest distance of the points between a kept point and the next from their line
    for k in range(last):
        moved[k] = _find_farthest(x, y, kept[k], kept[k + 1])[0]
    losses = [(_find_farthest(x, y, kept[k - 1], kept[k + 1])[0], k, k - 1, k + 1) for k in range(1, last)]
    heapify(losses)
    left = len(kept)
    while left > points:
        loss, k, low, high = heappop(losses)
        if (before[k], after[k]) != (low, high):  # a neighbour was dropped, so this loss is out of date
            continue
        before[high], after[low], before[k], after[k], moved[low], moved[k] = low, high, -1, -1, loss, 0.0
        left -= 1
        for own in (low, high):
            if 0 < own < last:
                ends = before[own], after[own]
                heappush(losses, (_find_farthest(x, y, kept[ends[0]], kept[ends[1]])[0], own, *ends))
    at = [k for k in range(last + 1) if k in (0, last) or after[k] > 0]
    return np.array(kept, np.int64)[at], float(moved.max())


def _choose_points(x: Floats, y: Floats, points: int) -> list[int]:
    """Choose the points of a thinned curve, ascending.

    These are `points` points, or all that are not on a line between others.
    """
    kept = {0, len(x) - 1}
    parts = [(*_find_farthest(x, y, 0, len(x) - 1), 0, len(x) - 1)]
    parts = [(-distance, at, first, last) for distance, at, first, last in parts]
    while parts and len(kept) < points:
        distance, at, first, last = heappop(parts)
        if -distance <= LINE_TOLERANCE:
            break
        kept.add(at)
        for ends in ((first, at), (at, last)):
            farther, inner = _find_farthest(x, y, *ends)
            heappush(parts, (-farther, inner, *ends))
    return sorted(kept)


def _find_farthest(x: Floats, y: Floats, first: int, last: int) -> tuple[float, int]:
    """Return distance and position of the point farthest from a line.

    The line is that between the points `first` and `last`. The distance is 0 if no point is between them.
    """
    if last - first < 2:  # noqa: PLR2004  no point between
        return 0.0, first
    inner = slice(first + 1, last)
    distance = _measure_distances(x[inner], y[inner], (x[first], y[first]), (x[last], y[last]))
    at = int(distance.argmax())
    return float(distance[at]), first + 1 + at


def _measure_distances(x: Floats, y: Floats, one: tuple[float, float], two: tuple[float, float]) -> Floats:
    """Return the larger coordinate distance of each point from a line: (n,)."""
    dx, dy = two[0] - one[0], two[1] - one[1]
    across = np.abs(dx * (y - one[1]) - dy * (x - one[0])) / max(abs(dx) + abs(dy), SMALLEST_FLOAT)
    beside = np.maximum(np.minimum(one[0], two[0]) - x, x - np.maximum(one[0], two[0]))
    above = np.maximum(np.minimum(one[1], two[1]) - y, y - np.maximum(one[1], two[1]))
    distance: Floats = np.maximum(across, np.maximum(beside, above))
    return distance


ROC_AUC = "roc_auc"
AVERAGE_PRECISION = "average_precision"
RANKING_GROUP = "ranking"
AREA_NAMES = (ROC_AUC, AVERAGE_PRECISION)


@dataclass(frozen=True)
class RankingAreas:
    """The areas under curves, by label and over labels.

    Args:
        best_threshold: whether to search the threshold with the highest F of each label.
        beta: weight of recall in that F.
    """

    best_threshold: bool = False
    beta: float = 1.0

    def score(self, ranking: Ranking) -> Scores:
        """Return the areas by label and over labels, and best thresholds.

        Best thresholds are returned only if `best_threshold` is set.
        """
        steps = {name: ranking.get_order(name).find_positive_steps() for name in ranking.classes}
        by_area = {
            ROC_AUC: np.array([of.compute_roc_auc() for of in steps.values()]),
            AVERAGE_PRECISION: np.array([of.compute_average_precision() for of in steps.values()]),
        }
        positives = np.array([of.positives for of in steps.values()], np.int64)
        scores: Scores = {}
        for area, pooled in zip(AREA_NAMES, ranking.pool.areas, strict=True):
            scores |= _average_over_labels(area, by_area[area], positives) | {(area, "micro"): np.asarray(pooled)}
            scores[area, "labels"] = np.asarray(np.count_nonzero(~np.isnan(by_area[area])))
        for k, name in enumerate(steps):
            scores |= {("by_label", name, RANKING_GROUP, area): by_area[area][k] for area in AREA_NAMES}
            if self.best_threshold:
                best = find_best_threshold(ranking.get_order(name), self.beta)
                scores |= {("by_label", name, "best", key): np.asarray(value) for key, value in best.items()}
        return scores

    def influence(self, ranking: Ranking) -> Influence:
        """Return the influence of documents on ROC-AUC, by label and over labels."""
        classes = compute_auc_influence(ranking, (RANKING_GROUP, ROC_AUC))
        positives = [ranking.get_order(name).positives for name in ranking.classes]
        means = classes.add_mean((ROC_AUC, "macro"), classes.keys)
        means = means.add_mean((ROC_AUC, "weighted"), classes.keys, positives)
        pool, micro = ranking.pool, (ROC_AUC, "micro")
        values, variance = pool.compute_influence()
        pairs = pool.size / max(1, len(ranking.documents))
        design = AucDesign(pool.positives, pool.negatives, variance, pairs)
        return means.add_scores({micro: (pool.areas[0], values)}, {micro: design})

    def score_weighted(self, ranking: Ranking, draws: Iterable[Ints]) -> Scores:
        """Return the areas with documents weighted by each draw: leading axis draws."""
        classes = {name: WeightedOrder.from_class(ranking, name) for name in ranking.classes}
        pooled = WeightedOrder.from_pool(ranking.pool)
        return concatenate_draws(_score_weighted(classes, pooled, weights) for weights in draws)


def _score_weighted(classes: Mapping[str, WeightedOrder], pooled: WeightedOrder, weights: Ints) -> Scores:
    areas_by_class = {name: of.compute_areas(weights) for name, of in classes.items()}
    positives = stack_draws([areas[-1] for areas in areas_by_class.values()], len(weights))
    together = pooled.compute_areas(weights)
    scores: Scores = {}
    for k, area in enumerate(AREA_NAMES):
        of_labels = stack_draws([areas[k] for areas in areas_by_class.values()], len(weights))
        scores |= {("by_label", name, RANKING_GROUP, area): areas[k] for name, areas in areas_by_class.items()}
        scores |= _average_over_labels(area, of_labels, positives) | {(area, "micro"): together[k]}
    return scores


def _average_over_labels(area: str, of_labels: Floats, positives: NDArray[Any]) -> Scores:
    """Return the means over labels: (..., labels) -> (...) each."""
    return {
        (area, "macro"): average_defined(of_labels)[0],
        (area, "weighted"): average_defined(of_labels, positives)[0],
    }


def build_ranking(batch: LabelledDocuments) -> Ranking:
    """Build the ranking of the labels that have scores.

    Args:
        batch: documents with scores.

    Raises:
        ValueError: if the batch has no scores.
    """
    scores = batch.scores
    if scores is None:
        raise ValueError("the batch must have scores")
    ranked = _sort_labels(batch.labels, scores)
    columns = [ClassColumn(batch.documents, scores[:, k], batch.gold[:, k] == 1) for k in ranked]
    if (batch.gold < 0).any():
        columns = [column.take(batch.gold[:, k] >= 0) for k, column in zip(ranked, columns, strict=True)]
    return Ranking(tuple(batch.labels[k] for k in ranked), tuple(columns))


def concatenate_draws(pieces: Iterable[Scores]) -> Scores:
    """Concatenate the scores of pieces of draws."""
    pieces = list(pieces)
    return {key: np.concatenate([piece[key] for piece in pieces]) for key in pieces[0]} if pieces else {}


def stack_draws(columns: Sequence[NDArray[Any]], draws: int) -> Floats:
    """Stack columns of draws: (draws,) each -> (draws, columns)."""
    return np.stack(columns, axis=-1).astype(np.float64) if columns else np.zeros((draws, 0))


def _sort_labels(labels: Sequence[str], scores: Floats) -> list[int]:
    """Return the columns of the labels that have scores, ordered by name."""
    if not len(scores):
        return []
    first = np.isneginf(scores[0])  # a score in the first row makes a look at the others unnecessary
    columns = sorted(range(len(labels)), key=labels.__getitem__)
    return [k for k in columns if not (first[k] and np.isneginf(scores[:, k]).all())]


def compute_curves(run: Run, points: int = MAX_CURVE_POINTS) -> dict[str, tuple[Curve, Curve]]:
    """Return the ROC curve and the precision-recall curve of each label.

    Args:
        run: run of a prediction with scores.
        points: largest number of points of a curve.

    Raises:
        UsageError: if the run has no ranking, because its prediction has labels without scores.
    """
    if not isinstance(run.evidence, RankingEvidence):
        raise UsageError(
            f"{run.system} has labels and no scores, so there are no curves: give a prediction with scores."
        )
    ranking = run.evidence.ranking
    orders = {name: ranking.get_order(name) for name in ranking.classes}
    return {
        name: (compute_roc_curve(order).thin(points), compute_precision_recall_curve(order).thin(points))
        for name, order in orders.items()
    }


def curves_to_dict(run: Run) -> dict[str, Any]:
    """Return the curves of a run as plain values, for `--curves`.

    An infinite threshold is None.

    Args:
        run: run of a prediction with scores.

    Raises:
        UsageError: if the run has no ranking, because its prediction has labels without scores.
    """
    curves = {
        label: {
            "roc": _curve_to_dict(roc, "false_positive_rate", "true_positive_rate"),
            "precision_recall": _curve_to_dict(precision_recall, "recall", "precision"),
        }
        for label, (roc, precision_recall) in compute_curves(run).items()
    }
    return {"task": run.task, "system": run.system, "signature": str(run.signature), "curves": curves}


def _curve_to_dict(curve: Curve, x: str, y: str) -> dict[str, Any] | None:
    """Return a curve as lists; None if an axis is undefined."""
    if np.isnan(curve.x).any() or np.isnan(curve.y).any():
        return None
    threshold = [value if math.isfinite(value) else None for value in curve.threshold.tolist()]
    return {x: curve.x.tolist(), y: curve.y.tolist(), "threshold": threshold, "moved": curve.max_distance}


def write_curves(runs: Sequence[Run], path: str) -> None:
    """Write the curves of all systems to a file as JSON.

    Args:
        runs: runs of predictions with scores.
        path: path of the file, `-` for standard output.

    Raises:
        SourceError: if the file cannot be written.
    """
    documents: list[dict[str, Any]] = [curves_to_dict(run) for run in runs]
    document = documents[0] if len(documents) == 1 else {"runs": documents}
    with open_text_output(path, "Name a file that can be written, with --curves.") as stream:
        stream.write(msgspec.json.encode(document).decode() + "\n")
