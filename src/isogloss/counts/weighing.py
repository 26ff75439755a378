"""Sums of distinct documents under many weights. What does not depend on the weights is laid out once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.counts.grouping import distinct
from isogloss.counts.products import Parts
from isogloss.counts.rows import Counts
from isogloss.counts.sums import Sums
from isogloss.scores import Ints

BLOCK = 1024  # distinct documents per matrix product
EXACT: tuple[tuple[int, type[np.number[Any]]], ...] = (  # the narrowest type that holds every integer up to here
    (2**24, np.float32),
    (2**53, np.float64),
    (2**63, np.int64),
)
KEPT = 2**22  # numbers that are kept laid out; more are laid out anew for each product


@dataclass(frozen=True, eq=False)
class _Block:
    """Distinct documents from `low` to before `high`: which columns of cells are not 0 in some of them, and these."""

    low: int
    high: int
    used: Ints  # (used,)
    counts: NDArray[Any]  # (documents, used)


class Weighing:
    """Distinct documents, ready to be summed.

    Args:
        rows: normal counts of the distinct documents.
        documents: how many documents there are; no weights add up to more.
    """

    def __init__(self, rows: Counts, documents: int) -> None:
        self._rows = rows
        measured = rows.measured.reshape(len(rows.documents), 2 * len(rows.measures))
        self._parts = Parts.of(measured, documents)
        self._largest = float(np.abs(rows.values).sum(axis=0, dtype=np.float64).max(initial=0))
        self._kept: dict[type[Any], list[_Block]] = {}

    def sums(self, weights: NDArray[np.integer]) -> Sums:
        """Exact sums for each row of weights (draws, distinct): leading axis draws."""
        rows, width = self._rows, len(self._rows.columns)
        summed = np.zeros((len(weights), self._parts.flat.shape[1]))
        largest = self._largest * float(weights.max(initial=0))
        kind = next((kind for most, kind in EXACT if largest < most), np.int64)
        values = np.zeros((len(weights), len(rows.cells) * width), kind)
        for block in self._blocks(kind):
            here = weights[:, block.low : block.high]
            values[:, block.used] += here.astype(kind) @ block.counts
            if summed.size:
                summed += here.astype(np.float64) @ self._parts.flat[block.low : block.high]
        measured = self._parts.together(summed)
        return Sums(
            rows.parts,
            rows.columns,
            rows.cells,
            values.astype(np.int64).reshape(len(weights), len(rows.cells), width),
            rows.measures,
            measured.reshape(len(weights), len(rows.measures), 2),
        )

    def _blocks(self, kind: type[np.number[Any]]) -> Iterator[_Block]:
        if kind in self._kept:
            yield from self._kept[kind]
            return
        blocks, size = [], 0
        for low in range(0, len(self._rows.documents), BLOCK):
            block = self._block(low, min(low + BLOCK, len(self._rows.documents)), kind)
            size += block.counts.size
            if size <= KEPT:
                blocks.append(block)
            yield block
        if size <= KEPT:
            self._kept[kind] = blocks

    def _block(self, low: int, high: int, kind: type[np.number[Any]]) -> _Block:
        rows, width = self._rows, len(self._rows.columns)
        at = slice(*np.searchsorted(rows.row, [low, high]))
        cells, place = distinct(rows.cell[at])
        dense = np.zeros((high - low, len(cells), width), kind)
        dense[rows.row[at] - low, place] = rows.values[at]
        some = dense.any(axis=0)  # (cells, width)
        return _Block(low, high, (cells[:, None] * width + np.arange(width))[some], dense[:, some])
