"""Paired tests of two systems: bootstrap, DeLong's and McNemar's; and Holm's correction of several tests.

Holm's correction multiplies the smallest of m p-values by m, the next by m - 1, and so on; no corrected p-value is less
than the one before it or more than 1. The chance of any false claim among the tests is then at most that of one test,
however the tests depend on each other.

Source: Holm (1979), A simple sequentially rejective multiple test procedure.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from math import erfc, isnan, sqrt
from statistics import NormalDist
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Counts, to_sort_key
from isogloss.kernel.metric import OrderMetric
from isogloss.kernel.ranking import Influence, Ranking
from isogloss.kernel.scores import Floats, Ints, ScoreKey, Scores
from isogloss.kernel.sums import Sums
from isogloss.kernel.tally import Tally
from isogloss.stats.bootstrap import Score, bootstrap_ranking, bootstrap_scores, score_distinct_documents
from isogloss.stats.intervals import Interval, compute_percentile_intervals
from isogloss.stats.system_pairs import SYSTEMS, SystemPairs, join_systems, score_each_system

Name = TypeVar("Name", bound=Hashable)


def apply_holm_correction(p_values: Mapping[Name, float]) -> dict[Name, float]:
    """Return corrected p-values by the same names, in the same order.

    A p-value of nan stays nan and does not count as a test.
    """
    tests = sorted((name for name, p in p_values.items() if not isnan(p)), key=lambda name: p_values[name])
    adjusted, least = dict(p_values), 0.0
    for rank, name in enumerate(tests):
        least = max(least, min(1.0, (len(tests) - rank) * p_values[name]))
        adjusted[name] = least
    return adjusted


TIE_TOLERANCE = 1e-12  # relative difference up to which scores are equal except for rounding


@dataclass(frozen=True)
class SystemDifference:
    """Difference of two systems in a score.

    Args:
        value: score of the other system minus the score of the baseline, nan if either is undefined.
        p: Two-sided p-value, nan if the difference is undefined.
        method: `randomization`, `bootstrap` or `delong`.
        trials: number of random trials behind the p-value, 0 if it was computed exactly.
        undefined: number of trials without a difference; they count as extreme.
        interval: interval of the difference, None if the method gives none.
    """

    value: float
    p: float
    method: str
    trials: int = 0
    undefined: int = 0
    interval: Interval | None = None


def compute_p_values(extreme: Ints, trials: int) -> Floats:
    """Compute (1 + extreme) / (1 + trials), which is never 0.

    Source: Noreen (1989), Computer-intensive methods for testing hypotheses; Phipson and Smyth (2010).
    """
    return (1 + extreme) / (1.0 + trials)


def compute_tie_margin(baseline: Floats, other: Floats) -> Floats:
    """Return the difference up to which scores are equal except for rounding."""
    return TIE_TOLERANCE * np.fmax(np.abs(baseline), np.abs(other))


def compare_resamples(
    baseline: tuple[Scores, Scores],
    other: tuple[Scores, Scores],
    level: float,
    units: int,
) -> dict[ScoreKey, SystemDifference]:
    """Compare two systems on the same resamples.

    A resample is extreme if its difference is as far from the observed one as that is from 0, or if it is undefined.
    With a single unit all resamples are equal, so all are extreme: they are no evidence.

    Args:
        baseline: scores of the baseline, (), and of its resamples, (resamples,).
        other: scores of the other system, (), and of its resamples, (resamples,).
        level: confidence level of the intervals, in (0, 1).
        units: number of documents or clusters to draw.
    """
    (one, drawn), (two, other_drawn) = baseline, other
    moved = {key: np.asarray(other_drawn[key] - drawn[key], np.float64) for key in one}
    result = {}
    for key, interval in compute_percentile_intervals(moved, level).items():
        sides = np.asarray(one[key], np.float64), np.asarray(two[key], np.float64)
        value, trials = float(sides[1] - sides[0]), len(moved[key])
        near = (np.abs(moved[key] - value) < abs(value) - compute_tie_margin(*sides)) & (units > 1)
        p = np.nan if np.isnan(value) else float(compute_p_values(np.asarray(trials - np.count_nonzero(near)), trials))
        result[key] = SystemDifference(value, p, "bootstrap", trials, interval.undefined, interval)
    return result


def mcnemar_test(only_baseline: int, only_other: int) -> float:
    """Return the exact p-value of McNemar's test; 1 if no document differs.

    Args:
        only_baseline: number of documents that only the baseline gets right.
        only_other: number of documents that only the other system gets right.

    Raises:
        ValueError: if either is negative.
    """
    if only_baseline < 0 or only_other < 0:
        raise ValueError(f"numbers of documents must not be negative, got {only_baseline} and {only_other}")
    number, fewer = only_baseline + only_other, min(only_baseline, only_other)
    middle = number // 2
    below = np.arange(middle, 0, -1)
    steps = np.log(below) - np.log(number - below + 1)  # from C(n, k) to C(n, k - 1)
    chances = np.exp(np.append(0.0, np.cumsum(steps)))[::-1]  # (middle + 1,) for 0, 1, ... middle, not normalized
    whole = 2 * chances.sum() - (0 if number % 2 else chances[middle])
    return min(1.0, float(2 * chances[: fewer + 1].sum() / whole))


def bootstrap_test(
    pairs: SystemPairs,
    score: Score,
    resamples: int = 1000,
    seed: int = 12345,
    level: float = 0.95,
) -> dict[ScoreKey, SystemDifference]:
    """Test every score by the paired bootstrap, with an interval of its difference.

    Args:
        pairs: counts of both systems on documents, or on clusters.
        score: scores sums.
        resamples: number of resamples.
        seed: seed of the generators.
        level: confidence level in (0, 1).

    Raises:
        ValueError: if different metrics scored the systems.
    """
    turned = _to_sortable(pairs.sums[1]) < _to_sortable(pairs.sums[0])
    names = SYSTEMS[::-1] if turned else SYSTEMS
    sides = (pairs.other, pairs.baseline) if turned else (pairs.baseline, pairs.other)
    tally = Tally.from_counts(join_systems(*sides), pairs.times)
    scored = score_each_system(score)
    observed, drawn = scored(tally.sum_all()), bootstrap_scores(tally, scored, resamples, seed)
    one, two = ((_select_system(observed, name), _select_system(drawn, name)) for name in names)
    return compare_resamples(one, two, level, tally.documents)


def _select_system(scores: Scores, system: str) -> Scores:
    return {key[1:]: value for key, value in scores.items() if key[0] == system}


def _to_sortable(sums: Sums) -> list[object]:
    """Convert sums to a list that can be ordered."""
    cells = sorted(zip(map(to_sort_key, sums.cells), sums.values.tolist(), strict=True))
    return [*cells, *sums.measured.reshape(-1).tolist()]


def delong_test(baseline: Influence, other: Influence, level: float = 0.95) -> dict[ScoreKey, SystemDifference]:
    """Test differences of scores with known variance, such as ROC-AUC.

    Both systems see the same documents, so the contributions of each document are subtracted, and the squares of the
    differences add up to the variance. Without a known variance above 0, p is nan for scores that differ. Equal scores
    without variance have p = 1.

    Source: DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more correlated receiver
    operating characteristic curves.

    Args:
        baseline: influence of the documents, or clusters, on the baseline.
        other: influence of the same documents, or clusters, on the other system.
        level: confidence level in (0, 1).

    Raises:
        ValueError: if documents or scores differ.
    """
    moved = other.subtract(baseline)
    rounding = compute_tie_margin(baseline.estimates, other.estimates)
    values, errors = (
        np.where(np.abs(x) <= rounding, 0.0, x) for x in (moved.estimates, moved.compute_standard_errors())
    )
    half = NormalDist().inv_cdf((1 + level) / 2) * errors
    low, high = np.clip(values - half, -1, 1).tolist(), np.clip(values + half, -1, 1).tolist()
    return {
        key: SystemDifference(
            value, _compute_normal_p(value, error), "delong", interval=Interval(a, b, level, "delong")
        )
        for key, value, error, a, b in zip(moved.keys, values.tolist(), errors.tolist(), low, high, strict=True)
    }


def ranking_bootstrap_test(  # noqa: PLR0913  each is independent
    baseline: Ranking,
    other: Ranking,
    metric: OrderMetric,
    resamples: int = 1000,
    seed: int = 12345,
    level: float = 0.95,
    *,
    units: Ints | None = None,
) -> dict[ScoreKey, SystemDifference]:
    """Test scores of two rankings by the paired bootstrap, like `bootstrap_test`.

    Args:
        baseline: ranking of the baseline.
        other: ranking of the other system, of the same documents.
        metric: metric that scores rankings.
        resamples: number of resamples.
        seed: seed of the generators.
        level: confidence level in (0, 1).
        units: (documents,) resampling unit of each document, numbered from 0 without gaps; None if each document is a
            unit.

    Raises:
        ValueError: if classes, documents or verdicts differ.
    """
    _check_same_verdicts(baseline, other)
    sides: list[tuple[Scores, Scores]] = []
    for ranking in (baseline, other):
        drawn = bootstrap_ranking(ranking, metric, resamples, seed, units)
        scores = metric.score(ranking)
        sides.append(({key: scores[key] for key in drawn}, drawn))
    number = len(baseline.documents) if units is None else len(np.unique(units))
    return compare_resamples(sides[0], sides[1], level, number)


def _compute_normal_p(value: float, error: float) -> float:
    """Return the two-sided p-value of a normal distribution."""
    if error > 0:
        return erfc(abs(value) / (error * sqrt(2)))
    return 1.0 if value == error == 0 else np.nan


def _check_same_verdicts(baseline: Ranking, other: Ranking) -> None:
    if sorted(baseline.classes) != sorted(other.classes):
        raise ValueError("classes differ between the systems")
    for name in baseline.classes:
        one, two = baseline.get_class_column(name), other.get_class_column(name)
        if not (np.array_equal(one.document, two.document) and np.array_equal(one.gold, two.gold)):
            raise ValueError(f"documents or verdicts of class {name!r} differ between the systems")


Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class DocumentComparison:
    """Score of two systems on single documents.

    Args:
        documents: (documents,) numbers, ascending.
        baseline: (documents,) score of the baseline, nan where undefined.
        other: (documents,) score of the other system, nan where undefined.
    """

    documents: Ints
    baseline: Floats
    other: Floats

    @property
    def wins(self) -> int:
        """Number of documents with a higher score of the other system."""
        return int(np.count_nonzero(self._differing & (self.other > self.baseline)))

    @property
    def losses(self) -> int:
        """Number of documents with a higher score of the baseline."""
        return int(np.count_nonzero(self._differing & (self.other < self.baseline)))

    @property
    def ties(self) -> int:
        """Number of documents with equal scores."""
        return len(self.documents) - self.undefined - self.wins - self.losses

    @property
    def undefined(self) -> int:
        """Number of documents without a score of one system or both."""
        return int(np.count_nonzero(~self._defined))

    @property
    def score_count(self) -> int:
        """Number of documents with a score of either system."""
        return int(np.count_nonzero(~(np.isnan(self.baseline) & np.isnan(self.other))))

    @property
    def only_baseline(self) -> Ints:
        """Documents that only the baseline gets right, ascending."""
        return self.documents[self._defined & _is_right(self.baseline) & ~_is_right(self.other)]

    @property
    def only_other(self) -> Ints:
        """Documents that only the other system gets right, ascending."""
        return self.documents[self._defined & _is_right(self.other) & ~_is_right(self.baseline)]

    @property
    def has_only_verdicts(self) -> bool:
        """Whether every score is 1 or 0, right or wrong."""
        scores = np.concatenate([self.baseline[self._defined], self.other[self._defined]])
        return bool(((scores == 0) | _is_right(scores)).all())

    def compute_mcnemar_p(self) -> float:
        """Return the p-value of McNemar's exact test.

        Raises:
            ValueError: if a document has a score between 0 and 1.
        """
        if not self.has_only_verdicts:
            raise ValueError("McNemar's test compares verdicts, and some documents have a score between 0 and 1")
        return mcnemar_test(len(self.only_baseline), len(self.only_other))

    @property
    def _defined(self) -> Bools:
        return ~(np.isnan(self.baseline) | np.isnan(self.other))

    @property
    def _differing(self) -> Bools:
        return self._defined & (np.abs(self.other - self.baseline) > compute_tie_margin(self.baseline, self.other))


def compare_documents(baseline: Counts, other: Counts, overall: Score) -> dict[ScoreKey, DocumentComparison]:
    """Compare the scores of both systems on single documents.

    Args:
        baseline: counts of the baseline.
        other: counts of the other system.
        overall: computes the scores that single documents have.

    Raises:
        ValueError: if the documents differ.
    """
    sides = [counts.normalize() for counts in (baseline, other)]
    if not np.array_equal(sides[0].documents, sides[1].documents):
        raise ValueError("systems are compared on the same documents")
    (one, one_at), (two, two_at) = (Tally.from_counts_with_positions(counts) for counts in sides)
    baseline_scores, other_scores = (score_distinct_documents(tally, overall) for tally in (one, two))
    return {
        key: DocumentComparison(sides[0].documents, values[one_at], other_scores[key][two_at])
        for key, values in baseline_scores.items()
    }


def _is_right(scores: Floats) -> Bools:
    return scores >= 1 - TIE_TOLERANCE
