"""Intervals of scores: percentiles of resamples, DeLong's, and Wilson's."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np

from isogloss.ranking import Influence
from isogloss.scores import Key, Scores


@dataclass(frozen=True)
class Interval:
    """An interval of a score.

    Args:
        low: lower end, nan when every resample was undefined.
        high: upper end.
        level: confidence level in (0, 1).
        method: `bootstrap`, `delong` or `wilson`.
        undefined: resamples that had no score and were left out.
    """

    low: float
    high: float
    level: float
    method: str
    undefined: int = 0


def intervals(samples: Scores, level: float = 0.95) -> dict[Key, Interval]:
    """Percentile intervals of resampled scores (resamples,); undefined resamples are left out and counted."""
    tails = [(1 - level) / 2, (1 + level) / 2]
    result = {}
    for key, values in samples.items():
        defined = values[~np.isnan(values)]
        low, high = np.quantile(defined, tails).tolist() if len(defined) else (np.nan, np.nan)
        result[key] = Interval(low, high, level, "bootstrap", len(values) - len(defined))
    return result


def delong(influence: Influence, level: float = 0.95) -> dict[Key, Interval]:
    """Normal intervals from the contributions of documents, cut to [0, 1]."""
    half = NormalDist().inv_cdf((1 + level) / 2) * influence.errors()
    low = np.clip(influence.estimates - half, 0, 1).tolist()
    high = np.clip(influence.estimates + half, 0, 1).tolist()
    return {key: Interval(a, b, level, "delong") for key, a, b in zip(influence.keys, low, high, strict=True)}


def wilson(right: int, total: int, level: float = 0.95) -> Interval:
    """The score interval of a plain proportion, `right` of `total` independent trials; nan without trials.

    Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.

    Raises:
        ValueError: if more are right than there are.
    """
    if not 0 <= right <= total:
        raise ValueError(f"{right} of {total} is no proportion")
    if not total:
        return Interval(np.nan, np.nan, level, "wilson")
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = right + z * z / 2
    half = z * sqrt(right * (total - right) / total + z * z / 4)
    low = (middle - half) / (total + z * z) if right else 0.0
    high = (middle + half) / (total + z * z) if right < total else 1.0
    return Interval(low, high, level, "wilson")
