"""Systems compared over several corpora by their ranks.

1. Each corpus ranks the systems by score, the best first; equal scores share the mean of their ranks.
2. Friedman's test asks whether the mean ranks differ more than by chance. Its statistic, corrected for ties, has about
   the chi-squared distribution with k - 1 degrees of freedom, for k systems.
3. Nemenyi's test: two systems differ if their mean ranks differ by at least the critical difference
   q sqrt(k (k + 1) / (6 n)) for n corpora; q is the quantile of the studentized range of k with infinite degrees of
   freedom, divided by sqrt(2).
4. Replication: the number of corpora on which a system is better, such that the claim "better on at least so many" is
   false with a chance of at most alpha. The p-value of "at least u of n" is (n - u + 1) times the u-th smallest
   p-value (Bonferroni), which holds for dependent corpora too.

Sources: Friedman (1940); Nemenyi (1963); Demsar (2006), Statistical comparisons of classifiers over multiple data sets,
JMLR 7, whose table 5 has the quantiles; Dror, Baumer, Bogomolov and Reichart (2017), Replicability analysis for natural
language processing, TACL 5, equation 3; Benjamini and Heller (2008).

Differences from scipy: `scipy.stats.friedmanchisquare` refuses two systems, for which this is the sign test's
chi-squared approximation; the statistic is nan here if all systems tie everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NORMAL_LIMIT = 12.0  # beyond it the normal density is 0 in double precision
STEPS = 400  # of the integral over the normal density, whose error is far below 1e-10
BISECTIONS = 60
MAX_RANGE = 40.0  # above every quantile of the studentized range that is asked for


@dataclass(frozen=True)
class MeanRanks:
    """Mean ranks of systems, with their tests.

    Args:
        ranks: mean rank of each system, 1 is best.
        statistic: Friedman's statistic; nan if all systems tie.
        p: its p-value; nan if all systems tie.
        critical_difference: smallest difference of mean ranks that is significant.
    """

    ranks: tuple[float, ...]
    statistic: float
    p: float
    critical_difference: float


def compare_mean_ranks(scores: Floats, alpha: float = 0.05, *, higher_is_better: bool = True) -> MeanRanks:
    """Rank systems on each corpus, and test whether their mean ranks differ.

    Args:
        scores: (corpora, systems) score of each system; at least one corpus and two systems.
        alpha: level of Nemenyi's test, in (0, 1).
        higher_is_better: whether a higher score is better.
    """
    ranks = np.array([rank_row(-row if higher_is_better else row) for row in scores])  # (corpora, systems)
    corpora, systems = ranks.shape
    means = ranks.mean(axis=0)  # (systems,)
    ties = sum(_count_ties(row) for row in ranks)
    correction = 1 - ties / (corpora * systems * (systems**2 - 1))
    spread = 12 * corpora / (systems * (systems + 1)) * float(((means - (systems + 1) / 2) ** 2).sum())
    statistic = spread / correction if correction > 0 else math.nan
    p = math.nan if math.isnan(statistic) else compute_chi_squared_tail(statistic, systems - 1)
    difference = find_range_quantile(1 - alpha, systems) / math.sqrt(2)
    return MeanRanks(
        tuple(means.tolist()), statistic, p, difference * math.sqrt(systems * (systems + 1) / (6 * corpora))
    )


def rank_row(values: Floats) -> Floats:
    """Return the rank of each value, the lowest is 1: (values,).

    Equal values share their mean rank.

    Args:
        values: (values,) the values.
    """
    below = (values[:, None] > values).sum(axis=1)
    equal = (values[:, None] == values).sum(axis=1)
    ranks: Floats = below + (equal + 1) / 2
    return ranks


def _count_ties(ranks: Floats) -> int:
    _, sizes = np.unique(ranks, return_counts=True)
    return int((sizes**3 - sizes).sum())


def compute_chi_squared_tail(value: float, freedom: int) -> float:
    """Return the probability of a chi-squared value of at least `value`.

    Source: Abramowitz and Stegun (1964), 26.4.4 and 26.4.5.

    Args:
        value: the value, at least 0.
        freedom: degrees of freedom, at least 1.
    """
    odd = freedom % 2
    total = math.erfc(math.sqrt(value / 2)) if odd else 0.0
    term = math.sqrt(2 * value / math.pi) if odd else 1.0
    term *= math.exp(-value / 2)
    for degree in range(3 if odd else 2, freedom + 1, 2):
        total += term
        term *= value / degree
    return min(1.0, total)


def find_range_quantile(level: float, number: int) -> float:
    """Return the quantile of the studentized range with infinite degrees of freedom.

    Args:
        level: probability below the quantile, in (0, 1).
        number: number of means, at least 2.
    """
    low, high = 0.0, MAX_RANGE
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _compute_range_probability(middle, number) < level else (low, middle)
    return (low + high) / 2


def _compute_range_probability(value: float, number: int) -> float:
    """Return the probability that a range of normal values is smaller."""
    points = np.linspace(-NORMAL_LIMIT, NORMAL_LIMIT + value, STEPS + 1)
    density = np.exp(-(points**2) / 2) / math.sqrt(2 * math.pi)
    inside = (_compute_normal(points) - _compute_normal(points - value)) ** (number - 1)
    return float(number * (density * inside).sum() * (points[1] - points[0]))  # both ends are 0


def _compute_normal(points: Floats) -> Floats:
    return np.array([math.erfc(-point / math.sqrt(2)) / 2 for point in points.tolist()])


def count_replications(p_values: Sequence[float], alpha: float = 0.05) -> int:
    """Return the number of corpora on which an effect is shown.

    Args:
        p_values: one-sided p-value of the same effect on each corpus.
        alpha: chance that the number is too large, at most.
    """
    replications, largest = 0, 0.0
    for place, p in enumerate(sorted(p_values), 1):
        largest = max(largest, min(1.0, (len(p_values) - place + 1) * p))
        if largest <= alpha:
            replications = place
    return replications
