from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from corpora import Arrival, Corpus, Document, arrivals, batch_of, corpora, random_corpus, seeded
from hypothesis import given
from hypothesis import strategies as st
from toy_metrics import Auc

from isogloss.kernel.ranking import Influence, Ranking, compute_auc_influence
from isogloss.kernel.score_order import Bools, ScoreOrder
from isogloss.kernel.scores import Floats
from isogloss.kernel.slices import Attribute, split_by_attribute
from isogloss.stats.auc_intervals import compute_auc_intervals

MACRO = ("roc_auc", "macro")
ranked = st.lists(st.tuples(st.integers(0, 5).map(float), st.booleans()), max_size=20)


def columns(rows: list[tuple[float, bool]]) -> tuple[Floats, Bools]:
    return np.array([score for score, _ in rows]), np.array([gold for _, gold in rows], np.bool_)


def compute_placements(score: Floats, gold: Bools) -> Floats:
    order = ScoreOrder.from_scores(score, gold)
    result = np.empty(len(score))
    result[order.position] = order.compute_placements()
    return result


def naive_placements(score: Floats, gold: Bools) -> list[float]:
    """Each document against all of the other side, one pair at a time."""
    result = []
    for own, positive in zip(score, gold, strict=True):
        others = score[gold != positive]
        wins = sum(1.0 if (own > other) == positive else 0.0 for other in others if own != other)
        result.append((wins + 0.5 * sum(own == others)) / len(others) if len(others) else math.nan)
    return result


@given(ranked)
def test_placements_are_shares_of_rightly_ordered_pairs(rows: list[tuple[float, bool]]) -> None:
    score, gold = columns(rows)
    assert compute_placements(score, gold).tolist() == pytest.approx(
        naive_placements(score, gold), rel=1e-15, nan_ok=True
    )


@pytest.mark.parametrize("large", [np.inf, 1.7e308])
def test_scores_of_any_size_are_ordered(large: float) -> None:
    score = np.array([-large, -large, large, large])
    assert compute_placements(score, np.array([False, True, False, True])).tolist() == [0.75, 0.25, 0.25, 0.75]


def one_class(rows: list[tuple[float, bool]]) -> Ranking:
    score, gold = columns(rows)
    return Ranking.from_rows(("c",), np.arange(len(rows)), np.zeros(len(rows), np.int64), score, gold)


