"""Sorting and summing integer rows by their keys. Sorts stand where `np.unique` would do: it is ten times slower."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from isogloss.scores import Floats, Ints

LARGEST = 2**62


def starts_of_runs(ordered: NDArray[np.integer]) -> Ints:
    """Where each run of equal values begins: (n,) -> (runs,)."""
    if not len(ordered):
        return np.zeros(0, np.int64)
    return np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))


def distinct(values: Ints) -> tuple[Ints, Ints]:
    """The distinct values ascending, and the position of each value among them: (n,) -> (distinct,), (n,)."""
    values = values.astype(np.int64, copy=False)
    if values.min(initial=0) >= 0 and values.max(initial=0) <= len(values):  # few enough to be counted, not sorted
        used = np.flatnonzero(np.bincount(values))
        rank = np.zeros(len(values) + 1, np.int64)
        rank[used] = np.arange(len(used))
        return used, rank[values]
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = starts_of_runs(ordered)
    place = np.empty(len(values), np.int64)
    place[order] = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(values))))
    return ordered[first], place


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
        if span * max(1, size) >= LARGEST:
            names, key = distinct(key)  # noqa: PLW2901  the same order in fewer codes
            size = len(names)  # noqa: PLW2901
        code, span = code * size + key, span * max(1, size)
    return code


def summed_by(code: Ints, values: Ints) -> tuple[Ints, Ints]:
    """Distinct codes ascending and the sums of their rows of values: (n,), (n, columns) -> (m,), (m, columns)."""
    ascending = (code[1:] >= code[:-1]).all()
    order = np.arange(len(code)) if ascending else np.argsort(code, kind="stable")
    code = code[order]
    first = starts_of_runs(code)
    if ascending and len(first) == len(code):
        return code, values
    sums = np.take(values, order[first], axis=0)
    length = np.diff(np.append(first, len(code)))
    many = np.flatnonzero(length > 1)  # most codes come once, and copying is cheaper than adding
    if len(many):
        sums = sums.astype(np.int64, copy=False)
        start = np.cumsum(length[many]) - length[many]
        sums[many] = np.add.reduceat(np.take(values, order[np.repeat(length > 1, length)], axis=0), start, axis=0)
    return code[first], sums


def narrowed(values: Ints) -> Ints:
    """The same integers in 1, 2 or 4 bytes where they fit; any that are negative, or larger, stay as they are."""
    largest = values.max(initial=0)
    if values.min(initial=0) < 0 or largest > np.iinfo(np.uint32).max:
        return values
    return values.astype(np.min_scalar_type(largest), copy=False)


def any_nonzero(values: Ints) -> NDArray[np.bool_]:
    """Rows that are not all zero, a column at a time: (n, columns) -> (n,)."""
    result = np.zeros(len(values), np.bool_)
    for column in values.T:
        result |= column != 0
    return result


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
