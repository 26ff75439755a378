from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss import classification
from isogloss.errors import DataError, UsageError
from isogloss.records.sources import Source
from isogloss.tasks.classification.ranking import compute_curves, curves_to_dict

GOLD = ["a", "b", "b"]
SCORES = [{"a": 0.9, "b": 0.1}, {"a": 0.2, "b": 0.8}, {"a": 0.6, "b": 0.4}]
ROWS = '{"gold": "a", "scores": {"a": 0.9, "b": 0.1}}\n{"gold": "b", "scores": {"a": 0.2, "b": 0.8}}\n'


def codes(run: Any) -> list[str]:
    return [notice.code for notice in run.warnings]


def test_one_label_per_document_means_exclusive_labels() -> None:
    run = classification(GOLD, SCORES)
    assert run.scores["overall"].correct == 2
    assert run.confusion == {("a", "a"): 1, ("b", "a"): 1, ("b", "b"): 1}
    assert codes(run) == ["labels-detected"]
    assert "|labels:exclusive|" in str(run.signature)


def test_lists_of_labels_mean_that_a_document_may_have_several() -> None:
    run = classification([["a"], ["b"], ["b"]], SCORES, threshold=0.3)
    assert run.by_label["a"]["label"].fp == 1
    assert run.by_label["b"]["label"].fn == 0
    assert run.confusion == {}
    assert "|labels:multiple|threshold:0.3|" in str(run.signature)


def test_multi_label_option_overrides_the_detected_mode() -> None:
    exclusive = classification([[label] for label in GOLD], SCORES, multi_label=False)
    assert exclusive.to_dict()["scores"] == classification(GOLD, SCORES).to_dict()["scores"]
    assert codes(exclusive) == []
    several = classification(GOLD, SCORES, multi_label=True)
    assert "|labels:multiple|" in str(several.signature)


def test_unnamed_labels_are_negative_if_labels_are_exclusive() -> None:
    run = classification([{"a": 1}, {"b": 1}, {"b": 1}], SCORES, multi_label=False)
    assert run.to_dict()["by_label"] == classification(GOLD, SCORES).to_dict()["by_label"]


def test_documents_with_several_labels_do_not_exclude_each_other() -> None:
    with pytest.raises(DataError, match=r"^gold\[1\]: 1 documents have several labels"):
        classification([["a"], ["a", "b"]], SCORES[:2], multi_label=False)


def test_labels_alone_have_no_ranking_and_no_curves() -> None:
    run = classification(GOLD, ["a", "b", "a"], confidence=0.9, resamples=10)
    assert run.scores["overall"].correct == 2
    assert "roc_auc" not in run.scores
    assert "delong" not in str(run.signature)
    with pytest.raises(UsageError, match="no scores, so there are no curves"):
        compute_curves(run)


def test_a_label_is_scored_everywhere_also_where_it_never_occurs() -> None:
    run = classification(["a", "a"], [{"a": 0.9, "z": 0.1}, {"a": 0.9, "z": 0.2}])
    assert run.by_label["z"]["label"].tn == 2
    assert math.isnan(run.by_label["z"]["ranking"].roc_auc)
    assert "ranking-undefined" in codes(run)


def test_missing_and_tied_values_give_warnings() -> None:
    gold = [{"a": 1, "b": None}, {"a": 0, "b": 1}]
    run = classification(gold, [{"a": 0.5}, {"a": 0.4, "b": 0.2}])
    assert {n.code: (n.count, n.where) for n in run.warnings if n.where} == {
        "scores-missing": (1, "scores[0]"),
        "gold-unsaid": (1, "gold[0]"),
    }
    tied = classification(["a", "b"], [{"b": 0.5, "a": 0.5}, {"a": 0.2, "b": 0.8}])
    assert [(n.code, n.count, n.where) for n in tied.warnings][1:] == [("scores-tied", 1, "scores[0]")]
    assert tied.scores["overall"].accuracy == 1


def test_areas_have_intervals_of_newcombe() -> None:
    generator = np.random.default_rng(1)
    gold = generator.choice(["a", "b", "c"], 120).tolist()
    scores = generator.normal(size=(120, 3)) + np.array([[label == other for other in "abc"] for label in gold])
    run = classification(gold, scores, labels=["a", "b", "c"], confidence=0.95, resamples=100)
    method = {name: interval.method for name, interval in run.intervals.items()}
    assert {name for name, how in method.items() if how == "newcombe"} == {
        "roc_auc.macro",
        "roc_auc.weighted",
        "roc_auc.micro",
        *(f"by_label.{label}.ranking.roc_auc" for label in "abc"),
    }
    for name in (
        "overall.accuracy",
        "macro.label.f1",
        "average_precision.macro",
        "by_label.a.ranking.average_precision",
    ):
        assert run.intervals[name].low < run.score(name) < run.intervals[name].high


