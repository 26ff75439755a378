"""Slices and clusters of rankings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isogloss
from isogloss.kernel.ranking import Ranking, compute_auc_influence
from isogloss.runs.run import Run
from isogloss.stats.bootstrap import assign_ranking_units

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
def test_the_area_of_a_slice_is_that_of_its_pairs(corpus: list[Document]) -> None:
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
def test_the_variance_of_clusters_is_that_of_their_added_placements(corpus: list[Document]) -> None:
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


def test_documents_that_agree_within_clusters_have_wider_intervals() -> None:
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
def test_the_order_of_documents_changes_no_interval(corpus: list[Document], random: Any, unit: str) -> None:
    how: dict[str, Any] = {"confidence": 0.9, "resamples": 20, "unit": unit}
    mixed = random.sample(corpus, len(corpus))
    one, two = (scored(each, **how).intervals for each in (corpus, mixed))
    assert set(one) == set(two)
    for path in one:
        before, after = ((each[path].low, each[path].high) for each in (one, two))
        assert np.allclose(before, after, rtol=0, atol=1e-12, equal_nan=True), path


@given(documents)
def test_units_are_numbered_from_zero_and_clusters_are_kept_together(corpus: list[Document]) -> None:
    rows = np.arange(len(corpus))
    gold = np.array([label == "a" for label, *_ in corpus])
    ranking = Ranking.from_rows(("a",), rows, np.zeros_like(rows), np.array([score for _, score, _ in corpus]), gold)
    assert sorted(assign_ranking_units(ranking).tolist()) == rows.tolist()
    clusters = np.array([ord(group) for *_, group in corpus])
    units = assign_ranking_units(ranking, clusters)
    assert set(units.tolist()) == set(range(len(set(clusters.tolist()))))
    assert len({*zip(units.tolist(), clusters.tolist(), strict=True)}) == len(set(clusters.tolist()))
