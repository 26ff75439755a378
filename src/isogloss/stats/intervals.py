"""Confidence intervals of scores, and spreads over documents.

Intervals are Wilson's, also modified and with a design effect, MOVER's for means, DeLong's, and percentiles of the
bootstrap.

Wilson's interval with a design effect divides the number of trials by the design effect, and uses a t-quantile. The
design effect is the variance of the ratio between units over the variance p (1 - p) / n of n independent trials. Near 0
and 1 it is known from few errors, and without an error it is unknown. So two design effects are averaged: the observed
one, with the number of errors as weight, and the one expected if trials of one unit have the correlation
`EXPECTED_CORRELATION`, with the weight of `PRIOR_ERRORS` errors.

Errors in few units tell little about the variance, however many units have none. So the t-quantile has as many degrees
of freedom as there are independent errors, which is the number of errors over the design effect, and `PRIOR_FREEDOM`
more for the expected design effect; at most units - 1.

Sources: Wilson (1927), Probable inference, the law of succession, and statistical inference; Kish (1965), Survey
sampling; Korn and Graubard (1998), Confidence intervals for proportions with small expected number of positive counts
estimated from survey data; Zou and Donner (2008), Construction of confidence limits about effect measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, factorial, isnan, log, sqrt, tanh

import numpy as np

from isogloss.kernel.scores import Floats, Ints, ScoreKey, Scores
from isogloss.kernel.tally import Tally
from isogloss.stats.bootstrap import MIN_UNITS, Score
from isogloss.stats.student_t import find_t_quantile
from isogloss.stats.unit_variance import RatioEvidence

EXPECTED_CORRELATION = 0.2  # of trials in one unit; measured .12 to .17, see the page on intervals
PRIOR_ERRORS = 4  # weight of the expected design effect, in errors; chosen by simulation
PRIOR_FREEDOM = 8  # degrees of freedom that the expected design effect is worth; chosen by simulation
DIFFERENCE_FREEDOM = 6  # the same for a difference, where the expected design effect has no part in the variance
MAX_RARE_EVENTS = 3  # successes or errors up to which Wilson's interval is widened


@dataclass(frozen=True)
class Interval:
    """Confidence interval of a score.

    Args:
        low: lower end, nan if every resample was undefined.
        high: upper end, nan if every resample was undefined.
        level: confidence level in (0, 1).
        method: `wilson`, `wilson-modified`, `wilson-deff`, `mover`, `newcombe`, `logit-t`, `bootstrap` or `delong`.
        undefined: number of resamples without a score, which were left out.
    """

    low: float
    high: float
    level: float
    method: str
    undefined: int = 0

    @property
    def is_degenerate(self) -> bool:
        """Whether the interval says nothing.

        It then has no width, or an end is nan.
        """
        return isnan(self.low) or isnan(self.high) or self.low == self.high


def compute_percentile_intervals(
    samples: Scores, level: float = 0.95, units: int | None = None
) -> dict[ScoreKey, Interval]:
    """Compute percentile intervals of resamples (resamples,); undefined ones are counted.

    Args:
        samples: (resamples,) each.
        level: confidence level in (0, 1).
        units: number of resampled units; with fewer than `MIN_UNITS` the intervals are nan. None for enough.
    """
    tails = [(1 - level) / 2, (1 + level) / 2]
    result = {}
    for key, values in samples.items():
        defined = values[~np.isnan(values)]
        known = len(defined) and (units is None or units >= MIN_UNITS)
        low, high = np.quantile(defined, tails).tolist() if known else (np.nan, np.nan)
        result[key] = Interval(low, high, level, "bootstrap", len(values) - len(defined))
    return result


def compute_logit_interval(value: float, samples: Floats, freedom: float, level: float = 0.95) -> Interval:
    """Compute Student's interval of the logit of a resampled score.

    Its standard error is that of the resamples.

    At 0 and 1, where the logit is infinite, it is Wilson's interval of as many trials as the degrees of freedom.

    Args:
        value: the score, in [0, 1].
        samples: (resamples,) the score of resamples; nan where undefined.
        freedom: degrees of freedom, rounded down; the interval is nan for fewer than 2.
        level: confidence level in (0, 1).

    Source: Boyd, Eng and Page (2013), Area under the precision-recall curve: point estimates and confidence intervals,
    who find percentiles too narrow; they use the normal quantile.
    """
    defined = samples[~np.isnan(samples)]
    undefined, number = len(samples) - len(defined), int(freedom) if freedom >= MIN_UNITS - 1 else 0
    error = float(defined.std(ddof=1)) if len(defined) > 1 else 0.0
    if isnan(value) or not number:
        return Interval(np.nan, np.nan, level, "logit-t", undefined)
    if not 0 < value < 1 or not error:
        low, high = _compute_design_effect_ends(RatioEvidence(value, number, number + 1, 1.0, np.nan), level)
        return Interval(low, high, level, "logit-t", undefined)
    middle, half = log(value / (1 - value)), find_t_quantile(level, number) * error / (value * (1 - value))
    low, high = ((1 + tanh(end / 2)) / 2 for end in (middle - half, middle + half))
    return Interval(low, high, level, "logit-t", undefined)


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
    z = find_t_quantile(level, None)
    middle = successes + z * z / 2
    half = z * sqrt(successes * (total - successes) / total + z * z / 4)
    low = (middle - half) / (total + z * z) if successes else 0.0
    high = (middle + half) / (total + z * z) if successes < total else 1.0
    return Interval(low, high, level, "wilson")


def compute_modified_wilson_interval(successes: int, total: int, level: float = 0.95) -> Interval:
    """Compute Wilson's interval, widened for few successes or errors.

    It is widened on the inner side if there are 1 to 3 successes or 1 to 3 errors. With so few, Wilson's interval
    covers clearly less than its level for some chances near 0 and 1. The inner end is the chance with which a Poisson
    number of successes stays below theirs with probability `level`, if that is further out.

    Source: Brown, Cai and DasGupta (2001), Interval estimation for a binomial proportion. They widen 1 to 3 successes
    of more than 50 trials, and 1 or 2 of fewer; here it is 1 to 3 of any number.

    Args:
        successes: number of successes.
        total: number of trials; the interval is nan for 0.
        level: confidence level in (0, 1).
    """
    plain = compute_wilson_interval(successes, total, level)
    low, high = plain.low, plain.high
    if 1 <= successes <= MAX_RARE_EVENTS:
        low = min(low, _compute_poisson_limit(successes, level) / total)
    if 1 <= total - successes <= MAX_RARE_EVENTS:
        high = max(high, 1 - _compute_poisson_limit(total - successes, level) / total)
    return Interval(low, high, level, "wilson-modified")


@lru_cache(maxsize=256)
def _compute_poisson_limit(number: int, chance: float) -> float:
    """Compute the mean of a Poisson distribution from one probability.

    A number of this distribution stays below `number` with probability `chance`.
    """
    low, high = 0.0, float(number)
    for _ in range(64):
        middle = (low + high) / 2
        below = exp(-middle) * sum(middle**k / factorial(k) for k in range(number))
        low, high = (middle, high) if below > chance else (low, middle)
    return (low + high) / 2


def compute_design_effect_interval(evidence: RatioEvidence, level: float = 0.95) -> Interval:
    """Compute Wilson's interval with the design effect of the units.

    Args:
        evidence: the ratio, its trials and its variance between units.
        level: confidence level in (0, 1).

    Returns:
        The interval; nan if fewer than `MIN_UNITS` units have trials.
    """
    low, high = _compute_design_effect_ends(evidence, level) if evidence.units >= MIN_UNITS else (np.nan, np.nan)
    return Interval(low, high, level, "wilson-deff")


def compute_mover_interval(
    members: Sequence[RatioEvidence], correlations: Floats, units: int, level: float = 0.95
) -> Interval:
    """Compute the interval of a plain mean of ratios.

    The method is that of variance estimates recovery (MOVER). Each ratio has a distance to either end of its own
    interval; the distances are added like standard errors.

    Args:
        members: evidence of each ratio; a ratio of nan is not in the mean.
        correlations: (ratios, ratios) correlations of the ratios.
        units: number of units of the corpus.
        level: confidence level in (0, 1).

    Returns:
        The interval; nan if no ratio is defined, or if there are fewer than `MIN_UNITS` units.
    """
    chosen = [k for k, each in enumerate(members) if not isnan(each.value)]
    if not chosen or units < MIN_UNITS:
        return Interval(np.nan, np.nan, level, "mover")
    values = np.array([members[k].value for k in chosen])
    ends = np.array([_compute_design_effect_ends(members[k], level) for k in chosen])  # (ratios, 2)
    distances = np.where(np.isnan(ends), 0, np.abs(ends - values[:, None]))
    below, above = (_add_distances(side, correlations[np.ix_(chosen, chosen)]) for side in distances.T)
    mean = float(values.mean())
    return Interval(max(0.0, mean - below), min(1.0, mean + above), level, "mover")


def compute_difference_interval(difference: RatioEvidence, level: float = 0.95) -> Interval:
    """Compute the interval of the difference of two ratios.

    Both ratios are on the same units. The variance is that of the differences between units, and of one more trial that
    the systems judge differently. So the interval has a width also if they hardly differ. Agresti and Min add two such
    trials, one for either system, to independent pairs and use the normal quantile; by simulation, one trial is enough
    with the t-quantile. Its degrees of freedom are the number of independent trials that the systems judge differently,
    n² · variance / deff² with the expected design effect, and `DIFFERENCE_FREEDOM` more; at most units - 1.

    Args:
        difference: evidence of the difference, its value in [-1, 1]; the trials are those of one system.
        level: confidence level in (0, 1).

    Returns:
        The interval; nan if fewer than `MIN_UNITS` units have trials.

    Source: Agresti and Min (2005), Simple improved confidence intervals for comparing matched proportions.
    """
    if difference.units < MIN_UNITS or isnan(difference.value):
        return Interval(np.nan, np.nan, level, "agresti-min")
    expected = _expect_design_effect(difference)
    freedom = DIFFERENCE_FREEDOM + int(difference.variance * (difference.trials / expected) ** 2)
    quantile = find_t_quantile(level, min(difference.units - 1, freedom))
    half = quantile * sqrt(difference.variance + expected / difference.trials**2)
    return Interval(max(-1.0, difference.value - half), min(1.0, difference.value + half), level, "agresti-min")


def _add_distances(distances: Floats, correlations: Floats) -> float:
    """Return the distance of a mean to the end of its interval.

    It is computed from the distances of its ratios (ratios,).
    """
    return sqrt(max(0.0, float(distances @ correlations @ distances))) / len(distances)


def _compute_design_effect_ends(evidence: RatioEvidence, level: float) -> tuple[float, float]:
    """Compute both ends, for any number of units; nan without trials."""
    if isnan(evidence.value) or not evidence.trials:
        return np.nan, np.nan
    p, total = evidence.value, evidence.trials / _estimate_design_effect(evidence)
    freedom = PRIOR_FREEDOM + int(min(p, 1 - p) * total)
    quantile = find_t_quantile(level, min(max(evidence.units, MIN_UNITS) - 1, freedom))
    square = quantile * quantile
    middle = p * total + square / 2
    half = quantile * sqrt(p * (1 - p) * total + square / 4)
    low = (middle - half) / (total + square) if p > 0 else 0.0
    high = (middle + half) / (total + square) if p < 1 else 1.0
    return low, high


def _estimate_design_effect(evidence: RatioEvidence) -> float:
    """Estimate the design effect of the units.

    It says how many times larger the variance is than that of independent trials.
    """
    p, total = evidence.value, evidence.trials
    expected = _expect_design_effect(evidence)
    errors = min(p, 1 - p) * total
    if not errors or isnan(evidence.variance):
        return expected
    observed = evidence.variance / (p * (1 - p) / total)
    return (errors * observed + PRIOR_ERRORS * expected) / (errors + PRIOR_ERRORS)


def _expect_design_effect(evidence: RatioEvidence) -> float:
    """Return the expected design effect of the units.

    Trials of one unit then have the expected correlation.
    """
    return 1 + EXPECTED_CORRELATION * max(0.0, evidence.trials_per_unit - 1)


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
            own = ScoreMoments.from_scores(np.asarray(values, np.float64), times)
            result[key] = result[key].merge(own) if key in result else own
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
