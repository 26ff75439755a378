from __future__ import annotations

from typing import Any

import isogloss
from isogloss.report.run_tables import build_tables
from isogloss.runs.run import Run
from isogloss.runs.score_tables import build_slice_tables

BY = {"genre": ["news", "web", "web"]}


def ner(prediction: Any = None, **more: Any) -> Run:
    reference = [["B-PER", "O"], ["B-LOC", "O"], ["O", "B-PER"]]
    return isogloss.ner(reference, prediction or [["B-PER", "O"], ["B-PER", "O"], ["O", "B-PER"]], by=BY, **more)


def test_a_column_has_a_table_with_its_values_documents_and_ratios() -> None:
    (table,) = build_slice_tables([ner()])
    assert table.title == "By genre (strict)"
    assert [column.title for column in table.columns] == ["genre", "documents", "precision", "recall", "f1"]
    assert table.rows == (("news", 1, 1.0, 1.0, 1.0), ("web", 2, 0.5, 0.5, 0.5))


def test_the_main_ratio_has_its_interval() -> None:
    (table,) = build_slice_tables([ner(confidence=0.9, resamples=20)])
    assert table.columns[-1].title == "f1 90%"
    assert table.rows[0][-1] == (1.0, 1.0)


def test_another_beta_has_another_name() -> None:
    (table,) = build_slice_tables([ner(beta=2)])
    assert table.columns[-1].title == "f"


def test_systems_stand_side_by_side_with_their_main_score() -> None:
    perfect = ner([["B-PER", "O"], ["B-LOC", "O"], ["O", "B-PER"]])
    (table,) = build_slice_tables([ner(), perfect])
    assert table.title == "strict.f1 by genre"
    assert table.rows == (("news", 1, 1.0, 1.0), ("web", 2, 0.5, 1.0))


def test_ratios_of_several_groups_are_named_with_theirs() -> None:
    scores = [{"a": 0.9, "b": 0.1}, {"a": 0.6, "b": 0.4}, {"a": 0.2, "b": 0.8}]
    run = isogloss.classification(["a", "b", "b"], scores, by=BY)
    (table,) = build_slice_tables([run])
    assert table.title == "By genre"
    heads = [column.title for column in table.columns]
    assert heads[:3] == ["genre", "documents", "overall.accuracy"]
    assert "roc auc.macro" in heads


def test_languages_of_translations_are_drawn_once() -> None:
    references = [
        {"id": f"Q{k}_0", "targets": [{"mention": "x"}], "target_locale": name} for k, name in enumerate("ab")
    ]
    run = isogloss.entity_translation(references, ["x", "y"], by=["language"])
    assert [table.title for table in build_tables([run])].count("By language") == 1


def test_without_slices_there_is_no_table_of_them() -> None:
    run = isogloss.ner([["B-PER"]], [["B-PER"]])
    assert not [table for table in build_tables([run]) if table.columns[0].title == "genre"]
