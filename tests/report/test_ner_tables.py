from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from isogloss.report.run_tables import build_tables
from isogloss.runs.run import Run
from isogloss.runs.score_tables import (
    SPREAD_TITLE,
    ScoreTable,
    TableCell,
    TableColumn,
    format_cell,
    shorten_system_names,
)
from isogloss.tasks.ner.scoring import ner

GOLD = [["B-PER", "O", "B-ORG", "I-ORG"], ["B-PER", "O"]]
FIRST = [["B-PER", "O", "B-ORG", "O"], ["O", "B-LOC"]]
SECOND = [["B-PER", "O", "B-ORG", "I-ORG"], ["O", "O"]]


def by_title(*runs: Run) -> dict[str, ScoreTable]:
    return {table.title: table for table in build_tables(runs)}


def named(run: Run, system: str) -> Run:
    return replace(run, system=system)


def titles(table: ScoreTable) -> list[str]:
    return [column.title for column in table.columns]


def rows(table: ScoreTable) -> dict[object, tuple[object, ...]]:
    return {row[0]: row[1:] for row in table.rows}


@pytest.mark.parametrize(
    ("cell", "undefined", "text"),
    [
        (1 / 3, "–", "0.3333"),
        (1.0, "–", "1.0000"),
        (math.nan, "–", "–"),
        (math.nan, "-", "-"),
        (1234567, "–", "1,234,567"),
        ((0.12345, 0.98765), "–", "0.123–0.988"),
        ((0.25, 0.5), "--", "0.250--0.500"),
        ((math.nan, math.nan), "–", "–"),
        ("PER", "–", "PER"),
        (None, "–", ""),
    ],
)
def test_cell_is_formatted_by_its_type(cell: TableCell, undefined: str, text: str) -> None:
    assert format_cell(cell, undefined) == text


def test_row_with_wrong_number_of_cells_is_refused() -> None:
    with pytest.raises(ValueError, match="has 2 cells"):
        ScoreTable("Title", (TableColumn("a"), TableColumn("b")), (("x", "y"), ("z",)))


def test_single_run_has_all_tables() -> None:
    assert list(by_title(ner(GOLD, FIRST))) == ["Overall", "By label (strict)", "Spans", "Other", SPREAD_TITLE]


def test_overall_table_has_a_row_per_schema() -> None:
    run = ner(GOLD, FIRST)
    table = by_title(run)["Overall"]
    assert titles(table) == ["schema", "precision", "recall", "f1", "correct", "incorrect", "partial"]
    # PER is right, ORG has a wrong boundary, PER is missed, LOC is spurious: partial has a credit of 3/2 of 3
    assert rows(table)["strict"] == (1 / 3, 1 / 3, 1 / 3, 1, 1, 0)
    assert rows(table)["partial"] == (0.5, 0.5, 0.5, 1, 0, 1)
    assert list(rows(table)) == ["strict", "exact", "partial", "type"]


def test_label_table_has_both_sides_and_means() -> None:
    table = by_title(ner(GOLD, FIRST))["By label (strict)"]
    assert titles(table) == ["label", "precision", "recall", "f1", "reference", "predicted"]
    assert list(rows(table)) == ["LOC", "ORG", "PER", "macro (3)", "weighted (3)"]
    assert rows(table)["PER"] == (1.0, 0.5, pytest.approx(2 / 3), 2, 1)
    assert rows(table)["macro (3)"][-2:] == (None, None)


MANY = [[f"B-L{k:02}" for k in range(30)]]
OTHER = [["O", "O", "B-LOC", "O"], ["O", "O"]]


@pytest.mark.parametrize(
    ("gold", "system", "options", "note"),
    [  # ORG is predicted, though wrong; LOC is not in the reference
        (GOLD, FIRST, {}, "recall over 2 of 3 labels: undefined for LOC"),
        (FIRST, GOLD, {}, "precision over 2 of 3 labels: undefined for LOC"),
        (GOLD, OTHER, {"macro_over": "reference"}, "precision over 0 of 2 labels: undefined for ORG, PER"),
        (
            MANY,
            [["B-L00", *["O"] * 29]],
            {},
            f"precision over 1 of 30 labels: undefined for {', '.join(f'L{k:02}' for k in range(1, 11))}, …",
        ),
        (GOLD, FIRST, {"zero_division": 0}, None),
        (GOLD, FIRST, {"profile": "seqeval"}, None),
        (GOLD, FIRST, {"macro_over": "reference"}, None),
    ],
)
def test_labels_that_means_skip_are_named_in_a_note(
    gold: Any, system: Any, options: dict[str, Any], note: str | None
) -> None:
    notes = by_title(ner(gold, system, **options))["By label (strict)"].notes
    assert notes == (() if note is None else (f"macro and weighted {note}",))


