"""What the scripts of the tasks share: options, processes that measure, and rows that come of them.

A script has *parts*, which return rows, *works*, which prepare a function that is then measured in its own process, and
*programs*, which write input or are measured as whole processes.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measure import Cost, Measure, Work, interleave, measure_child, measure_command, print_cost
from rows import Amount, Row, draw_rows, make_rows, write_rows

ISOGLOSS = (sys.executable, "-m", "isogloss")
DATA = Path(__file__).parents[2] / "shared" / "data"
QUICK = 10  # a quick run has a tenth of the input


@dataclass(frozen=True)
class Bench:
    """One run of a script.

    Args:
        script: path of the script.
        folder: where input is written.
        data: folder of the public data, see docs/benchmarks.md.
        share: divides the size of the input.
        largest: whether to measure the largest files too.
        store: URL of the store; None for a new SQLite file.
    """

    script: Path
    folder: Path
    data: Path = DATA
    share: int = 1
    largest: bool = False
    store: str | None = None

    def function(self, name: str, *arguments: object, needs: str = "") -> Measure | None:
        """What measures one of the works of the script, or None if it needs a package that is not installed."""
        command = self._command("--work", name, *arguments)
        return (lambda: measure_child(command)) if _is_installed(needs) else None

    def program(self, name: str, *arguments: object) -> Measure:
        """What measures one of the programs of the script."""
        command = self._command("--program", name, *arguments)
        return lambda: measure_command(command)

    def command(self, *command: object, needs: str = "") -> Measure | None:
        """What measures a command, or None if it needs a package that is not installed."""
        words = [str(word) for word in command]
        return (lambda: measure_command(words)) if _is_installed(needs) else None

    def compare(
        self,
        case: str,
        tools: Mapping[str, Measure | None],
        amount: Amount | Mapping[str, Amount] | None = None,
    ) -> list[Row]:
        """Measure tools in turn, and return their rows; see `rows.make_rows`."""
        return self.rows(case, interleave(tools), amount)

    def rows(
        self,
        case: str,
        costs: Mapping[str, Cost | None],
        amount: Amount | Mapping[str, Amount] | None = None,
    ) -> list[Row]:
        """Rows of costs; see `rows.make_rows`."""
        return make_rows(self.script.stem, case, costs, amount)

    def missing(self, case: str, path: Path) -> list[Row]:
        """A row for a case whose data is not there."""
        return [Row(self.script.stem, case, "isogloss", note=f"not measured: no {path.name} in the folder of --data")]

    def _command(self, *words: object) -> list[str]:
        return [sys.executable, str(self.script), *map(str, words)]


Part = Callable[[Bench], list[Row]]


@dataclass(frozen=True)
class Script:
    """A script of a task.

    Args:
        path: where it is.
        parts: what returns rows, by name.
        works: what prepares a function to be measured, given arguments of the command line.
        programs: what is run as a whole process.
    """

    path: Path
    parts: Mapping[str, Part]
    works: Mapping[str, Callable[..., Work]] = field(default_factory=dict)
    programs: Mapping[str, Callable[..., Any]] = field(default_factory=dict)


def installed_command(name: str) -> str:
    """Path of a command that is installed beside this Python."""
    return str(Path(sys.executable).parent / name)


def run_script(script: Script, description: str | None, arguments: Sequence[str] | None = None) -> None:
    """Run what the command line says: some parts, or one process that is measured.

    Args:
        script: the script.
        description: its docstring, for `--help`.
        arguments: those of the command line.
    """
    asked = _parser(script, description).parse_args(arguments)
    if asked.work:
        print_cost(lambda: script.works[asked.work[0]](*asked.work[1:]))
    elif asked.program:
        script.programs[asked.program[0]](*asked.program[1:])
    else:
        rows = _measure_parts(script, asked)
        print(draw_rows(rows))
        if asked.rows:
            write_rows(asked.rows, rows)


def _parser(script: Script, description: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=tuple(script.parts), action="append", help="measure this part only")
    parser.add_argument("--quick", action="store_true", help="a tenth of the input")
    parser.add_argument("--largest", action="store_true", help="also the largest files (1.5 GB of disk)")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of public data, see docs/benchmarks.md")
    parser.add_argument("--store", help="URL of the store to measure (store.py); default: a new SQLite file")
    parser.add_argument("--rows", type=Path, help="also write the rows to this file, as JSON")
    parser.add_argument("--work", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--program", nargs="+", help=argparse.SUPPRESS)
    return parser


def _measure_parts(script: Script, asked: argparse.Namespace) -> list[Row]:
    rows: list[Row] = []
    for name in asked.part or script.parts:
        with tempfile.TemporaryDirectory() as folder:
            share = QUICK if asked.quick else 1
            bench = Bench(script.path, Path(folder), asked.data.resolve(), share, asked.largest, asked.store)
            rows += script.parts[name](bench)
    return rows


def _is_installed(package: str) -> bool:
    return not package or importlib.util.find_spec(package) is not None
