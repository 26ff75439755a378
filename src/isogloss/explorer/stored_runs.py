"""Runs of a store, and notes beside their findings."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import RLock
from typing import Any
from uuid import UUID

import msgspec
import numpy as np
from numpy.typing import NDArray

from isogloss.errors import StoreError, UsageError
from isogloss.explorer.explorer import Explorer
from isogloss.explorer.payloads import NoteBody, NotePayload
from isogloss.explorer.queries import RunQuery
from isogloss.explorer.run_sources import ExplorerRun, JoinedRuns
from isogloss.kernel.findings import DocumentText, Finding
from isogloss.runs.finding_columns import Numbers
from isogloss.store import Store
from isogloss.store.findings import StoredFindings
from isogloss.store.location import parse_location
from isogloss.store.notes import Note
from isogloss.store.stored_run import StoredRun, Summary

MAX_OPEN = 1000  # runs that stay open, without their findings
MAX_SOURCES = 8  # runs whose columns stay in memory
MAX_FINDINGS = 2_500_000  # of these runs, if they are more than two: some 75 bytes each
UNKNOWN_RUN = "there is no run "  # how the store's message begins


class StoredRuns:
    """Runs of a store. A store that does not exist has none.

    Args:
        get_url: returns the path or URL of the store; None for the default.
        ids: ids of the runs to show; None for all.
    """

    def __init__(self, get_url: Callable[[], str | None], ids: Sequence[str] | None = None) -> None:
        self._get_url = get_url
        self._ids = ids
        self._store: Store | None = None
        self._open: dict[str, ExplorerRun] = {}
        self._sources: OrderedDict[UUID, StoredSource] = OrderedDict()
        self._lock = RLock()

    def list_runs(self, query: RunQuery) -> Sequence[ExplorerRun]:
        """List the runs of a page, the latest first."""
        if not has_store(self._get_url()):
            return []
        if self._ids is not None:
            chosen = filter(None, map(self.open_run, self._ids))
            return [run for run in chosen if run.meets(query)][: query.limit + 1] if query.after is None else []
        if query.after is not None and self.open_run(query.after) is None:
            raise UsageError(f"after must be the id of a run, got {query.after!r}.")
        summaries = self._connect().list(
            task=query.task,
            corpus=query.corpus,
            tag=query.tag,
            name=query.name,
            system=query.system,
            after=query.after and UUID(query.after),
            limit=query.limit + 1,
        )
        return [self._open_summary(each) for each in summaries]

    def open_run(self, identity: str) -> ExplorerRun | None:
        """Open a run by its id; None if there is none."""
        if not is_id(identity) or (self._ids is not None and identity not in self._ids):
            return None
        if not has_store(self._get_url()):
            return None
        if identity in self._open:
            return self._open[identity]
        try:
            return self._open_id(UUID(identity))
        except StoreError as error:
            if error.message.startswith(UNKNOWN_RUN):
                return None
            raise

    def _connect(self) -> Store:
        """Return the store, which stays open."""
        with self._lock:
            if self._store is None:
                self._store = Store.open(self._get_url(), create=False)
                weakref.finalize(self, self._store.close)
            return self._store

    def _open_summary(self, summary: Summary) -> ExplorerRun:
        known = self._open.get(str(summary.id))
        return known if known is not None and known.tags == summary.tags else self._open_id(summary.id)

    def _open_id(self, identity: UUID) -> ExplorerRun:
        return self._open_stored(self._connect().get(identity))

    def _open_source(self, identity: UUID) -> StoredSource:
        """Open the findings of a run.

        The columns of the latest few runs stay in memory.
        """
        with self._lock:
            if identity not in self._sources:
                self._sources[identity] = StoredSource(self._connect().open_findings(identity))
            self._sources.move_to_end(identity)
            while len(self._sources) > MAX_SOURCES or self._has_too_many_findings():
                self._sources.popitem(last=False)
            return self._sources[identity]

    def _has_too_many_findings(self) -> bool:
        return len(self._sources) > 2 and sum(own.count for own in self._sources.values()) > MAX_FINDINGS  # noqa: PLR2004  a pair

    def _open_stored(self, stored: StoredRun) -> ExplorerRun:
        """Return the run.

        Its findings stay open, its tags are those of now.
        """
        summary, identity = stored.summary, str(stored.id)
        with self._lock:
            known = self._open.get(identity)
            if known is None:
                known = ExplorerRun(
                    id=identity,
                    run=stored.as_saved(0),
                    name=summary.name or summary.system,
                    corpus=summary.corpus or "",
                    load_source=lambda: self._open_source(stored.id),
                    created=summary.created.isoformat(),
                    load_documents=stored.run if stored.has_documents else None,
                )
            known = known if known.tags == summary.tags else replace(known, tags=summary.tags)
            self._open[identity] = known
            while len(self._open) > MAX_OPEN:
                del self._open[next(iter(self._open))]
            return known


class StoredSource:
    """Findings of a stored run, as the explorer reads them.

    Args:
        findings: the findings.
    """

    def __init__(self, findings: StoredFindings) -> None:
        self._findings = findings

    @property
    def count(self) -> int:
        """Number of findings."""
        return self._findings.count

    @property
    def slice_columns(self) -> Sequence[str]:
        """Names of the columns of slices, without `slice:`."""
        return self._findings.slice_columns

    def get_column(self, name: str) -> Numbers:
        """Return the numbers of a column."""
        return self._findings.get_column(name)

    def get_values(self, name: str) -> Sequence[Any]:
        """Return the values that the numbers of a column stand for."""
        return self._findings.get_values(name)

    def count_values(self, name: str) -> int:
        """Return how many values a column has."""
        return self._findings.count_values(name)

    def load_values(self, name: str, first: int, stop: int) -> Sequence[Any]:
        """Load the values of a column whose numbers are in a range."""
        return self._findings.load_values(name, first, stop)

    def load_findings(self, positions: Sequence[int]) -> Sequence[Finding]:
        """Load findings by position, in any order."""
        by_position = {one.position: one.finding for one in self._findings.load(sorted(set(positions)))}
        return [by_position[at] for at in positions]

    def load_document(self, number: int) -> DocumentText:
        """Load the whole text of a document and its correct spans."""
        return self._findings.load_document(number)

    def search(self, text: str) -> NDArray[np.bool_]:
        """Return for each finding whether it has a text: (findings,).

        The text is in the finding or the name of its document.
        """
        return self._findings.search(text)


def find_ids(keys: Sequence[str], store: str | None) -> list[str]:
    """Find the ids of runs by the user's names.

    A name is an id, the name of a run, or the beginning of an id.

    Args:
        keys: the names.
        store: path or URL of the store; None for the default.

    Raises:
        StoreError: if there is no such run.
    """
    with Store.open(store, create=False) as opened:
        return [str(opened.get(key).id) for key in keys]


def is_id(text: str) -> bool:
    """Return whether a text is the id of a stored run."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


