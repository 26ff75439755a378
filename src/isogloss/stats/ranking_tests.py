"""Paired tests of scores that depend on the document order.

Such a score, for example average precision, depends on the order of all documents. The scores of two systems are on
scales of their own, so the systems exchange ranks, not scores: the rank of a document among all documents of its class
(for pooled classes, among all pairs of document and class), equal scores at their mean rank. Both orders are merged
into one in which each document stands twice, once for each system. An exchange then gives one of the two places a
weight of 0 or 1, and nothing is sorted again.

Source: Venkatraman and Begg (1996), A distribution-free procedure for comparing receiver operating characteristic
curves from a paired experiment, who exchange ranks for ROC curves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from isogloss.kernel.metric import OrderMetric
from isogloss.kernel.ranking import ClassColumn, Influence, Ranking
from isogloss.kernel.score_order import PooledClasses
from isogloss.kernel.scores import Floats, Ints, ScoreKey
from isogloss.stats.bootstrap import MAX_HELD_NUMBERS, bootstrap_ranking, draw_weights
from isogloss.stats.intervals import Interval, compute_percentile_intervals
from isogloss.stats.paired_tests import SystemDifference, exchange_draws, judge_exchanges, subtract_resamples

# positives and negatives from which DeLong's test and exchanges of ranks do not reject too often; by simulation
ENOUGH_VERDICTS = 20


@dataclass(frozen=True, eq=False)
class MergedRanking(Ranking):
    """Ranks of two systems in one order.

    Documents 0 to n - 1 are those of the baseline, n to 2 n - 1 those of the other system.

    Args:
        pooled: the same documents with their ranks among all pairs of document and class.
    """

    pooled: Ranking

    @cached_property
    def pool(self) -> PooledClasses:
        """All classes in one order."""
        return self.pooled.pool

    @classmethod
    def from_systems(cls, baseline: Ranking, other: Ranking) -> MergedRanking:
        """Merge the rankings of two systems.

        Args:
            baseline: ranking of the baseline.
            other: ranking of the other system, of the same documents.

        Raises:
            ValueError: if classes, documents or verdicts differ.
        """
        check_same_verdicts(baseline, other)
        classes = tuple(sorted(baseline.classes))
        sides = [[ranking.get_class_column(name) for name in classes] for ranking in (baseline, other)]
        by_class = [[replace(column, score=rank_scores(column.score)) for column in side] for side in sides]
        pooled = [_rank_pooled(side) for side in sides]
        documents = baseline.documents
        merged = [_merge_columns(one, two, documents) for one, two in zip(*by_class, strict=True)]
        together = [_merge_columns(one, two, documents) for one, two in zip(*pooled, strict=True)]
        return cls(classes, tuple(merged), Ranking(classes, tuple(together)))


def rank_scores(scores: Floats) -> Floats:
    """Return the rank of each score: (n,).

    Equal scores have their mean rank.
    """
    _, place, times = np.unique(scores, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(times) - (times - 1) / 2)[place]
    return ranks


def ranking_randomization_test(
    baseline: Ranking,
    other: Ranking,
    metric: OrderMetric,
    trials: int = 1000,
    seed: int = 12345,
    *,
    units: Ints | None = None,
) -> dict[ScoreKey, SystemDifference]:
    """Test scores of two rankings by exchanging the ranks of documents.

    If the exchanges of all units are at most `trials`, all are enumerated, and the p-value is exact.

    Args:
        baseline: ranking of the baseline.
        other: ranking of the other system, of the same documents.
        metric: metric that scores rankings.
        trials: number of trials.
        seed: seed of the generator.
        units: (documents,) unit of each document, numbered from 0 without gaps; None if each document is a unit.

    Raises:
        ValueError: if classes, documents or verdicts differ.
    """
    number = _count_units(baseline, units)
    exact = number < trials.bit_length() and 2**number <= trials
    flips = _enumerate_flips(number) if exact else _draw_flips(number, trials, seed, 2 * baseline.pair_count)
    test = _RankingExchange(baseline, other, metric, units)
    drawn = (np.concatenate([1 - each, each], axis=1) for each in flips)
    return test.judge(((weights, exact) for weights in drawn), 0 if exact else trials)


def ranking_bootstrap_test(
    baseline: Ranking,
    other: Ranking,
    metric: OrderMetric,
    resamples: int = 1000,
    seed: int = 12345,
    *,
    units: Ints | None = None,
) -> dict[ScoreKey, SystemDifference]:
    """Test scores of two rankings by resamples with exchanged ranks.

    The ranks of documents are exchanged, like the systems in `bootstrap_test`.

    Args:
        baseline: ranking of the baseline.
        other: ranking of the other system, of the same documents.
        metric: metric that scores rankings.
        resamples: number of resamples.
        seed: seed of the generators.
        units: (documents,) unit of each document, numbered from 0 without gaps; None if each document is a unit.

    Raises:
        ValueError: if classes, documents or verdicts differ.
    """
    number = _count_units(baseline, units)
    drawn = draw_weights(np.ones(number, np.int64), resamples, seed, width=2 * baseline.pair_count)
    test = _RankingExchange(baseline, other, metric, units)
    results = test.judge(((weights, False) for weights in exchange_draws(drawn, seed)), resamples)
    return {key: replace(each, method="bootstrap") for key, each in results.items()}


def ranking_bootstrap_differences(  # noqa: PLR0913  each is independent
    baseline: Ranking,
    other: Ranking,
    metric: OrderMetric,
    resamples: int = 1000,
    seed: int = 12345,
    level: float = 0.95,
    *,
    units: Ints | None = None,
) -> dict[ScoreKey, Interval]:
    """Compute intervals of the differences of two rankings by the paired bootstrap.

    Args:
        baseline: ranking of the baseline.
        other: ranking of the other system, of the same documents.
        metric: metric that scores rankings.
        resamples: number of resamples.
        seed: seed of the generators.
        level: confidence level in (0, 1).
        units: (documents,) unit of each document, numbered from 0 without gaps; None if each document is a unit.

    Raises:
        ValueError: if classes, documents or verdicts differ.
    """
    check_same_verdicts(baseline, other)
    one, two = (bootstrap_ranking(ranking, metric, resamples, seed, units) for ranking in (baseline, other))
    return compute_percentile_intervals(subtract_resamples(one, two), level, _count_units(baseline, units))


def count_score_verdicts(
    ranking: Ranking, influence: Influence, others: Iterable[ScoreKey] = (), units: Ints | None = None
) -> dict[ScoreKey, int]:
    """Count the positives, or fewer negatives, behind each score.

    A mean of areas has those of the area with the fewest; another score of all classes, those of the scarcest class.

    Args:
        ranking: ranking of a system.
        influence: its areas, and the means of them.
        others: keys of scores that are not areas.
        units: (documents,) unit of each document, which is counted once; None if each document is a unit.
    """
    of_class = count_scarcer_verdicts(ranking, units)
    least = min(of_class.values(), default=0)
    found = {key: of_class[key[1]] if key[0] == "by_label" else least for key in others}
    pooled = _count_scarcer_verdict(ranking.columns, ranking.documents, units)
    found |= {key: of_class[key[1]] if key[0] == "by_label" else pooled for key in influence.designs}
    return found | {mean: min((found[key] for key in own), default=0) for mean, own in influence.means.items()}


def find_scarce_classes(ranking: Ranking, units: Ints | None = None) -> dict[str, int]:
    """Find the classes of few positives or few negatives, and count these.

    Args:
        ranking: ranking of a system.
        units: (documents,) unit of each document, which is counted once; None if each document is a unit.
    """
    found = count_scarcer_verdicts(ranking, units)
    return {name: number for name, number in found.items() if number < ENOUGH_VERDICTS}


def count_scarcer_verdicts(ranking: Ranking, units: Ints | None = None) -> dict[str, int]:
    """Count units with a positive, or a negative if fewer, by class.

    Args:
        ranking: ranking of a system.
        units: (documents,) unit of each document, which is counted once; None if each document is a unit.
    """
    columns = zip(ranking.classes, ranking.columns, strict=True)
    return {name: _count_scarcer_verdict([column], ranking.documents, units) for name, column in columns}


def _count_scarcer_verdict(columns: Sequence[ClassColumn], documents: Ints, units: Ints | None) -> int:
    """Count units with a positive, or with a negative if fewer."""
    if units is None:
        positives = sum(int(column.gold.sum()) for column in columns)
        return min(positives, sum(len(column.gold) for column in columns) - positives)
    placed = [(units[np.searchsorted(documents, column.document)], column.gold) for column in columns]
    sides = ([unit[gold == side] for unit, gold in placed] for side in (True, False))
    return min(len(np.unique(np.concatenate(side))) for side in sides)


def check_same_verdicts(baseline: Ranking, other: Ranking) -> None:
    """Check that two rankings have the same classes, documents and verdicts.

    Args:
        baseline: ranking of the baseline.
        other: ranking of the other system.

    Raises:
        ValueError: if they differ.
    """
    if sorted(baseline.classes) != sorted(other.classes):
        raise ValueError("classes differ between the systems")
    for name in baseline.classes:
        one, two = baseline.get_class_column(name), other.get_class_column(name)
        if not (np.array_equal(one.document, two.document) and np.array_equal(one.gold, two.gold)):
            raise ValueError(f"documents or verdicts of class {name!r} differ between the systems")


class _RankingExchange:
    """Scores of two rankings after exchanges of units.

    Args:
        baseline: ranking of the baseline.
        other: ranking of the other system, of the same documents.
        metric: metric that scores rankings.
        units: (documents,) unit of each document; None if each document is a unit.
    """

    def __init__(self, baseline: Ranking, other: Ranking, metric: OrderMetric, units: Ints | None) -> None:
        self._metric = metric
        self._merged = MergedRanking.from_systems(baseline, other)
        self._units = np.arange(len(baseline.documents)) if units is None else units
        whole = np.ones(_count_units(baseline, units), np.int64)[None]
        self._observed = self._score(np.concatenate([whole, 0 * whole], axis=1)) if whole.size else {}

    def judge(self, draws: Iterable[tuple[Ints, bool]], drawn: int) -> dict[ScoreKey, SystemDifference]:
        """Compare the observed differences with those under weights.

        The draws have weights (draws, 2 units), with or without probabilities.
        """
        keys = list(self._observed)
        if not keys:
            return {}
        one, two = self._stack(self._observed, keys)
        sides = ((self._stack(self._score(weights), keys), weights, exact) for weights, exact in draws)
        trials = ((scores, _share(weights) if exact else None) for scores, weights, exact in sides)
        results = judge_exchanges(keys, (one[0], two[0]), trials, drawn)
        return {key: replace(each, method="rank_randomization") for key, each in results.items()}

    def _score(self, weights: Ints) -> dict[ScoreKey, Floats]:
        """Score both sides: (2, draws) each."""
        half = weights.shape[1] // 2
        own, exchanged = weights[:, :half][:, self._units], weights[:, half:][:, self._units]
        sides = [np.concatenate(pair, axis=1) for pair in ((own, exchanged), (exchanged, own))]
        one, two = (self._metric.score_weighted(self._merged, [side]) for side in sides)
        return {key: np.stack([np.asarray(one[key], np.float64), np.asarray(two[key], np.float64)]) for key in one}

    @staticmethod
    def _stack(scores: dict[ScoreKey, Floats], keys: list[ScoreKey]) -> Floats:
        """Stack scores: (2, draws, scores)."""
        return np.stack([scores[key] for key in keys], axis=-1)


def _share(weights: Ints) -> Floats:
    """Return the probability of each of all exchanges: (exchanges,)."""
    return np.full(len(weights), 0.5 ** (weights.shape[1] // 2))


def _enumerate_flips(units: int) -> Iterator[Ints]:
    """Yield all exchanges: (2**units, units) of 0 and 1."""
    yield np.arange(2**units)[:, None] >> np.arange(units) & 1


def _draw_flips(units: int, trials: int, seed: int, width: int) -> Iterator[Ints]:
    """Yield random exchanges in pieces: (trials, units) of 0 and 1."""
    generator = np.random.default_rng(seed)
    step = max(1, MAX_HELD_NUMBERS // max(1, width))
    for low in range(0, trials, step):
        yield generator.integers(0, 2, (min(step, trials - low), units), np.int64)


def _count_units(ranking: Ranking, units: Ints | None) -> int:
    return len(ranking.documents) if units is None else int(units.max(initial=-1)) + 1


def _rank_pooled(columns: list[ClassColumn]) -> list[ClassColumn]:
    """Replace the scores of all classes by their ranks among all."""
    ranks = rank_scores(np.concatenate([np.zeros(0), *(column.score for column in columns)]))
    ends = np.cumsum([len(column.score) for column in columns])
    parts = np.split(ranks, ends[:-1]) if columns else []
    return [replace(column, score=part) for column, part in zip(columns, parts, strict=True)]


def _merge_columns(one: ClassColumn, two: ClassColumn, documents: Ints) -> ClassColumn:
    """Put the documents of the second column behind those of the first."""
    place = np.searchsorted(documents, one.document)
    return ClassColumn(
        np.concatenate([place, place + len(documents)]),
        np.concatenate([one.score, two.score]),
        np.concatenate([one.gold, two.gold]),
    )