@pytest.mark.extra
@given(ranked.filter(lambda rows: len({gold for _, gold in rows}) == 2))
def test_the_estimate_is_the_roc_auc_of_scikit_learn(rows: list[tuple[float, bool]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    score, gold = columns(rows)
    estimate = compute_auc_influence(one_class(rows), ("auc",)).estimates[0]
    assert estimate == pytest.approx(metrics.roc_auc_score(gold, score), rel=1e-12)


@given(ranked.filter(lambda rows: len({gold for _, gold in rows}) < 2))
def test_one_verdict_has_neither_estimate_nor_error(rows: list[tuple[float, bool]]) -> None:
    influence = compute_auc_influence(one_class(rows), ("auc",))
    assert math.isnan(influence.estimates[0])
    assert np.isnan(influence.values).all()


def test_one_document_on_a_side_has_no_error() -> None:
    influence = compute_auc_influence(one_class([(0.1, False), (0.7, True), (0.3, True)]), ("auc",))
    assert influence.estimates.tolist() == [1.0]
    assert np.isnan(influence.compute_standard_errors()).all()


def by_the_book(systems: list[Floats], gold: Bools) -> Floats:
    """Covariance of AUCs by DeLong, DeLong and Clarke-Pearson (1988), from all pairs of documents."""
    psi = [np.heaviside(score[gold][:, None] - score[~gold][None], 0.5) for score in systems]
    of_positives, of_negatives = [p.mean(axis=1) for p in psi], [p.mean(axis=0) for p in psi]
    covariance: Floats = np.cov(of_positives) / gold.sum() + np.cov(of_negatives) / (~gold).sum()
    return covariance


def two_systems(seed: int, number: int = 60) -> tuple[list[Floats], Bools]:
    generator = np.random.default_rng(seed)
    gold = generator.random(number) < 0.4
    shared = generator.normal(size=number) + gold
    return [np.round(shared + generator.normal(size=number), 1) for _ in range(2)], gold


@pytest.mark.parametrize("seed", range(3))
def test_standard_errors_are_those_of_delong(seed: int) -> None:
    systems, gold = two_systems(seed)
    covariance = by_the_book(systems, gold)
    one, two = (
        compute_auc_influence(one_class(list(zip(score.tolist(), gold.tolist(), strict=True))), ("auc",))
        for score in systems
    )
    assert one.compute_standard_errors()[0] == pytest.approx(math.sqrt(covariance[0, 0]), rel=1e-10)
    assert two.compute_standard_errors()[0] == pytest.approx(math.sqrt(covariance[1, 1]), rel=1e-10)
    expected = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    difference = two.subtract(one)
    assert difference.compute_standard_errors()[0] == pytest.approx(math.sqrt(expected), rel=1e-10)
    assert difference.estimates[0] == two.estimates[0] - one.estimates[0]


def influence_of(corpus: Corpus, arrival: Arrival | None = None) -> Influence:
    batches = [batch_of(corpus)] if arrival is None else seeded(corpus, arrival)
    return Auc().influence(Ranking.merge(map(Auc().rank, batches)))


@given(corpora(), arrivals)
def test_rankings_merge_to_the_same_bits_in_any_order(corpus: list[Document], arrival: Arrival) -> None:
    whole, arrived = influence_of(corpus), influence_of(corpus, arrival)
    assert (arrived.keys, arrived.estimates.tobytes()) == (whole.keys, whole.estimates.tobytes())
    assert (arrived.values.tobytes(), repr(compute_auc_intervals(arrived))) == (
        whole.values.tobytes(),
        repr(compute_auc_intervals(whole)),
    )


@given(corpora())
def test_merging_an_empty_ranking_changes_nothing(corpus: list[Document]) -> None:
    rank = Auc().rank
    merged = Auc().influence(Ranking.merge([rank(batch_of([])), rank(batch_of(corpus))]))
    assert merged.values.tobytes() == influence_of(corpus).values.tobytes()


@given(corpora())
def test_each_class_uses_the_documents_scored_for_it(corpus: list[Document]) -> None:
    influence = influence_of(corpus)
    for k, name in enumerate(("sport", "culture")):
        rows = [(d.scores[k], d.gold[k]) for d in corpus if not math.isnan(d.scores[k])]
        expected = compute_auc_influence(one_class(rows), ("auc",)).estimates[0]
        found = influence.estimates[influence.keys.index(("by_label", name, "ranking", "roc_auc"))]
        assert found == pytest.approx(expected, rel=1e-15, nan_ok=True)


def test_a_slice_of_a_ranking_is_a_ranking_of_its_documents() -> None:
    corpus = random_corpus(7, 50)
    languages = Attribute.build(np.arange(50), [document.language for document in corpus])
    slices = split_by_attribute(Ranking.merge([Auc().rank(batch_of(corpus))]), languages)
    for name, ranking in slices.items():
        alone = influence_of([document for document in corpus if document.language == name])
        found = Auc().influence(ranking)
        assert found.estimates.tolist() == alone.estimates.tolist()
        assert found.compute_standard_errors().tolist() == alone.compute_standard_errors().tolist()
    assert sorted(slices) == ["de", "it"]
    assert sum(len(ranking.documents) for ranking in slices.values()) == 50


def test_the_macro_error_is_that_of_the_bootstrap() -> None:
    corpus = random_corpus(8, 300)
    generator = np.random.default_rng(1)
    macros = []
    for _ in range(800):
        drawn = [corpus[k] for k in generator.integers(0, 300, 300)]
        macros.append(influence_of(drawn).estimates[-1])
    whole = influence_of(corpus)
    assert whole.keys[-1] == MACRO
    # A standard deviation of 800 draws is itself known to 1 / sqrt(1600) = 2.5%; three such errors.
    assert whole.compute_standard_errors()[-1] == pytest.approx(np.std(macros, ddof=1), rel=0.075)


def influence(estimates: list[float], values: list[list[float]]) -> Influence:
    keys = tuple((name,) for name in "abc"[: len(estimates)])
    return Influence(keys, np.array(estimates), np.arange(len(values)), np.array(values))


def test_means_are_over_defined_scores() -> None:
    nan = math.nan
    mean = influence([0.5, nan, 1.0], [[1, nan, 2], [3, nan, 4]])
    mean = mean.add_scores({MACRO: mean.average_scores([("a",), ("b",), ("c",)])})
    assert mean.estimates[-1] == 0.75
    assert mean.values[:, -1].tolist() == [1.5, 3.5]
    undefined = influence([nan], [[nan], [nan]])
    undefined = undefined.add_scores({MACRO: undefined.average_scores([("a",)])})
    assert np.isnan([undefined.estimates[-1], undefined.compute_standard_errors()[-1]]).all()


def test_influence_is_summed_within_clusters() -> None:
    clustered = influence([0.5], [[1.0], [-2.0], [4.0]]).group_by_cluster(np.array([7, 3, 7]))
    assert clustered.documents.tolist() == [3, 7]
    assert clustered.values.tolist() == [[-2.0], [5.0]]
    assert clustered.compute_standard_errors()[0] == math.sqrt(4 + 25)


def test_only_equal_documents_and_scores_are_compared() -> None:
    one = influence([0.5], [[1.0], [2.0]])
    for other in (influence([0.5], [[1.0]]), replace(one, keys=(("z",),))):
        with pytest.raises(ValueError, match="same documents and scores"):
            one.subtract(other)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"score": np.array([0.5])}, "each row of a ranking"),
        ({"score": np.array([0.5, np.nan])}, "1 scores are nan"),
    ],
)
def test_rows_without_score_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(one_class([(0.5, True), (0.6, False)]).get_class_column("c"), **changes)


def test_ranking_a_document_twice_is_refused() -> None:
    ranking = one_class([(0.5, True), (0.6, False)])
    with pytest.raises(ValueError, match="ranked twice for class 'c'"):
        compute_auc_influence(Ranking.merge([ranking, ranking]), ("auc",))


def test_the_variance_of_one_cluster_is_undefined() -> None:
    influence = compute_auc_influence(one_class([(0.1, False), (0.4, True), (0.2, False), (0.3, True)]), ("auc",))
    assert influence.group_by_cluster(np.zeros(4, np.int64)).estimates.tolist() == [1.0]
    assert np.isnan(influence.group_by_cluster(np.zeros(4, np.int64)).compute_standard_errors()).all()
    assert not np.isnan(influence.group_by_cluster(np.array([0, 1, 0, 1])).compute_standard_errors()).any()
