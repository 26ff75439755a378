"""Tests of rankings, beside plain exchanges of ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.ranking import ClassColumn, Influence, Ranking
from isogloss.kernel.score_order import Bools
from isogloss.kernel.scores import Floats, Ints, ScoreKey, Scores
from isogloss.stats.paired_tests import delong_test
from isogloss.stats.ranking_tests import (
    count_score_verdicts,
    rank_scores,
    ranking_bootstrap_differences,
    ranking_bootstrap_test,
    ranking_randomization_test,
)
from isogloss.tasks.classification.ranking import RankingAreas

MEAN = ("mean", "gap")
AUC: ScoreKey = ("by_label", "a", "ranking", "roc_auc")
PRECISION: ScoreKey = ("by_label", "a", "ranking", "average_precision")
MACRO_AUC: ScoreKey = ("roc_auc", "macro")
MICRO: ScoreKey = ("average_precision", "micro")

Pair = tuple[bool, float, float]  # whether the document is positive, and its score by either system


def ranking(score: Floats, gold: Bools, documents: Ints | None = None) -> Ranking:
    documents = np.arange(len(score)) if documents is None else documents
    return Ranking.from_rows(("c",), documents, np.zeros(len(score), np.int64), score, gold)


def two_systems(seed: int, number: int = 80) -> tuple[Floats, Floats, Bools]:
    generator = np.random.default_rng(seed)
    gold = generator.random(number) < 0.4
    shared = generator.normal(size=number) + gold
    one, two = (np.round(shared + generator.normal(size=number), 1) for _ in range(2))
    return one, two, gold


def plain_rank(value: float, values: list[float]) -> float:
    return sum(each < value for each in values) + (sum(each == value for each in values) + 1) / 2


def plain_auc(rows: list[tuple[bool, float]]) -> float:
    has, others = ([score for gold, score in rows if gold is side] for side in (True, False))
    won = sum((x > y) + (x == y) / 2 for x in has for y in others)
    return won / (len(has) * len(others)) if has and others else math.nan


def plain_precision(rows: list[tuple[bool, float]]) -> float:
    found = []
    for gold, score in rows:
        if gold:
            taken = [own for own, other in rows if other >= score]
            found.append(sum(taken) / len(taken))
    return sum(found) / len(found) if found else math.nan


def plain_p(corpus: list[Pair], units: list[int], score: Callable[[list[tuple[bool, float]]], float]) -> float:
    """The share of all exchanges of ranks whose difference is at least the observed one, or undefined."""
    ranks = [[plain_rank(row[side], [each[side] for each in corpus]) for row in corpus] for side in (1, 2)]
    differences = []
    for flips in product((0, 1), repeat=max(units) + 1):
        sides = [[(row[0], ranks[flips[units[k]] ^ side][k]) for k, row in enumerate(corpus)] for side in (0, 1)]
        differences.append(score(sides[1]) - score(sides[0]))
    return sum(math.isnan(x) or abs(x) >= abs(differences[0]) - 1e-12 for x in differences) / len(differences)


level = st.integers(0, 4).map(float)
corpora = st.lists(st.tuples(st.booleans(), level, level), min_size=1, max_size=7)


def rank(corpus: list[Pair], side: int) -> Ranking:
    """One class, `a`."""
    documents = np.arange(len(corpus))
    scores = np.array([row[side] for row in corpus])
    return Ranking.from_rows(("a",), documents, 0 * documents, scores, np.array([row[0] for row in corpus]))


@given(corpora, st.data())
def test_p_values_are_those_of_all_exchanges_of_ranks(corpus: list[Pair], data: st.DataObject) -> None:
    units = data.draw(st.sampled_from([list(range(len(corpus))), [k // 2 for k in range(len(corpus))]]))
    sides = rank(corpus, 1), rank(corpus, 2)
    found = ranking_randomization_test(*sides, RankingAreas(), 128, units=np.array(units))
    for key, score in ((AUC, plain_auc), (PRECISION, plain_precision), (MICRO, plain_precision)):
        value = score([(gold, two) for gold, _, two in corpus]) - score([(gold, one) for gold, one, _ in corpus])
        assert found[key].value == pytest.approx(value, nan_ok=True)
        if not math.isnan(value):
            assert found[key].p == pytest.approx(plain_p(corpus, units, score))
            assert (found[key].trials, found[key].method) == (0, "rank_randomization")


def test_random_exchanges_come_near_all_exchanges() -> None:
    one, two, gold = two_systems(3, 10)
    sides = [Ranking(("a",), ranking(score, gold).columns) for score in (one, two)]
    exact = ranking_randomization_test(sides[0], sides[1], RankingAreas(), 1024)[PRECISION].p
    for test in (ranking_randomization_test, ranking_bootstrap_test):
        found = test(sides[0], sides[1], RankingAreas(), 1000)[PRECISION]
        assert found.trials == 1000
        if test is ranking_randomization_test:
            assert abs(found.p - exact) <= 5 * math.sqrt(exact * (1 - exact) / 1000)
        else:
            assert found.p >= exact / 2  # not the same distribution, but no certainty either


def test_the_scale_of_scores_does_not_matter() -> None:
    one, two, gold = two_systems(4, 30)
    for test in (ranking_randomization_test, ranking_bootstrap_test):
        plain, scaled = (
            test(ranking(one, gold), ranking(score, gold), RankingAreas(), 99) for score in (two, np.exp(two) - 100)
        )
        assert {key: each.p for key, each in plain.items()} == {key: each.p for key, each in scaled.items()}


def test_equal_scores_have_their_mean_rank() -> None:
    assert rank_scores(np.array([0.5, -1, 0.5, 2, 0.5])).tolist() == [3, 1, 3, 5, 3]


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
    found = ranking_bootstrap_differences(ranking(one, gold), ranking(one + 0.25, gold), Gap(), 50)
    assert list(found) == [MEAN]
    assert (found[MEAN].low, found[MEAN].high) == pytest.approx((0.25, 0.25), rel=1e-12)


def test_intervals_of_rankings_are_those_of_a_plain_bootstrap() -> None:
    one, two, gold = two_systems(6)
    found = ranking_bootstrap_differences(ranking(one, gold), ranking(two, gold), Gap(), 8000)[MEAN]
    picks = np.random.default_rng(1).integers(0, 80, (8000, 80))
    drawn = np.array([(two - one)[pick][gold[pick]].mean() for pick in picks])
    low, high = np.quantile(drawn, [0.025, 0.975])
    # The standard error of such a quantile of 8,000 nearly normal draws is 2.7 std / sqrt(8000).
    error = 5 * math.sqrt(2) * 2.7 / math.sqrt(8000) * drawn.std()
    assert (found.low, found.high) == pytest.approx((low, high), abs=error)


@pytest.mark.parametrize("change", ["documents", "verdicts", "classes"])
def test_rankings_of_other_documents_or_verdicts_are_refused(change: str) -> None:
    one, two, gold = two_systems(7)
    others = {
        "documents": ranking(two, gold, np.arange(80) + 1),
        "verdicts": ranking(two, ~gold),
        "classes": Ranking(("d",), ranking(two, gold).columns),
    }
    for compute in (ranking_bootstrap_test, ranking_bootstrap_differences, ranking_randomization_test):
        with pytest.raises(ValueError, match="differ between the systems"):
            compute(ranking(one, gold), others[change], Gap(), 5)


def test_scores_have_the_verdicts_of_the_scarcest_label() -> None:
    score, gold = np.arange(100.0), np.arange(100) < 30
    columns = {"many": gold, "few": np.arange(100) < 5, "most": np.arange(100) >= 19}
    mixed = Ranking(tuple(columns), tuple(ClassColumn(np.arange(100), score, own) for own in columns.values()))
    precision = ("by_label", "few", "ranking", "average_precision"), ("average_precision", "micro")
    found = count_score_verdicts(mixed, RankingAreas().influence(mixed), precision)
    auc = {name: ("by_label", name, "ranking", "roc_auc") for name in columns}
    areas = {auc["many"]: 30, auc["few"]: 5, auc["most"]: 19, ("roc_auc", "macro"): 5, ("roc_auc", "weighted"): 5}
    assert found == areas | {("roc_auc", "micro"): 116} | dict.fromkeys(precision, 5)


def test_positives_of_one_cluster_count_once() -> None:
    gold = np.arange(200) < 60
    one = ranking(np.arange(200.0), gold)
    assert set(count_score_verdicts(one, RankingAreas().influence(one)).values()) == {60}
    found = count_score_verdicts(one, RankingAreas().influence(one), units=np.arange(200) // 10)
    assert set(found.values()) == {6}


@pytest.mark.extra
def test_delong_has_the_degrees_of_freedom_of_few_positives() -> None:
    stats = pytest.importorskip("scipy.stats")
    first, second, gold = two_systems(4)
    one, two = (RankingAreas().influence(ranking(score, gold)) for score in (first, second))
    plain, few = (delong_test(one, two, verdicts=own)[MACRO_AUC] for own in (None, dict.fromkeys(one.keys, 3)))
    assert plain.interval is not None
    assert few.interval is not None
    half, plain_half = few.interval.high - few.value, plain.interval.high - plain.value
    assert half / plain_half == pytest.approx(stats.t.ppf(0.975, 2) / stats.norm.ppf(0.975))
    assert few.p == pytest.approx(2 * stats.t.sf(stats.norm.isf(plain.p / 2), 2))
