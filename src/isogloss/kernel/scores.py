"""Named scores, the ratios they are made of, and their paths.

The key of a score is a tuple of names, such as `("by_label", "PER", "strict", "recall")`; its value is an array with
the leading axes of the sums it was computed from. Undefined (0/0) is nan here, null in JSON and a dash in tables.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isogloss.kernel.score_catalogue import F_NAMES, PROPORTION_COUNTS

ScoreKey = tuple[str, ...]
Scores = dict[ScoreKey, NDArray[Any]]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Proportions = dict[ScoreKey, tuple[int, int]]  # numerator and denominator of each proportion
LARGE_BETA = 1e6


def divide(part: ArrayLike, whole: ArrayLike, zero_division: float = np.nan) -> Floats:
    """Return `part / whole`, with `zero_division` where `whole` is 0.

    Arrays are broadcast.
    """
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
    """Compute the F-measure, the weighted harmonic mean of precision and recall.

    Precision is `predicted_credit / actual`, recall is `reference_credit / possible` (van Rijsbergen 1979). If both
    sides have the same credit, F is (1 + beta²) credit / (beta² possible + actual). It is 0 without credit, and
    undefined (`zero_division`) only if both sides are empty. With an infinite beta, F is the limit: recall, or 0 if
    only the reference is empty.
    """
    predicted_credit, actual, reference_credit, possible = (
        np.asarray(x, np.float64) for x in (predicted_credit, actual, reference_credit, possible)
    )
    # of recall and of precision; above LARGE_BETA both are divided by beta², which would overflow
    weight, other = (beta * beta, 1.0) if beta <= LARGE_BETA else (1.0, 1 / beta / beta)
    f = divide(
        (other + weight) * predicted_credit * reference_credit,
        weight * predicted_credit * possible + other * reference_credit * actual,
        0.0,
    )
    return np.where(possible + actual > 0, f, zero_division)


def average_defined(values: Floats, weights: ArrayLike = 1) -> tuple[Floats, NDArray[np.int64]]:
    """Average the defined values over the last axis, and count them.

    Args:
        values: (..., n) values, nan where undefined.
        weights: Weights, broadcast against `values`.

    Returns:
        (...) mean, nan where nothing is defined or all weights are 0, and (...) number of defined values.
    """
    defined = ~np.isnan(values)
    weights = np.where(defined, weights, 0)
    return divide((np.where(defined, values, 0) * weights).sum(axis=-1), weights.sum(axis=-1)), defined.sum(axis=-1)


def find_proportions(scores: Scores, half_point_groups: Collection[str] = ()) -> Proportions:
    """Return numerator and denominator of each score that is a proportion.

    A proportion is a count divided by other counts of its group. `PROPORTION_COUNTS` says which; the first rule whose
    counts the group has is used. The counts of
    the group `micro` are the sums over labels. A score whose numerator exceeds its denominator, as some tools count,
    is not a proportion.

    Args:
        scores: scores without leading axes.
        half_point_groups: groups that give half points, whose scores are not proportions.
    """
    proportions: Proportions = {}
    for key in scores:
        if key[-1] not in PROPORTION_COUNTS or key[-2] in half_point_groups:
            continue
        for part, whole in PROPORTION_COUNTS[key[-1]]:
            counts = [_get_count(scores, key[:-1], name) for name in (part, *whole)]
            numbers = [int(count) for count in counts if count is not None]
            if len(numbers) == len(counts) and numbers[0] <= sum(numbers[1:]):
                proportions[key] = (numbers[0], sum(numbers[1:]))
                break
    return proportions


def find_trials(scores: Scores) -> Scores:
    """Return the number of counted things behind each ratio.

    The numbers have the leading axes of the scores. For precision, recall, accuracy and rates the number is the
    denominator, also if the numerator has half points. For F it is the mean of the denominators of precision and
    recall, and for a weighted mean over labels their sum over labels. A ratio whose denominator is not among the scores
    has none.
    """
    trials_by_key: Scores = {}
    for key in scores:
        if key[-1] in PROPORTION_COUNTS:
            trials = _find_denominator(scores, key[:-1], key[-1])
        elif key[-1] in F_NAMES:
            trials = _average_known([_find_denominator(scores, key[:-1], name) for name in ("precision", "recall")])
        else:
            continue
        if trials is not None:
            trials_by_key[key] = trials
    by_label = _group_by_label(trials_by_key)
    for key in scores:
        if key[0] == "weighted" and key[1:] in by_label:
            trials_by_key[key] = sum(trials_by_key[member] for member in by_label[key[1:]])  # type: ignore[assignment]
    return trials_by_key


def _find_denominator(scores: Scores, group: ScoreKey, name: str) -> Any:
    """Return the counts that a ratio divides by, or None.

    The result is a sum of counts of the group; it is None if the group does not have them.
    """
    for part, whole in PROPORTION_COUNTS[name]:
        counts = [_get_count(scores, group, each) for each in (part, *whole)]
        if all(count is not None for count in counts):
            return sum(counts[1:])
    return None


def _average_known(counts: Sequence[Any]) -> Any:
    return None if any(count is None for count in counts) else sum(counts) / len(counts)


def find_averaged_scores(scores: Collection[ScoreKey]) -> dict[ScoreKey, tuple[ScoreKey, ...]]:
    """Return the scores by label behind each plain mean over labels.

    An example of such a mean is `macro.strict.f1`.
    """
    by_label = _group_by_label(scores)
    return {key: tuple(by_label[key[1:]]) for key in scores if key[0] == "macro" and key[1:] in by_label}


def _group_by_label(scores: Collection[ScoreKey]) -> dict[ScoreKey, list[ScoreKey]]:
    """Return the keys of all labels by group and name."""
    groups: dict[ScoreKey, list[ScoreKey]] = {}
    for key in scores:
        if key[0] == "by_label":
            groups.setdefault(key[2:], []).append(key)
    return groups


def _get_count(scores: Scores, group: ScoreKey, name: str) -> Any:
    """Return a count of a group, None if it has none."""
    if group != ("micro",):
        return scores.get((*group, name))
    labelled = {key: value for key, value in scores.items() if key[0] == "by_label"}
    counts = [value for key, value in labelled.items() if key[-1] == name]
    return sum(counts) if counts or not labelled else None


PATH_PART = re.compile(r'(?P<plain>[A-Za-z0-9_-]+)|"(?P<quoted>(?:[^"\\]|\\.)*)"', re.DOTALL)


def format_path(key: ScoreKey) -> str:
    """Join keys by dots, quoting keys with unusual characters.

    Usual characters are letters, digits, `_` and `-`.
    """
    return ".".join(map(_quote_name, key))


def parse_path(name: str) -> ScoreKey:
    """Split the path of a score into its keys.

    Args:
        name: path such as `by_label."U.S.".strict.f1`.

    Raises:
        ValueError: if it is not a path.
    """
    key, at = [], 0
    while True:
        match = PATH_PART.match(name, at)
        if match is None:
            raise ValueError(f"{name!r} is not the path of a score: a name is missing at character {at + 1}")
        quoted = match["quoted"]
        key.append(match["plain"] if quoted is None else re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL))
        at = match.end() + 1
        if match.end() == len(name):
            return tuple(key)
        if name[match.end()] != ".":
            raise ValueError(f"{name!r} is not the path of a score: a point is missing at character {match.end() + 1}")


def quote_names(name: str) -> str:
    """Quote the names in a path that was written without quotes.

    The label of `by_label`, or the value of `slices`, is all that stands before the last two names.

    Args:
        name: text such as `by_label.U.S..strict.f1`.
    """
    first, *rest = name.replace('"', "").split(".")
    fixed = {"by_label": 0, "slices": 1}.get(first)
    if fixed is not None and len(rest) > fixed + 3:
        rest[fixed:-2] = [".".join(rest[fixed:-2])]
    return format_path((first, *rest))


def _quote_name(name: str) -> str:
    if re.fullmatch(r"[A-Za-z0-9_-]+", name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