def test_differing_label_numbers_of_systems_are_noted() -> None:
    runs = [named(ner(GOLD, own), f"out/{name}") for own, name in ((FIRST, "a"), (SECOND, "b"), (FIRST, "c"))]
    note = "macro and weighted f1 over 3 labels: a, c; over 2 labels: b"
    assert by_title(*runs)["f1 by label (strict)"].notes == (note,)
    assert by_title(runs[0], runs[2])["f1 by label (strict)"].notes == ()


def test_run_without_labels_has_empty_means() -> None:
    assert list(rows(by_title(ner([["O"]], [["O"]]))["By label (strict)"])) == ["macro (0)", "weighted (0)"]


def test_spans_have_no_token_table() -> None:
    assert "Other" not in by_title(ner([[(0, 1, "PER")]], [[]]))


def test_intervals_have_their_own_column() -> None:
    run = ner(GOLD, FIRST, confidence=0.9, resamples=20)
    found = by_title(run)
    interval = run.intervals["strict.f1"]
    assert titles(found["Overall"])[4] == "f1 90%"
    assert rows(found["Overall"])["strict"][3] == (interval.low, interval.high)
    of_label = run.intervals["by_label.PER.strict.f1"]
    assert rows(found["By label (strict)"])["PER"][3] == (of_label.low, of_label.high)


def test_ratio_with_other_beta_is_named_f() -> None:
    found = by_title(ner(GOLD, FIRST, beta=2))
    assert titles(found["Overall"])[:4] == ["schema", "precision", "recall", "f"]
    assert "f by label (strict)" in by_title(ner(GOLD, FIRST, beta=2), ner(GOLD, SECOND, beta=2))


def test_systems_are_shown_side_by_side() -> None:
    runs = named(ner(GOLD, FIRST), "out/a"), named(ner(GOLD, SECOND), "out/b")
    found = by_title(*runs)
    systems = found["Systems (strict; f1 of the other schemas)"]
    assert titles(systems) == ["system", "precision", "recall", "f1", "exact", "partial", "type"]
    assert [row[0] for row in systems.rows] == ["a", "b"]
    assert rows(found["Spans"])["missed"] == (1, 1)
    uncounted = [ner(GOLD, system, profile="conlleval") for system in (FIRST, SECOND)]
    assert "Spans" not in by_title(*uncounted)


def test_labels_of_any_system_are_rows() -> None:
    labels = rows(by_title(ner(GOLD, FIRST), ner(GOLD, SECOND))["f1 by label (strict)"])
    assert list(labels) == ["LOC", "ORG", "PER", "macro", "weighted"]
    assert labels["LOC"] == (0.0, None)  # the second system has never heard of it
    assert labels["ORG"] == (0.0, 1.0)


def test_every_profile_has_tables() -> None:
    for profile in ["seqeval", "conlleval", "seqscore", "nervaluate", "spacy"]:
        run = ner(GOLD, FIRST, profile=profile)
        assert rows(by_title(run)["Overall"])["strict"][0] == run.scores["strict"].precision
        assert build_tables([run, run])


def test_profile_without_schemas_shows_spans_of_both_sides() -> None:
    table = by_title(ner(GOLD, FIRST, profile="conlleval"))["Overall"]
    assert titles(table) == ["schema", "precision", "recall", "f1", "correct", "reference", "predicted"]
    assert rows(table)["strict"][3:] == (1, 3, 3)


def test_shared_folders_are_removed_from_system_names() -> None:
    for systems, names in [
        (["out/a.conll"], ["a.conll"]),
        (["out/a.conll", "out/b.conll"], ["a.conll", "b.conll"]),
        (["a/pred", "b/pred"], ["a/pred", "b/pred"]),
        (["out/a/pred", "out/b/pred"], ["a/pred", "b/pred"]),
        (["out/pred", "out/pred"], ["pred", "pred"]),
        (["/pred", "pred"], ["/pred", "pred"]),
    ]:
        assert shorten_system_names([named(ner([["O"]], [["O"]]), system) for system in systems]) == names
