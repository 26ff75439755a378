"""Scores over single documents: four documents whose F is 1, 0, 1 and undefined."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from reports import by_hand, corpora

import isogloss
from isogloss.report import text_formats
from isogloss.report.run_tables import build_tables
from isogloss.runs.score_tables import build_spread_tables

GOLD = [["B-PER"], ["B-LOC"], ["B-PER", "O"], ["O"]]
SYSTEM = [["B-PER"], ["B-PER"], ["B-PER", "O"], ["O"]]


def test_the_main_score_of_each_group_has_a_standard_error() -> None:
    (table,) = build_spread_tables([isogloss.ner(GOLD, SYSTEM)])
    assert [column.title for column in table.columns] == ["score", "mean", "std", "se", "min", "max", "documents"]
    assert [row[0] for row in table.rows] == ["strict.f1", "exact.f1", "partial.f1", "type.f1"]
    std = math.sqrt((2 * (1 / 3) ** 2 + (2 / 3) ** 2) / 2)  # of 1, 0 and 1
    assert table.rows[0][1:] == pytest.approx((2 / 3, std, std / math.sqrt(3), 0, 1, 3))


def test_several_systems_have_a_row_each_for_the_main_score() -> None:
    (table,) = build_spread_tables([isogloss.ner(GOLD, each) for each in (SYSTEM, GOLD)])
    assert table.title == "Over single documents (strict.f1)"
    assert table.columns[0].title == "system"
    assert [row[1] for row in table.rows] == pytest.approx([2 / 3, 1])


def test_a_weighted_f_stands_for_the_others() -> None:
    (table,) = build_spread_tables([isogloss.ner(GOLD, SYSTEM, beta=2)])
    assert [row[0] for row in table.rows] == ["strict.f", "exact.f", "partial.f", "type.f"]


def test_every_task_has_a_table_over_documents() -> None:
    runs = [
        isogloss.ner(GOLD, SYSTEM),
        isogloss.segmentation([["ab", "c"]], [["a", "bc"]]),
        isogloss.classification(["a", "b"], ["a", "a"]),
        isogloss.entity_translation([{"id": "Q1_0", "targets": [{"mention": "Duna"}]}], ["Duna"]),
        isogloss.code_switching(["це yes"], language="uk", splitter="terminators"),
    ]
    for run in runs:
        heads = [[column.title for column in table.columns] for table in build_tables([run])]
        assert [head[1:6] for head in heads if "se" in head] == [["mean", "std", "se", "min", "max"]], run.task
        assert "| mean | std | se |" in text_formats.format_runs_markdown([run])


def test_a_json_need_not_say_the_standard_error(tmp_path: Path) -> None:
    """The contract does not name it."""
    told = {"strict.f1": {"mean": 0.5, "std": 0.5, "min": 0, "max": 1, "documents": 2}}
    ((entry,),) = (corpus.entries for corpus in corpora(tmp_path / "runs.json", by_hand(per_document=told)))
    (table,) = build_spread_tables([entry.run])
    assert table.rows[0][1:3] == (0.5, 0.5)
    assert math.isnan(float(str(table.rows[0][3])))
