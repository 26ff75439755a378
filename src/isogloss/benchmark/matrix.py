"""Runs a plan: environments, cells, time, scores and ranks.

A stopped run goes on where it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from isogloss.benchmark.cells import CellRunner, fail_cell
from isogloss.benchmark.corpora import CorpusTexts, read_corpus
from isogloss.benchmark.environments import Environment, EnvironmentBuildError, build_environment, find_environment
from isogloss.benchmark.measurements import time_systems
from isogloss.benchmark.plan import Plan, System
from isogloss.benchmark.ranking import CorpusScores, build_benchmark, score_corpus
from isogloss.benchmark.results import (
    Benchmark,
    Cell,
    CellFiles,
    Timing,
    describe_machine,
    save_benchmark,
)

BUILDERS = 4  # environments that are built at the same time


class Monitor(Protocol):
    """Shows what a benchmark is doing."""

    def show_state(self, corpus: str, system: str, state: str, done: int = 0, total: int = 0) -> None:
        """Show the state of a cell.

        Args:
            corpus: name of the corpus; empty for an environment.
            system: name of the system; empty for all.
            state: `building environment`, `environment cached`, `running`, `done`, `failed`, `kept`, `timing`, `timed`,
                `scoring`.
            done: number of texts or rounds that are done.
            total: number of all; 0 if unknown.
        """


@dataclass(frozen=True)
class BenchmarkRunner:
    """Runs a plan.

    Args:
        plan: the plan.
        folder: folder of the plan.
        output: folder of the results.
        monitor: shows what is done.
        download: whether packages may be downloaded.
    """

    plan: Plan
    folder: Path
    output: Path
    monitor: Monitor
    download: bool = False

    def run(self) -> Benchmark:
        """Run the plan, and write the results.

        Raises:
            DataError: if a corpus cannot be read, or a file cannot be written.
        """
        runner = CellRunner(CellFiles(self.output, self.plan), self.plan.limits, self.folder)
        corpora = [read_corpus(corpus, self.folder) for corpus in self.plan.corpus]
        environments = self._build_environments(runner.files)
        cells: list[Cell] = []
        for corpus in corpora:
            own = [self._run_cell(runner, corpus, each, environments[each.name]) for each in self._list_systems(corpus)]
            cells += self._time_corpus(runner, corpus, own, environments)
        scores = {}
        for corpus in corpora:
            name = corpus.corpus.name
            self.monitor.show_state(name, "", "scoring")
            scores[name] = score_corpus(corpus, [cell for cell in cells if cell.corpus == name], self.output)
        result = self._build_result(corpora, cells, scores, environments)
        save_benchmark(self.output, result)
        return result

    def _list_systems(self, corpus: CorpusTexts) -> list[System]:
        return [system for system in self.plan.system if system.matches(corpus.corpus)]

    def _build_environments(self, files: CellFiles) -> dict[str, Environment | str]:
        """Return the environment of each system, or why there is none.

        Different ones are built at the same time.
        """
        own = {tuple(system.requires): system for system in reversed(self.plan.system)}
        for system in own.values():
            found = find_environment(system, files.locate_lock(system.name))
            state = "building environment" if found is None else "environment cached"
            if system.requires and (found is not None or self.download):
                self.monitor.show_state("", system.name, state)
        with ThreadPoolExecutor(BUILDERS) as pool:
            built = dict(zip(own, pool.map(lambda system: self._build(system, files), own.values()), strict=True))
        environments: dict[str, Environment | str] = {}
        for system in self.plan.system:
            first = built[tuple(system.requires)]
            # The other systems of these packages get a lock file of their own.
            environments[system.name] = first if isinstance(first, str) else self._build(system, files)
        return environments

    def _build(self, system: System, files: CellFiles) -> Environment | str:
        """Return the environment of a system, or why there is none."""
        try:
            return build_environment(system, files.locate_lock(system.name), download=self.download)
        except EnvironmentBuildError as error:
            return str(error)
        except OSError as error:
            return f"its environment cannot be built: {error}"

    def _run_cell(
        self, runner: CellRunner, corpus: CorpusTexts, system: System, environment: Environment | str
    ) -> Cell:
        """Return a cell of an earlier run, or run it."""
        where = corpus.corpus.name, system.name
        if isinstance(environment, str):
            self.monitor.show_state(*where, "failed")
            return fail_cell(Cell(*where, ""), environment)
        kept = runner.files.load_cell(*where)
        if kept is not None and kept.status == "done" and kept.key == runner.make_key(corpus, system, environment):
            self.monitor.show_state(*where, "kept")
            return kept
        total = len(corpus.texts)
        self.monitor.show_state(*where, "running", 0, total)
        cell = runner.run_cell(
            corpus, system, environment, lambda done: self.monitor.show_state(*where, "running", done, total)
        )
        self.monitor.show_state(*where, cell.status, total, total)
        return cell

    def _time_corpus(
        self,
        runner: CellRunner,
        corpus: CorpusTexts,
        cells: Sequence[Cell],
        environments: Mapping[str, Environment | str],
    ) -> list[Cell]:
        """Time the systems of a corpus, unless all are timed."""
        plans = {system.name: system for system in self._list_systems(corpus) if system.is_run}
        chosen = {}
        untimed: dict[str, Timing | str] = {}
        rounds = self.plan.limits.rounds
        for cell in cells:
            environment = environments[cell.system]
            whole = cell.system in plans and plans[cell.system].kind == "command"
            texts = list_timed_texts(corpus, cell, whole=whole)
            if cell.system in plans and texts and isinstance(environment, Environment):
                chosen[cell.system] = plans[cell.system], environment, texts
            elif cell.system in plans and rounds and count_failed(cell) and not cell.timing_reason:
                untimed[cell.system] = f"not timed: {count_failed(cell)} of {len(corpus.texts)} texts failed"
        cells = [self._add_timing(runner, cell, untimed.get(cell.system)) for cell in cells]
        open_cells = [cell for cell in cells if cell.system in chosen and len_rounds(cell.timing) != rounds]
        if not rounds or all(cell.timing_reason for cell in open_cells):
            return list(cells)
        name = corpus.corpus.name
        timed = time_systems(
            runner, corpus, chosen, lambda system, at: self.monitor.show_state(name, system, "timing", at, rounds)
        )
        return [self._add_timing(runner, cell, timed.get(cell.system)) for cell in cells]

    def _add_timing(self, runner: CellRunner, cell: Cell, timing: Timing | str | None) -> Cell:
        if timing is None:
            return cell
        if isinstance(timing, str):
            timed_cell = msgspec.structs.replace(cell, timing=None, timing_reason=timing)
        else:
            timed_cell = msgspec.structs.replace(cell, timing=timing, timing_reason="")
        runner.files.save_cell(timed_cell)
        self.monitor.show_state(cell.corpus, cell.system, "timed")
        return timed_cell

    def _build_result(
        self,
        corpora: Sequence[CorpusTexts],
        cells: Sequence[Cell],
        scores: Mapping[str, CorpusScores],
        environments: Mapping[str, Environment | str],
    ) -> Benchmark:
        digests = {
            name: each.digest for name, each in environments.items() if isinstance(each, Environment) and each.digest
        }
        records = [corpus.make_record(self.output) for corpus in corpora]
        found = build_benchmark(self.plan, records, cells, scores, digests)
        return msgspec.structs.replace(found, machine=describe_machine())


def len_rounds(timing: Timing | None) -> int:
    """Return the number of rounds of a measurement; 0 without one."""
    return 0 if timing is None else len(timing.seconds)


def count_failed(cell: Cell) -> int:
    """Count the texts that failed or timed out."""
    return cell.outcomes.get("failed", 0) + cell.outcomes.get("timed out", 0)


def list_timed_texts(corpus: CorpusTexts, cell: Cell, *, whole: bool) -> list[str]:
    """List the texts on which a system is timed.

    These are the texts that did not fail.

    Args:
        corpus: the corpus.
        cell: the cell of the system. If more texts failed than the cell lists, none is timed.
        whole: whether the system is a command.
    """
    lost = [each.text - 1 for each in cell.problems if each.outcome in ("failed", "timed out")]
    if count_failed(cell) > len(lost) or cell.status == "failed":
        return []
    skipped = set(lost)
    return [text for at, text in enumerate(corpus.list_inputs(whole=whole)) if at not in skipped]
