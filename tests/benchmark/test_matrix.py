"""A plan is run whole: bad systems are rows with a reason, and a stopped run goes on."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from isogloss.benchmark.matrix import BenchmarkRunner
from isogloss.benchmark.plan import Corpus, Limits, Plan, System
from isogloss.benchmark.results import Benchmark, Cell, load_benchmark
from isogloss.errors import SourceError

GOLD = "ab|cd\nx|y\nef|gh\n"
LIMITS = Limits(seconds=1.0, cell_seconds=5.0, memory=2.0, restarts=2, rounds=0)


@dataclass
class Recorder:
    states: list[tuple[str, ...]] = field(default_factory=list)

    def show_state(self, corpus: str, system: str, state: str, done: int = 0, total: int = 0) -> None:
        self.states.append((corpus, system, state))


def run_plan(folder: Path, systems: list[System], limits: Limits = LIMITS, **corpus: Any) -> tuple[Benchmark, Recorder]:
    (folder / "gold.label").write_text(GOLD)
    plan = Plan([Corpus("toy", **{"gold": "gold.label"} | corpus)], systems, limits)
    recorder = Recorder()
    return BenchmarkRunner(plan, folder, folder / "out", recorder).run(), recorder


def make_function(name: str) -> System:
    return System(name, function=f"systems:{name}")


def get_cells(benchmark: Benchmark) -> dict[str, Cell]:
    return {cell.system: cell for cell in benchmark.cells}


def test_bad_systems_are_rows_with_a_reason(folder: Path) -> None:
    names = ["loops", "is_killed", "eats_memory", "prints", "is_random", "changes", "fails", "pairs"]
    benchmark, _ = run_plan(folder, [*map(make_function, names), System("lost", function="nowhere:cut")])
    cells = get_cells(benchmark)
    expected = {
        "loops": ("timed out", "no answer in 1 s"),
        "is_killed": ("failed", "killed by SIGKILL"),
        "eats_memory": ("failed", "MemoryError"),
        "fails": ("failed", "ValueError: no x"),
        "changes": ("changed", ""),
    }
    for name, (outcome, reason) in expected.items():
        (problem,) = cells[name].problems
        assert (problem.text, problem.outcome) == (2, outcome)
        assert reason in problem.reason
        assert cells[name].outcomes["ok"] == 2
    for name in ("prints", "pairs", "is_random"):
        assert cells[name].outcomes["ok"] == 3
    assert cells["is_random"].unstable
    assert cells["pairs"].unstable == 0
    assert cells["lost"].status == "failed"
    assert "nowhere" in cells["lost"].reason
    scores = {each.system: each.run.scores["word"]["f1"] for each in benchmark.scored}
    # Of the words ab cd | x y | ef gh, `pairs` finds ab, cd, ef and gh, and writes xy.
    assert scores["pairs"] == pytest.approx(2 * 4 / (6 + 5))
    assert "lost" not in scores


def test_a_text_that_fails_scores_zero(folder: Path) -> None:
    (folder / "halves.py").write_text("def cut(text):\n    return ['ab', 'cd'] if text == 'abcd' else 1 / 0\n")
    benchmark, _ = run_plan(folder, [System("halves", function="halves:cut")])
    (scored,) = benchmark.scored
    assert scored.run.scores["word"]["correct"] == 2
    assert scored.run.scores["word"]["reference"] == 6
    assert scored.run.per_document["word.f1"].mean == pytest.approx(1 / 3)


def test_a_system_that_fails_on_many_texts_has_no_time_and_a_reason(folder: Path) -> None:
    (folder / "halves.py").write_text("def cut(text):\n    return ['ab'] if text == 'ab' else 1 / 0\n")
    (folder / "long.label").write_text("a|b\n" + "c|d\n" * 21)
    (folder / "fails.py").write_text("def cut(text): return 1 / 0\n")
    systems = [System("halves", function="halves:cut"), System("fails", function="fails:cut")]
    many, _ = run_plan(folder, systems, Limits(rounds=1), gold="long.label")
    assert [cell.timing for cell in many.cells] == [None, None]
    reasons = {cell.system: cell.timing_reason for cell in many.cells}
    assert reasons == {"halves": "not timed: 21 of 22 texts failed", "fails": "not timed: 22 of 22 texts failed"}


def test_a_worker_that_is_always_lost_is_given_up(folder: Path) -> None:
    (folder / "dies.py").write_text("import os\ndef cut(text): os._exit(9)\n")
    (folder / "long.label").write_text("a|b\n" * 9)
    benchmark, _ = run_plan(folder, [System("dies", function="dies:cut")], gold="long.label")
    (cell,) = benchmark.cells
    assert cell.outcomes["failed"] == 9
    assert cell.problems[0].reason == "the process ended with exit code 9"
    assert cell.problems[-1].reason == "not tried after 3 workers were lost"


def test_a_second_run_keeps_its_cells_unless_their_system_changes(folder: Path) -> None:
    systems = [make_function("pairs"), make_function("letters")]
    first, _ = run_plan(folder, systems)
    again, recorder = run_plan(folder, systems)
    assert ("toy", "pairs", "kept") in recorder.states
    assert again == first or again.cells == first.cells
    _, recorder = run_plan(folder, [System("pairs", function="systems:letters"), systems[1]])
    assert ("toy", "pairs", "running") in recorder.states
    assert ("toy", "letters", "kept") in recorder.states


def test_a_cell_with_changed_predictions_is_run_again(folder: Path) -> None:
    run_plan(folder, [make_function("pairs")])
    path = folder / "out" / "predictions" / "pairs" / "toy.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"words": ["abcd"]}\n'))
    _, recorder = run_plan(folder, [make_function("pairs")])
    assert ("toy", "pairs", "running") in recorder.states


def test_a_cell_of_a_stopped_run_is_not_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("isogloss.benchmark.cells.write_lines", stop)
    with pytest.raises(KeyboardInterrupt):
        run_plan(folder, [make_function("pairs")])
    assert not list((folder / "out").rglob("*.json"))


def test_predictions_are_the_same_bytes_each_time(folder: Path) -> None:
    found = []
    for _ in range(2):
        benchmark, _ = run_plan(folder, [make_function("pairs")])
        found.append(benchmark.cells[0].sha256)
        (folder / "out" / "cells" / "toy" / "pairs.json").unlink()
    assert found[0] == found[1]


def test_published_predictions_are_scored_and_not_timed(folder: Path) -> None:
    (folder / "toy.label").write_text("ab|cd\nxy\neg|h\n")
    limits = Limits(rounds=1, pass_seconds=0.0)
    systems = [System("published", predictions="{corpus}.label"), make_function("letters")]
    cells = get_cells(run_plan(folder, systems, limits)[0])
    assert cells["published"].outcomes == {"ok": 2, "changed": 1, "failed": 0, "timed out": 0}
    assert cells["published"].timing is None
    assert cells["letters"].timing is not None
    assert cells["letters"].timing.characters == 10


def test_published_predictions_with_too_few_texts_are_a_reason(folder: Path) -> None:
    (folder / "toy.label").write_text("ab|cd\n")
    (cell,) = run_plan(folder, [System("published", predictions="toy.label")])[0].cells
    assert cell.reason == "toy.label has 1 texts, the corpus has 3"


def test_packages_are_a_reason_unless_they_may_be_downloaded(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ISOGLOSS_BENCHMARK_CACHE", str(tmp_path / "cache"))
    (cell,) = run_plan(folder, [System("a", tokenizer="jieba", requires=["jieba"])])[0].cells
    assert (cell.status, cell.reason) == ("failed", "its packages are not installed; add --download")


def test_a_benchmark_is_read_as_it_was_written(folder: Path) -> None:
    benchmark, _ = run_plan(folder, [make_function("pairs"), make_function("letters")])
    read = load_benchmark(folder / "out")
    assert read.cells == benchmark.cells
    assert read.rankings == benchmark.rankings
    (folder / "out" / "benchmark.json").unlink()
    with pytest.raises(SourceError, match=r"did not end. Start it again"):
        load_benchmark(folder / "out")


def test_names_are_found_by_a_function(folder: Path) -> None:
    rows = [
        {"text": "Ada Lovelace", "spans": [{"start": 0, "end": 3, "label": "PER"}]},
        {"text": "nobody", "spans": []},
    ]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (folder / "gold.jsonl").write_text(lines)
    systems = [System("names", function="systems:names", task="ner")]
    benchmark, _ = run_plan(folder, systems, task="ner", gold="gold.jsonl", texts="gold.jsonl")
    assert benchmark.cells[0].reason == ""
    assert benchmark.scored[0].run.scores["strict"]["f1"] == 1.0


def test_a_command_never_gets_the_spans_of_the_reference(folder: Path) -> None:
    (folder / "gold.jsonl").write_text('{"text": "Ada", "spans": [{"start": 0, "end": 3, "label": "PER"}]}\n')
    (folder / "echo.py").write_text("import sys\nopen('seen.txt', 'w').write(sys.stdin.read())")
    system = System("echo", command=["python", "echo.py"], protocol="jsonl", task="ner")
    run_plan(folder, [system], task="ner", gold="gold.jsonl", texts="gold.jsonl")
    assert (folder / "seen.txt").read_text() == '{"text": "Ada"}\n'
