"""Weighted sums of floats that come out the same in every bit, in whatever order a processor adds them.

Every value is cut into parts: its bits above a grain that is the same for a whole column, those from there down to a
second grain, and so on. A part is a multiple of its grain, and so few of them that a sum of all weights is one too: a
float64 product is then exact, and exact sums know no order. What lies below the last grain is left out; it is less than
the rounding of a sum of values as large as the largest.

Source: the pre-rounded sums of Demmel and Nguyen (2013), Fast reproducible floating-point summation.
"""

from __future__ import annotations

from dataclasses import dataclass

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
    parts = Parts.of(values, documents)
    summed = np.zeros((len(weights), parts.flat.shape[1]))
    for low in range(0, len(values), BLOCK):
        at = slice(low, low + BLOCK)
        summed += weights[:, at].astype(np.float64) @ parts.flat[at]
    return parts.together(summed)


@dataclass(frozen=True, eq=False)
class Parts:
    """Values cut into parts whose weighted sums are exact.

    Args:
        flat: (n, kept) the parts that are not 0 everywhere, each once.
        place: (parts, columns) which of them a part of a column is, -1 where it is 0 everywhere.
    """

    flat: Floats
    place: NDArray[np.int64]

    @classmethod
    def of(cls, values: Floats, documents: int) -> Parts:
        """Cut finite floats (n, columns), for weights whose rows add up to no more than `documents`."""
        columns = values.shape[1]
        if not columns:
            return cls(np.zeros((len(values), 0)), np.zeros((1, 0), np.int64))
        parts = _parts(values, BITS - min(MOST, max(1, documents).bit_length()))  # (n, parts, columns)
        flat = parts.reshape(len(values), parts.shape[1] * columns)
        known: dict[bytes, int] = {}  # columns such as "has a precision" are alike under several names
        place = np.full(flat.shape[1], -1)
        for at in np.flatnonzero(flat.any(axis=0)).tolist():
            place[at] = known.setdefault(flat[:, at].tobytes(), len(known))
        first = np.array([int((place == at).argmax()) for at in range(len(known))], np.int64)
        return cls(np.ascontiguousarray(flat[:, first]), place.reshape(parts.shape[1], columns))

    def together(self, summed: Floats) -> Floats:
        """The sums of the values (draws, columns), from those of the parts (draws, kept)."""
        total = np.zeros((len(summed), self.place.shape[1]))
        for place in self.place[::-1]:  # the smallest first
            some = place >= 0
            total[:, some] += summed[:, place[some]]
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
