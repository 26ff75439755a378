"""`isogloss benchmark` from the command line."""

from __future__ import annotations

import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

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


def test_report_writes_the_explorer_if_it_is_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    explorer, export = ModuleType("isogloss.explorer"), ModuleType("isogloss.explorer.static_export")
    explorer.__spec__ = ModuleSpec("isogloss.explorer", None)
    seen: list[Any] = []

    def render_report(corpora: list[Any]) -> str:
        seen.extend(corpora)
        return "<p>explorer</p>"

    vars(export)["render_report"] = render_report
    monkeypatch.setitem(sys.modules, "isogloss.explorer", explorer)
    monkeypatch.setitem(sys.modules, "isogloss.explorer.static_export", export)
    assert run(["benchmark", "run", "-q"]) == 0
    assert run(["benchmark", "report", "results"]) == 0
    assert (folder / "results" / "explorer.html").read_text() == "<p>explorer</p>"
    (corpus,) = seen
    (entry,) = corpus.entries
    assert (corpus.name, entry.run.system) == ("toy", "letters")
    assert [finding.kind for finding in entry.run.findings] == ["split"]


def test_init_writes_a_plan_that_check_reads(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["benchmark", "init", "demo.toml", "--demo"]) == 0
    assert "isogloss benchmark run demo.toml -o results --download" in capsys.readouterr().err
    assert run(["benchmark", "check", "demo.toml"]) == 0
    assert "corpus th: 6 texts" in capsys.readouterr().out


def test_other_commands_do_not_import_the_benchmark() -> None:
    code = "import sys; from isogloss.cli.app import run; run(['ner', '--help']); print([*sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "isogloss.cli.app" in done.stdout
    assert "isogloss.benchmark" not in done.stdout
