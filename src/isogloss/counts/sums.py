"""Summed counts with any leading axes (one total, slices, resamples, systems): what a metric's `score` is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from isogloss.counts.cells import Cell, Name, by_name
from isogloss.scores import Floats, Ints, ratio


@dataclass(frozen=True, eq=False)
class Sums:
    """Summed counts.

    Args:
        parts: what the parts of a cell mean.
        columns: the names of the counts.
        cells: the cells, each once.
        values: (..., cells, columns) counts.
        measures: names of the floats that come from outside.
        measured: (..., measures, 2) their sum, and the number of documents that have one.
    """

    parts: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[Cell, ...]
    values: Ints
    measures: tuple[str, ...]
    measured: Floats

    def column(self, name: str) -> Ints:
        """Counts of a column: (..., cells)."""
        return self.values[..., self.columns.index(name)]

    def names(self, part: str) -> tuple[Name, ...]:
        """What the cells have as this part: (cells,)."""
        at = self.parts.index(part)
        return tuple(cell[at] for cell in self.cells)

    def mean(self, measure: str) -> Floats:
        """Mean of a measure over the documents that have it, nan when none has: (...)."""
        pair = self.measured[..., self.measures.index(measure), :]
        return ratio(pair[..., 0], pair[..., 1])

    def onto(self, cells: Sequence[Cell]) -> Self:
        """The same sums over other cells: zero where one is new, dropped where one is not among them."""
        known = set(cells)
        return self._moved(self.parts, [c if c in known else None for c in self.cells], cells)

    def without(self, part: str) -> Self:
        """Summed over a part of the cells: the whole, for a part that partitions."""
        parts, kept = self._short(part)
        return self._moved(parts, kept, tuple(dict.fromkeys(kept)))

    def split(self, part: str) -> dict[Name, Self]:
        """The sums of each name of a part, all over the same cells, so that all have the same scores."""
        parts, kept = self._short(part)
        names, cells = self.names(part), tuple(dict.fromkeys(kept))
        result = {}
        for name in sorted(set(names), key=lambda n: by_name((n,))):
            to = [cell if name == own else None for cell, own in zip(kept, names, strict=True)]
            result[name] = self._moved(parts, to, cells)
        return result

    def _short(self, part: str) -> tuple[tuple[str, ...], list[Cell]]:
        """Parts and cells without one part."""
        k = self.parts.index(part)
        return self.parts[:k] + self.parts[k + 1 :], [cell[:k] + cell[k + 1 :] for cell in self.cells]

    def _moved(self, parts: tuple[str, ...], to: Sequence[Cell | None], cells: Sequence[Cell]) -> Self:
        """Each cell added to the one that takes its place; None drops it."""
        place = {cell: k for k, cell in enumerate(cells)}
        values = np.zeros((*self.values.shape[:-2], len(cells), len(self.columns)), np.int64)
        for k, cell in enumerate(to):
            if cell is not None:
                values[..., place[cell], :] += self.values[..., k, :]
        return replace(self, parts=parts, cells=tuple(cells), values=values)
