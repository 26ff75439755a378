"""Student's t distribution for few clusters.

The number of degrees of freedom is whole.

Source: Abramowitz and Stegun (1964), Handbook of mathematical functions, 26.7.3 to 26.7.5.
"""

from __future__ import annotations

from functools import lru_cache
from math import atan, cos, erfc, exp, lgamma, log, log1p, pi, sin, sqrt

MAX_SUMMED_FREEDOM = 200  # up to which quantiles are searched; above it they are a series
MAX_FREEDOM = 1000  # above it the distribution is taken as normal
MAX_STEPS = 100  # of the search
PRECISION = 1e-14  # relative, of a quantile
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
    t = z  # the tails are a convex function of t, so Newton's method comes from below and never passes the quantile
    for _ in range(MAX_STEPS):
        step = (compute_t_tails(t, freedom) - (1 - level)) / (2 * _compute_density(t, freedom))
        t += step
        if abs(step) < PRECISION * t:
            break
    return t


def _compute_density(t: float, freedom: int) -> float:
    """Return the density of the t distribution."""
    scale = lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - log(freedom * pi) / 2
    return exp(scale - (freedom + 1) / 2 * log1p(t * t / freedom))
