"""A worker answers for each text, whatever its system does."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from isogloss.benchmark import worker
from isogloss.benchmark.plan import Limits, System
from isogloss.benchmark.worker import Worker, split_line
from isogloss.benchmark.worker_process import WorkerProcess, WorkerStoppedError, build_settings, build_variables

PYTHON = Path(sys.executable)
QUICK = Limits(seconds=1.0, cell_seconds=2.0, memory=2.0)


def ask(folder: Path, system: System, texts: list[str], limits: Limits = QUICK) -> list[dict[str, Any]]:
    with WorkerProcess(PYTHON, system, limits, folder) as worker:
        return [*worker.answer_texts(texts)][:-1]


def make_function(name: str) -> System:
    return System(name, function=f"systems:{name}")


def make_command(code: str, protocol: Any = "lines") -> System:
    return System("command", command=[sys.executable, "-c", code], protocol=protocol)


def test_a_function_answers_each_text(folder: Path) -> None:
    assert ask(folder, make_function("pairs"), ["abc", ""]) == [{"answer": ["ab", "c"]}, {"answer": []}]


def test_what_a_library_prints_is_no_answer(folder: Path) -> None:
    assert ask(folder, make_function("prints"), ["ab", "c"]) == [{"answer": ["ab"]}, {"answer": ["c"]}]


@pytest.mark.parametrize(("name", "reason"), [("fails", "ValueError: no x"), ("eats_memory", "MemoryError")])
def test_an_exception_fails_one_text(folder: Path, name: str, reason: str) -> None:
    first, second = ask(folder, make_function(name), ["x", "b"])
    assert reason in first["error"]
    assert second == {"answer": ["b"]}


def test_exit_fails_one_text(folder: Path) -> None:
    assert ask(folder, make_function("leaves"), ["a"]) == [{"error": "SystemExit: 3"}]


@pytest.mark.parametrize(
    ("name", "reason", "late"), [("loops", "no answer in 1 s", True), ("is_killed", "killed by SIGKILL", False)]
)
def test_a_worker_that_is_lost_gives_a_reason(folder: Path, name: str, reason: str, *, late: bool) -> None:
    with pytest.raises(WorkerStoppedError, match=reason) as found:
        ask(folder, make_function(name), ["x"])
    assert found.value.late is late


def test_a_system_that_cannot_be_loaded_gives_a_reason(folder: Path) -> None:
    with pytest.raises(WorkerStoppedError, match=r"cannot be loaded: ModuleNotFoundError.*nowhere"):
        ask(folder, System("lost", function="nowhere:cut"), ["x"])


def test_children_of_a_worker_are_killed_with_it(folder: Path) -> None:
    code = "import subprocess, sys\ndef cut(text):\n return [str(subprocess.Popen(['sleep', '60']).pid)]\n"
    (folder / "parents.py").write_text(code)
    (answer,) = ask(folder, System("parent", function="parents:cut"), ["a"])
    process = int(answer["answer"][0])
    deadline = time.monotonic() + 5
    while _is_running(process) and time.monotonic() < deadline:
        os.sched_yield()
    assert not _is_running(process)


def _is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_command_reads_and_writes_lines(folder: Path) -> None:
    code = "import sys\nfor line in sys.stdin: print('|'.join(line.split('-')), end='')"
    assert ask(folder, make_command(code), ["a-b", "c"]) == [{"answer": ["a", "b"]}, {"answer": ["c"]}]


def test_a_command_reads_and_writes_json_lines(folder: Path) -> None:
    code = "import json, sys\nfor line in sys.stdin: print(json.dumps({'words': list(json.loads(line)['text'])}))"
    assert ask(folder, make_command(code, "jsonl"), ["ab\n", "c"]) == [
        {"answer": ["a", "b", "\n"]},
        {"answer": ["c"]},
    ]


def test_lines_before_a_command_stops_count(folder: Path) -> None:
    first, second = ask(folder, make_command("print('a'); raise SystemExit(4)"), ["a", "b"])
    assert first == {"answer": ["a"]}
    assert second == {"error": "the command ended with exit code 4"}


def test_a_command_that_loops_is_late_for_the_rest(folder: Path) -> None:
    code = "print('a', flush=True)\nwhile True: pass"
    assert ask(folder, make_command(code), ["a", "b"]) == [{"answer": ["a"]}, {"late": True}]


def test_too_many_lines_fail_all_texts(folder: Path) -> None:
    (answer,) = ask(folder, make_command("print('a\\nb')"), ["a"])
    assert answer == {"error": "the command wrote 2 lines for 1 texts"}


@pytest.mark.parametrize(
    ("line", "text", "words"),
    [("ab|c", "abc", ["ab", "c"]), ("a|||b", "a|b", ["a", "|", "b"]), ("a|x", "a|b", ["a", "x"])],
)
def test_a_line_is_split_beside_its_text(line: str, text: str, words: list[str]) -> None:
    assert "".join(split_line(line, text, "|")) == "".join(words)


def test_a_worker_gets_no_other_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "secret")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    found = build_variables(PYTHON, 5)
    assert not {"SOME_TOKEN", "PYTHONPATH"} & set(found)
    assert found["PYTHONHASHSEED"] == "5"
    assert found["OMP_NUM_THREADS"] == "1"


def test_hash_seed_reaches_the_system(folder: Path) -> None:
    (folder / "hashes.py").write_text("def cut(text): return [str(hash(text))]")
    system = System("hash", function="hashes:cut")
    found = []
    for seed in (0, 0, 1):
        with WorkerProcess(PYTHON, system, QUICK, folder, hash_seed=seed) as worker:
            found.append(next(iter(worker.answer_texts(["a"])))["answer"])
    assert found[0] == found[1] != found[2]


def test_timed_passes_have_cpu_and_calibration(folder: Path) -> None:
    with WorkerProcess(PYTHON, make_function("letters"), QUICK, folder) as worker:
        found = worker.time_passes(["abc"] * 50, 0.01)
    assert found["passes"] >= 1
    assert found["cpu"] > 0 < found["calibration"]
    assert found["peak"] > 1_000_000


@pytest.mark.parametrize(
    ("texts", "seconds", "passes"),
    [(5, 0.0, 1), (1, 0.09, 5)],  # a long pass; passes that are shorter than the pause between two loops
)
def test_the_calibration_loop_runs_between_texts_and_is_not_counted(texts: int, seconds: float, passes: int) -> None:
    now, loops = [0.0], []

    def calibrate() -> float:
        loops.append(now[0])
        now[0] += 5.0
        return 0.25 if len(loops) == 2 else 0.5

    def analyse(text: str) -> list[str]:
        now[0] += 0.02
        return [text]

    clock = SimpleNamespace(perf_counter=lambda: now[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "calibrate", calibrate)
        patch.setattr(worker, "measure_cpu", lambda: now[0])
        patch.setattr(worker, "time", clock)
        timed = Worker({"kind": "function", "spec": "builtins:list"})
        timed.analyse = analyse
        found = timed.time_passes(["a"] * texts, seconds)
    # Texts end at 0.02, 0.04 (loop), 0.06, 0.08 (loop) and 0.1 seconds of work.
    assert found["passes"] == passes
    assert found["cpu"] == found["wall"] == pytest.approx(0.1)
    assert len(loops) == 4
    assert found["calibration"] == pytest.approx((0.5 + 0.25 + 0.5 + 0.5) / 4)


def test_the_calibration_loop_runs_beside_a_command_and_is_not_counted(tmp_path: Path) -> None:
    program = "import sys, time; sys.stdin.read(); time.sleep(0.5)"
    command = System("sleeps", command=[sys.executable, "-I", "-S", "-c", program])
    timed = Worker(build_settings(command, QUICK, tmp_path, None, "und"))
    loops: list[float] = []
    calibrate = worker.calibrate

    def record_loop() -> float:
        loops.append(calibrate())
        return loops[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "calibrate", record_loop)
        patch.setattr(worker, "measure_cpu", lambda: sum(loops) + 7.0)  # as if the command took no time
        found = timed.time_passes(["a"], 0.0)
    assert len(loops) > 3
    assert found["cpu"] == pytest.approx(0.0)
    assert found["calibration"] == pytest.approx(sum(loops) / len(loops))
