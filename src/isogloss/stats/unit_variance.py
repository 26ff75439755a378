"""Variance of scores between resampling units, by the infinitesimal jackknife.

A score of a corpus is a function of summed counts. Its influence from a unit (a document, or a cluster of documents) is
the change of the score per weight of the unit, if the unit gets slightly more weight than the others. It is computed by
scoring the corpus `WEIGHT` times and the unit once, in exact integers. So each distinct unit is scored once, nothing is
drawn, and no metric has to know its derivative. The variance is the sum of the squared influences, times
units / (units - 1).

Source: Jaeckel (1972), The infinitesimal jackknife; Efron (1982), The jackknife, the bootstrap and other resampling
plans.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from isogloss.kernel.scores import Floats, Ints, ScoreKey, Scores
from isogloss.kernel.sums import Sums
from isogloss.kernel.tally import Tally
from isogloss.stats.bootstrap import Score

WEIGHT = 1024  # how often the whole corpus is counted beside one unit
CountTrials = Callable[[Sums, Scores], Scores]  # trials of some scores, with the leading axes of the sums


@dataclass(frozen=True)
class RatioEvidence:
    """What the interval of a ratio rests on.

    Args:
        value: the ratio in [0, 1], nan if there are no trials.
        trials: number of counted things, such as spans.
        units: number of units with such things.
        trials_per_unit: mean number of trials in the unit of a trial, at least that of a unit; 0 without trials.
        variance: variance of the ratio between units; nan for fewer than two units.
    """

    value: float
    trials: float
    units: int
    trials_per_unit: float
    variance: float


@dataclass(frozen=True, eq=False)
class CorpusEvidence:
    """What the intervals of the ratios of a corpus rest on.

    Args:
        ratios: evidence of each ratio with a known number of trials.
        averages: the ratios behind each plain mean of ratios.
        correlations: (ratios, ratios) of each mean, the correlation of its ratios between units; 0 where unknown.
    """

    ratios: Mapping[ScoreKey, RatioEvidence]
    averages: Mapping[ScoreKey, tuple[ScoreKey, ...]] = field(default_factory=dict)
    correlations: Mapping[ScoreKey, Floats] = field(default_factory=dict)


def measure_ratios(
    tally: Tally,
    score: Score,
    count_trials: CountTrials,
    averages: Mapping[ScoreKey, tuple[ScoreKey, ...]] | None = None,
    *,
    differences: bool = False,
) -> CorpusEvidence:
    """Measure the variance, and count the trials, of all ratios.

    Args:
        tally: the distinct units.
        score: computes all scores.
        count_trials: counts the trials of each ratio. The counts of two units add up.
        averages: the ratios behind each plain mean of ratios.
        differences: whether the scores are differences of ratios, in [-1, 1]; other scores out of [0, 1] are left out.
    """
    whole = tally.sum_all()
    scores = score(whole)
    trials = count_trials(whole, scores)
    low = -1 if differences else 0
    keys = tuple(key for key in trials if key in scores and not (scores[key] < low or scores[key] > 1))
    known = {mean: own for mean, own in (averages or {}).items() if set(own) <= set(keys)}
    collector = _InfluenceCollector(keys, known, _repeat_sums(whole), score, count_trials)
    for at, sums in tally.iterate_sums():
        collector.add(sums, tally.times[at])
    estimates = np.array([scores[key] for key in keys], np.float64)
    totals = np.array([trials[key] for key in keys], np.float64)
    return CorpusEvidence(collector.build_ratios(estimates, totals), known, collector.build_correlations())


class _InfluenceCollector:
    """Sums over units of squared influences and of trials."""

    def __init__(
        self,
        keys: tuple[ScoreKey, ...],
        averages: Mapping[ScoreKey, tuple[ScoreKey, ...]],
        base: Sums,
        score: Score,
        count_trials: CountTrials,
    ) -> None:
        self._keys, self._base, self._score, self._count_trials = keys, base, score, count_trials
        scores = score(base)
        self._start = self._stack_scores(scores, ())
        self._start_trials = self._stack_scores(count_trials(base, scores), ())
        place = {key: k for k, key in enumerate(keys)}
        self._members = {mean: np.array([place[key] for key in own], np.int64) for mean, own in averages.items()}
        self._products = {mean: np.zeros((len(at), len(at))) for mean, at in self._members.items()}
        self._squares, self._trial_squares = np.zeros(len(keys)), np.zeros(len(keys))
        self._units = np.zeros(len(keys), np.int64)

    def add(self, sums: Sums, times: Ints) -> None:
        """Add distinct units (units,) that occur `times` (units,) each."""
        raised = replace(sums, values=sums.values + self._base.values, measured=sums.measured + self._base.measured)
        scores = self._score(raised)
        influence = WEIGHT * (self._stack_scores(scores, times.shape) - self._start[:, None])  # (keys, units)
        influence[np.isnan(influence)] = 0
        trials = self._stack_scores(self._count_trials(raised, scores), times.shape) - self._start_trials[:, None]
        self._squares += (np.square(influence) * times).sum(axis=1)
        self._trial_squares += (np.square(trials) * times).sum(axis=1)
        self._units += ((trials > 0) * times).sum(axis=1)
        for mean, at in self._members.items():
            own = influence[at]
            self._products[mean] += (own * times) @ own.T

    def build_ratios(self, estimates: Floats, trials: Floats) -> dict[ScoreKey, RatioEvidence]:
        """Return the evidence of each ratio; estimates and trials are (keys,)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = np.where(self._units > 1, self._units / (self._units - 1), np.nan)
            size = np.where(trials > 0, self._trial_squares / trials, 0)
        columns = (estimates, trials, self._units, size, self._squares * factor)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return {key: RatioEvidence(*row) for key, row in zip(self._keys, rows, strict=True)}

    def build_correlations(self) -> dict[ScoreKey, Floats]:
        """Return the correlations of the ratios behind each mean: (ratios, ratios)."""
        by_mean = {}
        for mean, products in self._products.items():
            scale = np.sqrt(np.diag(products))
            with np.errstate(divide="ignore", invalid="ignore"):
                correlations = np.where(np.outer(scale, scale) > 0, products / np.outer(scale, scale), 0)
            np.fill_diagonal(correlations, 1)
            by_mean[mean] = correlations
        return by_mean

    def _stack_scores(self, scores: Scores, shape: tuple[int, ...]) -> Floats:
        """Stack the scores of the keys: (keys, ...)."""
        if not self._keys:
            return np.zeros((0, *shape))
        return np.stack([np.asarray(scores[key], np.float64) for key in self._keys])


def _repeat_sums(whole: Sums) -> Sums:
    return replace(whole, values=whole.values * WEIGHT, measured=whole.measured * WEIGHT)