def has_store(url: str | None) -> bool:
    """Return whether a store exists: an SQLite file, or any PostgreSQL database."""
    path = parse_location(url).path
    return path is None or path.exists()


def load_explorer(url: str | None, get_scratch: Callable[[], str | None]) -> Explorer:
    """Open the runs of a store and of uploads.

    Args:
        url: path or URL of the store; None for the default.
        get_scratch: returns the store of uploads that nobody asked to keep; None before the first.
    """
    return Explorer(JoinedRuns((ScratchRuns(get_scratch), StoredRuns(lambda: url))), StoredNotes(url))


class StoredNotes:
    """Notes in a store, which is created for the first note.

    Args:
        url: path or URL of the store; None for the default.
    """

    def __init__(self, url: str | None) -> None:
        self._url = url

    def list_notes(self) -> Sequence[NotePayload]:
        """List all notes, the oldest first."""
        if not has_store(self._url):
            return []
        with Store.open(self._url, create=False) as opened:
            return [_convert_note(note) for note in opened.list_notes()]

    def write_note(self, corpus_key: str, key: str, body: NoteBody) -> NotePayload:
        """Write a note in place of an earlier one."""
        with Store.open(self._url) as opened:
            return _convert_note(opened.save_note(corpus_key, key, body.verdict, body.text))

    def delete_note(self, corpus_key: str, key: str) -> None:
        """Delete a note; nothing happens if there is none."""
        if has_store(self._url):
            with Store.open(self._url, create=False) as opened:
                opened.delete_note(corpus_key, key)


def _convert_note(note: Note) -> NotePayload:
    created = note.created.isoformat(timespec="seconds")
    return msgspec.convert(msgspec.structs.asdict(note) | {"created": created}, NotePayload)


class ScratchRuns(StoredRuns):
    """Runs of uploads that nobody asked to keep.

    Args:
        get_url: returns the path of their store; None before the first upload.
    """

    def __init__(self, get_url: Callable[[], str | None]) -> None:
        super().__init__(get_url)
        self._get_scratch = get_url

    def list_runs(self, query: RunQuery) -> Sequence[ExplorerRun]:
        """List the runs of a page, the latest first."""
        return [] if self._get_scratch() is None else super().list_runs(query)

    def open_run(self, identity: str) -> ExplorerRun | None:
        """Open a run by its id; None if there is none."""
        return None if self._get_scratch() is None else super().open_run(identity)
