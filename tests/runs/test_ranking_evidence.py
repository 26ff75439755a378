from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from corpora import batch_of, random_corpus
from hypothesis import given
from hypothesis import strategies as st
from toy_metrics import Auc, Share

import isogloss
from isogloss.kernel.ranking import Influence, Ranking, compute_auc_influence
from isogloss.kernel.scores import Ints, Scores, format_path
from isogloss.kernel.tally import Tally
from isogloss.runs.evidence import Resampling, TallyEvidence
from isogloss.runs.ranking_evidence import RankingEvidence, find_freedom
from isogloss.runs.run import Run
from isogloss.stats.auc_intervals import compute_auc_intervals
from isogloss.stats.bootstrap import assign_ranking_units

CORPUS = random_corpus(4, 40)
RANKING = Auc().rank(batch_of(CORPUS))
DRAWN = ("other", "mean")


@dataclass(frozen=True)
class Ordered(Auc):
    """The areas of a toy, and a score that can only be resampled."""

    fails: bool = False

    def score(self, ranking: Ranking) -> Scores:
        influence = self.influence(ranking)
        known = dict(zip(influence.keys, influence.estimates, strict=True))
        return {key: np.asarray(value) for key, value in known.items()} | {DRAWN: np.asarray(0.5)}

    def influence(self, ranking: Ranking) -> Influence:
        return super().influence(ranking)

    def score_weighted(self, ranking: Ranking, draws: Iterable[Ints]) -> Scores:
        assert not self.fails
        totals = np.concatenate([weights[:, 0] for weights in draws]).astype(np.float64)
        return {DRAWN: totals, ("roc_auc", "macro"): totals}


def evidence(how: Resampling | None = None, *, fails: bool = False) -> RankingEvidence:
    counted = TallyEvidence(Share(), Tally.from_counts(Share().count(batch_of(CORPUS))), how)
    return RankingEvidence(counted, Ordered(fails=fails), RANKING, how)


def test_ranking_numbers_include_those_of_counts() -> None:
    numbers = evidence().numbers
    assert numbers["overall", "total"] == evidence().tally_evidence.numbers["overall", "total"]
    assert type(numbers["roc_auc", "macro"]) is float
    assert numbers[DRAWN] == 0.5
    assert evidence().documents == 40


def test_spreads_and_confusion_come_from_counts() -> None:
    assert evidence().per_document == evidence().tally_evidence.per_document
    assert evidence().confusion == {}


def test_ranking_without_resampling_has_no_intervals() -> None:
    assert evidence().intervals == {}


def test_areas_have_the_intervals_of_newcombe() -> None:
    how = Resampling(0.9, 20)
    found = evidence(how).intervals
    known = compute_auc_intervals(Auc().influence(RANKING), 0.9)
    assert {name: found[name] for name in map(format_path, known)} == {
        format_path(key): value for key, value in known.items()
    }
    assert found["overall.share"] == evidence(how).tally_evidence.intervals["overall.share"]
    assert found["other.mean"].method == "logit-t"
    assert evidence(replace(how, method="bootstrap")).intervals["other.mean"].method == "bootstrap"
    assert set(found) == {*map(format_path, known), *evidence(how).tally_evidence.intervals, "other.mean"}
    assert len(found) == len(set(found))


def test_known_intervals_are_not_resampled() -> None:
    found = evidence(Resampling(0.9, 20), fails=True).intervals
    assert found["roc_auc.macro"].method == "newcombe"
    with pytest.raises(AssertionError):
        found["other.mean"]


@pytest.mark.parametrize(("clusters", "is_known"), [(2, False), (3, True)])
def test_average_precision_of_two_clusters_has_no_interval(clusters: int, *, is_known: bool) -> None:
    gold = ["a", "a", "a", "b", "b", "b"]
    scores = [{"a": a, "b": 1 - a} for a in (0.9, 0.4, 0.6, 0.5, 0.1, 0.2)]
    columns = {"author": [str(k % clusters) for k in range(6)]}
    run = isogloss.classification(gold, scores, by=columns, unit="author", confidence=0.95, resamples=100)
    found = {path: run.intervals[path] for path in ("average_precision.macro", "by_label.a.ranking.average_precision")}
    assert {path: not math.isnan(each.low) for path, each in found.items()} == dict.fromkeys(found, is_known)


def test_mean_of_labels_has_the_freedom_of_its_rare_and_frequent_labels() -> None:
    samples: Scores = {
        ("by_label", "a", "ranking", "ap"): np.array([0.5, 0.7]),  # variance 0.01, 2 degrees
        ("by_label", "b", "ranking", "ap"): np.array([0.5, 0.6]),  # variance 0.0025, 50 degrees
        ("ap", "macro"): np.array([0.5, 0.65]),
    }
    found = find_freedom(samples, {"a": 3, "b": 51})
    assert [found["by_label", name, "ranking", "ap"] for name in "ab"] == [2, 50]
    assert found["ap", "macro"] == pytest.approx(0.0125**2 / (0.01**2 / 2 + 0.0025**2 / 50))


def test_missing_interval_raises_key_error() -> None:
    with pytest.raises(KeyError):
        evidence(Resampling(0.9, 20)).intervals["absent"]


