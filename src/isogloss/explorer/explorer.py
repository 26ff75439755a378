"""What the explorer answers: payloads of runs from memory or a store."""

from __future__ import annotations

from base64 import b64encode
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import UTC, datetime
from threading import Lock
from typing import Any, Protocol, TypeVar

import numpy as np

from isogloss.errors import UsageError
from isogloss.explorer.comparisons import (
    build_comparison,
    build_matrix,
    build_ranking,
    build_score_tests,
    build_slice_tests,
    check_comparable,
    format_join,
)
from isogloss.explorer.finding_rows import RowBuilder
from isogloss.explorer.finding_source import FindingSource, find_allowed, list_facet_names, widen_column
from isogloss.explorer.noted_findings import find_noted_findings, score_undisputed
from isogloss.explorer.payloads import (
    ComparisonPayload,
    DocumentPayload,
    FacetList,
    FindingPage,
    MatrixPayload,
    NoteBody,
    NoteList,
    NotePayload,
    RankingPayload,
    RunList,
    RunPayload,
    ScoreTestList,
    SearchResult,
    SliceTestList,
    Surface,
    SurfaceList,
    TaskList,
    TaskPayload,
    UndisputedPayload,
)
from isogloss.explorer.queries import (
    MAX_EXPORTED,
    MAX_POSITIONS,
    ROWS_PER_PAGE,
    Answer,
    ExportQuery,
    FindingQuery,
    RunQuery,
    SurfaceQuery,
    UnknownError,
    split_positions,
)
from isogloss.explorer.run_payloads import build_facets, build_run_payload, build_summary
from isogloss.explorer.run_sources import ExplorerRun, RunSource
from isogloss.explorer.selection_export import export_findings
from isogloss.runs.finding_columns import DOCUMENT, KEY, SURFACE, select_numbers
from isogloss.runs.finding_join import FindingJoin, join_findings
from isogloss.tasks.registry import get_task, list_task_names

MAX_CACHED = 32  # answers that took long
MAX_JOINS = 2  # among them; each takes 9 bytes a finding
KEY_DIGITS = 16
T = TypeVar("T")


class Notes(Protocol):
    """Verdicts on findings by the key of their reference and their own."""

    def list_notes(self) -> Sequence[NotePayload]:
        """List all notes."""

    def write_note(self, corpus_key: str, key: str, body: NoteBody) -> NotePayload:
        """Write a note in place of an earlier one."""

    def delete_note(self, corpus_key: str, key: str) -> None:
        """Delete a note; nothing happens if there is none."""


class MemoryNotes:
    """Notes that last as long as the program."""

    def __init__(self) -> None:
        self._notes: dict[tuple[str, str], NotePayload] = {}

    def list_notes(self) -> Sequence[NotePayload]:
        """List all notes."""
        return list(self._notes.values())

    def write_note(self, corpus_key: str, key: str, body: NoteBody) -> NotePayload:
        """Write a note in place of an earlier one."""
        created = datetime.now(UTC).isoformat(timespec="seconds")
        note = NotePayload(corpus_key=corpus_key, key=key, verdict=body.verdict, text=body.text, created=created)
        self._notes[corpus_key, key] = note
        return note

    def delete_note(self, corpus_key: str, key: str) -> None:
        """Delete a note; nothing happens if there is none."""
        self._notes.pop((corpus_key, key), None)


