from __future__ import annotations

import math
from typing import Any

import pytest

import isogloss
from isogloss.runs.score_tables import ScoreTable
from isogloss.tasks.segmentation.tables import build_tables as build_task_tables

REFERENCE = [["ab", "c"], ["d", "e"]]
FIRST, SECOND = [["a", "b", "c"], ["d", "e"]], [["ab", "c"], ["de"]]


def found(*predictions: Any, **options: Any) -> dict[str, ScoreTable]:
    return {
        table.title: table
        for table in build_task_tables([isogloss.segmentation(REFERENCE, p, **options) for p in predictions])
    }


def test_word_sums_come_first() -> None:
    table = found(FIRST)["Sums over all samples"]
    assert [column.title for column in table.columns] == [
        "group",
        "precision",
        "recall",
        "f1",
        "correct",
        "predicted",
        "reference",
        "mean f1",
    ]
    assert table.rows[0][:-1] == ("word", 3 / 5, 3 / 4, 2 / 3, 3, 5, 4)
    assert table.rows[0][-1] == pytest.approx((2 / 5 + 1) / 2)
    assert [row[0] for row in table.rows] == ["word", "character", "boundary"]


def test_means_over_samples_have_a_table() -> None:
    (table,) = (table for title, table in found(FIRST).items() if title.startswith("Means over single samples"))
    row = next(row for row in table.rows if row[0] == "word.f1")
    assert row[1:] == pytest.approx((0.7, math.sqrt(0.18), 0.3, 0.4, 1.0, 2))  # of 2/5 and 1, with ddof 1


def test_kinds_are_counted() -> None:
    assert found(FIRST)["Words and errors"].rows == (("correct", 3), ("split", 1), ("merge", 0), ("shift", 0))


def test_vocabulary_adds_a_table() -> None:
    title = "Words out of and in the vocabulary"
    assert title not in found(FIRST)
    assert found(FIRST, vocabulary=["c"])[title].rows == (("oov", 2 / 3, 2, 3), ("iv", 1.0, 1, 1))


def test_systems_are_rows_of_one_table() -> None:
    table = found(FIRST, SECOND)["Sums over all samples (word; f1 of the others)"]
    assert [row[1:4] for row in table.rows] == [(3 / 5, 3 / 4, 2 / 3), (2 / 3, 1 / 2, 4 / 7)]
    assert [column.title for column in table.columns][4:] == ["character", "boundary", "mean f1"]
    assert [row[-1] for row in table.rows] == pytest.approx([0.7, 0.5])  # of 2/5 and 1, of 1 and 0


def test_f1_has_intervals_beside_it() -> None:
    table = found(FIRST, confidence=0.9, resamples=20)["Sums over all samples"]
    assert table.columns[4].title == "f1 90%"
    assert isinstance(table.rows[0][4], tuple)


def test_profile_has_its_own_groups() -> None:
    table = found(FIRST, profile="conll18")["Sums over all samples"]
    assert [row[0] for row in table.rows] == ["tokens", "sentences", "words"]