def test_a_label_of_one_document_has_an_interval() -> None:
    generator = np.random.default_rng(2)
    gold = [["rare"] if k == 0 else ["a"] if k % 2 else [] for k in range(50)]
    scores = [{"rare": float(generator.random()), "a": float(generator.random())} for _ in gold]
    run = classification(gold, scores, confidence=0.9, resamples=50)
    label, mean = (run.intervals[name] for name in ("by_label.rare.ranking.roc_auc", "roc_auc.macro"))
    assert label.low < mean.low < run.score("roc_auc.macro") < mean.high < label.high


def test_best_threshold_is_given_only_with_its_option() -> None:
    assert "best" not in classification(GOLD, SCORES).by_label["a"]
    best = classification(GOLD, SCORES, best_threshold=True).by_label["b"]["best"]
    assert dict(best) == {"threshold": 0.4, "precision": 1, "recall": 1, "f1": 1}


def test_thresholds_of_labels_stand_beside_the_usual_one() -> None:
    run = classification([["a"], [], ["a", "b"]], SCORES, threshold={"b": 0.4})
    assert (run.by_label["b"]["label"].tp, run.by_label["a"]["label"].tp) == (1, 2)
    assert "|threshold:0.5,b=0.4|" in str(run.signature)


def test_findings_are_the_wrong_labels() -> None:
    run = classification(GOLD, SCORES, findings=True)
    (row,) = run.to_dict()["findings"]["rows"]
    assert row["kind"] == "wrong_label"
    assert (row["document"], row["where"], row["scores"]) == ("3", "scores[2]", {"b": 0.4, "a": 0.6})
    assert run.kinds == {"correct": 2, "wrong_label": 1, "missed": 0, "spurious": 0}


def test_findings_of_later_blocks_keep_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.tasks.classification.inputs.BLOCK", 2)
    run = classification(GOLD, SCORES, findings=True)
    assert [finding.where for finding in run.findings] == ["scores[2]"]
    assert run.scores["overall"].total == 3


def test_files_are_read_with_their_digests(tmp_path: Path) -> None:
    path = tmp_path / "scores"
    path.write_text(ROWS, encoding="utf-8")
    run = classification(path)
    assert [entry.role for entry in run.inputs] == ["reference", "prediction"]
    assert all(len(entry.sha256) == 64 for entry in run.inputs)
    assert classification(Source(path)).scores["overall"].accuracy == 1
    assert run.system == str(path)


def test_curves_are_plain_values_and_null_where_undefined() -> None:
    document = curves_to_dict(classification([["a"], [], []], [{"a": 0.9, "b": 0.1}] * 3))
    roc = document["curves"]["a"]["roc"]
    assert roc == {
        "false_positive_rate": [0, 1],
        "true_positive_rate": [0, 1],
        "threshold": [None, 0.9],
        "moved": 0.0,
    }
    assert document["curves"]["b"] == {"roc": None, "precision_recall": None}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 0.3}, "labels exclude each other"),
        ({"threshold": {"a": 0.3}}, "labels exclude each other"),
        ({"threshold": math.nan}, "threshold must be a number, got nan"),
        ({"beta": 0}, "beta must be a number above 0, such as 2, or inf for recall; got 0"),
        ({"zero_division": 2}, "zero_division must be 0, 1 or left out, got 2"),
        ({"positive_label": "a"}, "has no effect without the profile spacy"),
        ({"profile": "spcy"}, "Unknown profile 'spcy'; did you mean spacy"),
        ({"labels": ["a", "b"]}, "neither side is an array"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        classification(GOLD, SCORES, **options)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((GOLD,), {}, "Give the scores beside the gold"),
        (("gold", SCORES), {}, "a path and a list"),
        ((GOLD, "scores"), {}, "a path and a list"),
        (("gold", "scores"), {"labels": ["a"]}, "files name their labels themselves"),
    ],
)
def test_arguments_that_cannot_be_meant_are_refused(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        classification(*arguments, **options)
