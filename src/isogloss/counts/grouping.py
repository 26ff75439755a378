"""Sorting and summing integer rows by their keys. Sorts stand where `np.unique` would do: it is ten times slower."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import Ints
from isogloss.scores import Floats

LARGEST = 2**62


def starts_of_runs(ordered: NDArray[np.integer]) -> Ints:
    """Where each run of equal values begins: (n,) -> (runs,)."""
    if not len(ordered):
        return np.zeros(0, np.int64)
    return np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))


def distinct(values: NDArray[np.integer]) -> tuple[Ints, Ints]:
    """The distinct values ascending, and the position of each value among them: (n,) -> (distinct,), (n,)."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = starts_of_runs(ordered)
    place = np.empty(len(values), np.int64)
    place[order] = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(values))))
    return ordered[first].astype(np.int64), place


def packed(keys: Iterable[tuple[Ints, int]], number: int) -> Ints:
    """One integer per tuple of codes, ordered like the tuples.

    Args:
        keys: per place of the tuple its (number,) codes and how many codes there are, 0 <= code < size.
        number: how many tuples there are.
    """
    code, span = np.zeros(number, np.int64), 1
    for key, size in keys:
        if span * max(1, size) >= LARGEST:
            names, code = distinct(code)
            span = len(names)
        code, span = code * size + key, span * max(1, size)
    return code


def summed_by(code: Ints, values: Ints) -> tuple[Ints, Ints]:
    """Distinct codes ascending and the sums of their rows of values: (n,), (n, columns) -> (m,), (m, columns)."""
    if (code[1:] < code[:-1]).any():
        order = np.argsort(code, kind="stable")
        code, values = code[order], values[order]
    first = starts_of_runs(code)
    if len(first) == len(code):
        return code, values
    return code[first], np.add.reduceat(values, first, axis=0)


def added_in_order(place: Ints, values: Floats, number: int) -> Floats:
    """Sums of floats by place, each place's in ascending order, so that no order of arrival shows.

    Args:
        place: (n,) where each row goes; every place below `number` occurs.
        values: (n, columns).
        number: how many places there are.
    """
    if len(place) == number:
        result = np.empty_like(values)
        result[place] = values
        return result
    result = np.zeros((number, values.shape[1]))
    first = starts_of_runs(np.sort(place))
    for k, column in enumerate(values.T):
        result[:, k] = np.add.reduceat(column[np.lexsort((column, place))], first)
    return result
