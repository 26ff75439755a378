"""Tests of systems that rank the same documents: DeLong's where the variance of a score is known, and the bootstrap."""

from __future__ import annotations

from math import erfc, sqrt
from statistics import NormalDist

import numpy as np

from isogloss.metric import OrderMetric
from isogloss.ranking import Influence, Ranking
from isogloss.resampling import Interval, bootstrap_of_order
from isogloss.scores import Ints, Key, Scores
from isogloss.significance.differences import Difference, resampled, slack


def delong_test(baseline: Influence, other: Influence, level: float = 0.95) -> dict[Key, Difference]:
    """Test differences of scores whose variance is known, such as ROC-AUC, by document or, both grouped, by cluster.

    The two systems see the same documents, so what a document contributes to one is subtracted from what it contributes
    to the other, and the squares of that add up to the variance of the difference. Without variance, or where it is not
    known, nothing can be said about scores that differ: p is nan. Equal scores without variance have p = 1.

    Source: DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more correlated receiver
    operating characteristic curves.

    Raises:
        ValueError: if they were scored on other documents or have other scores.
    """
    moved = other.minus(baseline)
    rounding = slack(baseline.estimates, other.estimates)
    values, errors = (np.where(np.abs(x) <= rounding, 0.0, x) for x in (moved.estimates, moved.errors()))
    half = NormalDist().inv_cdf((1 + level) / 2) * errors
    low, high = np.clip(values - half, -1, 1).tolist(), np.clip(values + half, -1, 1).tolist()
    return {
        key: Difference(value, _p(value, error), "delong", interval=Interval(a, b, level, "delong"))
        for key, value, error, a, b in zip(moved.keys, values.tolist(), errors.tolist(), low, high, strict=True)
    }


def bootstrap_test_of_order(  # noqa: PLR0913  each is independent
    baseline: Ranking,
    other: Ranking,
    metric: OrderMetric,
    resamples: int = 1000,
    seed: int = 12345,
    level: float = 0.95,
    *,
    units: Ints | None = None,
) -> dict[Key, Difference]:
    """Test scores of rankings that are known by weights of documents, by the conventions of `bootstrap_test`.

    Args:
        baseline: ranking of one system.
        other: ranking of the other, of the same documents.
        metric: what gives rankings their scores.
        resamples: how many.
        seed: seed of the generator.
        level: confidence level in (0, 1).
        units: (documents,) which of the units that are drawn each document belongs to, from 0 and all with documents;
            None where each document is one, in their order.

    Raises:
        ValueError: if classes, documents or verdicts differ.
    """
    _same_verdicts(baseline, other)
    sides: list[tuple[Scores, Scores]] = []
    for ranking in (baseline, other):
        drawn = bootstrap_of_order(ranking, metric, resamples, seed, units)
        scores = metric.score(ranking)
        sides.append(({key: scores[key] for key in drawn}, drawn))
    number = len(baseline.documents) if units is None else len(np.unique(units))
    return resampled(sides[0], sides[1], level, number)


def _p(value: float, error: float) -> float:
    """Two-sided, of a normal distribution."""
    if error > 0:
        return erfc(abs(value) / (error * sqrt(2)))
    return 1.0 if value == error == 0 else np.nan


def _same_verdicts(baseline: Ranking, other: Ranking) -> None:
    if sorted(baseline.classes) != sorted(other.classes):
        raise ValueError("systems are compared on the same classes")
    for name in baseline.classes:
        one, two = baseline.of_class(name), other.of_class(name)
        if not (np.array_equal(one.document, two.document) and np.array_equal(one.gold, two.gold)):
            raise ValueError(f"systems are compared on the same documents and verdicts, not so for class {name!r}")
