"""`isogloss benchmark` from the command line."""

from __future__ import annotations

import base64
import gzip
import json
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from isogloss.benchmark.results import load_benchmark
from isogloss.cli.app import run

PLAN = """
[limits]
rounds = 0
[[corpus]]
name = "toy"
gold = "gold.label"
[[system]]
name = "letters"
function = "cuts:cut"
[[system]]
name = "published"
predictions = "missing.label"
[[system]]
name = "newmm"
tokenizer = "pythainlp:newmm"
requires = ["pythainlp==5.4.0"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ISOGLOSS_BENCHMARK_CACHE", str(tmp_path / "cache"))
    (tmp_path / "bench.toml").write_text(PLAN)
    (tmp_path / "gold.label").write_text("ab|c\nd|e\n")
    (tmp_path / "cuts.py").write_text("def cut(text): return list(text)\n")
    return tmp_path


def test_check_says_what_is_missing_and_runs_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["benchmark", "check"]) == 0
    out = capsys.readouterr().out
    assert "corpus toy: 2 texts, 5 characters" in out
    assert "system newmm: tokenizer, needs --download to install pythainlp==5.4.0" in out
    assert "no such file" in out
    assert "3 cells, 0 in results" in out
    assert not (folder / "results").exists()


def test_run_report_and_verify(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["benchmark", "run"]) == 0
    captured = capsys.readouterr()
    assert "toy, letters: done (1 of 3)" in captured.err
    assert "letters" in captured.out
    assert "add --download" in captured.out
    assert run(["benchmark", "report", "results"]) == 0
    assert (folder / "results" / "leaderboard.html").is_file()
    assert run(["benchmark", "verify", "results"]) == 0
    (folder / "gold.label").write_text("a|bc\nd|e\n")
    capsys.readouterr()
    assert run(["benchmark", "verify", "results"]) == 1
    assert "toy: the reference has another SHA-256" in capsys.readouterr().out


def test_badges_lead_to_the_words_of_their_run(folder: Path) -> None:
    (folder / "other.label").write_text("a|b\nc\n")
    system = '[[system]]\nname = "whole"\nfunction = "cuts:keep"\n'
    corpus = '[[corpus]]\nname = "other"\ngold = "other.label"\n'
    plan = f"{PLAN}{system}{corpus}".replace("missing.label", "missing-{corpus}.label")
    (folder / "bench.toml").write_text(plan)
    with (folder / "cuts.py").open("a") as file:
        file.write("def keep(text): return [text]\n")
    assert run(["benchmark", "run", "-q"]) == 0
    assert run(["benchmark", "report", "results"]) == 0
    listed = (folder / "results" / "badges.md").read_text()
    places = {}
    for corpus in ("toy", "other"):
        for system in ("letters", "whole"):
            badge = (folder / "results" / "badges" / f"{corpus}-{system}.svg").read_text()
            (link,) = re.findall(r'href="\.\./(explorer\.html#/run/(run-\d)/findings)"', badge)
            assert f"(badges/{corpus}-{system}.svg)](<{link[0]}>)" in listed
            assert f'<a href="{link[0]}">{system}</a>' in (folder / "results" / "leaderboard.html").read_text()
            places[link[1]] = corpus, system
    assert len(places) == 4
    answers = read_answers((folder / "results" / "explorer.html").read_text())
    found = {row["id"]: (row["corpus"], row["system"]) for row in answers}
    assert found == places
    assert "leaderboard.html#toy-newmm" in listed  # it failed


def read_answers(page: str) -> list[dict[str, str]]:
    """Return the runs of an explorer in one file."""
    found: dict[str, dict[str, str]] = {}
    for packed in re.findall(r'<script type="text/plain" id="d\d+">(.*?)</script>', page, re.DOTALL):
        content = gzip.decompress(base64.b64decode(packed))
        answer = json.loads(content) if content.startswith(b"{") else {}  # others are columns of findings
        found |= {row["id"]: row for row in answer.get("runs", [])}
    return list(found.values())


@pytest.mark.extra
def test_saved_runs_are_listed_by_the_time_of_their_system(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sqlalchemy")
    (folder / "bench.toml").write_text(PLAN.replace("rounds = 0", "rounds = 1\npass_seconds = 0.0"))
    assert run(["benchmark", "run", "-q", "--save", "--store", "runs.db"]) == 0
    assert "saved 1 runs" in capsys.readouterr().err
    assert run(["runs", "list", "--score", "speed.ratio", "--store", "runs.db", "-f", "json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)["runs"]
    assert (listed["system"], listed["corpus"], listed["score"]["path"]) == ("letters", "toy", "speed.ratio")
    cell = load_benchmark(folder / "results").cells[0]
    assert cell.timing is not None
    assert listed["score"]["value"] == cell.timing.ratio
    assert f"system-versions:python={platform.python_version()}|" in listed["signature"]
    assert run(["runs", "show", listed["id"], "--store", "runs.db", "-f", "json"]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]
    assert scores["word"]["f1"] == pytest.approx(2 * 3 / (4 + 5))  # a b c | d e against ab c | d e
    assert scores["speed"]["characters_per_second"] == cell.timing.speed


def test_init_writes_a_plan_that_check_reads(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["benchmark", "init", "demo.toml", "--demo"]) == 0
    assert "isogloss benchmark run demo.toml -o results --download" in capsys.readouterr().err
    assert run(["benchmark", "check", "demo.toml"]) == 0
    assert "corpus th: 6 texts" in capsys.readouterr().out


def test_a_plan_of_names_runs_as_it_was_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["benchmark", "init", "names.toml", "--task", "ner"]) == 0
    plan = (folder / "names.toml").read_text(encoding="utf-8")
    (folder / "names.toml").write_text(f"{plan}\n[limits]\nrounds = 0\n", encoding="utf-8")
    assert run(["benchmark", "run", "names.toml", "-q"]) == 0
    cells = {cell.system: cell for cell in load_benchmark(folder / "results").cells}
    assert cells["my function"].reason == ""
    assert run(["benchmark", "init", "other.toml", "--task", "nerr"]) == 2
    assert "ner" in capsys.readouterr().err


def test_other_commands_do_not_import_the_benchmark() -> None:
    code = "import sys; from isogloss.cli.app import run; run(['ner', '--help']); print([*sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "isogloss.cli.app" in done.stdout
    assert "isogloss.benchmark" not in done.stdout
