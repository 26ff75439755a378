from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.ranking import Influence, Ranking, compute_auc_influence
from isogloss.kernel.score_order import Bools
from isogloss.kernel.scores import Floats, Ints, Scores
from isogloss.stats.paired_tests import delong_test, ranking_bootstrap_test

AUC = ("by_label", "c", "auc")
MEAN = ("mean", "gap")


def ranking(score: Floats, gold: Bools, documents: Ints | None = None) -> Ranking:
    documents = np.arange(len(score)) if documents is None else documents
    return Ranking.from_rows(("c",), documents, np.zeros(len(score), np.int64), score, gold)


def influence(score: Floats, gold: Bools) -> Influence:
    return compute_auc_influence(ranking(score, gold), ("auc",))


def two_systems(seed: int, number: int = 80, better: float = 0.0) -> tuple[Floats, Floats, Bools]:
    generator = np.random.default_rng(seed)
    gold = generator.random(number) < 0.4
    shared = generator.normal(size=number) + gold
    one, two = (np.round(shared + generator.normal(size=number), 1) for _ in range(2))
    return one, two + better * gold, gold


def by_the_book(one: Floats, two: Floats, gold: Bools) -> tuple[float, float]:
    """Difference of the areas and its standard error, from all pairs of documents of either verdict."""
    psi = [np.heaviside(score[gold][:, None] - score[~gold][None], 0.5) for score in (one, two)]
    of_positives, of_negatives = [p.mean(axis=1) for p in psi], [p.mean(axis=0) for p in psi]
    covariance = np.cov(of_positives) / gold.sum() + np.cov(of_negatives) / (~gold).sum()
    error = math.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    return float(psi[1].mean() - psi[0].mean()), error


@pytest.mark.extra
@pytest.mark.parametrize("seed", range(4))
def test_the_test_of_delong_is_that_of_the_book(seed: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    one, two, gold = two_systems(seed, better=0.3)
    found = delong_test(influence(one, gold), influence(two, gold), level=0.9)[AUC]
    value, error = by_the_book(one, two, gold)
    assert found.value == pytest.approx(value, rel=1e-10)
    assert found.p == pytest.approx(2 * stats.norm.sf(abs(value) / error), rel=1e-9)
    assert found.interval is not None
    expected = stats.norm.interval(0.9, value, error)
    assert (found.interval.low, found.interval.high) == pytest.approx(expected, rel=1e-9)
    assert (found.method, found.interval.method, found.trials) == ("delong", "delong", 0)


@given(st.integers(0, 99))
def test_swapping_systems_changes_the_sign_and_no_p_value(seed: int) -> None:
    one, two, gold = two_systems(seed, 20)
    there, back = (delong_test(influence(x, gold), influence(y, gold))[AUC] for x, y in ((one, two), (two, one)))
    assert [back.value, back.p] == pytest.approx([-there.value, there.p], rel=1e-12, nan_ok=True)


def test_a_system_does_not_differ_from_itself() -> None:
    one, _, gold = two_systems(1)
    found = delong_test(influence(one, gold), influence(one, gold))[AUC]
    assert (found.value, found.p) == (0, 1)


def test_areas_without_variance_are_equal_or_not_tested() -> None:
    gold = np.array([False, False, True, True])
    right, wrong = influence(gold.astype(np.float64), gold), influence(-gold.astype(np.float64), gold)
    assert delong_test(right, right)[AUC].p == 1
    assert math.isnan(delong_test(wrong, right)[AUC].p)


def test_a_variance_of_rounding_alone_is_none() -> None:
    """Each positive wins half a negative more, and each negative is beaten by half of the positives more."""
    gold = np.array([True, True, True, False, False])
    one, two = np.array([1.0, 1, 0, 1, 1]), np.array([1.0, 2, 0, 0, 0])
    found = delong_test(influence(one, gold), influence(two, gold))[AUC]
    assert found.value == pytest.approx(5 / 6 - 1 / 3)
    assert math.isnan(found.p)


def test_an_area_whose_variance_is_not_known_is_not_tested() -> None:
    gold = np.array([False, False, True])
    one, two = np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.2, 0.1])
    found = delong_test(influence(one, gold), influence(two, gold))[AUC]
    assert found.value == -1
    assert math.isnan(found.p)


def test_clusters_are_compared_by_the_sums_of_their_documents() -> None:
    one, two, gold = two_systems(3)
    codes = np.arange(80) // 4
    found = delong_test(influence(one, gold).group_by_cluster(codes), influence(two, gold).group_by_cluster(codes))[AUC]
    contributed = (influence(two, gold).values - influence(one, gold).values)[:, 0].reshape(20, 4).sum(axis=1)
    value = by_the_book(one, two, gold)[0]
    assert found.p == pytest.approx(math.erfc(abs(value) / math.sqrt(2 * np.square(contributed).sum())), rel=1e-9)


class Gap:
    """Mean score of the positives: a score of order that is easy to do by hand."""

    def score(self, ranking: Ranking) -> Scores:
        column = ranking.get_class_column("c")
        return {MEAN: column.score[column.gold].mean(), ("count", "n"): np.asarray(len(column.gold))}

    def influence(self, ranking: Ranking) -> Influence:
        raise NotImplementedError

    def score_weighted(self, ranking: Ranking, draws: Iterable[Ints]) -> Scores:
        column = ranking.get_class_column("c")
        weights = np.concatenate([*draws]) * column.gold
        return {MEAN: weights @ column.score / weights.sum(axis=1)}


def test_both_rankings_are_drawn_alike() -> None:
    one, _, gold = two_systems(5)
    found = ranking_bootstrap_test(ranking(one, gold), ranking(one + 0.25, gold), Gap(), 50)
    assert list(found) == [MEAN]
    difference = found[MEAN]
    assert difference.interval is not None
    ends = difference.interval.low, difference.interval.high
    assert (difference.value, *ends) == pytest.approx((0.25, 0.25, 0.25), rel=1e-12)
    assert difference.p == 1 / 51


def test_intervals_of_rankings_are_those_of_a_plain_bootstrap() -> None:
    one, two, gold = two_systems(6)
    found = ranking_bootstrap_test(ranking(one, gold), ranking(two, gold), Gap(), 8000)[MEAN]
    picks = np.random.default_rng(1).integers(0, 80, (8000, 80))
    drawn = np.array([(two - one)[pick][gold[pick]].mean() for pick in picks])
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert found.interval is not None
    # The standard error of such a quantile of 8,000 nearly normal draws is 2.7 std / sqrt(8000).
    error = 5 * math.sqrt(2) * 2.7 / math.sqrt(8000) * drawn.std()
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=error)


@pytest.mark.parametrize("change", ["documents", "verdicts", "classes"])
def test_rankings_of_other_documents_or_verdicts_are_refused(change: str) -> None:
    one, two, gold = two_systems(7)
    others = {
        "documents": ranking(two, gold, np.arange(80) + 1),
        "verdicts": ranking(two, ~gold),
        "classes": Ranking(("d",), ranking(two, gold).columns),
    }
    with pytest.raises(ValueError, match="differ between the systems"):
        ranking_bootstrap_test(ranking(one, gold), others[change], Gap(), 5)
