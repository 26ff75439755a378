"""Intervals of ROC-AUC: Newcombe's score interval, and of its means.

The interval has every area t that is not rejected by its own variance V(t), so it has a width also for an area of 1:

    |t - auc| <= z * sqrt(D * V(t))
    V(t) = t (1 - t) (1 + (N - 1) (1 - t) / (2 - t) + (N - 1) t / (1 + t)) / (m n),    N = (m + n) / 2

with m documents of the class and n others. D is the design effect: DeLong's variance of clusters, divided by that of
independent documents; 1 without clusters. With clusters z is a quantile of Student's t distribution with clusters - 1
degrees of freedom. If DeLong's variance is 0 or unknown, D is that of clusters whose documents are all alike.

The interval of a mean over classes comes from those of the classes and the correlations of their areas (MOVER). A
correlation that is unknown, because DeLong's variance of a class is 0 or unknown, is taken as 1.

Sources: Newcombe (2006), Confidence intervals for an effect size measure based on the Mann-Whitney statistic, part 2,
method 5; DeLong, DeLong and Clarke-Pearson (1988); Obuchowski (1997), Nonparametric analysis of clustered ROC curve
data; Zou and Donner (2008), Construction of confidence limits about effect measures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isnan, sqrt

import numpy as np

from isogloss.kernel.ranking import AucDesign, Influence
from isogloss.kernel.scores import Floats, ScoreKey
from isogloss.stats.bootstrap import MIN_UNITS
from isogloss.stats.intervals import Interval
from isogloss.stats.student_t import find_t_quantile

METHOD = "newcombe"
HALVINGS = 60  # of the range in which an end is searched


def compute_auc_intervals(influence: Influence, level: float = 0.95) -> dict[ScoreKey, Interval]:
    """Compute Newcombe's interval of each ROC-AUC and each mean of them.

    The interval is nan if an area is undefined, or with fewer than `MIN_UNITS` clusters. Scores that are neither are
    left out.

    Args:
        influence: areas and the contributions of documents, or of clusters.
        level: confidence level in (0, 1).
    """
    clusters = influence.clusters
    few = clusters is not None and clusters < MIN_UNITS
    quantile = np.nan if few else find_t_quantile(level, None if clusters is None else clusters - 1)
    intervals = {
        key: _compute_area_interval(influence, key, design, quantile, level)
        for key, design in influence.designs.items()
    }
    for key, shares in influence.means.items():
        intervals[key] = _compute_mean_interval(influence, shares, intervals, level)
    return {key: intervals[key] for key in influence.keys if key in intervals}


def compute_newcombe_variance(area: float, positives: int, negatives: int) -> float:
    """Return the variance of an area under two exponential distributions.

    Args:
        area: the area, in [0, 1].
        positives: number of documents of the class, at least 1.
        negatives: number of other documents, at least 1.
    """
    others = (positives + negatives) / 2 - 1
    pairs = 1 + others * (1 - area) / (2 - area) + others * area / (1 + area)
    return area * (1 - area) * pairs / (positives * negatives)


def _compute_area_interval(
    influence: Influence, key: ScoreKey, design: AucDesign, quantile: float, level: float
) -> Interval:
    at = influence.keys.index(key)
    area, variance = float(influence.estimates[at]), float(np.square(influence.values[:, at]).sum())
    if isnan(area) or isnan(quantile):
        return Interval(np.nan, np.nan, level, METHOD)
    known = variance > 0 and design.variance > 0  # false for nan
    effect = variance / design.variance if known else design.largest_effect * influence.largest_effect

    def is_rejected(value: float) -> bool:
        error = sqrt(effect * compute_newcombe_variance(value, design.positives, design.negatives))
        return abs(value - area) > quantile * error

    return Interval(_find_end(is_rejected, 0.0, area), _find_end(is_rejected, 1.0, area), level, METHOD)


def _find_end(is_rejected: Callable[[float], bool], outside: float, inside: float) -> float:
    """Return the last value that is not rejected, from `inside` towards `outside`."""
    if not is_rejected(outside):
        return outside
    for _ in range(HALVINGS):
        middle = (outside + inside) / 2
        outside, inside = (middle, inside) if is_rejected(middle) else (outside, middle)
    return inside


def _compute_mean_interval(
    influence: Influence, shares: Mapping[ScoreKey, float], intervals: Mapping[ScoreKey, Interval], level: float
) -> Interval:
    """Combine the intervals of classes into that of their mean.

    They are combined by the distances of their ends from the areas.
    """
    if not shares or any(isnan(intervals[key].low) for key in shares):
        return Interval(np.nan, np.nan, level, METHOD)
    at = [influence.keys.index(key) for key in shares]
    areas, weights = influence.estimates[at], np.array([*shares.values()])
    ends = np.array([(intervals[key].low, intervals[key].high) for key in shares]).T  # (2, classes)
    correlations = _correlate(influence.values[:, at])
    low, high = (sqrt(float(moved @ correlations @ moved)) for moved in weights * (ends - areas))
    mean = float(weights @ areas)
    return Interval(max(0.0, mean - low), min(1.0, mean + high), level, METHOD)


def _correlate(values: Floats) -> Floats:
    """Return correlations of areas, 1 where unknown: (documents, classes) -> (classes, classes)."""
    covariances = values.T @ values
    errors = np.sqrt(np.diag(covariances))
    with np.errstate(invalid="ignore", divide="ignore"):
        correlations = covariances / np.outer(errors, errors)
    result: Floats = np.where(np.isfinite(correlations), np.clip(correlations, -1, 1), 1.0)
    return result