class AnswerCache:
    """Latest answers that took long, for many threads.

    Args:
        most: largest number of answers.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._cached: OrderedDict[Hashable, Any] = OrderedDict()
        self._building: dict[Hashable, Lock] = {}
        self._lock = Lock()

    def remember(self, key: Hashable, build: Callable[[], T]) -> T:
        """Return an answer that is kept, or build it once.

        Others may build another answer meanwhile.
        """
        with self._lock:
            building = self._building.setdefault(key, Lock())
        with building:
            with self._lock:
                if key in self._cached:
                    self._cached.move_to_end(key)
                    kept: T = self._cached[key]
                    return kept
            built = build()
            with self._lock:
                self._cached[key] = built
                self._building.pop(key, None)
                while len(self._cached) > self._most:
                    self._cached.popitem(last=False)
        return built


class Explorer:
    """Runs with their findings, comparisons and notes, for many threads.

    Args:
        runs: where the runs come from.
        notes: where notes are kept; None to keep them in memory.
    """

    def __init__(self, runs: RunSource, notes: Notes | None = None) -> None:
        self.runs = runs
        self.notes = MemoryNotes() if notes is None else notes
        self._answers, self._joins = AnswerCache(MAX_CACHED), AnswerCache(MAX_JOINS)

    def list_runs(self, query: RunQuery) -> RunList:
        """List a page of runs."""
        runs = self.runs.list_runs(query)
        page = runs[: query.limit]
        return RunList(runs=[build_summary(run) for run in page], next=page[-1].id if len(runs) > len(page) else None)

    def get_run(self, identity: str) -> RunPayload:
        """Return a run with its tables."""
        return self._answers.remember(("run", identity), lambda: build_run_payload(self.open_run(identity)))

    def list_facets(self, identity: str) -> FacetList:
        """Return the facets of a run."""
        return build_facets(self._open_source(identity))

    def read_column(self, identity: str, name: str) -> bytes:
        """Return the bytes of a column."""
        source = self._open_source(identity)
        if name not in (DOCUMENT, SURFACE, KEY, *list_facet_names(source)):
            raise UnknownError(f"run {identity} has no column {name!r}")
        return widen_column(source.get_column(name)).tobytes()

    def list_surfaces(self, identity: str, query: SurfaceQuery) -> SurfaceList:
        """Return surface forms."""
        source = self._open_source(identity)
        last = source.count_values(SURFACE)
        texts = source.load_values(SURFACE, query.first, last if query.limit is None else query.first + query.limit)
        counts = np.bincount(source.get_column(SURFACE), minlength=last)[query.first :].tolist()
        surfaces = zip(texts, counts, strict=False)
        return SurfaceList(
            surfaces=[Surface(number=query.first + at, text=text, count=n) for at, (text, n) in enumerate(surfaces)]
        )

    def read_rows(self, identity: str, page: int) -> FindingPage:
        """Return a page of findings by position."""
        run, first = self.open_run(identity), page * ROWS_PER_PAGE
        last = min(first + ROWS_PER_PAGE, run.source.count)
        if first >= last and page:
            raise UnknownError(f"run {identity} has no page {page}: it has {run.source.count} findings")
        rows = build_row_builder(run).build_rows(range(first, last))
        return FindingPage(findings=rows, next=last - 1 if last < run.source.count else None)

    def list_findings(self, identity: str, query: FindingQuery) -> FindingPage:
        """Return findings by position, or a page of those that meet conditions."""
        run = self.open_run(identity)
        builder = build_row_builder(run)
        if query.positions:
            return FindingPage(findings=builder.build_rows(_check_positions(run, query.positions)))
        positions = _select_positions(run.source, query, query.limit + 1)
        page = positions[: query.limit]
        has_more = len(positions) > len(page)
        return FindingPage(findings=builder.build_rows(page), next=page[-1] if has_more else None)

    def search(self, identity: str, words: str) -> SearchResult:
        """Return which findings have the words."""
        found = self._open_source(identity).search(words)
        bits = np.packbits(found, bitorder="little").tobytes()
        return SearchResult(count=int(np.count_nonzero(found)), found=b64encode(bits).decode())

    def get_document(self, identity: str, number: int) -> DocumentPayload:
        """Return a document with its findings."""
        run = self.open_run(identity)
        if number >= run.source.count_values(DOCUMENT):
            raise UnknownError(f"run {identity} has no document {number} with findings")
        return build_row_builder(run).build_document(number)

    def compare(self, identities: Sequence[str]) -> ComparisonPayload:
        """Compare runs."""
        runs = self._open_comparable(identities)
        join = self._join(runs) if len(runs) == 2 else None  # noqa: PLR2004  a pair
        return self._answers.remember(("comparison", *identities), lambda: build_comparison(runs, join))

    def read_joined_findings(self, identities: Sequence[str]) -> bytes:
        """Return the columns of the joined findings of two runs."""
        runs = self._open_comparable(identities)
        if len(runs) != 2:  # noqa: PLR2004  a pair
            raise UsageError(f"Joined findings are those of 2 runs, got {len(runs)}.")
        return format_join(self._join(runs))

    def build_matrix(self, identities: Sequence[str]) -> MatrixPayload:
        """Return documents by runs."""
        runs = self._open_comparable(identities)
        return self._answers.remember(("matrix", *identities), lambda: build_matrix([run.source for run in runs]))

    def rank(self, identities: Sequence[str]) -> RankingPayload:
        """Rank runs by tests of all pairs; many take long."""
        runs = self._open_comparable(identities)
        return self._answers.remember(("ranking", *identities), lambda: build_ranking(runs))

    def test_slices(self, identity: str) -> SliceTestList:
        """Test the slices of a run against its other documents."""
        found = self.open_run(identity)
        return self._answers.remember(("slices", identity), lambda: build_slice_tests(found))

    def test_runs(self, identities: Sequence[str], score: str | None) -> ScoreTestList:
        """Test runs against the first one in one score."""
        runs = self._open_comparable(identities)
        return self._answers.remember(("tests", score, *identities), lambda: build_score_tests(runs, score))

    def list_notes(self) -> NoteList:
        """Return all notes, with their findings in the latest runs."""
        notes = list(self.notes.list_notes())
        return NoteList(notes=notes, findings=find_noted_findings(self._list_latest() if notes else [], notes))

    def score_undisputed(self, identity: str) -> UndisputedPayload:
        """Score a run without documents whose gold was marked as wrong."""
        return score_undisputed(self.open_run(identity), self._list_latest(), self.notes.list_notes())

    def write_note(self, corpus_key: str, key: str, body: NoteBody) -> NotePayload:
        """Write a note.

        Args:
            corpus_key: hash of the reference.
            key: key of the finding.
            body: verdict and text.

        Raises:
            UsageError: if the key is not one of a finding.
        """
        check_note_key(corpus_key, key)
        return self.notes.write_note(corpus_key, key, body)

    def delete_note(self, corpus_key: str, key: str) -> None:
        """Delete a note.

        Args:
            corpus_key: hash of the reference.
            key: key of the finding.

        Raises:
            UsageError: if the key is not one of a finding.
        """
        check_note_key(corpus_key, key)
        self.notes.delete_note(corpus_key, key)

    def export(self, query: ExportQuery) -> Answer:
        """Export the findings that meet conditions."""
        run = self.open_run(query.run)
        if query.positions:
            positions: Sequence[int] = _check_positions(run, query.positions, MAX_EXPORTED)
        else:
            positions = _select_positions(run.source, query, None)
        body = export_findings(run.source.load_findings(positions), query.format)
        if query.format == "parquet":
            return Answer(body, "application/vnd.apache.parquet", f"findings-{run.run.task}.parquet")
        return Answer(body, "application/x-ndjson", f"findings-{run.run.task}-{query.format}.jsonl")

    def list_tasks(self) -> TaskList:
        """Return the tasks that can score uploads."""
        tasks = [get_task(name) for name in list_task_names()]
        return TaskList(
            tasks=[
                TaskPayload(
                    name=task.name,
                    title=task.title,
                    summary=task.summary,
                    needs_reference=task.reference is not None,
                    reference="" if task.reference is None else task.reference.upload or task.reference.help,
                    prediction=task.prediction.upload or task.prediction.help,
                )
                for task in tasks
            ]
        )

    def open_run(self, identity: str) -> ExplorerRun:
        """Open a run.

        Args:
            identity: its id.

        Raises:
            UnknownError: if there is no such run.
        """
        run = self.runs.open_run(identity)
        if run is None:
            raise UnknownError(f"there is no run {identity!r}", remedy="/v1/runs lists the runs.")
        return run

    def _list_latest(self) -> Sequence[ExplorerRun]:
        return self.runs.list_runs(RunQuery())

    def _open_source(self, identity: str) -> FindingSource:
        return self.open_run(identity).source

    def _open_comparable(self, identities: Sequence[str]) -> list[ExplorerRun]:
        runs = [self.open_run(each) for each in identities]
        check_comparable(runs)
        return runs

    def _join(self, runs: Sequence[ExplorerRun]) -> FindingJoin:
        first, second = runs
        return self._joins.remember((first.id, second.id), lambda: join_findings(first.source, second.source))


def _select_positions(source: FindingSource, query: FindingQuery, limit: int | None) -> list[int]:
    allowed: dict[str, Sequence[int]] = dict(find_allowed(source, query.values_by_facet))
    if query.document:
        allowed[DOCUMENT] = query.document
    positions: list[int] = select_numbers(source, allowed, query.after, limit).tolist()
    return positions


def build_row_builder(run: ExplorerRun) -> RowBuilder:
    """Build the builder of rows of a run."""
    return RowBuilder(run.source, get_task(run.run.task).finding_view)


def check_note_key(corpus_key: str, key: str) -> None:
    """Check the keys of a note.

    Args:
        corpus_key: hash of the reference.
        key: key of the finding.

    Raises:
        UsageError: if one is not hexadecimal.
    """
    if len(key) != KEY_DIGITS or not set(f"{corpus_key}{key}") <= set("0123456789abcdef"):
        raise UsageError(f"A note needs the corpus_key of a run and the key of a finding, got {key!r}.")


def _check_positions(run: ExplorerRun, text: str, most: int = MAX_POSITIONS) -> list[int]:
    positions = split_positions(text, most)
    outside: Mapping[bool, int] = {at >= run.source.count: at for at in positions}
    if True in outside:
        raise UnknownError(f"run {run.id} has no finding {outside[True]}: it has {run.source.count}")
    return positions
