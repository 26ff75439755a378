"""Time of systems on a corpus, measured in rounds.

All systems of a corpus are loaded and wait. In each round every system analyses the texts, and the order of the systems
rotates, so that a slow moment of the machine hits all of them. Each system has one thread and all have the same core.
The first pass is a warm-up. Every 30 ms the worker runs a calibration loop; the ratio to it can be compared between
moments, never between machines. Systems are timed on the texts that they can analyse. If these take longer than
`PASS_LIMIT`, only the first of them are timed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from isogloss.benchmark.cells import CellRunner
from isogloss.benchmark.corpora import CorpusTexts
from isogloss.benchmark.environments import Environment
from isogloss.benchmark.plan import System
from isogloss.benchmark.results import Timing
from isogloss.benchmark.worker_process import WorkerProcess, WorkerStoppedError

NOISY = 1.25  # spread above which a measurement is flagged
PASS_LIMIT = 3.0  # seconds of a pass; more texts are left out
MIN_SECONDS = 1e-6
PROBE = 20  # texts of the first pass, from which the length of a pass is estimated
STARTS = 3
STARTUP_SHARE, MAX_REPEATS = 5, 128
EMPTY = " "
Progress = Callable[[str, int], object]  # takes the name of a system, and the round


@dataclass
class TimedSystem:
    """A system that waits to be timed.

    Args:
        system: the system.
        worker: its worker.
        texts: texts of a pass.
        startup: seconds until the first text is analysed, least of several processes.
        startup_loops: start-up of a command in units of the calibration loop, least of several.
        repeats: how often a pass has each text.
        seconds: seconds of a pass by round.
        wall: seconds of the clock of a pass by round.
        calibration: seconds of the calibration loop by round.
        peak: largest memory in bytes.
    """

    system: System
    worker: WorkerProcess
    texts: Sequence[str]
    startup: float = 0.0
    startup_loops: float = 0.0
    repeats: int = 1
    seconds: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    calibration: list[float] = field(default_factory=list)
    peak: int = 0

    @property
    def clock(self) -> str:
        """What is measured: the work of an endpoint is done elsewhere."""
        return "wall" if self.system.kind == "url" else "cpu"

    def time_round(self, pass_seconds: float) -> None:
        """Time one round."""
        passes = self.worker.time_passes([*self.texts] * self.repeats, pass_seconds)
        # A command starts anew in each pass; the machine may be faster now than when the start-up was measured.
        extra = self.startup_loops * passes["calibration"]
        self.seconds.append(max(passes[self.clock] / passes["passes"] - extra, MIN_SECONDS) / self.repeats)
        self.wall.append(passes["wall"] / passes["passes"] / self.repeats)
        self.calibration.append(passes["calibration"])
        self.peak = max(self.peak, passes["peak"])

    def build_timing(self) -> Timing:
        """Build the measurement from all rounds."""
        characters = sum(map(len, self.texts))
        least, most = min(self.seconds), max(self.seconds)
        return Timing(
            clock="wall" if self.clock == "wall" else "cpu",
            texts=len(self.texts),
            characters=characters,
            seconds=self.seconds,
            wall=self.wall,
            calibration=self.calibration,
            minimum=least,
            median=median(self.seconds),
            spread=most / least,
            ratio=compute_ratio(self.seconds, self.calibration, characters),
            noisy=most / least > NOISY,
            startup=self.startup,
            peak=self.peak,
        )


def compute_ratio(seconds: Sequence[float], calibration: Sequence[float], characters: int) -> float:
    """Return the time for 1,000 characters in units of the loop.

    It is the median over rounds. The loop is the calibration loop of the same round.

    Args:
        seconds: seconds of a pass by round.
        calibration: seconds of the calibration loop by round.
        characters: characters of a pass, at least 1.
    """
    return median(own / loop for own, loop in zip(seconds, calibration, strict=True)) * 1000 / characters


def rotate(systems: Sequence[Any], number: int) -> list[Any]:
    """Return systems in the order of a round.

    Each round begins with the next system.

    Args:
        systems: the systems.
        number: number of the round, from 0.
    """
    at = number % len(systems) if systems else 0
    return [*systems[at:], *systems[:at]]


def choose_core() -> int | None:
    """Choose the core for timed systems.

    It is the last one that this process may use.
    """
    return max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


def time_systems(
    runner: CellRunner,
    corpus: CorpusTexts,
    systems: Mapping[str, tuple[System, Environment, Sequence[str]]],
    progress: Progress,
) -> dict[str, Timing | str]:
    """Time the systems of a corpus.

    Args:
        runner: starts workers.
        corpus: the corpus.
        systems: by name, a system with its environment and the texts that it can analyse.
        progress: takes the name of the system and the number of its round.

    Returns:
        By name, the measurement, or the reason why there is none.
    """
    timings: dict[str, Timing | str] = {}
    with ExitStack() as stack:
        ready: list[TimedSystem] = []
        for name, (system, environment, texts) in systems.items():
            try:
                ready.append(_prepare(runner, corpus, system, environment, texts, stack))
            except (WorkerStoppedError, OSError) as error:
                timings[name] = f"not timed: {error}"
        for number in range(runner.limits.rounds):
            for each in rotate(ready, number):
                progress(each.system.name, number)
                try:
                    each.time_round(runner.limits.pass_seconds)
                except WorkerStoppedError as error:
                    timings[each.system.name] = f"not timed: {error.reason}"
            ready = [each for each in ready if each.system.name not in timings]
    return timings | {each.system.name: each.build_timing() for each in ready}


def _prepare(
    runner: CellRunner,
    corpus: CorpusTexts,
    system: System,
    environment: Environment,
    texts: Sequence[str],
    stack: ExitStack,
) -> TimedSystem:
    """Load a system, measure its start-up and warm it up."""
    core = choose_core()

    def start() -> WorkerProcess:
        return runner.start_worker(corpus, system, environment, core=core)

    starts = [_measure_startup(start, system, texts[0]) for _ in range(STARTS)]
    worker = stack.enter_context(start())
    chosen = _choose_texts(worker, texts)
    timed = TimedSystem(system, worker, chosen, min(seconds for seconds, _ in starts))
    if system.kind == "command":
        timed.startup_loops = min(seconds / calibration for seconds, calibration in starts)
        timed.repeats = count_repeats(
            lambda repeats: worker.time_passes([*chosen] * repeats, 0.0)["cpu"], timed.startup
        )
    else:
        worker.time_passes(chosen, 0.0)
    return timed


def _measure_startup(start: Callable[[], WorkerProcess], system: System, text: str) -> tuple[float, float]:
    """Return the seconds until a fresh process has analysed a text.

    Those of the calibration loop follow. The first text may load a dictionary.
    """
    begin = time.perf_counter()
    with start() as worker:
        passes = worker.time_passes([EMPTY if system.kind == "command" else text], 0.0)
        seconds = passes["cpu"] if system.kind == "command" else worker.ready["cpu"] + passes["cpu"]
        return time.perf_counter() - begin if system.kind == "url" else float(seconds), passes["calibration"]


def _choose_texts(worker: WorkerProcess, texts: Sequence[str]) -> Sequence[str]:
    """Return the texts of a pass.

    They are all, or the first if all take too long.
    """
    probe = texts[:PROBE]
    worker.time_passes(probe[:1], 0.0)
    passes = worker.time_passes(probe, 0.0)
    seconds = max(passes["cpu"], passes["wall"]) / passes["passes"] / len(probe)
    number = len(texts)
    while number > 1 and seconds * number > PASS_LIMIT:
        number = (number + 1) // 2  # halves, so that the next run most likely has the same texts
    return texts[:number]


def count_repeats(time_pass: Callable[[int], float], startup: float) -> int:
    """Return how often a command gets the texts of a pass.

    It is a power of two. Its work should take `STARTUP_SHARE` times as long as its start-up, which is subtracted. The
    first texts may take longer than others, so that doubling finds the number.

    Args:
        time_pass: takes the number, and returns the CPU seconds of a pass with its start-up.
        startup: CPU seconds of the start-up.
    """
    repeats, seconds = 1, time_pass(1)
    while seconds - startup < STARTUP_SHARE * startup and seconds < PASS_LIMIT and repeats < MAX_REPEATS:
        repeats *= 2
        seconds = time_pass(repeats)
    return repeats
