from __future__ import annotations

from dataclasses import replace
from typing import Any

from isogloss import classification
from isogloss.report.run_tables import build_tables
from isogloss.runs.score_tables import ScoreTable

GOLD = ["a", "b", "b", "c"]
SCORES = [
    {"a": 0.9, "b": 0.1, "c": 0.0},
    {"a": 0.2, "b": 0.8, "c": 0.0},
    {"a": 0.6, "b": 0.3, "c": 0.1},
    {"a": 0.1, "b": 0.2, "c": 0.7},
]


def of(title: str, *runs: Any) -> ScoreTable:
    return next(table for table in build_tables(runs) if table.title.startswith(title))


def titles(table: ScoreTable) -> list[str]:
    return [column.title for column in table.columns]


def test_overall_table_has_a_row_per_mean() -> None:
    table = of("Overall", classification(GOLD, SCORES))
    assert titles(table) == ["over labels", "accuracy", "precision", "recall", "f1", "ROC-AUC", "AP"]
    assert [row[0] for row in table.rows] == ["micro", "macro (3)", "weighted (3)"]
    assert [row[1] for row in table.rows] == [0.75, None, None]
    assert table.rows[0][2:5] == (0.75, 0.75, 0.75)


def test_label_table_has_counts() -> None:
    table = of("By label", classification(GOLD, SCORES))
    assert titles(table) == ["label", "precision", "recall", "f1", "ROC-AUC", "AP", "support", "tp", "fp"]
    assert [(row[0], *row[-3:]) for row in table.rows] == [("a", 1, 1, 1), ("b", 2, 1, 0), ("c", 1, 1, 0)]


def test_label_table_has_best_thresholds_if_computed() -> None:
    table = of("By label", classification(GOLD, SCORES, best_threshold=True))
    assert titles(table)[6:8] == ["best threshold", "best f1"]
    assert table.rows[1][6:8] == (0.3, 1.0)


def test_tables_have_intervals_beside_ratios() -> None:
    run = classification(GOLD * 5, SCORES * 5, confidence=0.9, resamples=20)
    assert titles(of("Overall", run)) == [
        "over labels",
        "accuracy",
        "90%",
        "precision",
        "recall",
        "f1",
        "90%",
        "ROC-AUC",
        "90%",
        "AP",
        "90%",
    ]
    interval = run.intervals["by_label.b.ranking.roc_auc"]
    assert of("By label", run).rows[1][6] == (interval.low, interval.high)


def test_confusion_table_is_for_few_labels_only() -> None:
    table = of("Confusion", classification(GOLD, [*SCORES[:3], {}]))
    assert titles(table) == ["reference", "a", "b", "c", "none"]
    assert table.rows == (("a", 1, 0, 0, 0), ("b", 1, 1, 0, 0), ("c", 0, 0, 0, 1), ("none", 0, 0, 0, 0))
    many = [f"label {k}" for k in range(20)]
    assert not [t for t in build_tables([classification(many, many)]) if t.title.startswith("Confusion")]


def test_labels_without_scores_have_no_areas() -> None:
    run = classification(GOLD, ["a", "b", "a", "c"])
    assert titles(of("Overall", run)) == ["over labels", "accuracy", "precision", "recall", "f1"]
    assert titles(of("By label", run)) == ["label", "precision", "recall", "f1", "support", "tp", "fp"]


def test_system_table_has_a_row_per_system() -> None:
    one, two = classification(GOLD, SCORES), classification(GOLD, ["a", "b", "b", "c"])
    table = of("Systems", one, two)
    assert titles(table) == ["system", "accuracy", "micro f1", "macro f1", "ROC-AUC", "AP"]
    assert [row[1] for row in table.rows] == [0.75, 1.0]
    assert table.rows[1][4:] == (None, None)
    assert [row[0] for row in of("f1 by label", one, two).rows] == ["a", "b", "c"]


def test_spacy_profile_has_no_accuracy() -> None:
    run = classification(GOLD, SCORES, profile="spacy")
    assert titles(of("Overall", run)) == ["over labels", "precision", "recall", "f1", "ROC-AUC"]
    assert [row[0] for row in of("Overall", run).rows] == ["micro", "macro"]


def test_skipped_labels_are_named_in_a_note() -> None:
    scores = [{**own, "d": 0.0} for own in SCORES]
    assert of("Overall", classification(GOLD, scores)).notes == (
        "macro and weighted ROC-AUC over 3 of 4 labels: undefined for d",
        "macro and weighted AP over 3 of 4 labels: undefined for d",
    )
    assert of("Overall", classification(["a", "b"], ["a", "a"])).notes == (
        "macro and weighted precision over 1 of 2 labels: undefined for b",
    )
    assert of("Overall", classification(GOLD, scores, profile="spacy")).notes == ()  # undefined counts as 0


def test_differing_label_numbers_of_systems_are_noted() -> None:
    runs = [
        replace(classification(["a", "b"], own), system=name) for own, name in ((["a", "b"], "x"), (["a", "c"], "y"))
    ]
    assert of("Systems", *runs).notes == ("macro and weighted f1 over 2 labels: x; over 3 labels: y",)
