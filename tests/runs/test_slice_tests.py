"""Slices are tested against the other documents of their run."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
import pytest

import isogloss
from isogloss.runs.run import Run
from isogloss.runs.slice_tests import SliceTest, compare_slices

HITS, MISSES = [["B-PER"]], [["O"]]


def score(sizes: dict[str, tuple[int, int]], **options: Any) -> Run:
    """A run of one-word documents: right and all documents by genre."""
    genres = [genre for genre, (_, number) in sizes.items() for _ in range(number)]
    rights = [k < right for right, number in sizes.values() for k in range(number)]
    predicted = [["B-PER"] if right else ["O"] for right in rights]
    by = {"genre": genres, **options.pop("by", {})}
    return isogloss.ner([["B-PER"]] * len(genres), predicted, by=by, **options).ensure_documents()


def find_p_values(tests: list[SliceTest]) -> dict[str, tuple[float, float]]:
    return {each.value: (each.p, each.p_holm) for each in tests}


def test_recall_of_a_slice_is_tested_against_the_other_documents() -> None:
    run = score({"news": (20, 60), "web": (90, 100), "talk": (50, 60)})
    tests = compare_slices(run, "strict.recall")
    assert {each.value: each.rest for each in tests} == {
        "news": pytest.approx(140 / 160),
        "web": pytest.approx(70 / 120),
        "talk": pytest.approx(110 / 160),
    }
    plain = {name: p for name, (p, _) in find_p_values(tests).items()}
    ordered = sorted(plain, key=lambda name: plain[name])
    least, expected = 0.0, {}
    for rank, name in enumerate(ordered):
        least = expected[name] = max(least, min(1.0, (3 - rank) * plain[name]))
    assert {name: p for name, (_, p) in find_p_values(tests).items()} == pytest.approx(expected)


def test_p_value_of_proportions_is_near_fishers() -> None:
    """Fisher's exact test is another test of the same hypothesis."""
    stats = pytest.importorskip("scipy.stats", reason="needs scipy")
    for right in (20, 24, 28):
        run = score({"news": (right, 40), "web": (32, 40)})
        p, corrected = find_p_values(compare_slices(run, "strict.recall"))["news"]
        assert p == corrected
        exact = stats.fisher_exact([[right, 40 - right], [32, 8]]).pvalue
        assert 0.3 * exact < p < 1.5 * exact


def test_both_values_of_a_column_have_the_same_test() -> None:
    tests = compare_slices(score({"news": (20, 60), "web": (90, 100)}), "strict.f1")
    assert tests[0].p == pytest.approx(tests[1].p)
    assert tests[0].p_holm == tests[0].p


def test_slices_that_share_a_cluster_are_not_tested() -> None:
    books = [str(k // 10) for k in range(120)]  # the sixth has documents of news and of web
    sizes = {"news": (20, 55), "web": (10, 15), "talk": (10, 50)}
    run = score(sizes, by={"book": books}, unit="book")
    found = {each.value: each.p for each in compare_slices(run, "strict.recall") if each.column == "genre"}
    assert {name for name, p in found.items() if isnan(p)} == {"news", "web"}
    assert 0 < found["talk"] < 1


def test_slices_of_spans_are_not_tested() -> None:
    run = isogloss.ner([["B-PER", "I-PER", "B-LOC"]] * 20, [["B-PER", "O", "B-LOC"]] * 20, by=["entity_length"])
    assert "entity_length" in run.slices
    assert compare_slices(run.ensure_documents(), "strict.f1") == []


def test_area_of_a_slice_is_tested_with_newcombes_interval() -> None:
    rng = np.random.default_rng(5)
    gold, genres = [k % 2 for k in range(400)], [("web", "news")[k % 4 // 2] for k in range(400)]
    raised = [own * (2.0 if genre == "news" else 0.2) for own, genre in zip(gold, genres, strict=True)]
    scores = [{"yes": float(1 / (1 + np.exp(-rng.normal(own))))} for own in raised]
    reference = [["yes"] if own else [] for own in gold]
    run = isogloss.classification(reference, scores, multi_label=True, by={"genre": genres})
    tests = compare_slices(run.ensure_documents(), "roc_auc.macro")
    values = {each.value: run.score(f"slices.genre.{each.value}.roc_auc.macro") for each in tests}
    assert {each.value: each.rest for each in tests} == pytest.approx({"news": values["web"], "web": values["news"]})
    assert tests[0].p < 0.001


@pytest.mark.parametrize("better", [0.0, 0.06])
def test_micro_f1_of_several_labels_has_about_the_p_value_of_a_permutation(better: float) -> None:
    rng = np.random.default_rng(3)
    news = np.arange(200) < 80
    gold = rng.random((200, 3)) < (0.6, 0.3, 0.1)  # (documents, labels)
    predicted = gold ^ (rng.random((200, 3)) > (0.8 + better * news)[:, None])
    names = [[["a", "b", "c"][k] for k in np.flatnonzero(row)] for row in np.concatenate([gold, predicted])]
    by = {"genre": ["news" if own else "web" for own in news]}
    run = isogloss.classification(names[:200], names[200:], multi_label=True, by=by).ensure_documents()
    counts = np.stack([2 * (gold & predicted).sum(axis=1), gold.sum(axis=1) + predicted.sum(axis=1)])  # (2, documents)

    def subtract(chosen: Any) -> float:
        (hits, all_hits), (spans, all_spans) = ((own[chosen].sum(), own.sum()) for own in counts)
        return abs(float(hits / spans - (all_hits - hits) / (all_spans - spans)))

    trials = [subtract(rng.permutation(news)) >= subtract(news) for _ in range(4000)]
    p, corrected = find_p_values(compare_slices(run, "micro.f1"))["news"]
    assert p == corrected
    assert 0.5 < p / np.mean(trials) < 2.5
