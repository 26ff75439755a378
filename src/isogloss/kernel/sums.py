"""Sums: counts added over documents, from which scores are computed.

The documents are all documents, a slice or a resample. Sums no longer know documents, unlike `kernel.counts` and
`kernel.tally`. Weighted sums of floats do not depend on the order.

Every value is cut into parts: its bits above a grain that is the same for a whole column, those from there down to a
second grain, and so on. A part is a small multiple of its grain, so a weighted sum of parts is exact as a float64
product, and exact sums do not depend on order. Bits below the last grain are dropped; they are less than the rounding
error of a sum of values as large as the largest.

Source: the pre-rounded sums of Demmel and Nguyen (2013), Fast reproducible floating-point summation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Cell, CellName, to_sort_key
from isogloss.kernel.scores import Floats, Ints, divide

FLOAT_BITS = 53  # of a float64
MIN_KEPT_BITS = 61  # bits below the largest value, at least
MAX_WEIGHT_BITS = 45  # bits of a sum of weights
BLOCK_VALUES = 1024  # values per matrix product
MIN_EXPONENT = -1074  # exponent of the smallest float64


def compute_weighted_sums(weights: NDArray[np.integer], values: Floats, documents: int) -> Floats:
    """Compute weighted sums of finite floats.

    Args:
        weights: (draws, n) weights, not negative.
        values: (n, columns) values.
        documents: largest sum of a row of weights; above it sums are right, but not equal in every bit.

    Returns:
        (draws, columns).
    """
    parts = ExactParts.from_values(values, documents)
    summed = np.zeros((len(weights), parts.flat.shape[1]))
    for low in range(0, len(values), BLOCK_VALUES):
        at = slice(low, low + BLOCK_VALUES)
        summed += weights[:, at].astype(np.float64) @ parts.flat[at]
    return parts.recombine(summed)


@dataclass(frozen=True, eq=False)
class ExactParts:
    """Values cut into parts whose weighted sums are exact.

    Args:
        flat: (n, kept) parts that are not 0 everywhere, each once.
        place: (parts, columns) position in `flat` of each part of a column; -1 if it is 0 everywhere.
    """

    flat: Floats
    place: NDArray[np.int64]

    @classmethod
    def from_values(cls, values: Floats, documents: int) -> ExactParts:
        """Cut finite floats (n, columns) into exact parts.

        The parts are for rows of weights of sum `documents` or less.
        """
        columns = values.shape[1]
        if not columns:
            return cls(np.zeros((len(values), 0)), np.zeros((1, 0), np.int64))
        parts = _split_values(
            values, FLOAT_BITS - min(MAX_WEIGHT_BITS, max(1, documents).bit_length())
        )  # (n, parts, columns)
        flat = parts.reshape(len(values), parts.shape[1] * columns)
        known: dict[bytes, int] = {}  # columns such as "has a precision" are equal under several names
        place = np.full(flat.shape[1], -1)
        for at in np.flatnonzero(flat.any(axis=0)).tolist():
            place[at] = known.setdefault(flat[:, at].tobytes(), len(known))
        first = np.array([int((place == at).argmax()) for at in range(len(known))], np.int64)
        return cls(np.ascontiguousarray(flat[:, first]), place.reshape(parts.shape[1], columns))

    def recombine(self, summed: Floats) -> Floats:
        """Add up the sums of parts, giving the sums of values.

        The shapes are (draws, kept) -> (draws, columns).
        """
        total = np.zeros((len(summed), self.place.shape[1]))
        for place in self.place[::-1]:  # the smallest first
            some = place >= 0
            total[:, some] += summed[:, place[some]]
        return total + 0.0  # no -0.0


def _split_values(values: Floats, width: int) -> Floats:
    """Split values (n, columns) into parts of `width` bits: (n, parts, columns)."""
    largest = np.frexp(np.abs(values).max(axis=0, initial=0))[1]  # (columns,) exponents
    parts, rest = [], values
    for k in range(-(-MIN_KEPT_BITS // width)):
        part, rest = _round_to_grain(rest, largest - (k + 1) * width)
        parts.append(part)
    return np.stack(parts, axis=1)


def _round_to_grain(values: Floats, exponent: NDArray[np.int32]) -> tuple[Floats, Floats]:
    """Round values to multiples of powers of two; also return the rest.

    The values are (n, columns), the exponents of the powers (columns,).
    """
    grain = np.ldexp(1.0, np.maximum(exponent, MIN_EXPONENT))
    rounded = np.rint(values / grain) * grain
    return rounded, values - rounded


@dataclass(frozen=True, eq=False)
class Sums:
    """Summed counts, with any leading axes.

    Args:
        parts: the meaning of each part of a cell.
        columns: names of the counts.
        cells: the cells, each once.
        values: (..., cells, columns) counts.
        measures: names of the floats from outside.
        measured: (..., measures, 2) their sum, and the number of documents that have one.
    """

    parts: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[Cell, ...]
    values: Ints
    measures: tuple[str, ...]
    measured: Floats

    def get_column(self, name: str) -> Ints:
        """Return the counts of a column: (..., cells)."""
        return self.values[..., self.columns.index(name)]

    def get_names(self, part: str) -> tuple[CellName, ...]:
        """Return the name of each cell in one part: (cells,)."""
        at = self.parts.index(part)
        return tuple(cell[at] for cell in self.cells)

    def average_measure(self, measure: str) -> Floats:
        """Average a measure over the documents that have it.

        The shape is (...); the mean is nan if no document has the measure.
        """
        pair = self.measured[..., self.measures.index(measure), :]
        return divide(pair[..., 0], pair[..., 1])

    def align_to(self, cells: Sequence[Cell]) -> Self:
        """Return the sums over other cells.

        New cells are zero, and missing cells are dropped.
        """
        known = set(cells)
        return self._move_cells(self.parts, [c if c in known else None for c in self.cells], cells)

    def drop_part(self, part: str) -> Self:
        """Sum over one part of the cells."""
        parts, kept = self._remove_part(part)
        return self._move_cells(parts, kept, tuple(dict.fromkeys(kept)))

    def split(self, part: str) -> dict[CellName, Self]:
        """Split the sums by the names of a part.

        All results are over the same cells.
        """
        parts, kept = self._remove_part(part)
        names, cells = self.get_names(part), tuple(dict.fromkeys(kept))
        result = {}
        for name in sorted(set(names), key=lambda n: to_sort_key((n,))):
            to = [cell if name == own else None for cell, own in zip(kept, names, strict=True)]
            result[name] = self._move_cells(parts, to, cells)
        return result

    def _remove_part(self, part: str) -> tuple[tuple[str, ...], list[Cell]]:
        """Return parts and cells without one part."""
        k = self.parts.index(part)
        return self.parts[:k] + self.parts[k + 1 :], [cell[:k] + cell[k + 1 :] for cell in self.cells]

    def _move_cells(self, parts: tuple[str, ...], to: Sequence[Cell | None], cells: Sequence[Cell]) -> Self:
        """Add each cell to its new cell; None drops it."""
        place = {cell: k for k, cell in enumerate(cells)}
        values = np.zeros((*self.values.shape[:-2], len(cells), len(self.columns)), np.int64)
        for k, cell in enumerate(to):
            if cell is not None:
                values[..., place[cell], :] += self.values[..., k, :]
        return replace(self, parts=parts, cells=tuple(cells), values=values)
