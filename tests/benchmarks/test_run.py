"""The script that runs all benchmarks, with stubs in their place."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

MEASURED = """
from pathlib import Path
from script import Script, run_script

def measure_sum(bench):
    tools = {
        "isogloss": bench.function("sum", 10),
        "peer": bench.function("sum", 20),
        "absent": bench.function("sum", 30, needs="no_such_package_of_python"),
    }
    return bench.compare("sum", tools)

def prepare(number):
    return lambda: sum(range(int(number)))

if __name__ == "__main__":
    run_script(Script(Path(__file__), {"sum": measure_sum}, {"sum": prepare}), __doc__)
"""
FIXED = """
import json, sys
from pathlib import Path
rows = json.loads(Path(__file__).with_suffix(".json").read_text())
Path(sys.argv[sys.argv.index("--rows") + 1]).write_text(json.dumps(rows))
"""


@pytest.fixture
def run(load: Callable[[str], Any], tmp_path: Path) -> Callable[..., int]:
    """Run a stub: the ratio that it gives, or its source."""

    def main(stub: float | str, *arguments: str) -> int:
        script = tmp_path / "stub.py"
        script.write_text(stub if isinstance(stub, str) else FIXED)
        rows = [["isogloss", 1.0], ["peer", stub]] if isinstance(stub, float) else []
        keys = ("benchmark", "case", "tool", "cpu_seconds", "ratio_to_ours")
        fixed = [dict(zip(keys, ("stub", "sum", tool, ratio, ratio), strict=True)) for tool, ratio in rows]
        script.with_suffix(".json").write_text(json.dumps(fixed))
        history = ["--history", str(tmp_path / "history.jsonl")]
        return int(load("run").main([*history, *arguments], {"stub": script}))

    return main


@pytest.fixture
def lines(load: Callable[[str], Any], tmp_path: Path) -> Callable[[], Any]:
    return lambda: load("history").read_lines(tmp_path / "history.jsonl")


def test_benchmark_is_measured_and_recorded(run: Any, lines: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(MEASURED, "--label", "first", "--quick") == 0
    (line,) = lines()
    assert (line.label, line.quick, line.accepted) == ("first", True, True)
    assert [(row.benchmark, row.case, row.tool) for row in line.rows] == [
        ("stub", "sum", "isogloss"),
        ("stub", "sum", "peer"),
        ("stub", "sum", "absent"),
    ]
    assert [row.note for row in line.rows if row.ratio_to_ours is None] == ["not installed"]
    assert "| sum | absent |  |  |  | not installed |" in capsys.readouterr().out


def test_ratio_that_fell_fails_and_is_named(run: Any, lines: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run(30.0)
    assert run(3.0) == 1
    assert [line.accepted for line in lines()] == [True, False]
    output = capsys.readouterr().out
    assert "FELL by more than a third: stub: sum: peer: 30x before, 3x now" in output
    assert "A ratio fell in stub, which is measured once more." in output


def test_refused_run_is_not_the_next_baseline(run: Any) -> None:
    assert [run(ratio) for ratio in (30.0, 3.0, 3.0, 21.0)] == [0, 1, 1, 0]


def test_run_can_be_compared_with_a_label(run: Any) -> None:
    assert run(30.0, "--label", "before") == 0
    assert run(21.0) == 0
    assert run(15.0) == 0
    assert run(15.0, "--against", "before") == 1


def test_unknown_label_is_a_usage_error(run: Any, lines: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(30.0, "--against", "before") == 2
    assert lines() == []
    assert "no full run with the label or commit 'before'" in capsys.readouterr().err


def test_benchmark_that_fails_fails_the_run(run: Any, lines: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("raise SystemExit(3)") == 1
    assert lines() == []
    assert "stub: the benchmark failed" in capsys.readouterr().out


def test_unknown_benchmark_is_a_usage_error(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(30.0, "--only", "stubs")
    assert "unknown benchmark 'stubs'; choose from stub" in capsys.readouterr().err


def test_lost_ratio_is_reported(run: Any, lines: Any, tmp_path: Path, load: Any, capsys: Any) -> None:
    run(30.0)
    (line,) = lines()
    lost = replace(line.rows[1], tool="other")
    load("history").append_line(tmp_path / "history.jsonl", replace(line, rows=[*line.rows, lost]))
    assert run(30.0) == 0
    assert "not measured now: sum: other, 30x before" in capsys.readouterr().out


def test_every_benchmark_has_a_script(load: Any) -> None:
    assert all(path.exists() for path in load("run").SCRIPTS.values())
