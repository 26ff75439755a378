"""What all tasks do with their runs: compare, judge, tell a build server."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from isogloss.cli import run
from isogloss.cli.app import _add_optional_values

GOLD = ["B-PER", "O", "", "B-LOC", "B-PER", "", "B-PER", "O", ""]
GOOD = ["B-PER", "O", "", "B-LOC", "O", "", "B-PER", "O", ""]
POOR = ["O", "O", "", "B-LOC", "O", "", "B-PER", "O", ""]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, tags in (("gold", GOLD), ("good", GOOD), ("poor", POOR)):
        lines = [f"w{k}\t{tag}" if tag else "" for k, tag in enumerate(tags)]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return tmp_path


@pytest.mark.usefixtures("files")
def test_two_systems_are_compared_with_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ner", "gold", "good", "poor"]) == 0
    out = capsys.readouterr().out
    assert "poor against good (randomization by document, exact: all exchanges)" in out
    assert run(["ner", "gold", "good", "poor", "-f", "json", "--trials", "50"]) == 0
    document = json.loads(capsys.readouterr().out)
    (pair,) = document["comparisons"]
    assert (pair["baseline"], pair["system"], pair["trials"]) == ("good", "poor", 50)
    assert pair["scores"]["strict.recall"]["difference"] == pytest.approx(-0.25)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_the_comparison_is_in_every_form_that_has_tables(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ner", "gold", "good", "poor", "-f", form]) == 0
    assert "poor against good" in capsys.readouterr().out


@pytest.mark.usefixtures("files")
def test_the_comparison_can_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ner", "gold", "good", "poor", "--test", "none", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out).keys() == {"runs"}


def test_systems_that_cannot_be_compared_are_scored_all_the_same(
    files: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (files / "io").write_text((files / "good").read_text(encoding="utf-8").replace("B-", "I-"), encoding="utf-8")
    assert run(["ner", "gold", "good", "io", "--scheme", "auto"]) == 0
    out, err = capsys.readouterr()
    assert "2 systems" in out
    assert ("not compared" in err) or ("io against good" in out)


@pytest.mark.usefixtures("files")
def test_a_gate_that_is_not_met_ends_with_1_after_the_results(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ner", "gold", "good", "--fail-under", "strict.recall=0.8", "--fail-over", "strict.missed=5"]) == 1
    out, err = capsys.readouterr()
    assert "By label" in out
    assert "isogloss: FAILED: strict.recall is 0.7500, under 0.8\n" in err
    assert "isogloss: passed: strict.missed is 1.0000, not over 5\n" in err


@pytest.mark.usefixtures("files")
def test_a_gate_that_is_met_ends_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ner", "gold", "good", "-q", "--fail-under", "strict.recall=0.75"]) == 0
    assert capsys.readouterr().err == ""
    end = ["--fail-under", "strict.recall=0.75", "--fail-under-interval"]
    assert run(["ner", "gold", "good", "--confidence", "0.9", *end]) == 1


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("gate", ["strict.recall", "strict.nothing=1", "strict.recall=high", "strict.recall=75"])
def test_a_gate_that_cannot_be_meant_ends_with_2(gate: str) -> None:
    assert run(["ner", "gold", "good", "--fail-under", gate]) == 2


def test_verdicts_are_written_as_junit(files: Path) -> None:
    gates = ["--fail-under", "strict.recall=0.8", "--fail-under", "strict.precision=1"]
    assert run(["ner", "gold", "good", "poor", "--junit", "gates.xml", *gates]) == 1
    (suite,) = ET.parse(files / "gates.xml").getroot()
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("4", "2")


def test_github_actions_gets_annotations_and_a_summary(
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(files / "summary.md"))
    assert run(["ner", "gold", "good", "--errors", "5", "--fail-under", "strict.recall=0.8"]) == 1
    err = capsys.readouterr().err
    assert "::error file=good,title=isogloss gate::strict.recall is 0.7500, under 0.8\n" in err
    assert "::error file=gold,line=5,title=missed::reference PER: w3 w4\n" in err
    written = (files / "summary.md").read_text(encoding="utf-8")
    assert "| **failed** | strict.recall is 0.7500, under 0.8 |" in written
    assert "| strict |" in written


def test_an_unwritable_github_summary_ends_with_3(
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(files / "nowhere" / "summary.md"))
    assert run(["ner", "gold", "good", "-q"]) == 3
    err = capsys.readouterr().err
    assert "summary.md: cannot be written: No such file or directory\nGITHUB_STEP_SUMMARY names it." in err


def test_github_annotations_name_the_system_of_a_failed_gate(
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(files / "summary.md"))
    assert run(["ner", "gold", "good", "poor", "--fail-under", "strict.recall=0.6"]) == 1
    assert (
        "::error file=poor,title=isogloss gate::poor: strict.recall is 0.5000, under 0.6\n" in capsys.readouterr().err
    )
    written = (files / "summary.md").read_text(encoding="utf-8")
    assert "| passed | good: strict.recall is 0.7500, not under 0.6 |" in written
    assert "| **failed** | poor: strict.recall is 0.5000, under 0.6 |" in written


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["ner", "a", "b", "--save"], ["ner", "a", "b", "--save="]),
        (["ner", "--save", "--errors", "3"], ["ner", "--save=", "--errors", "3"]),
        (["ner", "a", "b", "--save", "night"], ["ner", "a", "b", "--save", "night"]),
        (["ner", "a", "b", "--save=night"], ["ner", "a", "b", "--save=night"]),
        ([], []),
    ],
)
def test_save_needs_no_name(words: list[str], meant: list[str]) -> None:
    assert _add_optional_values(words) == meant


@pytest.mark.usefixtures("files")
def test_a_file_is_no_name_of_a_run() -> None:
    assert _add_optional_values(["ner", "--save", "gold", "good"]) == ["ner", "--save=", "gold", "good"]
    assert _add_optional_values(["ner", "--save=gold", "gold"]) == ["ner", "--save=gold", "gold"]


@pytest.fixture
def saved(files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.setenv("ISOGLOSS_STORE", str(files / "runs.db"))
    assert run(["ner", "gold", "good", "--save=good"]) == 0
    assert "isogloss: saved good as " in capsys.readouterr().err
    assert run(["ner", "gold", "poor", "-q", "--save=poor"]) == 0
    assert capsys.readouterr().err == ""
    return files


@pytest.mark.extra
@pytest.mark.usefixtures("saved")
def test_saved_runs_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "good", "poor", "-f", "json", "--trials", "99"]) == 0
    stored = json.loads(capsys.readouterr().out)
    assert run(["ner", "gold", "good", "poor", "-f", "json", "--trials", "99"]) == 0
    assert json.loads(capsys.readouterr().out)["comparisons"] == stored["comparisons"]


@pytest.mark.extra
def test_runs_that_cannot_be_compared_are_refused(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (saved / "gold").write_text((saved / "gold").read_text(encoding="utf-8") + "w9\tO\n\n", encoding="utf-8")
    (saved / "more").write_text((saved / "good").read_text(encoding="utf-8") + "w9\tO\n\n", encoding="utf-8")
    assert run(["ner", "gold", "more", "--save=more"]) == 0
    assert run(["compare", "good", "more"]) == 3
    assert "different references" in capsys.readouterr().err
    assert run(["compare", "good", "nothing"]) == 3


@pytest.mark.extra
def test_a_run_that_is_worse_than_a_saved_one_ends_with_1(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, tag in (("gold", "B-PER"), ("good", "B-PER"), ("bad", "O")):
        (saved / name).write_text(f"w\t{tag}\n\n" * 20, encoding="utf-8")
    assert run(["ner", "gold", "good", "--save=perfect"]) == 0
    capsys.readouterr()
    assert run(["ner", "gold", "bad", "--fail-if-worse-than", "perfect"]) == 1
    assert (
        "isogloss: FAILED: bad is significantly worse than good (perfect): strict.f1 differs by -1.0000"
        in capsys.readouterr().err
    )
    assert run(["ner", "gold", "good", "--fail-if-worse-than", "perfect", "-q"]) == 0
    assert run(["ner", "gold", "bad", "--save=bad"]) == 0
    assert run(["compare", "perfect", "bad", "--fail-if-worse-than", "perfect", "-q"]) == 1
    assert run(["compare", "bad", "perfect", "--fail-if-worse-than", "bad", "-q"]) == 0
    for command in (["ner", "gold", "bad"], ["compare", "perfect", "bad"]):
        assert run([*command, "--fail-if-worse-than", "perfect", "--margin", "0.5", "-q"]) == 1
    assert "FAILED: bad is not shown to be less than 0.5 worse than good (perfect)" in capsys.readouterr().err
    assert run(["ner", "gold", "good", "--fail-if-worse-than", "perfect", "--margin", "0.2"]) == 0
    assert "passed: good is less than 0.2 worse than good (perfect)" in capsys.readouterr().err
    assert run(["ner", "gold", "bad", "--margin", "0.01"]) == 2
    assert run(["ner", "gold", "bad", "--fail-if-worse-than", "perfect", "--margin", "0"]) == 2
    assert run(["ner", "gold", "bad", "--fail-if-worse-than", "perfect", "--alpha", "2"]) == 2


@pytest.mark.extra
@pytest.mark.parametrize("quiet", [[], ["-q"]])
def test_a_test_on_five_documents_is_undecided(
    saved: Path, quiet: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for name, tag in (("gold", "B-PER"), ("good", "B-PER"), ("bad", "O")):
        (saved / name).write_text(f"w\t{tag}\n\n" * 5, encoding="utf-8")
    assert run(["ner", "gold", "good", "--save=perfect", "-q"]) == 0
    assert run(["ner", "gold", "bad", "--fail-if-worse-than", "perfect", "--junit", "gates.xml", *quiet]) == 0
    err = capsys.readouterr().err
    assert "isogloss: undecided: bad is not significantly worse than good (perfect)" in err
    assert "with 5 documents the smallest p-value is 0.0625. To decide, score 6 documents or more" in err
    assert 'failures="0"' in (saved / "gates.xml").read_text(encoding="utf-8")
    assert run(["ner", "gold", "bad", "--fail-if-worse-than", "perfect", "--alpha", "0.1"]) == 1


@pytest.mark.extra
def test_a_run_is_compared_with_the_earlier_run_of_its_name(
    saved: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, tag in (("gold", "B-PER"), ("good", "B-PER"), ("bad", "O")):
        (saved / name).write_text(f"w\t{tag}\n\n" * 20, encoding="utf-8")
    assert run(["ner", "gold", "good", "--save=nightly"]) == 0
    assert run(["ner", "gold", "bad", "--save=nightly", "--fail-if-worse-than", "nightly"]) == 1
    assert "bad is significantly worse than good" in capsys.readouterr().err


@pytest.mark.extra
@pytest.mark.usefixtures("saved")
@pytest.mark.parametrize(
    ("wrong", "code"),
    [(["--fail-if-worse-than", "nothing"], 3), (["--fail-if-worse-than", "good", "--alpha", "nan"], 2)],
)
def test_a_missing_baseline_is_refused_before_scoring(
    wrong: list[str],
    code: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    capsys.readouterr()
    assert run(["ner", "gold", "good", "--save=latest", *wrong]) == code
    assert not capsys.readouterr().out
    assert run(["runs", "show", "latest"]) == 3


@pytest.mark.extra
@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("wrong", [["--save=a\nb"], ["--save", "--store", "mysql://x/y"], [f"--save={'n' * 199}"]])
def test_invalid_save_options_are_refused_before_reading(
    wrong: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["ner", "nowhere", "good", "poor", *wrong]) == 2
    assert not capsys.readouterr().out


@pytest.mark.usefixtures("files")
def test_failed_gate_is_reported_if_its_file_is_not_writable(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ner", "gold", "good", "--fail-under", "strict.recall=0.8", "--junit", "none/gates.xml"]) == 3
    err = capsys.readouterr().err
    assert "FAILED: strict.recall is 0.7500, under 0.8" in err
    assert "none/gates.xml: cannot be written" in err


def test_the_summary_for_github_has_the_comparison(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(files / "summary.md"))
    assert run(["ner", "gold", "good", "poor"]) == 0
    written = (files / "summary.md").read_text(encoding="utf-8")
    assert "poor against good (randomization" in written
    assert "| strict.f1 | 0.8571 | 0.6667 | -0.1905 |" in written  # 6/7, 4/6


@pytest.mark.extra
@pytest.mark.usefixtures("saved")
def test_csv_has_the_comparison_beside_the_scores(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "good", "poor", "-f", "csv", "--trials", "99"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    fields = ["system", "score", "value", "baseline", "difference", "diff_low", "diff_high", "p", "p_holm"]
    assert list(rows[0]) == fields
    good, poor = (row for row in rows if row["score"] == "strict.recall")
    assert [good[name] for name in fields] == ["good", "strict.recall", "0.75", "", "", "", "", "", ""]
    assert [float(poor[name]) for name in ("value", "baseline", "difference")] == [0.5, 0.75, -0.25]
    assert float(poor["p"]) <= float(poor["p_holm"]) <= 1
    assert float(poor["diff_low"]) <= -0.25 <= float(poor["diff_high"])


@pytest.mark.extra
@pytest.mark.usefixtures("saved")
def test_csv_has_intervals_of_the_runs_that_have_some(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ner", "gold", "poor", "--confidence", "0.9", "-q", "--save=sure"]) == 0
    capsys.readouterr()
    assert run(["compare", "good", "sure", "-f", "csv"]) == 0
    first, second = (
        row for row in csv.DictReader(io.StringIO(capsys.readouterr().out)) if row["score"] == "strict.recall"
    )
    assert (first["low"], first["high"]) == ("", "")
    assert float(second["low"]) <= 0.5 <= float(second["high"])


def test_csv_has_a_score_that_only_the_baseline_has(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "other").write_text((files / "good").read_text(encoding="utf-8").replace("w1\tO", "w1\tB-ORG"))
    assert run(["ner", "gold", "other", "good", "-f", "csv", "-q"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    (row,) = (row for row in rows if (row["system"], row["score"]) == ("good", "by_label.ORG.strict.precision"))
    assert (row["value"], row["baseline"]) == ("", "0.0")


@pytest.mark.usefixtures("files")
def test_all_pairs_rank_the_systems(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["ner", "gold", "poor", "good", "gold", "--all-pairs", "--score", "strict.recall", "--trials", "99"]
    assert run(command) == 0
    assert "Ranks by Strict recall (randomization by document, 99 trials, seed 12345)" in capsys.readouterr().out
    assert run([*command, "-f", "json", "-o", "runs.json"]) == 0
    document = json.loads((tmp_path / "runs.json").read_text(encoding="utf-8"))
    assert [each["system"] for each in document["ranking"]["systems"]] == ["gold", "good", "poor"]
    assert run([*command, "-f", "csv"]) == 0
    rows = {row["system"]: row for row in csv.DictReader(io.StringIO(capsys.readouterr().out)) if row["group"]}
    assert {(row["score"], row["first_rank"], row["last_rank"]) for row in rows.values()} == {
        ("strict.recall", "1", "3")
    }
    assert run(["report", "runs.json", "-f", "markdown", "--pairs", "pairs.csv"]) == 0
    assert "Ranks by Strict recall" in capsys.readouterr().out
    assert len((tmp_path / "pairs.csv").read_text(encoding="utf-8").splitlines()) == 4


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("more", [["good"], ["good", "poor", "--test", "none"]])
def test_all_pairs_without_pairs_to_test_are_refused(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ner", "gold", *more, "--all-pairs"]) == 2
    assert "--all-pairs has no effect with" in capsys.readouterr().err
