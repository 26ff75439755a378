"""Student's t distribution with a whole number of degrees of freedom, for few clusters.

Source: Abramowitz and Stegun (1964), Handbook of mathematical functions, 26.7.3 and 26.7.4.
"""

from __future__ import annotations

from math import atan, cos, erfc, pi, sin, sqrt
from statistics import NormalDist

MAX_FREEDOM = 1000  # above it the distribution is taken as normal
SMALLEST_TAIL = 2.0**-50  # the series gives no smaller tail


def compute_t_tails(t: float, freedom: int) -> float:
    """Return the probability of a value at least as far from 0 as t.

    Args:
        t: the value.
        freedom: degrees of freedom, at least 1.
    """
    if freedom > MAX_FREEDOM:
        return erfc(abs(t) / sqrt(2))
    angle = atan(abs(t) / sqrt(freedom))
    even = freedom % 2 == 0
    term, total = (1.0, 0.0) if even else (cos(angle), 0.0)
    for k in range(2 if even else 3, freedom + 1, 2):
        total += term
        term *= (k - 1) / k * cos(angle) ** 2
    inside = sin(angle) * total if even else 2 / pi * (angle + sin(angle) * total)
    return min(1.0, max(1 - inside, SMALLEST_TAIL))


def find_t_quantile(level: float, freedom: int | None) -> float:
    """Return the value that a share `level` of the distribution lies within, on both sides of 0.

    Args:
        level: the share, in (0, 1).
        freedom: degrees of freedom, at least 1; None for the normal distribution.
    """
    low = NormalDist().inv_cdf((1 + level) / 2)
    if freedom is None or freedom > MAX_FREEDOM:
        return low
    high = 2 * low + 1
    while compute_t_tails(high, freedom) > 1 - level:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if compute_t_tails(middle, freedom) > 1 - level else (low, middle)
    return (low + high) / 2
