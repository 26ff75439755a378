from __future__ import annotations

import math
from typing import Any

import pytest
from labelled import documents

from isogloss.kernel.tally import Tally
from isogloss.tasks.classification.metric import MultiLabel
from isogloss.tasks.classification.options import Averaging

# Given at 0.5: a, b | a | nothing | c. Right: a and b, a, nothing of b, c but not a.
GOLD: list[Any] = [["a", "b"], ["a"], ["b"], ["a", "c"]]
SCORES = [[0.9, 0.5, 0.1], [0.6, 0.4, 0.1], [0.0, 0.49, 0.0], [0.2, 0.1, 0.8]]


def numbers(metric: MultiLabel, gold: list[Any] = GOLD, scores: Any = SCORES, **more: Any) -> dict[Any, Any]:
    tally = Tally.from_counts(metric.count(documents(gold, scores, **more)))
    return {key: value.item() for key, value in metric.score(tally.sum_all()).items()}


def counts(found: dict[Any, Any], label: str) -> tuple[int, ...]:
    return tuple(found["by_label", label, "label", name] for name in ("tp", "fp", "fn", "tn"))


def test_a_label_is_given_from_the_threshold_on() -> None:
    found = numbers(MultiLabel())
    assert [counts(found, label) for label in "abc"] == [(2, 0, 1, 1), (1, 0, 1, 2), (1, 0, 0, 3)]


def test_each_label_can_have_a_threshold_of_its_own() -> None:
    found = numbers(MultiLabel(threshold=0.85, thresholds={"b": 0.4}))
    assert [counts(found, label) for label in "abc"] == [(1, 0, 2, 1), (2, 1, 0, 1), (0, 0, 1, 3)]


def test_a_document_is_correct_when_all_of_its_labels_are() -> None:
    found = numbers(MultiLabel())
    assert (found["overall", "correct"], found["overall", "total"], found["overall", "accuracy"]) == (2, 4, 0.5)


def test_micro_and_kinds_add_up_all_labels() -> None:
    found = numbers(MultiLabel())
    assert [found["micro", n] for n in ("precision", "recall", "f1")] == pytest.approx([1, 4 / 6, 8 / 10])
    assert {key[1]: n for key, n in found.items() if key[0] == "findings"} == {"correct": 4, "missed": 2, "spurious": 0}


def test_unknown_gold_leaves_a_label_out_for_the_document() -> None:
    gold = [{"a": 1, "b": 0, "c": -1}, {"a": -1, "b": -1, "c": 0}]
    found = numbers(MultiLabel(labels=("a", "b", "c")), gold, [[0.9, 0.9, 0.9], [0.9, 0.9, 0.9]])
    assert [counts(found, label) for label in "abc"] == [(1, 0, 0, 0), (0, 1, 0, 0), (0, 1, 0, 0)]


def test_unannotated_label_does_not_make_a_document_wrong() -> None:
    found = numbers(MultiLabel(), [{"a": 1, "b": -1, "c": 0}], [[0.9, 0.9, 0.1]])
    assert found["overall", "accuracy"] == 1


def test_a_label_without_any_count_is_scored_when_it_is_known() -> None:
    found = numbers(MultiLabel(labels=("z",)))
    assert counts(found, "z") == (0, 0, 0, 4)
    assert math.isnan(found["by_label", "z", "label", "f1"])
    assert found["macro", "label", "labels"] == 3


def test_labels_that_are_named_need_no_threshold() -> None:
    found = numbers(MultiLabel(), [["a"], ["b"]], None, labels=("a", "b"), chosen=[["a", "b"], []])
    assert [counts(found, label) for label in "ab"] == [(1, 0, 0, 1), (0, 1, 1, 0)]


def test_another_beta_weighs_recall() -> None:
    found = numbers(MultiLabel(averaging=Averaging(beta=0.5)))
    assert found["by_label", "a", "label", "f"] == pytest.approx(1.25 * 2 / (0.25 * 3 + 2))
