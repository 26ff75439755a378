from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from typing import Any

import pytest

import isogloss
from isogloss.kernel.provenance import RunWarning
from isogloss.report import run_tables, text_formats
from isogloss.report.run_tables import build_tables
from isogloss.report.terminal import open_console, print_runs
from isogloss.runs.comparison import Comparison
from isogloss.runs.run import Run
from isogloss.runs.score_tables import PValue, ScoreTable, TableColumn, format_cell
from isogloss.tasks.ner.scoring import ner

AWKWARD = r"a|b\c_50%&#${x}~^"
GOLD = [["B-PER", "O", f"B-{AWKWARD}", f"I-{AWKWARD}"], ["B-PER", "O"]]
SYSTEM = [["B-PER", "O", f"B-{AWKWARD}", "O"], ["O", "I-LOC"]]


@pytest.fixture(scope="module")
def run() -> Run:
    return ner(GOLD, SYSTEM, confidence=0.9, resamples=20, findings=True)


def parsed(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_json_is_one_run_or_a_list_of_runs(run: Run) -> None:
    document = json.loads(json.dumps(run.to_dict()))
    assert json.loads(text_formats.format_runs_json([run])) == document
    assert json.loads(text_formats.format_runs_json([run, run])) == {"runs": [document, document]}
    assert '"人名"' in text_formats.format_runs_json([ner([["B-人名"]], [["B-人名"]])])


def test_csv_has_a_line_with_exact_numbers_per_score_and_system(run: Run) -> None:
    runs = [replace(run, system="a"), replace(run, system="b,\n")]
    rows = parsed(text_formats.format_runs_csv(runs))
    for read, expected in zip(rows, runs[0].to_rows() + runs[1].to_rows(), strict=True):
        numbers = {name: None if read[name] == "" else float(read[name]) for name in ("value", "low", "high")}
        assert {"system": read["system"], "score": read["score"]} | numbers == expected
    assert list(parsed(text_formats.format_runs_csv([ner(GOLD, SYSTEM)]))[0]) == ["system", "score", "value"]


def test_markdown_tables_have_the_cells_of_the_tables(run: Run) -> None:
    text = text_formats.format_runs_markdown([run])
    for table in build_tables([run]):
        block = text[text.index(f"**{table.title}**") :].split("\n\n")[1]
        lines = [cells(line) for line in block.splitlines()]
        assert lines[0] == [column.title for column in table.columns]
        assert lines[2:] == [[format_cell(cell) for cell in row] for row in table.rows]


def cells(line: str) -> list[str]:
    """The cells of a line of a pipe table, read as CommonMark reads them."""
    found, at = [""], 0
    while at < len(line):
        if line[at] == "\\":
            found[-1] += line[at + 1]
            at += 2
        elif line[at] == "|":
            found.append("")
            at += 1
        else:
            found[-1] += line[at]
            at += 1
    return [cell.strip() for cell in found[1:-1]]


def test_markdown_has_signatures_and_warnings(run: Run) -> None:
    text = text_formats.format_runs_markdown([run])
    assert f"`{run.signature}`" in text
    assert "- **prediction**: Tags of the prediction do not fit IOB2" in text


def test_markdown_has_findings() -> None:
    run = ner([["O", "B-A`B"]], [["O", "O"]], findings=True)
    text = text_formats.format_runs_markdown([run])
    fence = text.split("**Errors, prediction**\n\n")[1].split("text\n")[0]
    assert fence == "```"
    assert "missed   reference[0][1]\n  reference  A`B   O [B-A`B]" in text.split(fence)[1]


def test_equal_signatures_are_printed_once_in_order_of_systems(run: Run) -> None:
    other = ner(GOLD, SYSTEM, beta=2)
    lines = text_formats.format_runs_markdown([run, other, run]).splitlines()
    assert [line for line in lines if line.startswith("`ner|")] == [f"`{run.signature}`", f"`{other.signature}`"]


def test_notes_are_below_tables_in_markdown_and_latex(run: Run) -> None:
    note = "macro and weighted recall over 2 of 3 labels: undefined for LOC"
    assert f" |\n\n{note}\n\n**Spans**" in text_formats.format_runs_markdown([run])
    assert f"\\end{{tabular}}\n\\par{{\\footnotesize {note}}}\n" in text_formats.format_runs_latex([run])


def test_latex_special_characters_are_escaped(run: Run) -> None:
    escaped = r"a\textbar{}b\textbackslash{}c\_50\%\&\#\$\{x\}\textasciitilde{}\textasciicircum{}"
    assert escaped in text_formats.format_runs_latex([run])


def test_latex_rows_have_as_many_cells_as_columns(run: Run) -> None:
    for line in text_formats.format_runs_latex([run, run]).splitlines():
        if line.startswith(r"\begin{tabular}"):
            columns = len(line.removeprefix(r"\begin{tabular}{").removesuffix("}"))
        elif line.endswith(r"\\"):
            assert line.replace(r"\&", "").count("&") == columns - 1


def test_latex_undefined_is_a_dash_and_signature_a_comment() -> None:
    text = text_formats.format_runs_latex([ner([["O"]], [["O"]])])
    assert "strict & -- & -- & -- & 0 & 0 & 0 \\\\" in text
    assert "\n% prediction: ner|scheme:" in text


def test_newline_in_system_name_does_not_end_latex_comment() -> None:
    text = text_formats.format_runs_latex([replace(ner([["O"]], [["O"]]), system="a\n\\b")])
    assert "\n% a␊\\b: ner|" in text


@pytest.fixture(scope="module")
def far_apart() -> Comparison:
    """Two systems with a McNemar p-value of 2 / 2**20."""
    gold = ["a", "b"] * 10
    return isogloss.compare(*(isogloss.classification(gold, labels) for labels in (gold, ["b", "a"] * 10)), trials=100)


@pytest.mark.parametrize(
    ("form", "shown"),
    [("text", " < 0.0001\n"), ("markdown", "| < 0.0001 |"), ("latex", r"& \textless{} 0.0001 \\")],
)
def test_p_values_that_round_to_0_are_shown_as_below_the_last_digit(
    far_apart: Comparison, form: str, shown: str
) -> None:
    stream = io.StringIO()
    if form == "text":
        print_runs(far_apart.runs, open_console(stream), comparison=far_apart)
    else:
        write = text_formats.format_runs_markdown if form == "markdown" else text_formats.format_runs_latex
        stream.write(write(far_apart.runs, far_apart))
    rows = [line for line in stream.getvalue().splitlines(keepends=True) if "0.0001" in line]
    assert len(rows) == 2  # overall.accuracy and micro.f1
    assert all(shown in row for row in rows)


def test_json_keeps_small_p_values(far_apart: Comparison) -> None:
    (pair,) = json.loads(text_formats.format_runs_json(far_apart.runs, far_apart))["comparisons"]
    assert pair["per_document"]["overall.accuracy"]["mcnemar"] == pytest.approx(2 / 2**20)


def test_warning_line_has_count_and_first_place() -> None:
    for notice, line in [
        (RunWarning("scheme-detected", "Read as IOB2."), "Read as IOB2."),
        (RunWarning("x", "Spans were cut.", 1, "a:7"), "Spans were cut. (a:7)"),
        (RunWarning("x", "Spans were cut.", 2, "a:7"), "Spans were cut: 2 (first: a:7)"),
        (RunWarning("x", "Spans were cut.", 2), "Spans were cut: 2"),
        (RunWarning("tags-repaired", "tags do not fit", 1, "a:7"), "Tags do not fit: 1 (a:7)"),
        (RunWarning("tags-repaired", "tags do not fit", 1234, "a:7"), "Tags do not fit: 1,234 (first: a:7)"),
    ]:
        assert run_tables.format_warning(notice) == line


FORMS: list[Any] = [
    text_formats.format_runs_json,
    text_formats.format_runs_csv,
    text_formats.format_runs_markdown,
    text_formats.format_runs_latex,
]


def test_every_format_ends_with_one_newline(run: Run) -> None:
    for form in FORMS:
        assert form([run]).endswith("\n")
        assert not form([run]).endswith("\n\n")


def test_numbers_in_latex_are_escaped() -> None:
    columns = (TableColumn("a"), TableColumn("b", "interval"), TableColumn("c", "ratio"))
    rows = (("x", (0.5, 0.75), math.nan), ("y", (-0.5, 0.25), PValue(0.00001)))
    text = text_formats.format_latex_table(ScoreTable("t", columns, rows, ("p < 1–2",)))
    assert r"x & 0.500--0.750 & -- \\" in text
    assert r"y & -0.500 to 0.250 & \textless{} 0.0001 \\" in text
    assert r"p \textless{} 1--2" in text


def test_long_table_has_its_first_rows_and_says_how_many_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.report.run_tables.MAX_ROWS", 2)
    found = ner([["O"]] * 5, [["O"]] * 5, by={"k": [*"abcde"]})
    (table,) = [table for table in build_tables([found]) if table.title.startswith("By k")]
    assert [row[0] for row in table.rows] == ["a", "b"]
    assert table.notes == ("3 of 5 rows are left out; --format json or csv has all.",)
    assert set(found.to_dict()["slices"]["k"]) == {*"abcde"}
