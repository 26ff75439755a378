"""Student's t distribution for few clusters.

The number of degrees of freedom is whole.

Source: Abramowitz and Stegun (1964), Handbook of mathematical functions, 26.7.3 to 26.7.5.
"""

from __future__ import annotations

from functools import lru_cache
from math import atan, cos, erfc, pi, sin, sqrt

MAX_SUMMED_FREEDOM = 200  # up to which quantiles are searched; above it they are a series
MAX_FREEDOM = 1000  # above it the distribution is taken as normal
SMALLEST_TAIL = 2.0**-50  # the series gives no smaller tail


def compute_t_tails(t: float, freedom: int) -> float:
    """Return the probability of both tails of the t distribution.

    It is the probability of a value at least as far from 0 as t.

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


@lru_cache(maxsize=4096)
def find_t_quantile(level: float, freedom: int | None) -> float:
    """Return the two-sided quantile of the t distribution.

    A share `level` of the distribution lies within this value on both sides of 0.

    Args:
        level: the share, in (0, 1).
        freedom: degrees of freedom, at least 1; None for the normal distribution.
    """
    from statistics import NormalDist  # noqa: PLC0415  it takes 4 ms, and most runs have no intervals

    z = NormalDist().inv_cdf((1 + level) / 2)
    if freedom is None:
        return z
    if freedom > MAX_SUMMED_FREEDOM:
        terms = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        )
        return z + sum(term / float(freedom) ** k for k, term in enumerate(terms, 1))
    low, high = z, 2 * z + 1
    while compute_t_tails(high, freedom) > 1 - level:
        high *= 2
    for _ in range(64):
        middle = (low + high) / 2
        low, high = (middle, high) if compute_t_tails(middle, freedom) > 1 - level else (low, middle)
    return (low + high) / 2
