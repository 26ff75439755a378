from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
from reports import HOSTILE, by_hand, corpora, demo_runs

from isogloss.report.export import format_report_csv, format_report_latex, format_report_markdown
from isogloss.report.report_runs import ReportCorpus
from isogloss.runs.score_tables import UNDEFINED_CELL


def compared(path: Path, **more: Any) -> tuple[ReportCorpus, ...]:
    change = {"difference": -0.2, "p": 0.001, "p_holm": 0.002}
    pair = {"baseline": "d/x.conll", "system": "d/y.conll", "scores": {"strict.f1": change}}
    runs = by_hand("d/x.conll", 0.7, **more), by_hand("d/y.conll", 0.5)
    return corpora(path / "r.json", *runs, comparisons=[pair])


def test_markdown_marks_best_and_significant(tmp_path: Path) -> None:
    lines = format_report_markdown(compared(tmp_path)).splitlines()
    assert lines[2:6] == [
        "| system | Strict F1 | Strict precision | Strict recall |",
        "| --- | ---: | ---: | ---: |",
        "| x | **0.7000** | **0.5000** | **0.5000** |",
        "| y | 0.5000† | **0.5000** | **0.5000** |",
    ]
    assert "† differs from the baseline, x: p \\< 0.05 after Holm's correction." in lines


def test_latex_marks_best_and_significant(tmp_path: Path) -> None:
    lines = format_report_latex(compared(tmp_path)).splitlines()
    begin = lines.index(r"\begin{tabular}{lrrr}")
    assert lines[begin + 1 : begin + 8] == [
        r"\toprule",
        r"system & Strict F1 & Strict precision & Strict recall \\",
        r"\midrule",
        r"x & \textbf{0.7000} & \textbf{0.5000} & \textbf{0.5000} \\",
        r"y & 0.5000$^\dagger$ & \textbf{0.5000} & \textbf{0.5000} \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_markdown_and_latex_have_intervals(tmp_path: Path) -> None:
    interval = {"low": 0.61, "high": 0.789, "level": 0.95, "method": "bootstrap"}
    found = compared(tmp_path, intervals={"strict.f1": interval})
    assert "| x | **0.7000** (0.610–0.789) | **0.5000** |" in format_report_markdown(found)
    assert r"x & \textbf{0.7000} {\scriptsize (0.610--0.789)} & \textbf{0.5000} &" in format_report_latex(found)


def test_leaderboard_shows_mean(tmp_path: Path) -> None:
    runs = [by_hand("x", 0.9), by_hand("y", 0.8)]
    other = [{"role": "reference", "path": "b/gold", "sha256": "2" * 64}]
    runs += [by_hand("x", 0.6, inputs=other), by_hand("y", 0.8, inputs=other)]
    found = corpora(tmp_path / "r.json", *runs)
    assert "| y | 0.8000 | **0.8000** | **0.8000** |" in format_report_markdown(found, leaderboard=True)
    assert r"x & \textbf{0.9000} & 0.6000 & 0.7500 \\" in format_report_latex(found, leaderboard=True)


def test_undefined_scores_are_dashes(tmp_path: Path) -> None:
    found = corpora(tmp_path / "r.json", by_hand(f1=None))
    assert f"| system.conll | {UNDEFINED_CELL} |" in format_report_markdown(found)
    assert "system.conll & -- &" in format_report_latex(found)


def test_csv_has_a_line_per_score(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(format_report_csv(compared(tmp_path)))))
    assert [row for row in rows if row["score"] == "strict.f1"] == [
        {"corpus": "a/gold.conll", "system": "x", "score": "strict.f1", "value": "0.7"}
        | {"low": "", "high": "", "difference": "", "p_holm": ""},
        {"corpus": "a/gold.conll", "system": "y", "score": "strict.f1", "value": "0.5"}
        | {"low": "", "high": "", "difference": "-0.2", "p_holm": "0.002"},
    ]
    assert len(rows) == 12


def test_leaderboard_csv_has_main_score_only(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(format_report_csv(compared(tmp_path), leaderboard=True))))
    assert [(row["system"], row["score"]) for row in rows] == [("x", "strict.f1"), ("y", "strict.f1")]
    rows = list(csv.DictReader(io.StringIO(format_report_csv(compared(tmp_path), "strict.recall"))))
    assert {row["score"] for row in rows} == {"strict.recall"}


def test_leaderboard_markdown_is_one_table(tmp_path: Path) -> None:
    text = format_report_markdown(compared(tmp_path), leaderboard=True)
    assert text.count("| --- |") == 1
    assert text.startswith("**Leaderboard: Strict F1**")


def test_report_of_one_run_has_its_tables(tmp_path: Path) -> None:
    text = format_report_markdown(corpora(tmp_path / "r.json", demo_runs("ner")[0]))
    assert "**Overall**" in text
    assert "| wrong boundary |" in text


@pytest.mark.parametrize("task", ["ner", "segmentation", "entity-translation", "code-switching", "classification"])
def test_every_task_can_be_exported(task: str, tmp_path: Path) -> None:
    found = corpora(tmp_path / "r.json", *demo_runs(task))
    assert str(demo_runs(task)[0]["signature"]) in format_report_markdown(found)
    assert format_report_latex(found).count(r"\toprule") == format_report_latex(found).count(r"\end{tabular}") >= 1
    assert len(format_report_csv(found).splitlines()) > 10


def test_hostile_texts_are_escaped(tmp_path: Path) -> None:
    runs = [by_hand(f"{name}{HOSTILE}", warnings=[{"code": "x", "message": HOSTILE}]) for name in "ab"]
    text = format_report_markdown(corpora(tmp_path / "r.json", *runs))
    outside = re.sub(r"`[^`]*`", "", text)
    assert not re.search(r"(?<!\\)<", outside)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e\u2066]", text)
    tex = format_report_latex(corpora(tmp_path / "r.json", *runs))
    body = "".join(line for line in tex.splitlines() if not line.startswith("%"))
    assert not re.search(r"(?<!\\)[&#%]", body.replace(" & ", ""))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e\u2066]", tex)
