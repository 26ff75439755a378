"""Named numbers, and the few ratios that they are made of.

A score's name is a tuple of keys, such as `("by_label", "PER", "strict", "recall")`; its value is an array with the
leading axes of the sums it was computed from. Undefined (0/0) is nan here, null in JSON and a dash in tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

ScoreKey = tuple[str, ...]
Scores = dict[ScoreKey, NDArray[Any]]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Proportions = dict[ScoreKey, tuple[int, int]]  # of a score that is a plain proportion: how many, and of how many


def divide(part: ArrayLike, whole: ArrayLike, zero_division: float = np.nan) -> Floats:
    """`part / whole`, and `zero_division` where `whole` is 0. Arrays are broadcast."""
    part, whole = np.broadcast_arrays(np.asarray(part, np.float64), np.asarray(whole, np.float64))
    result = np.full(whole.shape, zero_division, np.float64)
    np.divide(part, whole, out=result, where=whole != 0)
    return result


def compute_f_measure(
    predicted_credit: ArrayLike,
    actual: ArrayLike,
    reference_credit: ArrayLike,
    possible: ArrayLike,
    beta: float = 1.0,
    zero_division: float = np.nan,
) -> Floats:
    """Weighted harmonic mean of precision `found / actual` and recall `right / possible` (van Rijsbergen 1979).

    Where both sides have the same credit this is (1 + beta²) credit / (beta² possible + actual). It is 0 without
    credit, and undefined (`zero_division`) only when both sides are empty.
    """
    predicted_credit, actual, reference_credit, possible = (
        np.asarray(x, np.float64) for x in (predicted_credit, actual, reference_credit, possible)
    )
    weight = beta * beta
    f = divide(
        (1 + weight) * predicted_credit * reference_credit,
        weight * predicted_credit * possible + reference_credit * actual,
        0.0,
    )
    return np.where(possible + actual > 0, f, zero_division)


def average_defined(values: Floats, weights: ArrayLike = 1) -> tuple[Floats, NDArray[np.int64]]:
    """Weighted mean over the last axis without the undefined values, and how many values it used.

    Args:
        values: (..., n).
        weights: broadcast against `values`.

    Returns:
        (...) mean, nan where nothing is defined or all weights are 0, and (...) number of defined values.
    """
    defined = ~np.isnan(values)
    weights = np.where(defined, weights, 0)
    return divide((np.where(defined, values, 0) * weights).sum(axis=-1), weights.sum(axis=-1)), defined.sum(axis=-1)


class Proportion(NamedTuple):
    """How a score is the proportion of a count among others of its group.

    Args:
        name: of the score.
        part: name of the count above the line.
        whole: names of the counts that add up to what is below it.
    """

    name: str
    part: str
    whole: tuple[str, ...]


def find_proportions(scores: Scores, kinds: Iterable[Proportion]) -> Proportions:
    """The scores that are proportions of counts beside them.

    Args:
        scores: without leading axes.
        kinds: the proportions that there may be; of several of one name the first whose counts a group has. Where the
            part is more than the whole, as some tools count, it is none.
    """
    found: Proportions = {}
    for kind in kinds:
        for key in scores:
            if key[-1] != kind.name or key in found:
                continue
            group = key[:-1]
            counts = [scores.get((*group, name)) for name in (kind.part, *kind.whole)]
            numbers = [int(count) for count in counts if count is not None]
            if len(numbers) == len(counts) and numbers[0] <= sum(numbers[1:]):
                found[key] = (numbers[0], sum(numbers[1:]))
    return found


PATH_PART = re.compile(r'(?P<plain>[A-Za-z0-9_-]+)|"(?P<quoted>(?:[^"\\]|\\.)*)"', re.DOTALL)


def format_path(key: ScoreKey) -> str:
    """The dotted name of a score: keys with anything but letters, digits, `_` and `-` are quoted."""
    return ".".join(map(_quote_name, key))


def parse_path(name: str) -> ScoreKey:
    """The key that a path is the dotted name of.

    Raises:
        ValueError: it is no path.
    """
    key, at = [], 0
    while True:
        found = PATH_PART.match(name, at)
        if found is None:
            raise ValueError(f"{name!r} is no path of a score: at character {at + 1} a name is missing")
        quoted = found["quoted"]
        key.append(found["plain"] if quoted is None else re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL))
        at = found.end() + 1
        if found.end() == len(name):
            return tuple(key)
        if name[found.end()] != ".":
            raise ValueError(f"{name!r} is no path of a score: at character {found.end() + 1} a point is missing")


def _quote_name(name: str) -> str:
    if re.fullmatch(r"[A-Za-z0-9_-]+", name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
