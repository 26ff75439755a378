from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest

from isogloss.kernel.provenance import RunWarning
from isogloss.report import text_formats
from isogloss.report.run_tables import build_tables
from isogloss.runs.run import Run
from isogloss.runs.score_tables import format_cell
from isogloss.tasks.ner.scoring import ner

AWKWARD = r"a|b\c_50%&#${x}~^"
GOLD = [["B-PER", "O", f"B-{AWKWARD}", f"I-{AWKWARD}"], ["B-PER", "O"]]
SYSTEM = [["B-PER", "O", f"B-{AWKWARD}", "O"], ["O", "I-LOC"]]


@pytest.fixture(scope="module")
def run() -> Run:
    return ner(GOLD, SYSTEM, confidence=0.9, resamples=20, findings=True)


def parsed(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_json_of_one_run_equals_to_dict(run: Run) -> None:
    assert json.loads(text_formats.format_runs_json([run])) == json.loads(json.dumps(run.to_dict()))


def test_json_of_several_runs_is_a_list(run: Run) -> None:
    document = json.loads(text_formats.format_runs_json([run, run]))
    assert set(document) == {"runs"}
    assert document["runs"] == [json.loads(text_formats.format_runs_json([run]))] * 2


def test_json_ends_with_newline_and_is_utf_8() -> None:
    text = text_formats.format_runs_json([ner([["B-人名"]], [["B-人名"]])])
    assert text.endswith("}\n")
    assert '"人名"' in text


def test_csv_numbers_are_exact(run: Run) -> None:
    rows = parsed(text_formats.format_runs_csv([run]))
    assert len(rows) == len(run.to_rows())
    for read, written in zip(rows, run.to_rows(), strict=True):
        assert read["score"] == written["score"]
        for name in ("value", "low", "high"):
            assert (None if read[name] == "" else float(read[name])) == written[name]


def test_csv_has_a_line_per_score_and_system(run: Run) -> None:
    rows = parsed(text_formats.format_runs_csv([replace(run, system="a"), replace(run, system="b,\n")]))
    assert {row["system"] for row in rows} == {"a", "b,\n"}
    assert len(rows) == 2 * len(run.to_rows())


def test_csv_without_intervals_has_no_interval_columns() -> None:
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


def test_equal_signatures_are_printed_once(run: Run) -> None:
    assert text_formats.format_runs_markdown([run, run]).count(f"`{run.signature}`") == 1


def test_notes_are_below_tables_in_markdown_and_latex(run: Run) -> None:
    note = "macro and weighted recall over 2 of 3 labels: undefined for LOC"
    assert f" |\n\n{note}\n\n**Spans**" in text_formats.format_runs_markdown([run])
    assert f"\\end{{tabular}}\n\\par{{\\footnotesize {note}}}\n" in text_formats.format_runs_latex([run])


def test_latex_special_characters_are_escaped(run: Run) -> None:
    escaped = r"a|b\textbackslash{}c\_50\%\&\#\$\{x\}\textasciitilde{}\textasciicircum{}"
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
    assert text.startswith("% prediction: ner|scheme:")


def test_newline_in_system_name_does_not_end_latex_comment() -> None:
    text = text_formats.format_runs_latex([replace(ner([["O"]], [["O"]]), system="a\n\\b")])
    assert text.startswith("% a \\b: ner|")


def test_warning_line_has_count_and_first_place() -> None:
    for notice, line in [
        (RunWarning("scheme-detected", "Read as IOB2."), "Read as IOB2."),
        (RunWarning("x", "Spans were cut.", 1, "a:7"), "Spans were cut. (a:7)"),
        (RunWarning("x", "Spans were cut.", 2, "a:7"), "Spans were cut: 2 (first: a:7)"),
        (RunWarning("x", "Spans were cut.", 2), "Spans were cut: 2"),
        (RunWarning("tags-repaired", "tags do not fit", 1, "a:7"), "Tags do not fit: 1 (a:7)"),
        (RunWarning("tags-repaired", "tags do not fit", 1234, "a:7"), "Tags do not fit: 1,234 (first: a:7)"),
    ]:
        assert text_formats.format_warning(notice) == line


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
