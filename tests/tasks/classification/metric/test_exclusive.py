from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from labelled import documents

from isogloss.kernel.sums import Sums
from isogloss.kernel.tally import Tally
from isogloss.tasks.classification.metric import SingleLabel, choose_label, find_ties
from isogloss.tasks.classification.options import Averaging

# Worked out by hand: a is given twice (once rightly), b once (rightly), c never; b is missed once, c once.
GOLD = ["a", "b", "b", "c"]
SCORES = [[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.5, 0.4, 0.1], [-math.inf] * 3]


def sums(metric: SingleLabel, gold: list[Any] = GOLD, scores: list[list[float]] = SCORES) -> Sums:
    return Tally.from_counts(metric.count(documents(gold, scores))).sum_all()


def numbers(metric: SingleLabel) -> dict[tuple[str, ...], float]:
    return {key: value.item() for key, value in metric.score(sums(metric)).items()}


def test_documents_with_the_same_label_on_both_sides_are_correct() -> None:
    found = numbers(SingleLabel())
    assert (found["overall", "correct"], found["overall", "total"], found["overall", "accuracy"]) == (2, 4, 0.5)


@pytest.mark.parametrize(
    ("label", "counts", "ratios"),
    [
        ("a", (1, 1, 0, 2, 1), (0.5, 1.0, 2 / 3)),
        ("b", (1, 0, 1, 2, 2), (1.0, 0.5, 2 / 3)),
        ("c", (0, 0, 1, 3, 1), (math.nan, 0.0, 0.0)),
    ],
)
def test_each_label_has_its_counts_and_ratios(label: str, counts: tuple[int, ...], ratios: tuple[float, ...]) -> None:
    found = numbers(SingleLabel())
    assert tuple(found["by_label", label, "label", n] for n in ("tp", "fp", "fn", "tn", "support")) == counts
    assert [found["by_label", label, "label", n] for n in ("precision", "recall", "f1")] == pytest.approx(
        ratios,
        nan_ok=True,
    )


def test_means_skip_what_is_undefined_and_say_how_many_they_used() -> None:
    found = numbers(SingleLabel())
    assert found["macro", "label", "precision"] == 0.75
    assert (found["macro", "label", "precision_labels"], found["macro", "label", "labels"]) == (2, 3)
    assert found["macro", "label", "recall"] == 0.5
    assert found["weighted", "label", "recall"] == pytest.approx((1 * 1 + 2 * 0.5 + 1 * 0) / 4)
    assert found["weighted", "label", "precision"] == pytest.approx((1 * 0.5 + 2 * 1) / 3)


def test_micro_adds_up_all_labels() -> None:
    found = numbers(SingleLabel())
    assert [found["micro", n] for n in ("precision", "recall", "f1")] == pytest.approx([2 / 3, 2 / 4, 4 / 7])


def test_kinds_say_what_became_of_each_document() -> None:
    found = numbers(SingleLabel())
    assert {key[1]: value for key, value in found.items() if key[0] == "findings"} == {
        "correct": 2,
        "wrong_label": 1,
        "missed": 1,
        "spurious": 0,
    }


def test_confusion_counts_pairs_of_labels() -> None:
    assert SingleLabel().confusion(sums(SingleLabel())) == {
        ("a", "a"): 1,
        ("b", "a"): 1,
        ("b", "b"): 1,
        ("c", None): 1,
    }


def test_unlabelled_document_given_no_label_is_correct() -> None:
    metric = SingleLabel()
    found = metric.score(sums(metric, [[], "a"], [[-math.inf], [1.0]]))
    assert found["overall", "correct"] == 2
    assert found["micro", "recall"] == 1
    assert found["by_label", "a", "label", "tn"] == 1


def test_zero_division_fills_ratios_but_adds_no_label_to_means() -> None:
    metric = SingleLabel(labels=("a", "b", "c", "z"), averaging=Averaging(zero_division=1.0))
    found = numbers(metric)
    assert found["by_label", "c", "label", "precision"] == 1.0
    assert found["by_label", "z", "label", "recall"] == 1.0
    assert found["macro", "label", "precision"] == pytest.approx((0.5 + 1 + 1) / 3)
    assert found["macro", "label", "labels"] == 3


def test_means_can_run_over_the_labels_of_the_reference() -> None:
    metric = SingleLabel(averaging=Averaging(macro_over="reference"))
    found = metric.score(sums(metric, ["a", "a"], [[1.0, 0.0], [0.0, 1.0]]))
    assert found["macro", "label", "recall"] == 0.5
    assert found["macro", "label", "labels"] == 1


def test_another_beta_has_another_name() -> None:
    found = numbers(SingleLabel(averaging=Averaging(beta=2.0)))
    assert found["by_label", "b", "label", "f"] == pytest.approx(5 * 1 / (4 * 2 + 1))
    assert found["micro", "beta"] == 2
    assert ("micro", "f1") not in found


def test_tied_scores_choose_the_first_label_by_name() -> None:
    batch = documents(["a", "b"], [[0.5, 0.5, 0.0], [0.1, 0.2, 0.2]], labels=("b", "a", "c"))
    assert choose_label(batch).tolist() == [1, 1]
    assert choose_label(batch, first_column=True).tolist() == [0, 1]
    assert find_ties(batch).tolist() == [True, True]


def test_documents_without_any_score_are_not_tied() -> None:
    batch = documents(["a", "a"], [[-math.inf, -math.inf], [0.3, 0.3]], labels=("a", "b"))
    assert find_ties(batch).tolist() == [False, True]


def test_labels_that_are_named_are_taken_as_they_are() -> None:
    batch = documents(["a", "b", "b"], None, labels=("a", "b"), chosen=["b", "b", None])
    assert choose_label(batch).tolist() == [1, 1, -1]
    assert not find_ties(batch).any()


def test_scores_of_resamples_have_a_leading_axis() -> None:
    metric = SingleLabel()
    tally = Tally.from_counts(metric.count(documents(GOLD, SCORES)))
    found = metric.score(tally.build_summer().sum_documents(np.array([[1] * len(tally.times), [2] * len(tally.times)])))
    assert found["overall", "accuracy"].tolist() == [0.5, 0.5]
    assert found["overall", "total"].tolist() == [4, 8]
