# the texts are in many scripts
from __future__ import annotations

import io
from typing import Any

import isogloss
from isogloss.report.terminal import open_console, print_runs
from isogloss.runs.run import Run
from isogloss.runs.score_tables import ScoreTable
from isogloss.tasks.code_switching.tables import build_tables as build_task_tables

FIRST = ["Слово word.", "Кiев «так» «word» λέξη", "Ні"]
SECOND = ["Слово.", "Ще."]
UNITS = "Broken: strict, and with names and the like excused"


def scored(texts: list[str], **options: Any) -> Run:
    return isogloss.code_switching(texts, **{"language": "uk", "splitter": "terminators", **options})


def found(*runs: Run) -> dict[str, ScoreTable]:
    return {table.title: table for table in build_task_tables(runs)}


def titles(table: ScoreTable) -> list[str]:
    return [column.title for column in table.columns]


def test_unit_table_has_strict_and_excused_rates() -> None:
    table = found(scored(FIRST))[UNITS]
    assert titles(table) == ["unit", "strict", "excused", "strict count", "excused count", "total"]
    assert table.rows == (
        ("words", 4 / 7, 3 / 7, 4, 3, 7),
        ("sentences", 2 / 3, 2 / 3, 2, 2, 3),
        ("texts", 2 / 3, 2 / 3, 2, 2, 3),
    )


def test_profile_without_strict_rates_has_no_strict_column() -> None:
    table = found(scored(FIRST, profile="pnacos"))["Broken, with names and the like excused"]
    assert titles(table) == ["unit", "excused", "excused count", "total"]


def test_rates_have_intervals_beside_them() -> None:
    table = found(scored(FIRST, confidence=0.9, resamples=9))[UNITS]
    assert titles(table)[1:5] == ["strict", "strict 90%", "excused", "excused 90%"]
    assert all(isinstance(row[at], tuple) for row in table.rows for at in (2, 4))


def test_excused_reasons_and_kinds_are_counted() -> None:
    tables = found(scored(FIRST))
    assert tables["Words excused by"].rows == (("quotation", 1),)
    assert ("homoglyph", 1) in tables["Foreign words by kind"].rows


def test_run_without_excused_words_has_no_excuse_table() -> None:
    assert "Words excused by" not in found(scored(SECOND))


def test_each_score_group_has_a_table() -> None:
    tables = found(scored(FIRST, identifier=lambda lines: ["uk"] * len(lines)))
    assert [row[0] for row in tables["Mixing"].rows] == ["cmi (of 100)", "m_index", "i_index", "burstiness"]
    assert [row[0] for row in tables["Pass rate"].rows] == ["line", "word"]
    assert set(tables["Scripts"].rows) == {("Cyrl", 3 / 7), ("Latn", 3 / 7), ("Grek", 1 / 7)}
    assert tables["Third scripts"].rows == (("share", 1 / 7), ("count", 1))


def test_kinds_are_counted() -> None:
    rows = found(scored(FIRST))["Foreign words by kind"].rows
    counts = {"excused": 1, "third_script": 1, "foreign": 1, "homoglyph": 1, "glued": 0, "attachment": 0}
    assert sorted(rows) == sorted(counts.items())


def test_systems_are_rows_or_columns() -> None:
    one, two = scored(FIRST), scored(SECOND)
    runs = found(one, two)
    assert [row[1:] for row in runs[UNITS].rows] == [
        (4 / 7, 3 / 7, 2 / 3, 2 / 3, 2 / 3, 2 / 3),
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    ]
    assert ("quotation", 1, None) in runs["Words excused by"].rows
    assert ("Grek", 1 / 7, None) in runs["Scripts"].rows


ARABIC = "هذا نص عربي مع كلمة foreign هنا"


def test_foreign_words_are_in_brackets_in_any_script() -> None:
    for language, text, token in [
        ("ar", ARABIC, "foreign"),
        ("hi", "यह पाठ word है", "word"),
        ("zh", "这是中文word文本", "word"),
        ("th", "ภาษาไทย word", "word"),
    ]:
        stream = io.StringIO()
        print_runs([scored([text], language=language, findings=True)], open_console(stream))
        (line,) = (line for line in stream.getvalue().splitlines() if line.startswith("  ") and "[" in line)
        assert f"[{token}]" in line
