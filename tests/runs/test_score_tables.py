from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from reports import by_hand, corpora

import isogloss
from isogloss.report import text_formats
from isogloss.report.run_tables import build_tables
from isogloss.runs.run import Run
from isogloss.runs.score_tables import build_slice_tables, build_spread_tables

BY = {"genre": ["news", "web", "web"]}


def ner(prediction: Any = None, **more: Any) -> Run:
    reference = [["B-PER", "O"], ["B-LOC", "O"], ["O", "B-PER"]]
    return isogloss.ner(reference, prediction or [["B-PER", "O"], ["B-PER", "O"], ["O", "B-PER"]], by=BY, **more)


def test_slice_table_has_documents_and_ratios() -> None:
    (table,) = build_slice_tables([ner()])
    assert table.title == "By genre (strict)"
    assert [column.title for column in table.columns] == ["genre", "documents", "precision", "recall", "f1"]
    assert table.rows == (("news", 1, 1.0, 1.0, 1.0), ("web", 2, 0.5, 0.5, 0.5))
    (table,) = build_slice_tables([ner(confidence=0.9, resamples=20, interval="bootstrap")])
    assert (table.columns[-1].title, table.rows[0][-1]) == ("f1 90%", (1.0, 1.0))


def test_tables_name_f_with_other_beta() -> None:
    (slices,), (spreads,) = build_slice_tables([ner(beta=2)]), build_spread_tables([isogloss.ner(GOLD, SYSTEM, beta=2)])
    assert slices.columns[-1].title == "f"
    assert [row[0] for row in spreads.rows] == ["strict.f", "exact.f", "partial.f", "type.f"]


def test_slice_table_of_systems_has_main_score_of_each() -> None:
    perfect = ner([["B-PER", "O"], ["B-LOC", "O"], ["O", "B-PER"]])
    (table,) = build_slice_tables([ner(), perfect])
    assert table.title == "strict.f1 by genre"
    assert table.rows == (("news", 1, 1.0, 1.0), ("web", 2, 0.5, 1.0))


def test_slice_table_of_several_groups_names_them() -> None:
    scores = [{"a": 0.9, "b": 0.1}, {"a": 0.6, "b": 0.4}, {"a": 0.2, "b": 0.8}]
    run = isogloss.classification(["a", "b", "b"], scores, by=BY)
    (table,) = build_slice_tables([run])
    assert table.title == "By genre"
    heads = [column.title for column in table.columns]
    assert heads[:3] == ["genre", "documents", "overall.accuracy"]
    assert "roc auc.macro" in heads


def test_translation_languages_have_one_table() -> None:
    references = [
        {"id": f"Q{k}_0", "targets": [{"mention": "x"}], "target_locale": name} for k, name in enumerate("ab")
    ]
    run = isogloss.entity_translation(references, ["x", "y"], by=["language"])
    assert [table.title for table in build_tables([run])].count("By language") == 1


def test_run_without_slices_has_no_slice_table() -> None:
    run = isogloss.ner([["B-PER"]], [["B-PER"]])
    assert not [table for table in build_tables([run]) if table.columns[0].title == "genre"]


GOLD = [["B-PER"], ["B-LOC"], ["B-PER", "O"], ["O"]]
SYSTEM = [["B-PER"], ["B-PER"], ["B-PER", "O"], ["O"]]


def test_spread_table_has_standard_error_of_each_group() -> None:
    (table,) = build_spread_tables([isogloss.ner(GOLD, SYSTEM)])
    assert [column.title for column in table.columns] == ["score", "mean", "std", "se", "min", "max", "documents"]
    assert [row[0] for row in table.rows] == ["strict.f1", "exact.f1", "partial.f1", "type.f1"]
    std = math.sqrt((2 * (1 / 3) ** 2 + (2 / 3) ** 2) / 2)  # of 1, 0 and 1
    assert table.rows[0][1:] == pytest.approx((2 / 3, std, std / math.sqrt(3), 0, 1, 3))


def test_spread_table_of_systems_has_a_row_each() -> None:
    (table,) = build_spread_tables([isogloss.ner(GOLD, each) for each in (SYSTEM, GOLD)])
    assert table.title == "Over single documents (strict.f1)"
    assert table.columns[0].title == "system"
    assert [row[1] for row in table.rows] == pytest.approx([2 / 3, 1])


def test_every_task_has_a_spread_table() -> None:
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


def test_spread_json_may_lack_the_standard_error(tmp_path: Path) -> None:
    """The contract does not name it."""
    told = {"strict.f1": {"mean": 0.5, "std": 0.5, "min": 0, "max": 1, "documents": 2}}
    ((entry,),) = (corpus.entries for corpus in corpora(tmp_path / "runs.json", by_hand(per_document=told)))
    (table,) = build_spread_tables([entry.run])
    assert table.rows[0][1:3] == (0.5, 0.5)
    assert math.isnan(float(str(table.rows[0][3])))
