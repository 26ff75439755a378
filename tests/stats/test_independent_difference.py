"""The p-value of two independent scores is where the interval of their difference ends at 0."""

from __future__ import annotations

from math import hypot, isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.stats.independent_difference import SMALLEST_P, ComputeInterval, compute_independent_p
from isogloss.stats.intervals import Interval, compute_wilson_interval

scipy_stats = pytest.importorskip("scipy.stats", reason="needs scipy")
Counted = tuple[int, int]


def make_interval(counted: Counted) -> ComputeInterval:
    return lambda level: compute_wilson_interval(*counted, level)


def find_p(one: Counted, two: Counted) -> float:
    return compute_independent_p((one[0] / one[1], two[0] / two[1]), (make_interval(one), make_interval(two)))


def compute_newcombe_ends(one: Counted, two: Counted, level: float) -> tuple[float, float]:
    """Newcombe's method 10 for `one - two`, with scipy's Wilson intervals."""
    first, second = (scipy_stats.binomtest(*own).proportion_ci(level, method="wilson") for own in (one, two))
    p, q = one[0] / one[1], two[0] / two[1]
    return p - q - hypot(p - first.low, second.high - q), p - q + hypot(first.high - p, q - second.low)


def test_ends_are_those_that_newcombe_published() -> None:
    """Newcombe (1998), table II, example (a): 56 of 70 and 48 of 80."""
    low, high = compute_newcombe_ends((56, 70), (48, 80), 0.95)
    assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)
    assert find_p((56, 70), (48, 80)) < 0.05


@given(st.integers(0, 20), st.integers(0, 30))
def test_interval_at_the_p_value_ends_at_zero(successes: int, others: int) -> None:
    one, two = (successes, 20), (others, 30)
    p = find_p(one, two)
    assert p == find_p(two, one)
    if one[0] / one[1] == two[0] / two[1]:
        assert p == 1
    elif p > SMALLEST_P:
        ends = compute_newcombe_ends(one, two, 1 - p)
        assert min(map(abs, ends)) < 1e-6


def test_undefined_score_has_no_p_value() -> None:
    assert isnan(compute_independent_p((0.5, float("nan")), (make_interval((1, 2)), make_interval((1, 2)))))
    undefined = Interval(float("nan"), float("nan"), 0.95, "wilson")
    assert isnan(compute_independent_p((0.5, 0.6), (make_interval((1, 2)), lambda _: undefined)))
