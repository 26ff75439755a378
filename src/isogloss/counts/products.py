"""Weighted sums of floats that come out the same in every bit, in whatever order a processor adds them.

Every value is cut into parts: its bits above a grain that is the same for a whole column, those from there down to a
second grain, and so on. A part is a multiple of its grain, and so few of them that a sum of all weights is one too: a
float64 product is then exact, and exact sums know no order. What lies below the last grain is left out; it is less than
the rounding of a sum of values as large as the largest.

Source: the pre-rounded sums of Demmel and Nguyen (2013), Fast reproducible floating-point summation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isogloss.scores import Floats

BITS = 53  # of a float64
KEPT = 61  # bits below the largest value, at least
MOST = 45  # bits of a sum of weights
BLOCK = 1024  # values per matrix product
LEAST = -1074  # exponent of the smallest float64


def weighted_sums(weights: NDArray[np.integer], values: Floats, documents: int) -> Floats:
    """Weighted sums of finite floats.

    Args:
        weights: (draws, n) not negative.
        values: (n, columns).
        documents: no row of weights adds up to more; where one does its sums are only right, and not the same in every
            bit.

    Returns:
        (draws, columns).
    """
    shape = len(weights), values.shape[1]
    if not values.shape[1]:
        return np.zeros(shape)
    parts = _parts(values, BITS - min(MOST, max(1, documents).bit_length()))
    flat = parts.reshape(len(values), parts.shape[1] * parts.shape[2])
    used = np.flatnonzero(flat.any(axis=0))
    flat, summed = flat[:, used], np.zeros((len(weights), len(used)))
    for low in range(0, len(values), BLOCK):
        at = slice(low, low + BLOCK)
        summed += weights[:, at].astype(np.float64) @ flat[at]
    sums = np.zeros((len(weights), *parts.shape[1:]))
    sums.reshape(len(weights), parts.shape[1] * parts.shape[2])[:, used] = summed
    total = np.zeros(shape)
    for part in reversed(range(parts.shape[1])):  # the smallest first
        total += sums[:, part]
    return total + 0.0  # no -0.0


def _parts(values: Floats, width: int) -> Floats:
    """Values (n, columns) as sums of parts of so many bits: (n, parts, columns)."""
    largest = np.frexp(np.abs(values).max(axis=0, initial=0))[1]  # (columns,) exponents
    parts, rest = [], values
    for k in range(-(-KEPT // width)):
        part, rest = _cut(rest, largest - (k + 1) * width)
        parts.append(part)
    return np.stack(parts, axis=1)


def _cut(values: Floats, exponent: NDArray[np.int32]) -> tuple[Floats, Floats]:
    """Values (n, columns) rounded to multiples of powers of two (columns,), and what is left of them."""
    grain = np.ldexp(1.0, np.maximum(exponent, LEAST))
    rounded = np.rint(values / grain) * grain
    return rounded, values - rounded
