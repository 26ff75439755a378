"""The profile `spacy` without spaCy: figures worked out by hand from its formulas. tests/parity has spaCy itself."""

from __future__ import annotations

from typing import Any

import pytest

from isogloss import classification
from isogloss.errors import DataError, UsageError

# a is perfect, nobody has b: spaCy's macro ROC-AUC is (1 + 0) / 2.
GOLD = [["a"], []]
SCORES = [{"a": 0.9, "b": 0.6}, {"a": 0.2, "b": 0.1}]


def cats(gold: Any, scores: Any, **options: Any) -> dict[str, Any]:
    document = classification(gold, scores, profile="spacy", **options).to_dict()
    return {name.removeprefix("cats_"): value for name, value in document.items() if name.startswith("cats_")}


def test_undefined_areas_are_zero_in_means_and_null_by_label() -> None:
    found = cats(GOLD, SCORES)
    assert (found["macro_auc"], found["auc_per_type"]) == (0.5, {"a": 1.0, "b": None})
    assert (found["score"], found["score_desc"]) == (0.5, "macro AUC")


def test_ratios_without_anything_below_the_line_are_zero() -> None:
    found = cats(GOLD, SCORES)
    assert found["f_per_type"] == {"a": {"p": 1, "r": 1, "f": 1}, "b": {"p": 0, "r": 0, "f": 0}}
    assert [found[f"macro_{k}"] for k in "prf"] == [0.5, 0.5, 0.5]
    assert [found[f"micro_{k}"] for k in "prf"] == pytest.approx([0.5, 1, 2 / 3])


def test_the_numbers_of_the_run_are_those_of_spacy() -> None:
    run = classification(GOLD, SCORES, profile="spacy")
    assert run.scores["roc_auc"].macro == 0.5
    assert run.macro["label"].f1 == 0.5
    assert run.by_label["b"]["label"].precision == 0


def test_the_score_of_exclusive_labels_is_the_macro_f() -> None:
    found = cats(["a", "b"], SCORES)
    assert (found["score"], found["score_desc"]) == (found["macro_f"], "macro F")
    assert found["macro_f"] == pytest.approx((2 / 3 + 0) / 2)  # a is given twice, b never


def test_the_interval_of_the_macro_area_is_divided_likewise() -> None:
    gold = [["a"] if k % 2 else [] for k in range(40)]
    scores = [{"a": (k * 7 % 11) / 11 + 0.2 * (k % 2), "b": 0.1} for k in range(40)]
    options: dict[str, Any] = {"confidence": 0.9, "resamples": 10}
    theirs = classification(gold, scores, profile="spacy", **options).intervals["roc_auc.macro"]
    ours = classification(gold, scores, **options).intervals["roc_auc.macro"]
    assert theirs.method == "newcombe"
    assert [theirs.low, theirs.high] == pytest.approx([ours.low / 2, ours.high / 2])


@pytest.mark.parametrize(
    "options",
    [
        {"beta": 2.0},
        {"zero_division": 0},
        {"threshold": {"a": 0.3}},
        {"best_threshold": True},
        {"macro_over": "reference"},
    ],
)
def test_options_that_spacy_does_not_have_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="profile spacy supports one threshold"):
        cats(GOLD, SCORES, **options)


@pytest.mark.parametrize(("gold", "label"), [(GOLD, "a"), (["a", "b"], "c")])
def test_a_positive_label_is_one_of_two_that_exclude_each_other(gold: Any, label: str) -> None:
    with pytest.raises(UsageError, match="positive_label must be one of two"):
        cats(gold, SCORES, positive_label=label)


def test_labels_without_scores_cannot_be_scored_as_spacy_does() -> None:
    with pytest.raises(DataError, match="needs a score for each label"):
        cats(["a"], ["a"])
