"""What a benchmark writes: cells, measurements, and the whole as `benchmark.json`.

    DIR/benchmark.json                        plan, machine, corpora, cells with measurements, runs, rankings
    DIR/cells/CORPUS/SYSTEM.json              one system on one corpus, from which a run resumes
    DIR/predictions/SYSTEM/CORPUS.jsonl.gz    what the system answered
    DIR/locks/SYSTEM.txt                      packages of the system with hashes

Each file is written whole or not at all. A cell is used again if its key is the same: the key is the SHA-256 of the
texts, the system, its environment, its limits and the worker.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import platform
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from isogloss.benchmark.plan import Corpus, Plan
from isogloss.errors import FormatError, SourceError
from isogloss.records.destinations import write_files
from isogloss.report.badges import choose_file_names
from isogloss.runs.run_json import RunJson, format_json
from isogloss.runs.system_ranking import SystemRanking

RESULT_FILE = "benchmark.json"
Outcome = Literal["ok", "changed", "failed", "timed out"]
OUTCOMES: tuple[Outcome, ...] = ("ok", "changed", "failed", "timed out")
UNKNOWN_MACHINE = "unknown"
MAX_PROBLEMS = 20  # texts of a cell that are listed


class TextProblem(msgspec.Struct, frozen=True):
    """A text that a system did not analyse.

    Args:
        text: number of the text, from 1.
        outcome: what happened.
        reason: why, in one line; empty if the words do not spell the text.
    """

    text: int
    outcome: Outcome
    reason: str = ""


class Timing(msgspec.Struct, frozen=True):
    """Time of a system on a corpus.

    Seconds are CPU seconds, for an HTTP endpoint those of the clock.

    Args:
        clock: `cpu` or `wall`.
        texts: number of texts of a pass.
        characters: number of their characters.
        seconds: seconds of a pass in each round, without start-up.
        wall: seconds of the clock of a pass in each round.
        calibration: CPU seconds of the calibration loop in each round.
        minimum: least seconds of a pass.
        median: median seconds of a pass.
        spread: largest seconds divided by the least.
        ratio: median over rounds of seconds for 1,000 characters divided by those of the calibration loop.
        noisy: whether the spread is above 1.25.
        startup: seconds until a fresh process has analysed one text, least of three.
        peak: largest memory in bytes.
    """

    clock: Literal["cpu", "wall"]
    texts: int
    characters: int
    seconds: list[float]
    wall: list[float]
    calibration: list[float]
    minimum: float
    median: float
    spread: float
    ratio: float
    noisy: bool
    startup: float
    peak: int

    @property
    def speed(self) -> float:
        """Characters in a second."""
        return self.characters / self.median


class Cell(msgspec.Struct, frozen=True, omit_defaults=True):
    """A system on a corpus.

    Args:
        corpus: name of the corpus.
        system: name of the system.
        key: what the cell depends on, see the module.
        status: `done`, or `failed` for a system that cannot run at all.
        reason: why it failed, or why texts did; empty if all is well.
        outcomes: number of texts by outcome.
        problems: the first texts that are not ok.
        versions: versions of its packages.
        unstable: number of texts with another answer in a second process; None if that was not checked.
        predictions: file of its answers, relative to the folder of the benchmark; empty if there are none.
        sha256: SHA-256 of that file.
        peak: largest memory in bytes; 0 for published predictions.
        timing: its time; None without.
        timing_reason: why it has no time; empty if it has, or was not timed.
    """

    corpus: str
    system: str
    key: str
    status: Literal["done", "failed"] = "done"
    reason: str = ""
    outcomes: dict[Outcome, int] = {}
    problems: list[TextProblem] = []
    versions: dict[str, str] = {}
    unstable: int | None = None
    predictions: str = ""
    sha256: str = ""
    peak: int = 0
    timing: Timing | None = None
    timing_reason: str = ""


class CorpusRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """A corpus that was run.

    Args:
        name: its name.
        task: the task.
        gold: file with the reference, relative to the folder of the benchmark if possible.
        sha256: SHA-256 of that file.
        texts: number of texts.
        characters: number of their characters.
        texts_sha256: SHA-256 of the texts.
        language: language; empty if unknown.
        licence: licence; empty if unknown.
        tag: a word that groups corpora; empty for none.
        options: options of the task.
    """

    name: str
    task: str
    gold: str
    sha256: str
    texts: int
    characters: int
    texts_sha256: str
    language: str = ""
    licence: str = ""
    tag: str = ""
    options: dict[str, Any] = {}


class Replication(msgspec.Struct, frozen=True):
    """On how many corpora a system is better than another.

    Args:
        system: the better system in mean rank.
        other: the other system.
        wins: number of corpora on which its score is higher.
        replicated: number of corpora on which it is shown to be better (Dror et al. 2017).
    """

    system: str
    other: str
    wins: int
    replicated: int


class OverallRanking(msgspec.Struct, frozen=True):
    """Systems over the corpora of a task that they all have.

    Args:
        task: the task.
        score: path of the score.
        corpora: names of the corpora.
        systems: names of the systems, best mean rank first.
        mean_ranks: their mean ranks.
        statistic: Friedman's statistic; None if undefined.
        p: its p-value; None if undefined.
        critical_difference: smallest difference of mean ranks that is significant (Nemenyi).
        replications: every pair of systems.
    """

    task: str
    score: str
    corpora: list[str]
    systems: list[str]
    mean_ranks: list[float]
    statistic: float | None
    p: float | None
    critical_difference: float
    replications: list[Replication]


class ScoredCell(msgspec.Struct, frozen=True):
    """Scores of a system on a corpus."""

    corpus: str
    system: str
    run: RunJson


class MeasuredMachine(msgspec.Struct, frozen=True):
    """A machine with the times that it measured.

    Args:
        name: its processor, with a number if several results have it.
        machine: what is known of it.
        times: times by corpus and system.
    """

    name: str
    machine: dict[str, Any]
    times: dict[str, dict[str, Timing]]


class Benchmark(msgspec.Struct, frozen=True):
    """All results of a benchmark, the content of `benchmark.json`.

    Args:
        version: version of isogloss.
        plan: the plan.
        machine: what is known of the machine that timed the systems; empty for merged results.
        corpora: the corpora.
        cells: the cells, in the order of the plan.
        scored: scores of the cells that have predictions.
        rankings: ranking of the systems by corpus, for corpora with several scored systems.
        overall: rankings over corpora, one for each task with several.
        environments: digest of the environment of each system that has its own.
        machines: machines of merged results with their times; empty for results of one machine.
    """

    version: str
    plan: Plan
    machine: dict[str, Any]
    corpora: list[CorpusRecord]
    cells: list[Cell]
    scored: list[ScoredCell]
    rankings: dict[str, SystemRanking]
    overall: list[OverallRanking]
    environments: dict[str, str] = {}
    machines: list[MeasuredMachine] = []

    def list_machines(self) -> list[MeasuredMachine]:
        """List the machines that timed systems, with their times."""
        if self.machines:
            return self.machines
        times: dict[str, dict[str, Timing]] = {}
        for cell in self.cells:
            if cell.timing is not None:
                times.setdefault(cell.corpus, {})[cell.system] = cell.timing
        return [MeasuredMachine(str(self.machine.get("cpu") or UNKNOWN_MACHINE), self.machine, times)] if times else []


def load_benchmark(folder: Path) -> Benchmark:
    """Load the results of a folder.

    Args:
        folder: folder that `isogloss benchmark run -o` wrote.

    Raises:
        SourceError: if it has no results.
        FormatError: if they cannot be read.
    """
    path = folder / RESULT_FILE
    try:
        content = path.read_bytes()
    except OSError as error:
        remedy = "Name the folder of: isogloss benchmark run -o DIR"
        if isinstance(error, FileNotFoundError) and folder.is_dir() and any(folder.iterdir()):
            remedy = "The run did not end. Start it again with the same command: what is finished is kept."
        raise SourceError(f"cannot be read: {error.strerror}", where=str(path), remedy=remedy) from error
    try:
        return msgspec.json.decode(content, type=Benchmark)
    except msgspec.DecodeError as error:
        remedy = "Run the benchmark again with this version of isogloss."
        raise FormatError(f"is not a benchmark: {error}", where=str(path), remedy=remedy) from error


def get_corpus(benchmark: Benchmark, name: str) -> Corpus:
    """Return a corpus of the plan by name."""
    return next(corpus for corpus in benchmark.plan.corpus if corpus.name == name)


def save_benchmark(folder: Path, benchmark: Benchmark) -> None:
    """Write the results."""
    write_files({folder / RESULT_FILE: format_json(benchmark) + "\n"})


class CellFiles:
    """Names of the files of cells.

    Names of corpora and systems may contain anything.

    Args:
        folder: folder of the benchmark.
        plan: the plan.
    """

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.folder = folder
        self._corpora = name_files([corpus.name for corpus in plan.corpus])
        self._systems = name_files([system.name for system in plan.system])

    def locate_cell(self, corpus: str, system: str) -> Path:
        """Return the path of a cell."""
        return self.folder / "cells" / self._corpora[corpus] / f"{self._systems[system]}.json"

    def locate_predictions(self, corpus: str, system: str, suffix: str = ".jsonl.gz") -> Path:
        """Return the path of the predictions of a cell."""
        return self.folder / "predictions" / self._systems[system] / f"{self._corpora[corpus]}{suffix}"

    def locate_lock(self, system: str) -> Path:
        """Return the path of the lock file of a system."""
        return self.folder / "locks" / f"{self._systems[system]}.txt"

    def load_cell(self, corpus: str, system: str) -> Cell | None:
        """Load a cell.

        The result is None if it is missing, cannot be read, or its predictions have changed.
        """
        try:
            cell = msgspec.json.decode(self.locate_cell(corpus, system).read_bytes(), type=Cell)
            fits = not cell.predictions or digest_file(self.folder / cell.predictions) == cell.sha256
        except (OSError, msgspec.DecodeError):
            return None
        return cell if fits else None

    def save_cell(self, cell: Cell) -> None:
        """Write a cell."""
        write_files({self.locate_cell(cell.corpus, cell.system): format_json(cell) + "\n"})


def name_files(names: Sequence[str]) -> dict[str, str]:
    """Choose a file name without suffix for each name."""
    return {name: file.removesuffix(".svg") for name, file in zip(names, choose_file_names(names), strict=True)}


def write_lines(path: Path, lines: Iterable[str]) -> str:
    """Write compressed lines, and return the SHA-256 of the file.

    The same lines give the same bytes.

    Args:
        path: the file; missing folders are created.
        lines: lines without line ends.

    Raises:
        SourceError: if it cannot be written.
    """
    content = gzip.compress("".join(f"{line}\n" for line in lines).encode(), 6, mtime=0)
    return write_content(path, content)


def write_content(path: Path, content: bytes) -> str:
    """Write bytes to a file, and return their SHA-256."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        remedy = "Name a folder that can be written, with -o."
        raise SourceError(f"cannot be written: {error.strerror}", where=str(path), remedy=remedy) from error
    return hashlib.sha256(content).hexdigest()


def digest_file(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest_values(*values: Any) -> str:
    """Return the SHA-256 of values as JSON."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def describe_machine() -> dict[str, Any]:
    """Describe the machine that times the systems."""
    load: Sequence[float] = os.getloadavg() if hasattr(os, "getloadavg") else ()
    return {
        "cpu": _read_cpu_model(),
        "cores": os.cpu_count(),
        "kernel": platform.release(),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "load": [round(each, 2) for each in load],
    }


def _read_cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def count_outcomes(outcomes: Iterable[Outcome]) -> dict[Outcome, int]:
    """Count outcomes; each kind has a number."""
    counts = Counter(outcomes)
    return {each: counts[each] for each in OUTCOMES}
