from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from translations import task, write

import isogloss
from isogloss import Run
from isogloss.report.run_tables import build_tables
from isogloss.runs.score_tables import SPREAD_TITLE, ScoreTable

TASKS = [
    task("Q1_0", "Duna", wikidata_id="Q1", entity_types=["Book"], target_locale="it"),
    task("Q2_0", "โรม", wikidata_id="Q2", entity_types=["Movie"], target_locale="th"),
]


def run(*answers: str, **options: Any) -> Run:
    return isogloss.entity_translation(TASKS, list(answers), **options)


def rows(found: list[ScoreTable], title: str) -> list[tuple[Any, ...]]:
    return next(list(table.rows) for table in found if table.title == title)


def heads(found: list[ScoreTable], title: str) -> list[str]:
    return next([column.title for column in table.columns] for table in found if table.title == title)


def test_single_run_has_language_type_and_kind_tables() -> None:
    found = build_tables([run("Duna", "x")])
    assert [table.title for table in found] == ["Overall", "By language", "By entity type", "Names", SPREAD_TITLE]
    assert rows(found, "Overall") == [("m-ETA, all sentences", 0.5), ("m-ETA, mean over languages", 0.5)]
    assert rows(found, "By language") == [("it", 1.0, 1, 1, 0), ("th", 0.0, 0, 1, 0)]
    assert rows(found, "By entity type") == [("Book", 1.0, 1, 1, 0), ("Movie", 0.0, 0, 1, 0)]
    assert rows(found, "Names") == [("correct", 1), ("missing", 0), ("wrong", 1)]


def test_comet_adds_columns_and_overall_means(tmp_path: Path) -> None:
    comet = write(tmp_path / "c.json", ['{"it": 50, "th": 90}'])
    found = build_tables([run("Duna", "x", comet=comet, comet_scale="0-100")])
    assert heads(found, "By language")[-2:] == ["comet", "harmonic mean"]
    names = [row[0] for row in rows(found, "Overall")]
    assert names[-3:] == ["comet", "mean of harmonic means", "harmonic mean of means"]


def test_overall_table_has_intervals() -> None:
    found = build_tables([run("Duna", "x", confidence=0.9, resamples=20)])
    assert "90%" in heads(found, "Overall")
    low, high = rows(found, "Overall")[0][2]
    assert 0 <= low <= high <= 1


def test_explained_run_has_boundary_and_entity_tables() -> None:
    found = build_tables([run("Duna", "x", explain=True)])
    assert rows(found, "Boundaries of the names that were found") == [("clear", 1), ("attached", 0), ("unspaced", 0)]
    assert rows(found, "Entities") == [("all right", 1), ("mixed", 0), ("all wrong", 1), ("entities", 2)]


def test_systems_are_shown_side_by_side() -> None:
    found = build_tables([run("Duna", "x"), run("Duna", "โรม")])
    assert [row[1:] for row in rows(found, "Systems")] == [(0.5, 0.5), (1.0, 1.0)]
    assert rows(found, "m-ETA by language") == [("it", 1.0, 1.0), ("th", 0.0, 1.0)]
    assert rows(found, "m-ETA by entity type") == [("Book", 1.0, 1.0), ("Movie", 0.0, 1.0)]


def test_skipped_language_is_named_in_a_note(tmp_path: Path) -> None:
    write(tmp_path / "c/it.jsonl", ['{"id": "Q1_0", "comet": 50}'])
    write(tmp_path / "c/th.jsonl", ['{"id": "Q9_9", "comet": 50}'])  # of no sentence
    one = run("Duna", "x", comet=tmp_path / "c", comet_scale="0-100")
    notes = [f"{mean} over 1 of 2 languages: undefined for th" for mean in ("comet", "mean of harmonic means")]
    assert list(build_tables([one])[0].notes) == notes
    two = build_tables([one, replace(one, system="b")])[0].notes
    assert list(two) == [f"{name}: {note}" for name in ("prediction", "b") for note in notes]
    assert build_tables([run("Duna", "x")])[0].notes == ()