LABELS = ("a", "b")
Document = tuple[str, float, str]  # gold, score of a, cluster

documents = st.lists(
    st.tuples(st.sampled_from(LABELS), st.integers(0, 6).map(lambda n: n / 6), st.sampled_from("xyz")),
    min_size=1,
    max_size=20,
)


def scored(corpus: list[Document], **more: Any) -> Run:
    gold = [label for label, _, _ in corpus]
    scores = [{"a": score, "b": 1 - score} for _, score, _ in corpus]
    return isogloss.classification(gold, scores, by={"group": [group for _, _, group in corpus]}, **more)


def area(corpus: list[Document], label: str) -> float:
    """Pairs in the right order, one by one."""
    sign = 1 if label == "a" else -1
    has = [sign * score for gold, score, _ in corpus if gold == label]
    others = [sign * score for gold, score, _ in corpus if gold != label]
    won = sum((x > y) + (x == y) / 2 for x in has for y in others)
    return won / (len(has) * len(others)) if has and others else math.nan


@given(documents)
def test_slice_auc_equals_count_of_ordered_pairs(corpus: list[Document]) -> None:
    numbers = scored(corpus).evidence.numbers
    for group in {group for *_, group in corpus}:
        mine = [document for document in corpus if document[2] == group]
        areas = [area(mine, label) for label in LABELS]
        expected = np.nanmean(areas) if not all(map(math.isnan, areas)) else math.nan
        found = numbers["slices", "group", group, "roc_auc", "macro"]
        assert found == pytest.approx(expected, nan_ok=True)


def naive_variance(corpus: list[Document]) -> float:
    """The variance of the area of `a`: placement values of each document, added within clusters, then squared."""
    has = [(score, group) for gold, score, group in corpus if gold == "a"]
    others = [(score, group) for gold, score, group in corpus if gold != "a"]
    whole = area(corpus, "a")
    of_cluster: dict[str, float] = {}
    for own, rest, sign in ((has, others, 1), (others, has, -1)):
        for score, group in own:
            placed = sum((sign * (score - x) > 0) + (score == x) / 2 for x, _ in rest) / len(rest)
            of_cluster[group] = of_cluster.get(group, 0) + (placed - whole) / math.sqrt(len(own) * (len(own) - 1))
    return sum(value**2 for value in of_cluster.values())


@given(documents)
def test_clustered_variance_equals_naive_placements(corpus: list[Document]) -> None:
    golds = [gold for gold, *_ in corpus]
    if min(golds.count(label) for label in LABELS) < 2:
        return
    rows = np.arange(len(corpus))
    ranking = Ranking.from_rows(
        ("a",),
        rows,
        np.zeros_like(rows),
        np.array([score for _, score, _ in corpus]),
        np.array([gold == "a" for gold in golds]),
    )
    clusters = np.array([ord(group) for *_, group in corpus])
    error = compute_auc_influence(ranking, ("auc",)).group_by_cluster(clusters).compute_standard_errors()[0]
    assert error**2 == pytest.approx(naive_variance(corpus), abs=1e-12)


def test_clustered_intervals_are_wider_for_equal_documents() -> None:
    rng = np.random.default_rng(3)
    corpus: list[Document] = []
    for cluster in range(12):
        label, score = LABELS[cluster % 2], float(rng.random())
        corpus += [(label, score, f"c{cluster}")] * 20
    width = {}
    for unit in ("document", "group"):
        intervals = scored(corpus, confidence=0.9, unit=unit, resamples=300).intervals
        for path in ("roc_auc.macro", "average_precision.macro"):
            width[unit, path] = intervals[path].high - intervals[path].low
    for path in ("roc_auc.macro", "average_precision.macro"):
        assert width["group", path] > 2 * width["document", path]


@given(documents, st.randoms(use_true_random=False), st.sampled_from(["document", "group"]))
def test_document_order_does_not_change_intervals(corpus: list[Document], random: Any, unit: str) -> None:
    how: dict[str, Any] = {"confidence": 0.9, "resamples": 20, "unit": unit}
    mixed = random.sample(corpus, len(corpus))
    one, two = (scored(each, **how).intervals for each in (corpus, mixed))
    assert set(one) == set(two)
    for path in one:
        before, after = ((each[path].low, each[path].high) for each in (one, two))
        assert np.allclose(before, after, rtol=0, atol=1e-12, equal_nan=True), path


@given(documents)
def test_ranking_units_are_numbered_by_cluster(corpus: list[Document]) -> None:
    rows = np.arange(len(corpus))
    gold = np.array([label == "a" for label, *_ in corpus])
    ranking = Ranking.from_rows(("a",), rows, np.zeros_like(rows), np.array([score for _, score, _ in corpus]), gold)
    assert sorted(assign_ranking_units(ranking).tolist()) == rows.tolist()
    clusters = np.array([ord(group) for *_, group in corpus])
    units = assign_ranking_units(ranking, clusters)
    assert set(units.tolist()) == set(range(len(set(clusters.tolist()))))
    assert len({*zip(units.tolist(), clusters.tolist(), strict=True)}) == len(set(clusters.tolist()))
