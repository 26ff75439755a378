"""Measure functions and commands as processes of their own: CPU time of one core, and peak memory."""

from __future__ import annotations

import gc
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

CALLS = 5  # of a function in one process
ENOUGH, SLOW = 1.0, 10.0  # CPU seconds of all calls, and of a first call, after which none follows
ROUNDS, MOST = 3, 5  # rounds in which each tool runs; rounds where figures differ
CLOSE = 0.1  # the two least figures of a tool may differ by this share
BUDGET = 20.0  # CPU seconds, its preparations included, after which a tool does not run again
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
Work = Callable[[], Any]


@dataclass(frozen=True)
class Cost:
    """What something took.

    Args:
        seconds: CPU time, user and system, child processes included.
        megabytes: peak memory; of a function, above what its input took.
        wall: elapsed seconds.
        spread: by which share the second cheapest run took longer; None if there was one run only.
    """

    seconds: float
    megabytes: float
    wall: float
    spread: float | None = None


Measure = Callable[[], Cost]


class FailedRunError(RuntimeError):
    """A measured program failed."""


def interleave(tools: Mapping[str, Measure | None]) -> dict[str, Cost | None]:
    """Run all tools in turn, round after round, and keep the cheapest run of each.

    Turns even out what else the machine does. A tool whose two cheapest runs differ by more than `CLOSE` gets more
    rounds, and one that has taken `BUDGET` CPU seconds gets no more.

    Args:
        tools: what measures each tool once; None for a tool that is not installed, which stays None.
    """
    runs: dict[str, list[Cost]] = {name: [] for name, measure in tools.items() if measure}
    spent = dict.fromkeys(runs, 0.0)
    for _ in range(MOST):
        for name, found in runs.items():
            measure = tools[name]
            if measure and spent[name] < BUDGET and _is_unsettled(found):
                begin = _cpu()
                found.append(measure())
                spent[name] += _cpu() - begin
    return {name: _cheapest(runs[name]) if name in runs else None for name in tools}


def _is_unsettled(runs: list[Cost]) -> bool:
    return len(runs) < ROUNDS or (_spread(runs) or 0) > CLOSE


def _cheapest(runs: list[Cost]) -> Cost:
    return replace(min(runs, key=lambda cost: cost.seconds), spread=_spread(runs))


def _spread(runs: list[Cost]) -> float | None:
    seconds = sorted(cost.seconds for cost in runs)
    return seconds[1] / seconds[0] - 1 if len(seconds) > 1 else None


def measure_command(command: Sequence[str]) -> Cost:
    """Run a command once, without its output.

    It is started by a small process: the peak memory of a process is never less than that of the one that started it.

    Raises:
        FailedRunError: if it fails.
    """
    small = _run([sys.executable, "-S", "-c", LAUNCHER, *command])
    code, seconds, kilobytes, wall = json.loads(small)
    if code:
        raise FailedRunError(f"{' '.join(command)} failed with exit code {code}")
    return Cost(seconds, kilobytes * KILO / MEGA, wall)


def measure_child(command: Sequence[str]) -> Cost:
    """Run a command that prints what `print_cost` prints.

    Raises:
        FailedRunError: if it fails.
    """
    return Cost(**json.loads(_run(command).splitlines()[-1]))


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=os.environ | ONE_CORE)
    if done.returncode:
        raise FailedRunError(f"{' '.join(command)} failed with exit code {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def print_cost(prepare: Callable[[], Work]) -> None:
    """Print the cost of what `prepare` returns: the least CPU time of several calls, the peak memory of the first."""
    work = prepare()
    gc.collect()
    gc.freeze()  # the input is not garbage; looking through it is not the tool's work
    _reset_peak()
    before, costs = _memory("VmRSS"), []
    while _needs_call(costs):
        begin, clock = _cpu(), time.perf_counter()
        work()
        seconds, wall = _cpu() - begin, time.perf_counter() - clock
        costs.append(Cost(seconds, _memory("VmHWM") - before, wall))
    cheapest = min(costs, key=lambda cost: cost.seconds)
    print(json.dumps({"seconds": cheapest.seconds, "megabytes": costs[0].megabytes, "wall": cheapest.wall}))


def _needs_call(costs: list[Cost]) -> bool:
    """Whether to call once more: a first call also fills caches, so there are two unless it was very slow."""
    enough = ENOUGH if len(costs) > 1 else SLOW
    return len(costs) < CALLS and sum(cost.seconds for cost in costs) < enough


def _cpu() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def _reset_peak() -> None:
    """Let the peak begin at what the process holds now, where Linux allows it."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _memory(field: str) -> float:
    """Megabytes by a field of Linux; elsewhere always the peak."""
    with suppress(OSError):
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(field)) * KILO / MEGA
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KILO / MEGA
