"""Confidence intervals of scores: bootstrap percentiles, DeLong's, and Wilson's; and spreads over documents."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from isogloss.kernel.ranking import Influence
from isogloss.kernel.scores import Floats, Ints, ScoreKey, Scores
from isogloss.kernel.tally import Tally
from isogloss.stats.bootstrap import Score


@dataclass(frozen=True)
class Interval:
    """Confidence interval of a score.

    Args:
        low: lower end, nan if every resample was undefined.
        high: upper end, nan if every resample was undefined.
        level: confidence level in (0, 1).
        method: `bootstrap`, `delong` or `wilson`.
        undefined: number of resamples without a score, which were left out.
    """

    low: float
    high: float
    level: float
    method: str
    undefined: int = 0


def compute_percentile_intervals(samples: Scores, level: float = 0.95) -> dict[ScoreKey, Interval]:
    """Compute percentile intervals of resamples (resamples,); undefined ones are counted."""
    tails = [(1 - level) / 2, (1 + level) / 2]
    result = {}
    for key, values in samples.items():
        defined = values[~np.isnan(values)]
        low, high = np.quantile(defined, tails).tolist() if len(defined) else (np.nan, np.nan)
        result[key] = Interval(low, high, level, "bootstrap", len(values) - len(defined))
    return result


def compute_delong_intervals(influence: Influence, level: float = 0.95) -> dict[ScoreKey, Interval]:
    """Compute normal intervals from influences, cut to [0, 1]."""
    half = _compute_quantile(level) * influence.compute_standard_errors()
    low = np.clip(influence.estimates - half, 0, 1).tolist()
    high = np.clip(influence.estimates + half, 0, 1).tolist()
    return {key: Interval(a, b, level, "delong") for key, a, b in zip(influence.keys, low, high, strict=True)}


def compute_wilson_interval(successes: int, total: int, level: float = 0.95) -> Interval:
    """Compute the score interval of a plain proportion of independent trials.

    Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.

    Args:
        successes: number of successes.
        total: number of trials; the interval is nan for 0.
        level: confidence level in (0, 1).

    Raises:
        ValueError: if there are more successes than trials, or fewer than 0.
    """
    if not 0 <= successes <= total:
        raise ValueError(f"{successes} of {total} is not a proportion")
    if not total:
        return Interval(np.nan, np.nan, level, "wilson")
    z = _compute_quantile(level)
    middle = successes + z * z / 2
    half = z * sqrt(successes * (total - successes) / total + z * z / 4)
    low = (middle - half) / (total + z * z) if successes else 0.0
    high = (middle + half) / (total + z * z) if successes < total else 1.0
    return Interval(low, high, level, "wilson")


@dataclass(frozen=True)
class DocumentSpread:
    """Distribution of a score over the single documents that have it.

    Args:
        mean: mean over documents.
        std: standard deviation of the sample (ddof 1), nan for fewer than two documents.
        min: smallest value.
        max: largest value.
        documents: how many documents have the score.
        se: standard error of the mean: std / sqrt(documents) if documents are independent, see
            `compute_clustered_errors` otherwise; nan if unknown.
    """

    mean: float
    std: float
    min: float
    max: float
    documents: int
    se: float = np.nan


def compute_document_spreads(tally: Tally, overall: Score) -> dict[ScoreKey, DocumentSpread]:
    """Compute the distribution of scores over the documents that have them.

    No document is kept. The order of a tally does not depend on the order of documents, so the result is equal in every
    bit.

    Args:
        tally: documents, not clusters of documents.
        overall: computes the scores.
    """
    result: dict[ScoreKey, ScoreMoments] = {}
    for at, sums in tally.iterate_sums():
        times = tally.times[at]
        for key, values in overall(sums).items():
            found = ScoreMoments.from_scores(np.asarray(values, np.float64), times)
            result[key] = result[key].merge(found) if key in result else found
    return {key: moments.to_spread() for key, moments in result.items()}


@dataclass(frozen=True)
class ScoreMoments:
    """Moments of a score over some documents, which can be merged.

    Args:
        number: how many documents have the score.
        mean: mean over them, 0 over none.
        squares: sum of squared differences from the mean.
        min: smallest value.
        max: largest value.
    """

    number: int
    mean: float
    squares: float
    min: float
    max: float

    @classmethod
    def from_scores(cls, values: Floats, times: Ints) -> ScoreMoments:
        """Compute moments of scores (distinct,) that occur `times` (distinct,) each."""
        has = ~np.isnan(values)
        if not has.all():
            values, times = values[has], times[has]
        number = int(times.sum())
        if not number:
            return cls(0, 0.0, 0.0, np.inf, -np.inf)
        mean = _sum_weighted(values, times) / number
        squares = _sum_weighted(np.square(values - mean), times)
        return cls(number, mean, squares, float(values.min()), float(values.max()))

    def merge(self, other: ScoreMoments) -> ScoreMoments:
        """Merge with the moments of other documents.

        Source: Chan, Golub and LeVeque (1979), updating formulae for sample variances.
        """
        number = self.number + other.number
        apart, share = other.mean - self.mean, other.number / max(1, number)
        return ScoreMoments(
            number,
            self.mean + apart * share,
            self.squares + other.squares + apart * apart * self.number * share,
            min(self.min, other.min),
            max(self.max, other.max),
        )

    def to_spread(self) -> DocumentSpread:
        """Return the distribution with standard deviation and standard error."""
        if not self.number:
            return DocumentSpread(np.nan, np.nan, np.nan, np.nan, 0, np.nan)
        std = float(np.sqrt(self.squares / (self.number - 1))) if self.number > 1 else np.nan
        return DocumentSpread(self.mean, std, self.min, self.max, self.number, std / sqrt(self.number))


def _sum_weighted(values: Floats, times: Ints) -> float:
    return float((values * times).sum())


def _compute_quantile(level: float) -> float:
    """Return how many standard errors each side of a normal interval has."""
    from statistics import NormalDist  # noqa: PLC0415  it takes 4 ms, and most runs have no intervals

    return NormalDist().inv_cdf((1 + level) / 2)
