"""Test of the difference of two scores on different documents.

The test rests on the intervals of both scores. The interval of the difference adds the distances of their ends from
their scores (MOVER). The p-value is 1 - level for the highest level at which the interval of the difference does not
contain 0. For two proportions with Wilson's intervals the interval is Newcombe's method 10.

Sources: Newcombe (1998), Interval estimation for the difference between independent proportions: comparison of eleven
methods; Zou and Donner (2008), Construction of confidence limits about effect measures.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, hypot, isnan, log

import numpy as np

from isogloss.stats.intervals import Interval

SMALLEST_P = 1e-9  # smaller p-values are not searched for
HALVINGS = 40  # of the logarithm of the p-value

ComputeInterval = Callable[[float], Interval]  # interval of a score at a level


def compute_independent_p(values: tuple[float, float], intervals: tuple[ComputeInterval, ComputeInterval]) -> float:
    """Return the two-sided p-value of the difference of two scores.

    Args:
        values: both scores.
        intervals: they return the interval of each score at a level.

    Returns:
        The p-value, at least `SMALLEST_P`; nan if a score or an interval is undefined.
    """
    lower, higher = sorted(zip(values, intervals, strict=True), key=lambda each: each[0])
    difference = higher[0] - lower[0]

    def find_low(p: float) -> float:
        """Return the lower end of the interval of the difference."""
        below, above = higher[1](1 - p).low, lower[1](1 - p).high
        return difference - hypot(higher[0] - below, above - lower[0])

    if isnan(difference) or isnan(find_low(0.5)):
        return np.nan
    if difference == 0:
        return 1.0
    low, high = log(SMALLEST_P), 0.0
    if find_low(SMALLEST_P) > 0:
        return SMALLEST_P
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if find_low(exp(middle)) > 0 else (middle, high)
    return exp(high)
