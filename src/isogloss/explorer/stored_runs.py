"""Runs of a store, and notes beside their findings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

from isogloss.errors import StoreError
from isogloss.explorer.explorer import Explorer, MemoryNotes
from isogloss.explorer.finding_source import MemoryFindings
from isogloss.explorer.run_sources import ExplorerRun, JoinedRuns, RunQuery
from isogloss.store import Store
from isogloss.store.location import parse_location
from isogloss.store.stored_run import StoredRun, Summary

MAX_OPEN = 64  # runs that stay open


class StoredRuns:
    """Runs of a store. A store that does not exist has none.

    Args:
        get_url: returns the path or URL of the store; None for the default.
        ids: ids of the runs to show; None for all.
    """

    def __init__(self, get_url: Callable[[], str | None], ids: Sequence[str] | None = None) -> None:
        self._get_url = get_url
        self._ids = ids
        self._open: dict[str, ExplorerRun] = {}

    def list_runs(self, query: RunQuery) -> Sequence[ExplorerRun]:
        """List the runs of a page, the latest first."""
        if not has_store(self._get_url()):
            return []
        if self._ids is not None:
            chosen = filter(None, map(self.open_run, self._ids))
            return [run for run in chosen if query.accepts(run)][: query.limit + 1] if query.after is None else []
        with self._connect() as store:
            found = store.list(
                task=query.task,
                corpus=query.corpus,
                tag=query.tag,
                name=query.name,
                system=query.system,
                after=query.after and UUID(query.after),
                limit=query.limit + 1,
            )
            return [self._open_summary(store, each) for each in found]

    def open_run(self, identity: str) -> ExplorerRun | None:
        """Open a run by its id; None if there is none."""
        if not is_id(identity) or (self._ids is not None and identity not in self._ids):
            return None
        if not has_store(self._get_url()):
            return None
        with self._connect() as store:
            try:
                found = store.get(UUID(identity))
            except StoreError:
                return None
            return self._open_stored(found)

    def _connect(self) -> Store:
        return Store.open(self._get_url(), create=False)

    def _open_summary(self, store: Store, summary: Summary) -> ExplorerRun:
        return self._open_stored(store.get(summary.id))

    def _open_stored(self, stored: StoredRun) -> ExplorerRun:
        """Return the run; its findings stay open, its tags are those of now."""
        summary, identity = stored.summary, str(stored.id)
        known = self._open.get(identity)
        if known is None or known.tags != summary.tags:
            known = ExplorerRun(
                id=identity,
                run=stored.as_saved(0),
                name=summary.name or summary.system,
                corpus=summary.corpus or "",
                load_source=lambda: MemoryFindings(stored.list_findings(None)),
                tags=summary.tags,
                created=summary.created.isoformat(),
                load_documents=stored.run,
            )
            self._open[identity] = known
            while len(self._open) > MAX_OPEN:
                del self._open[next(iter(self._open))]
        return known


def find_ids(keys: Sequence[str], store: str | None) -> list[str]:
    """Find the ids of runs by id, name or the beginning of an id.

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


class StoredNotes(MemoryNotes):
    """Notes beside the findings of a store.

    Args:
        url: path or URL of the store; None for the default.
    """

    def __init__(self, url: str | None) -> None:
        super().__init__()
        self._url = url


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
