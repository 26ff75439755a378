"""Runs that the explorer shows.

They were scored just now, or are those of a file or a store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import msgspec

from isogloss.explorer.finding_source import FindingSource, MemoryFindings
from isogloss.explorer.queries import RunQuery
from isogloss.kernel.provenance import RunWarning
from isogloss.report.report_runs import LabelCurves, ReportCorpus, ReportRun, ScoreChange, group_by_corpus
from isogloss.runs.run import Run

FINDINGS_CUT = "findings-cut"
FINDINGS_CUT_MESSAGE = "this report has only the first findings of the run: --findings N changes how many"


@dataclass(frozen=True, eq=False)
class ExplorerRun:
    """A run with what the explorer shows besides its scores.

    Args:
        id: its id, in URLs.
        run: the run; it has no findings if they are read from a store.
        name: its name.
        corpus: name of its corpus, empty if unknown.
        load_source: opens its findings.
        tags: its tags.
        created: time of saving in ISO 8601, empty if it is not stored.
        curves: curves by label, as the run's file has them.
        changes: differences from the run `baseline` by path, as the run's file has them.
        baseline: id of that run, empty without one.
        load_documents: loads the run with its single documents, for comparisons; None if it has none.
        main: path of its main score; empty for the main score of the task.
    """

    id: str
    run: Run
    name: str
    corpus: str
    load_source: Callable[[], FindingSource]
    tags: tuple[str, ...] = ()
    created: str = ""
    curves: Mapping[str, LabelCurves] = field(default_factory=dict)
    changes: Mapping[str, ScoreChange] = field(default_factory=dict)
    baseline: str = ""
    load_documents: Callable[[], Run] | None = None
    main: str = ""

    @property
    def source(self) -> FindingSource:
        """Its findings."""
        return self.load_source()

    @property
    def corpus_key(self) -> str:
        """Hash of the reference: equal for runs of one reference."""
        return self.run.corpus_key

    def meets(self, query: RunQuery) -> bool:
        """Return whether the run meets the conditions of a query."""
        pairs = (
            (query.task, self.run.task),
            (query.corpus, self.corpus),
            (query.name, self.name),
            (query.system, self.run.system),
        )
        return all(wanted is None or wanted == own for wanted, own in pairs) and (
            query.tag is None or query.tag in self.tags
        )


class RunSource(Protocol):
    """Place that has runs."""

    def list_runs(self, query: RunQuery) -> Sequence[ExplorerRun]:
        """List the runs of a page and the next one."""

    def open_run(self, identity: str) -> ExplorerRun | None:
        """Open a run by its id; None if there is none."""


class MemoryRuns:
    """Runs that were scored just now, or read from files.

    Args:
        corpora: the runs by corpus.
        main: path of their main score; empty for that of the task.
        findings: largest number of findings of each run; None for all.
    """

    def __init__(self, corpora: Iterable[ReportCorpus], *, main: str = "", findings: int | None = None) -> None:
        listed = ((entry, corpus.name) for corpus in corpora for entry in corpus.entries)
        entries = [(replace(entry, id=f"run-{number}"), corpus) for number, (entry, corpus) in enumerate(listed, 1)]
        ids = {entry.run: entry.id for entry, _ in entries}
        built = [_build_explorer_run(_cut_findings(entry, findings), corpus, ids) for entry, corpus in entries]
        self._runs = {run.id: replace(run, main=main) for run in built}

    def list_runs(self, query: RunQuery) -> Sequence[ExplorerRun]:
        """List the runs of a page, in the given order."""
        runs = [run for run in self._runs.values() if run.meets(query)]
        ids = [run.id for run in runs]
        first = ids.index(query.after) + 1 if query.after in ids else 0
        return runs[first : first + query.limit + 1]

    def open_run(self, identity: str) -> ExplorerRun | None:
        """Open a run by its id; None if there is none."""
        return self._runs.get(identity)


def build_memory_runs(runs: Sequence[Run]) -> MemoryRuns:
    """Build runs that were scored just now, of one task or several."""
    tasks = dict.fromkeys(run.task for run in runs)
    groups = [[ReportRun(run) for run in runs if run.task == task] for task in tasks]
    return MemoryRuns([corpus for group in groups for corpus in group_by_corpus(group)])


def _cut_findings(entry: ReportRun, limit: int | None) -> ReportRun:
    """Keep the first findings of a run.

    A warning says if there are more.
    """
    run = entry.run
    if limit is None or len(run.findings) <= limit:
        return entry
    warnings = (*run.warnings, RunWarning(FINDINGS_CUT, FINDINGS_CUT_MESSAGE))
    return replace(entry, run=replace(run, findings=run.findings[:limit], warnings=warnings))


def _build_explorer_run(entry: ReportRun, corpus: str, ids: Mapping[Run, str]) -> ExplorerRun:
    run, source = entry.run, MemoryFindings(entry.run.findings)
    return ExplorerRun(
        id=entry.id,
        run=run,
        name=entry.name,
        corpus=corpus,
        load_source=lambda: source,
        curves=entry.curves,
        changes=entry.changes,
        baseline="" if entry.baseline is None else ids.get(entry.baseline.run, ""),
        load_documents=None if run.document_counts is None and run.rescore is None else run.ensure_documents,
    )


@dataclass(frozen=True)
class JoinedRuns:
    """Several places with runs as one, in their order.

    Args:
        sources: the places.
    """

    sources: Sequence[RunSource]

    def list_runs(self, query: RunQuery) -> Sequence[ExplorerRun]:
        """List the runs of a page."""
        first = next((at for at, each in enumerate(self.sources) if query.after and each.open_run(query.after)), 0)
        runs: list[ExplorerRun] = []
        for at, source in enumerate(self.sources[first:]):
            runs += source.list_runs(query if at == 0 else msgspec.structs.replace(query, after=None))
        return runs[: query.limit + 1]

    def open_run(self, identity: str) -> ExplorerRun | None:
        """Open a run by its id; None if there is none."""
        return next((run for source in self.sources if (run := source.open_run(identity)) is not None), None)
