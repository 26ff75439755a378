"""Runs that a command saves, and later commands that use the runs."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from isogloss.cli import run
from isogloss.store import Store

Streams = pytest.CaptureFixture[str]
GATE = re.compile(r"isogloss: (passed|FAILED): (.+?): strict.f1 differs by \S+ \(p [=<] (\S+),")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A gold standard, and systems that find every name, every other one, and none."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ISOGLOSS_STORE", str(tmp_path / "runs.db"))
    for name, step in (("gold", 1), ("good", 1), ("half", 2), ("none", 40)):
        sentences = [f"# author = {k % 5}\nw{k}\t{'B-PER' if k % step == 0 else 'O'}\n" for k in range(40)]
        (tmp_path / name).write_text("\n".join(sentences), encoding="utf-8")
    return tmp_path


def verdicts(text: str) -> list[tuple[str, ...]]:
    return [found.groups() for found in GATE.finditer(text)]


def test_all_findings_are_saved_however_many_are_shown(capsys: Streams) -> None:
    assert run(["ner", "gold", "half", "--save=half", "--corpus", "toy", "--tag", "a b", "--tag", "c"]) == 0
    assert "Errors" not in capsys.readouterr().out
    assert run(["ner", "gold", "half", "--save=two", "--errors", "2", "-f", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["findings"]["rows"]) == 2
    with Store.open() as store:
        for name in ("half", "two"):
            assert len(store.findings(store.get(name).id, limit=None)) == 20
        assert [summary.tags for summary in store.list(corpus="toy")] == [("a b", "c")]


@pytest.mark.parametrize("asked", [["--save=x"], ["--fail-under", "strict.recall=0.9", "--junit", "gates.xml"]])
def test_what_is_saved_and_judged_does_not_depend_on_who_reads(files: Path, asked: list[str]) -> None:
    command = [sys.executable, "-m", "isogloss", "ner", "gold", "half", "--errors", "20", *asked]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ}) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        said = child.stderr.read().decode()
    if "--junit" in asked:
        assert (child.returncode, "FAILED: strict.recall is 0.5000" in said) == (1, True)
        assert (files / "gates.xml").exists()
    else:
        with Store.open() as store:
            assert [summary.name for summary in store.list()] == ["x"]


def test_what_cannot_be_measured_is_neither_printed_nor_saved(files: Path, capsys: Streams) -> None:
    assert run(["ner", "gold", "good", "--save=base"]) == 0
    (files / "other").write_text("w\tB-PER\n", encoding="utf-8")
    capsys.readouterr()
    assert run(["ner", "other", "other", "--save=oops", "--fail-if-worse-than", "base"]) == 3
    assert capsys.readouterr().out == ""
    assert run(["runs", "show", "oops"]) == 3


def test_a_yardstick_is_the_same_run_by_name_and_by_id(capsys: Streams) -> None:
    for name in ("good", "half", "none"):
        assert run(["ner", "gold", name, f"--save={name}"]) == 0
    with Store.open() as store:
        identity = str(store.get("good").id)
    said = []
    for yardstick in ("good", identity, identity[:13]):
        capsys.readouterr()
        assert run(["compare", "good", "half", "none", "--fail-if-worse-than", yardstick]) == 1
        said.append(verdicts(capsys.readouterr().err))
    assert said[0] == said[1] == said[2]
    assert [each[:2] for each in said[0]] == [
        ("FAILED", "half is significantly worse than good (good)"),
        ("FAILED", "none is significantly worse than good (good)"),
    ]


def test_runs_of_the_same_file_are_shown_with_run_names(files: Path, capsys: Streams) -> None:
    assert run(["ner", "gold", "half", "--save=monday"]) == 0
    (files / "half").write_text((files / "none").read_text(encoding="utf-8"), encoding="utf-8")
    assert run(["ner", "gold", "half", "--save=tuesday"]) == 0
    capsys.readouterr()
    assert run(["compare", "monday", "tuesday", "--fail-if-worse-than", "monday"]) == 1
    out, err = capsys.readouterr()
    assert "half (tuesday) against half (monday)" in out
    assert "half (tuesday) is significantly worse than half (monday)" in err


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["good", "half", "--score", "strict.f2"], 2, "No run has the score 'strict.f2'"),
        (["good", "good", "--fail-if-worse-than", "good"], 2, "no other run is given"),
        (["good", "half", "--fail-if-worse-than", "nope"], 3, "there is no run 'nope'"),
        (["good", "half", "--confidence", "1"], 2, "confidence must be a number above 0 and below 1"),
    ],
)
def test_a_wrong_comparison_prints_nothing(
    words: list[str],
    code: int,
    says: str,
    capsys: Streams,
) -> None:
    for name in ("good", "half"):
        assert run(["ner", "gold", name, f"--save={name}"]) == 0
    capsys.readouterr()
    assert run(["compare", *words]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err


def test_options_of_a_test_reach_all_that_is_tested(capsys: Streams) -> None:
    few = ["--trials", "1", "--resamples", "7", "-f", "json"]
    assert run(["ner", "gold", "good", "none", *few]) == 0
    (pair,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (pair["trials"], pair["resamples"]) == (1, 7)
    assert run(["ner", "gold", "good", "--save=good"]) == 0
    assert run(["ner", "gold", "none", "--fail-if-worse-than", "good", "--trials", "1"]) == 0  # p is 1/2 at least
    assert run(["ner", "gold", "none", "--fail-if-worse-than", "good", "--score", "strict.recall"]) == 1
    assert "strict.recall differs by" in capsys.readouterr().err


def test_runs_are_compared_by_the_unit_of_their_intervals(capsys: Streams) -> None:
    for name in ("good", "half"):
        how = ["--unit", "author", "--confidence", "0.9", "--resamples", "200"]
        assert run(["ner", "gold", name, f"--save={name}", *how]) == 0
    capsys.readouterr()
    for more, unit in (([], "author"), (["--unit", "document"], "document")):
        assert run(["compare", "good", "half", "-f", "json", *more]) == 0
        (pair,) = json.loads(capsys.readouterr().out)["comparisons"]
        assert pair["unit"] == unit
    assert run(["compare", "good", "half", "--errors", "3"]) == 0
    out = capsys.readouterr().out
    assert "(randomization by author, exact: all exchanges)" in out
    assert "Errors (the first 3 of 20), half" in out


def test_incomparable_systems_are_reported_even_with_quiet(files: Path, capsys: Streams) -> None:
    rows = [{"text": f"w{k}", "entities": [[0, 1, "PER"]]} for k in range(40)]
    (files / "spans.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert run(["ner", "gold", "good", "spans.jsonl", "-q"]) == 0
    assert "not compared" in capsys.readouterr().err


def test_half_an_option_is_refused(capsys: Streams) -> None:
    assert run(["ner", "gold", "good", "--fail-under-interval"]) == 2
    assert "needs a threshold" in capsys.readouterr().err


def test_stored_runs_of_one_reference_are_compared_in_a_report(files: Path, capsys: Streams) -> None:
    (files / "other").write_text((files / "gold").read_text(encoding="utf-8") + "\nw\tO\n", encoding="utf-8")
    for name, gold, system in (("a", "gold", "good"), ("b", "gold", "none"), ("c", "other", "other")):
        assert run(["ner", gold, system, f"--save={name}"]) == 0
    assert run(["compare", "a", "b", "-f", "json", "-o", "compared.json"]) == 0
    written = []
    for names in (["compared.json"], ["a", "b"], ["c", "a", "b"]):
        capsys.readouterr()
        assert run(["report", *names, "-f", "csv"]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        rows = csv.DictReader(out.splitlines())
        written.append({row["score"]: row["p_holm"] for row in rows if row["system"] == "none"})
    assert written[0] == written[1] == written[2]
    assert float(written[0]["strict.f1"]) < 0.05
