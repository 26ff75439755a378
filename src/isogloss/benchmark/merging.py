"""Merges the results of several people into one leaderboard.

Corpora are the same if task, options and the SHA-256 of their references are. Systems are the same if they have the
same settings and gave the same answers to every corpus that both results have. Another corpus or system of a name that
is taken gets the number of its results behind it: `newmm (2)`. All predictions are scored and ranked together. Times
stay with the machine that measured them: each has columns of its own, and no time is compared with that of another
machine.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from isogloss.benchmark.corpora import CorpusTexts
from isogloss.benchmark.plan import Corpus, Plan, System
from isogloss.benchmark.ranking import build_benchmark, score_corpus
from isogloss.benchmark.results import (
    Benchmark,
    Cell,
    CellFiles,
    CorpusRecord,
    MeasuredMachine,
    digest_file,
    get_corpus,
    load_benchmark,
    save_benchmark,
    write_content,
)
from isogloss.errors import FormatError, SourceError, UsageError

GZIP = ".gz"


@dataclass(frozen=True)
class Results:
    """Results of one person.

    Args:
        folder: their folder.
        benchmark: the results.
    """

    folder: Path
    benchmark: Benchmark

    def read_answers(self, cell: Cell) -> bytes:
        """Return the predictions of a cell, decompressed.

        They are empty if it has none.

        Args:
            cell: the cell.

        Raises:
            SourceError: if they are missing.
            FormatError: if they are not those of the results.
        """
        if not cell.predictions:
            return b""
        path = self.folder / cell.predictions
        _check_file(path, cell.sha256)
        content = path.read_bytes()
        return gzip.decompress(content) if path.suffix == GZIP else content

    def get_cell(self, corpus: str, system: str) -> Cell | None:
        """Return a cell by the names of its corpus and system."""
        return next((each for each in self.benchmark.cells if (each.corpus, each.system) == (corpus, system)), None)


def _check_file(path: Path, sha256: str) -> None:
    if not path.is_file():
        raise SourceError("is not there", where=str(path), remedy="Copy it to the place that the results name.")
    if digest_file(path) != sha256:
        remedy = "Say what changed with: isogloss benchmark verify DIR"
        raise FormatError("has another SHA-256 than the results say", where=str(path), remedy=remedy)


@dataclass
class MergedResults:
    """Corpora, systems and cells of several results.

    Args:
        output: folder of the merged results.
        records: records of the corpora by name, with their references relative to that folder.
        corpora: corpora by name.
        systems: systems by name.
        origins: systems as their results have them, without corpora, by name here.
        cells: source and cell by the names of corpus and system.
        environments: digest of the environment by system.
        machines: machines with their times.
    """

    output: Path
    records: dict[str, CorpusRecord] = field(default_factory=dict)
    corpora: dict[str, Corpus] = field(default_factory=dict)
    systems: dict[str, System] = field(default_factory=dict)
    origins: dict[str, System] = field(default_factory=dict)
    cells: dict[tuple[str, str], tuple[Results, Cell]] = field(default_factory=dict)
    environments: dict[str, str] = field(default_factory=dict)
    machines: list[MeasuredMachine] = field(default_factory=list)

    def add(self, number: int, results: Results) -> None:
        """Add results.

        Args:
            number: their number from 1, for names that are taken.
            results: the results.
        """
        known = list(self.records)
        corpora = {
            record.name: self._add_corpus(number, results, record, known) for record in results.benchmark.corpora
        }
        systems = {
            system.name: self._add_system(number, results, system, corpora) for system in results.benchmark.plan.system
        }
        for cell in results.benchmark.cells:
            key = corpora[cell.corpus], systems[cell.system]
            own = msgspec.structs.replace(cell, corpus=key[0], system=key[1], timing=None, timing_reason="")
            if key not in self.cells or (own.predictions and not self.cells[key][1].predictions):
                self.cells[key] = results, own
        self.environments |= {systems[name]: digest for name, digest in results.benchmark.environments.items()}
        for machine in results.benchmark.list_machines():
            times = {
                corpora[corpus]: {systems[name]: timing for name, timing in own.items()}
                for corpus, own in machine.times.items()
            }
            taken = [each.name for each in self.machines]
            name = machine.name if machine.name not in taken else f"{machine.name} ({number})"
            self.machines.append(MeasuredMachine(name, machine.machine, times))

    def _add_corpus(self, number: int, results: Results, record: CorpusRecord, known: Sequence[str]) -> str:
        """Return the name of a corpus here.

        `known` are the corpora of earlier results.
        """
        for name in known:
            other = self.records[name]
            if (other.sha256, other.task, other.options) == (record.sha256, record.task, record.options):
                return name
        gold = results.folder / record.gold
        _check_file(gold, record.sha256)
        place = os.path.relpath(gold, self.output)
        name = _choose_name(record.name, number, self.records)
        self.records[name] = msgspec.structs.replace(record, name=name, gold=place)
        corpus = get_corpus(results.benchmark, record.name)
        self.corpora[name] = msgspec.structs.replace(corpus, name=name, gold=place)
        return name

    def _add_system(self, number: int, results: Results, system: System, corpora: Mapping[str, str]) -> str:
        """Return the name of a system here."""
        own = msgspec.structs.replace(system, corpora=[])
        for name, other in self.origins.items():
            if other == own and self._has_answers(name, results, system.name, corpora):
                return name
        name = _choose_name(system.name, number, self.systems)
        named = [corpora[each] for each in system.corpora if each in corpora]
        self.origins[name] = own
        self.systems[name] = msgspec.structs.replace(system, name=name, corpora=named)
        return name

    def _has_answers(self, name: str, results: Results, system: str, corpora: Mapping[str, str]) -> bool:
        """Return whether a system gave the same answers here."""
        for corpus, own_name in corpora.items():
            cell, known = results.get_cell(corpus, system), self.cells.get((own_name, name))
            both = cell is not None and known is not None and cell.predictions and known[1].predictions
            if both and cell and known and results.read_answers(cell) != known[0].read_answers(known[1]):
                return False
        return True

    def copy_predictions(self, files: CellFiles) -> list[Cell]:
        """Copy the predictions, and return the cells with their places."""
        found = []
        for results, cell in self.cells.values():
            copied = cell
            if cell.predictions:
                _check_file(results.folder / cell.predictions, cell.sha256)
                name = Path(cell.predictions).name
                suffixes = Path(name).suffixes[-2:] if name.endswith(GZIP) else Path(name).suffixes[-1:]
                path = files.locate_predictions(cell.corpus, cell.system, "".join(suffixes))
                write_content(path, (results.folder / cell.predictions).read_bytes())
                copied = msgspec.structs.replace(cell, predictions=str(path.relative_to(files.folder)))
            found.append(copied)
        order = {name: at for at, name in enumerate([*self.records, *self.systems])}
        return sorted(found, key=lambda cell: (order[cell.corpus], order[cell.system]))


def _choose_name(name: str, number: int, taken: Iterable[str]) -> str:
    return name if name not in taken else f"{name} ({number})"


def merge_benchmarks(folders: Sequence[Path], output: Path) -> Benchmark:
    """Merge results, score them together, and write them.

    Args:
        folders: folders of at least two results.
        output: folder of the merged results.

    Raises:
        UsageError: if there are fewer than two, or the output is one of them.
        DataError: if a file is missing, is not that of the results, or cannot be written.
    """
    folders, output = [folder.absolute() for folder in folders], output.absolute()
    if len(folders) < 2 or len(set(folders)) < len(folders):  # noqa: PLR2004  one has nothing to merge with
        raise UsageError("Name at least two folders of results, each once.")
    if output in folders:
        raise UsageError(f"-o {output} is one of the results. Name another folder.")
    merged = MergedResults(output)
    every = [Results(folder, load_benchmark(folder)) for folder in folders]
    for number, results in enumerate(every, 1):
        merged.add(number, results)
    first = every[0].benchmark
    corpora, systems = list(merged.corpora.values()), list(merged.systems.values())
    plan = Plan(corpora, systems, first.plan.limits, first.plan.name)
    cells = merged.copy_predictions(CellFiles(output, plan))
    scores = {
        name: score_corpus(
            CorpusTexts(merged.corpora[name], output / record.gold, (), spelled=False),
            [cell for cell in cells if cell.corpus == name],
            output,
        )
        for name, record in merged.records.items()
    }
    benchmarks = build_benchmark(plan, list(merged.records.values()), cells, scores, merged.environments)
    benchmarks = msgspec.structs.replace(benchmarks, machines=merged.machines)
    save_benchmark(output, benchmarks)
    return benchmarks
