"""Paired tests of two systems, and Holm's correction of several tests.

The tests are the bootstrap, DeLong's and McNemar's.

Holm's correction multiplies the smallest of m p-values by m, the next by m - 1, and so on; no corrected p-value is less
than the one before it or more than 1. The chance of any false claim among the tests is then at most that of one test,
however the tests depend on each other.

Source: Holm (1979), A simple sequentially rejective multiple test procedure.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import erfc, isnan, sqrt
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Counts, count_pairs, locate_pairs, to_sort_key
from isogloss.kernel.ranking import Influence
from isogloss.kernel.scores import Floats, Ints, ScoreKey, Scores
from isogloss.kernel.sums import Sums
from isogloss.kernel.tallied_documents import TalliedDocuments
from isogloss.kernel.tally import Tally, WeightedSummer
from isogloss.stats.bootstrap import Score, bootstrap_scores, draw_weights, score_distinct_documents
from isogloss.stats.intervals import Interval, compute_percentile_intervals
from isogloss.stats.mcnemar import SMALLEST_P, clustered_mcnemar_test, mcnemar_test
from isogloss.stats.student_t import compute_t_tails, find_t_quantile
from isogloss.stats.system_pairs import SYSTEMS, SystemPairs, join_systems, score_each_system, swap_systems

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
        method: `randomization`, `rank_randomization`, `bootstrap` or `delong`.
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


def compute_p_values(extreme: Ints | Floats, trials: int) -> Floats:
    """Compute (1 + extreme) / (1 + trials), which is never 0.

    Source: Noreen (1989), Computer-intensive methods for testing hypotheses; Phipson and Smyth (2010).
    """
    return (1 + extreme) / (1.0 + trials)


def compute_tie_margin(baseline: Floats, other: Floats) -> Floats:
    """Return the difference up to which scores are equal except for rounding."""
    return TIE_TOLERANCE * np.fmax(np.abs(baseline), np.abs(other))


SidesOfTrials = Iterable[tuple[Floats, Floats | None]]  # scores (2, trials, scores), and probabilities (trials,)


def judge_exchanges(
    keys: Sequence[ScoreKey], observed: tuple[Floats, Floats], trials: SidesOfTrials, drawn: int
) -> dict[ScoreKey, SystemDifference]:
    """Compare observed differences with those after exchanges of documents.

    A trial is extreme if its difference is at least as large as the observed one, or undefined.

    Args:
        keys: names of the scores.
        observed: (scores,) of the baseline and of the other system.
        trials: scores of both sides after exchanges, in pieces. If all exchanges are enumerated, each has its
            probability.
        drawn: number of random trials, 0 if all exchanges are enumerated.
    """
    one, two = observed
    value, least = two - one, np.abs(two - one) - compute_tie_margin(one, two)  # (scores,) each
    extreme, undefined = np.zeros(len(keys)), np.zeros(len(keys), np.int64)
    for sides, chances in trials:
        differences = np.abs(sides[1] - sides[0])  # (trials, scores)
        none = np.isnan(differences)
        undefined += none.sum(axis=0)
        extreme += (np.ones(len(differences)) if chances is None else chances) @ (none | (differences >= least))
    exact = np.where(extreme > 1 - TIE_TOLERANCE, 1.0, np.maximum(extreme, SMALLEST_P))
    p = compute_p_values(extreme, drawn) if drawn else exact
    p = np.where(np.isnan(value), np.nan, p)
    rows = zip(keys, value.tolist(), p.tolist(), undefined.tolist(), strict=True)
    return {key: SystemDifference(own, chance, "randomization", drawn, gaps) for key, own, chance, gaps in rows}


def bootstrap_differences(
    pairs: SystemPairs,
    score: Score,
    resamples: int = 1000,
    seed: int = 12345,
    level: float = 0.95,
    *,
    known: Collection[ScoreKey] = (),
) -> dict[ScoreKey, Interval]:
    """Compute the intervals of differences by the paired bootstrap.

    Args:
        pairs: counts of both systems on documents, or on clusters.
        score: scores sums.
        resamples: number of resamples.
        seed: seed of the generators.
        level: confidence level in (0, 1).
        known: scores that need no interval; if these are all, nothing is drawn.

    Raises:
        ValueError: if different metrics scored the systems.
    """
    tally, names = _join_pairs(pairs)
    score_both = score_each_system(score)
    if all(key[1:] in known for key in score_both(tally.sum_all())):
        return {}
    drawn = bootstrap_scores(tally, score_both, resamples, seed)
    needed = {key: values for key, values in drawn.items() if key[1:] not in known}
    one, two = (_select_system(needed, name) for name in names)
    return compute_percentile_intervals(subtract_resamples(one, two), level, int(tally.times.sum()))


def bootstrap_test(
    pairs: SystemPairs, score: Score, resamples: int = 1000, seed: int = 12345
) -> dict[ScoreKey, SystemDifference]:
    """Test every score by resamples of documents with exchanged systems.

    The systems of a document are exchanged at random. The exchanges make both systems equal, as the null hypothesis
    says. Resamples that are only shifted to a difference of 0 reject too often: their spread is that of few documents,
    with labels that some resamples do not have.

    Args:
        pairs: counts of both systems on documents, or on clusters.
        score: scores sums.
        resamples: number of resamples.
        seed: seed of the generators.

    Raises:
        ValueError: if different metrics scored the systems.
    """
    tally, _ = _join_pairs(pairs)
    keys = [key[1:] for key in score_each_system(score)(tally.sum_all()) if key[0] == SYSTEMS[0]]
    documents = len(tally.times)
    both = Counts.merge([tally.rows, replace(swap_systems(tally.rows), documents=tally.rows.documents + documents)])
    weighing = WeightedSummer(both.normalize(), tally.documents)

    def score_weighted(weights: Ints) -> Floats:
        scores = score_each_system(score)(weighing.sum_documents(weights))
        return np.stack([np.stack([scores[system, *key] for key in keys], axis=-1) for system in SYSTEMS])

    width = 8 * len(both.cells) * len(both.columns)
    drawn = draw_weights(tally.times, resamples, seed, width)
    trials = ((score_weighted(weights), None) for weights in exchange_draws(drawn, seed))
    one, two = (sides[0] for sides in score_weighted(np.append(tally.times, 0 * tally.times)[None]))
    values = (one, two) if _is_in_order(pairs) else (two, one)
    results = judge_exchanges(keys, values, trials, resamples)
    return {key: replace(each, method="bootstrap") for key, each in results.items()}


def exchange_draws(draws: Iterable[Ints], seed: int) -> Iterator[Ints]:
    """Exchange the systems in about half of the drawn documents.

    Args:
        draws: (draws, units) how often each unit is drawn, in pieces.
        seed: seed of the generator.

    Yields:
        (draws, 2 * units) how often each unit is drawn as it is, and how often with the systems exchanged.
    """
    generator = np.random.default_rng([seed, 2])
    for weights in draws:
        exchanged = generator.binomial(weights, 0.5)
        yield np.concatenate([weights - exchanged, exchanged], axis=1)


def subtract_resamples(baseline: Scores, other: Scores) -> Scores:
    """Return the differences of two systems on the same resamples: (resamples,) each."""
    return {key: np.asarray(other[key] - baseline[key], np.float64) for key in baseline}


def _join_pairs(pairs: SystemPairs) -> tuple[Tally, tuple[str, ...]]:
    """Return joined counts, and the names of both systems in them.

    The counts do not depend on the choice of the baseline.
    """
    in_order = _is_in_order(pairs)
    sides = (pairs.baseline, pairs.other) if in_order else (pairs.other, pairs.baseline)
    return Tally.from_counts(join_systems(*sides), pairs.times), SYSTEMS if in_order else SYSTEMS[::-1]


def _is_in_order(pairs: SystemPairs) -> bool:
    return _to_sortable(pairs.sums[0]) <= _to_sortable(pairs.sums[1])


def _select_system(scores: Scores, system: str) -> Scores:
    return {key[1:]: value for key, value in scores.items() if key[0] == system}


def _to_sortable(sums: Sums) -> tuple[list[tuple[tuple[tuple[bool, str], ...], list[int]]], list[float]]:
    """Convert sums to values that can be ordered: cells, then measures."""
    cells = sorted(zip(map(to_sort_key, sums.cells), sums.values.tolist(), strict=True))
    return cells, sums.measured.reshape(-1).tolist()


def delong_test(
    baseline: Influence,
    other: Influence,
    level: float = 0.95,
    verdicts: Mapping[ScoreKey, int] | None = None,
) -> dict[ScoreKey, SystemDifference]:
    """Test differences of scores with known variance, such as ROC-AUC.

    Both systems see the same documents, so the contributions of each document are subtracted, and the squares of the
    differences add up to the variance. Without a known variance above 0, p is nan for scores that differ. Equal scores
    without variance have p = 1.

    The variance is the sum of those of positives and negatives. Its degrees of freedom (Welch 1938) are at least the
    smaller number of both minus 1, which the test uses: a normal distribution rejects too often.

    Sources: DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more correlated receiver
    operating characteristic curves; Welch (1938), The significance of the difference between two means when the
    population variances are unequal.

    Args:
        baseline: influence of the documents, or clusters, on the baseline.
        other: influence of the same documents, or clusters, on the other system.
        level: confidence level in (0, 1).
        verdicts: number of positives, or of negatives if these are fewer, of each score; with clusters, of those that
            have some. None for a normal distribution.

    Raises:
        ValueError: if documents or scores differ.
    """
    moved = other.subtract(baseline)
    rounding = compute_tie_margin(baseline.estimates, other.estimates)
    values, errors = (
        np.where(np.abs(x) <= rounding, 0.0, x) for x in (moved.estimates, moved.compute_standard_errors())
    )
    freedoms = [None if verdicts is None else max(1, verdicts[key] - 1) for key in moved.keys]
    half = np.array([find_t_quantile(level, own) for own in freedoms]) * errors
    low, high = np.clip(values - half, -1, 1).tolist(), np.clip(values + half, -1, 1).tolist()
    return {
        key: SystemDifference(
            value, _compute_delong_p(value, error, freedom), "delong", interval=Interval(a, b, level, "delong")
        )
        for key, value, error, freedom, a, b in zip(
            moved.keys, values.tolist(), errors.tolist(), freedoms, low, high, strict=True
        )
    }


def _compute_delong_p(value: float, error: float, freedom: int | None) -> float:
    """Return the two-sided p-value of DeLong's test.

    It is that of a normal distribution, or of Student's t distribution.
    """
    if error > 0:
        return max(
            SMALLEST_P,
            erfc(abs(value) / (error * sqrt(2))) if freedom is None else compute_t_tails(value / error, freedom),
        )
    return 1.0 if value == error == 0 else np.nan


Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class DocumentComparison:
    """Score of two systems on single documents.

    Args:
        documents: (documents,) numbers, ascending.
        pairs: (documents,) position of the pair of scores of each document.
        times: (pairs,) number of documents with each pair of scores.
        baseline: (pairs,) score of the baseline, nan where undefined.
        other: (pairs,) score of the other system, nan where undefined.
    """

    documents: Ints
    pairs: NDArray[np.integer]
    times: Ints
    baseline: Floats
    other: Floats

    @property
    def wins(self) -> int:
        """Number of documents with a higher score of the other system."""
        return self._count(self._differing & (self.other > self.baseline))

    @property
    def losses(self) -> int:
        """Number of documents with a higher score of the baseline."""
        return self._count(self._differing & (self.other < self.baseline))

    @property
    def ties(self) -> int:
        """Number of documents with equal scores."""
        return len(self.documents) - self.undefined - self.wins - self.losses

    @property
    def undefined(self) -> int:
        """Number of documents without a score of one system or both."""
        return self._count(~self._has_both_scores)

    @property
    def score_count(self) -> int:
        """Number of documents with a score of either system."""
        return self._count(~(np.isnan(self.baseline) & np.isnan(self.other)))

    @property
    def only_baseline(self) -> Ints:
        """Documents that only the baseline gets right, ascending."""
        documents: Ints = self.documents[self._is_only_baseline[self.pairs]]
        return documents

    @property
    def only_other(self) -> Ints:
        """Documents that only the other system gets right, ascending."""
        documents: Ints = self.documents[self._is_only_other[self.pairs]]
        return documents

    @property
    def has_only_verdicts(self) -> bool:
        """Whether every score is 1 or 0, right or wrong."""
        scores = np.concatenate([self.baseline[self._has_both_scores], self.other[self._has_both_scores]])
        return bool(((scores == 0) | _is_right(scores)).all())

    def compute_mcnemar_p(self, clusters: Ints | None = None) -> float:
        """Return the p-value of McNemar's exact test.

        Args:
            clusters: (documents,) equal numbers for documents of one cluster, which are exchanged together; None if the
                documents are independent.

        Raises:
            ValueError: if a document has a score between 0 and 1.
        """
        if not self.has_only_verdicts:
            raise ValueError("McNemar's test compares verdicts, and some documents have a score between 0 and 1")
        if clusters is None:
            return mcnemar_test(self._count(self._is_only_baseline), self._count(self._is_only_other))
        moved = (self._is_only_other.astype(np.int64) - self._is_only_baseline)[self.pairs]
        _, place = np.unique(clusters, return_inverse=True)
        differences = np.zeros(int(place.max(initial=-1)) + 1, np.int64)
        np.add.at(differences, place, moved)
        return clustered_mcnemar_test(differences)

    def _count(self, chosen: Bools) -> int:
        """Count the documents with the chosen pairs of scores (pairs,)."""
        return int(self.times[chosen].sum())

    @property
    def _is_only_baseline(self) -> Bools:
        return self._has_both_scores & _is_right(self.baseline) & ~_is_right(self.other)

    @property
    def _is_only_other(self) -> Bools:
        return self._has_both_scores & _is_right(self.other) & ~_is_right(self.baseline)

    @property
    def _has_both_scores(self) -> Bools:
        return ~(np.isnan(self.baseline) | np.isnan(self.other))

    @property
    def _differing(self) -> Bools:
        return self._has_both_scores & (
            np.abs(self.other - self.baseline) > compute_tie_margin(self.baseline, self.other)
        )


def compare_documents(
    baseline: TalliedDocuments, other: TalliedDocuments, overall: Score
) -> dict[ScoreKey, DocumentComparison]:
    """Compare the scores of both systems on single documents.

    Args:
        baseline: documents with the counts of the baseline.
        other: documents with the counts of the other system.
        overall: computes the scores that single documents have.

    Raises:
        ValueError: if the documents differ.
    """
    if not np.array_equal(baseline.documents, other.documents):
        raise ValueError("systems are compared on the same documents")
    size = max(1, len(other.tally.times))
    pairs, times = count_pairs(baseline.kinds, other.kinds, size)
    at, other_at = np.divmod(pairs, size)
    of_documents = locate_pairs(pairs, baseline.kinds, other.kinds, size)
    scores, other_scores = (score_distinct_documents(side.tally, overall) for side in (baseline, other))
    return {
        key: DocumentComparison(baseline.documents, of_documents, times, values[at], other_scores[key][other_at])
        for key, values in scores.items()
    }


def _is_right(scores: Floats) -> Bools:
    return scores >= 1 - TIE_TOLERANCE
