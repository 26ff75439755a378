"""Run all benchmarks, add a line to the history, and fail when a ratio beside a peer fell by more than a third.

    python benchmarks/run.py --label "before the change"      # about half an hour
    python benchmarks/run.py --only ner,segmentation --quick  # two tasks, a tenth of the input

Each benchmark runs in a process of its own. A ratio says how many times as long as isogloss a tool takes. Each ratio
is compared with the last accepted line of the history that has its benchmark. If a ratio fell, its benchmark runs once
more before the run fails, because other work on the machine can cause that. The exit code is 1 if a ratio fell or a
benchmark failed, and 2 if the command line is wrong.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from history import HERE, Fall, Line, append_line, find_baselines, find_falls, find_unmeasured, new_line, read_lines
from rows import Row, draw_rows, keep_cheapest, read_rows

NAMES = (
    *("ner", "segmentation", "entity_translation", "code_switching", "classification"),
    *("evidence", "store", "tags"),
)
SCRIPTS = {name: HERE / f"{name}.py" for name in NAMES}


def main(arguments: Sequence[str] | None = None, scripts: Mapping[str, Path] = SCRIPTS) -> int:
    """Run what the command line says, and return the exit code.

    Args:
        arguments: those of the command line.
        scripts: path of each benchmark.
    """
    asked = _parse(arguments, scripts)
    options = [*(["--quick"] if asked.quick else []), *(["--data", str(asked.data)] if asked.data else [])]
    try:
        baselines = find_baselines(read_lines(asked.history), asked.only, quick=asked.quick, against=asked.against)
    except LookupError as error:
        print(error, file=sys.stderr)
        return 2
    results = {name: _run(name, scripts[name], options) for name in asked.only}
    for name in {fall.now.benchmark for fall in _falls(baselines, results)}:
        print(f"A ratio fell in {name}, which is measured once more.\n", flush=True)
        results[name] = keep_cheapest(results[name] or [], _run(name, scripts[name], options) or [])
    failed, falls = [name for name, rows in results.items() if rows is None], _falls(baselines, results)
    rows = [row for found in results.values() for row in found or []]
    line = new_line(rows, label=asked.label, quick=asked.quick, accepted=not failed and not falls)
    if rows:
        append_line(asked.history, line)
    _report(baselines, results, falls)
    return 0 if line.accepted else 1


def _parse(arguments: Sequence[str] | None, scripts: Mapping[str, Path]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help=f"names separated by commas, of {', '.join(scripts)}")
    parser.add_argument("--quick", action="store_true", help="a tenth of the input; compared with quick runs only")
    parser.add_argument("--history", type=Path, default=HERE / "history.jsonl", help="file with one line a run")
    parser.add_argument("--against", help="compare with the last run of this label or commit, accepted or not")
    parser.add_argument("--label", default="", help="what to call this run in the history")
    parser.add_argument("--data", type=Path, help="folder of public data, see docs/benchmarks.md")
    asked = parser.parse_args(arguments)
    asked.only = list(dict.fromkeys(asked.only.split(","))) if asked.only else list(scripts)
    unknown = [name for name in asked.only if name not in scripts]
    if unknown:
        parser.error(f"unknown benchmark '{unknown[0]}'; choose from {', '.join(scripts)}")
    return asked


def _run(name: str, script: Path, options: Sequence[str]) -> list[Row] | None:
    """Run a script and print its table; None if it fails."""
    print(f"## {name}\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.json"
        command = [sys.executable, str(script), *options, "--rows", str(path)]
        environment = os.environ | {"PYTHONPATH": str(HERE)}
        if subprocess.run(command, check=False, stdout=subprocess.DEVNULL, env=environment).returncode:
            return None
        rows = read_rows(path)
    print(draw_rows(rows), flush=True)
    return rows


def _falls(baselines: Mapping[str, Line], results: Mapping[str, list[Row] | None]) -> list[Fall]:
    return [fall for name, line in baselines.items() for fall in find_falls(line, results[name] or [])]


def _report(baselines: Mapping[str, Line], results: Mapping[str, list[Row] | None], falls: Iterable[Fall]) -> None:
    for name, rows in results.items():
        if rows is None:
            print(f"{name}: the benchmark failed; its message is above.")
        elif name not in baselines:
            print(f"{name}: nothing to compare with in the history.")
        else:
            print(f"{name}: compared with {baselines[name].title}.")
            for row in find_unmeasured(baselines[name], rows):
                print(f"  not measured now: {row.case}: {row.tool}, {row.ratio_to_ours:.3g}x before")
    for fall in falls:
        print(f"FELL by more than a third: {fall}")


if __name__ == "__main__":
    sys.exit(main())
