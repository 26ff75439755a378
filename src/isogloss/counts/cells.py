"""Cells: what a count is about, as a tuple of names. They are compared, ordered and hashed by name, never by code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import shake_128

import numpy as np
from numpy.typing import NDArray

from isogloss.scores import Ints

Name = str | None
Cell = tuple[Name, ...]


def by_name(cell: Cell) -> tuple[tuple[bool, str], ...]:
    """Sort key of a cell: none before any name."""
    return tuple((name is not None, name or "") for name in cell)


def positions(old: Sequence[Cell], new: Sequence[Cell]) -> Ints:
    """Where each cell of `old` stands in `new`: (old,)."""
    place = {cell: k for k, cell in enumerate(new)}
    return np.array([place[cell] for cell in old], np.int64)


def fingerprints(cells: Sequence[Cell], columns: int) -> NDArray[np.uint64]:
    """Odd random multipliers of each cell's columns, given by its names alone: (cells, columns)."""
    raw = b"".join(_bytes(cell, columns) for cell in cells)
    return np.frombuffer(raw, np.uint64).reshape(len(cells), columns) | np.uint64(1)


@lru_cache(maxsize=2**16)
def _bytes(cell: Cell, columns: int) -> bytes:
    return shake_128(repr(cell).encode("utf-8", "surrogatepass")).digest(8 * columns)
