"""Measure functions and commands as processes of their own: CPU time of one core, peak memory, no other noise."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPEATS = 5
KILO, MEGA = 1024, 1e6
ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}
LAUNCHER = """
import os, sys, time
clock = time.perf_counter()
nothing = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in (1, 2)]
_, status, used = os.wait4(os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=nothing), 0)
wall = time.perf_counter() - clock
print([os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss, wall])
"""


@dataclass(frozen=True)
class Cost:
    """What something took.

    Args:
        seconds: CPU time.
        megabytes: peak memory; of a function, above what its input took.
        wall: elapsed seconds.
    """

    seconds: float
    megabytes: float
    wall: float


def of_command(command: Sequence[str], *, repeats: int = 1) -> Cost:
    """The cheapest of several runs of a command, whose output is thrown away.

    Raises:
        RuntimeError: if it fails.
    """
    return min((_run(command) for _ in range(repeats)), key=lambda cost: cost.seconds)


def of_function(script: Path, name: str, *arguments: str, processes: int = 1) -> Cost:
    """The cheapest of several processes that call a function, which the script answers for, see `child`.

    Args:
        script: a file that, run as `script --child NAME ARGUMENTS`, calls `child`.
        name: name of the function.
        arguments: its arguments.
        processes: how many processes.
    """
    costs = (_of_child([sys.executable, str(script), "--child", name, *arguments]) for _ in range(processes))
    return min(costs, key=lambda cost: cost.seconds)


def _of_child(command: Sequence[str]) -> Cost:
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | ONE_CORE)
    return Cost(**json.loads(done.stdout.splitlines()[-1]))


def child(prepare: Callable[[], Callable[[], Any]], repeats: int = REPEATS) -> None:
    """Print the cost of what `prepare` returns: the least CPU time of several calls, the peak memory of the first."""
    work = prepare()
    before = _peak()
    seconds, wall = [], []
    for k in range(repeats):
        begin, clock = time.process_time(), time.perf_counter()
        work()
        seconds.append(time.process_time() - begin)
        wall.append(time.perf_counter() - clock)
        if k == 0:
            peak = _peak()
    print(json.dumps({"seconds": min(seconds), "megabytes": peak - before, "wall": min(wall)}))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KILO / MEGA


def _run(command: Sequence[str]) -> Cost:
    """Start it from a small process: what a process has at its peak is never less than what started it had."""
    small = subprocess.run(
        [sys.executable, "-S", "-c", LAUNCHER, *command], stdout=subprocess.PIPE, check=True, env=os.environ | ONE_CORE
    )
    code, seconds, kilobytes, wall = json.loads(small.stdout)
    if code:
        raise RuntimeError(f"{' '.join(command)} failed with exit code {code}")
    return Cost(seconds, kilobytes * KILO / MEGA, wall)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose first column is text."""
    rules = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rules, *rows)) + "\n"
