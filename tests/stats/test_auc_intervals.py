"""Newcombe's interval, by its equation, and its means, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.ranking import ClassColumn, Influence, Ranking, compute_auc_influence
from isogloss.kernel.score_order import Bools
from isogloss.kernel.scores import Floats, ScoreKey
from isogloss.stats.auc_intervals import compute_auc_intervals
from isogloss.tasks.classification.ranking import RankingAreas

Z = 1.959963984540054
KEY: ScoreKey = ("by_label", "c", "auc")


def influence(score: Floats, gold: Bools) -> Influence:
    return compute_auc_influence(Ranking(("c",), (ClassColumn(np.arange(len(gold)), score, gold),)), ("auc",))


def hanley(t: float, m: int, n: int) -> float:
    """Hanley and McNeil's variance of two exponential distributions, with both sides at the mean number (Newcombe)."""
    q1, q2, side = t / (2 - t), 2 * t * t / (1 + t), (m + n) / 2
    return (t * (1 - t) + (side - 1) * (q1 - t * t) + (side - 1) * (q2 - t * t)) / (m * n)


rows = st.lists(st.tuples(st.booleans(), st.integers(0, 5).map(float)), min_size=2, max_size=30)


@given(rows)
def test_the_ends_are_areas_at_the_limit_of_their_own_variance(corpus: list[tuple[bool, float]]) -> None:
    gold, score = np.array([row[0] for row in corpus]), np.array([row[1] for row in corpus])
    found = influence(score, gold)
    interval, area = compute_auc_intervals(found)[KEY], float(found.estimates[0])
    m, n = int(gold.sum()), int((~gold).sum())
    if not m or not n:
        assert math.isnan(area)
        assert math.isnan(interval.low)
        return
    assert 0 <= interval.low <= area <= interval.high <= 1
    assert interval.low < interval.high
    for end in (interval.low, interval.high):
        if 0 < end < 1:
            assert abs(end - area) == pytest.approx(Z * math.sqrt(hanley(end, m, n)), rel=1e-6)
    assert interval.method == "newcombe"


def test_a_perfect_area_has_a_lower_end_below_1() -> None:
    gold = np.arange(10) < 3
    interval = compute_auc_intervals(influence(gold.astype(np.float64), gold))[KEY]
    assert interval.high == 1
    # By the equation: 1 - t = z sqrt(V(t)) for 3 and 7 documents.
    assert 1 - interval.low == pytest.approx(Z * math.sqrt(hanley(interval.low, 3, 7)), rel=1e-6)


def test_alike_copies_in_clusters_are_one_document() -> None:
    """Five copies of each document: the design effect is about 5, so that the variance is that of one copy."""
    generator = np.random.default_rng(2)
    gold = np.arange(200) < 80
    score = generator.normal(size=200) + gold
    clusters = np.repeat(np.arange(200), 5)
    copies = influence(np.repeat(score, 5), np.repeat(gold, 5))
    one, five = (
        compute_auc_intervals(influence(score, gold))[KEY],
        compute_auc_intervals(copies.group_by_cluster(clusters))[KEY],
    )
    assert (five.low, five.high) == pytest.approx((one.low, one.high), abs=2e-3)
    alone = compute_auc_intervals(copies)[KEY]
    assert alone.high - alone.low < 0.6 * (five.high - five.low)


def test_perfect_clusters_are_as_wide_as_their_number() -> None:
    """Without variance to see, the documents of a cluster count as one."""
    gold = np.arange(40) < 20
    perfect = influence(gold.astype(np.float64), gold)
    widths = []
    for size in (1, 2, 4):
        interval = compute_auc_intervals(perfect.group_by_cluster(np.arange(40) // size))[KEY]
        widths.append(interval.high - interval.low)
    assert widths == sorted(widths)
    assert math.isnan(compute_auc_intervals(perfect.group_by_cluster(np.arange(40) // 20))[KEY].low)


def both(one: Floats, two: Floats, gold: Bools) -> Ranking:
    documents = np.arange(len(gold))
    return Ranking(("a", "b"), (ClassColumn(documents, one, gold), ClassColumn(documents, two, ~gold)))


@pytest.mark.parametrize("perfect", [False, True])
def test_two_opposite_labels_have_one_interval(*, perfect: bool) -> None:
    """The areas of `a` and of not `a` are equal, and so are their mean and its interval."""
    gold = np.arange(30) < 12
    score = np.random.default_rng(5).normal(size=30) + (100 if perfect else 1) * gold
    found = compute_auc_intervals(RankingAreas().influence(both(score, -score, gold)))
    label, macro, weighted = (
        found["by_label", "a", "ranking", "roc_auc"],
        found["roc_auc", "macro"],
        found["roc_auc", "weighted"],
    )
    for mean in (macro, weighted):
        assert (mean.low, mean.high) == pytest.approx((label.low, label.high), abs=1e-9)


def test_no_area_of_two_clusters_has_an_interval() -> None:
    generator = np.random.default_rng(3)
    one, two = generator.normal(size=(2, 40))
    areas = RankingAreas().influence(both(one, two, np.arange(40) % 3 == 0)).group_by_cluster(np.arange(40) % 2)
    intervals = compute_auc_intervals(areas)
    assert {key[-1] for key in intervals} >= {"macro", "weighted", "micro"}
    assert all(math.isnan(interval.low) and math.isnan(interval.high) for interval in intervals.values())


def test_independent_labels_add_squares() -> None:
    """Areas .75 and .75 of labels with orthogonal influences: their distances add like those of independent scores."""
    plain = influence(np.array([0.0, 1, 0, 1, 1, 2, 1, 2]), np.arange(8) >= 4)
    keys: tuple[ScoreKey, ...] = (("x",), ("y",))
    values = np.zeros((16, 2))
    values[:8, 0], values[8:, 1] = plain.values[:, 0], plain.values[:, 0]
    designs = dict.fromkeys(keys, plain.designs[KEY])
    area = float(plain.estimates[0])
    found = Influence(keys, np.array([area, area]), np.arange(16), values, designs).add_mean(("mean",), keys)
    intervals = compute_auc_intervals(found)
    one, mean = intervals["x",], intervals["mean",]
    expected = area - (area - one.low) / math.sqrt(2), area + (one.high - area) / math.sqrt(2)
    assert (mean.low, mean.high) == pytest.approx(expected)
