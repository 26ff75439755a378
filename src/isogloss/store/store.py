"""A store of runs.

Runs are saved, listed, loaded, tagged, deleted, exported and imported.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import Self
from unicodedata import category
from uuid import UUID

from sqlalchemy import Connection, delete, select, update

from isogloss.errors import StoreError, UsageError
from isogloss.kernel.argument_checks import check_list
from isogloss.kernel.findings import Finding
from isogloss.runs.finding_columns import FindingFilter, FindingGroup, Slice, count_groups, count_slices
from isogloss.runs.run import Run
from isogloss.store.database import Database, upgrade_store
from isogloss.store.digests import TAGS, check_part, digest_bytes, digest_tags, report_corrupt_part
from isogloss.store.findings import StoredFinding, StoredFindings, load_findings, open_findings
from isogloss.store.location import parse_location
from isogloss.store.notes import Note, delete_note, load_notes, make_note, save_note
from isogloss.store.queries import (
    RunFilter,
    find_number_by_id,
    find_run_number,
    find_unchecked_number,
    load_id,
    load_inputs,
    load_row,
    load_summaries,
    load_summary,
    lock_run,
    parse_time,
)
from isogloss.store.run_details import RunDetails, load_details
from isogloss.store.saving import add_record, build_record, pack_evidence
from isogloss.store.schema import digests, packed, runs, tags
from isogloss.store.stored_run import CorruptRunsError, StoredRun, Summary
from isogloss.store.transfer import ExportReader, export_runs, import_runs

RunId = UUID
RunKey = str | UUID  # its id, its name, or the beginning of its id
MAX_NAME_LENGTH = 200  # characters of a name or tag
FORBIDDEN_CATEGORIES = frozenset(("Cc", "Cs", "Zl", "Zp"))  # control characters, halves of surrogate pairs, line ends


class Store:
    """Runs in an SQLite file or in PostgreSQL.

    A store may be used by many threads and processes at once.

    Args:
        database: database with tables of this version.

    Examples:
        >>> store = Store.open("runs.db")  # doctest: +SKIP
        >>> store.save(isogloss.ner("gold.conll", "system.conll"), name="baseline")  # doctest: +SKIP
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(cls, url: str | os.PathLike[str] | None = None, *, create: bool = True) -> Self:
        """Open a store.

        A new store is created, and a store of an earlier version is upgraded.

        Args:
            url: a path, `sqlite:///PATH` or `postgresql://...`; None for the value of the variable
                `ISOGLOSS_STORE`, or else the file `.isogloss/runs.db` in the current folder.
            create: whether to create a missing file.

        Raises:
            UsageError: if the URL is invalid or names another kind of database.
            StoreError: if the store cannot be opened, is of a later version, or is of another program.
            MissingExtraError: if the store is in PostgreSQL, and its driver is not installed.
        """
        database = Database(parse_location(url), create=create)
        try:
            upgrade_store(database)
        except BaseException:
            database.close()
            raise
        return cls(database)

    @property
    def place(self) -> str:
        """The path or the URL of the store; the password is hidden."""
        return self._database.location.name

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def save(self, run: Run, *, name: str | None = None, corpus: str | None = None, tags: Iterable[str] = ()) -> RunId:
        """Save a run with all its findings.

        After an error or a kill nothing is saved.

        If the run did not keep its single documents, its input is read once more for them.

        Args:
            run: the run.
            name: finds the run again; of several runs with one name, the latest.
            corpus: name of the corpus.
            tags: words to list runs by.

        Returns:
            Its id.

        Raises:
            UsageError: if a name or tag is empty, too long, or has line ends or control characters.
            StoreError: if the run cannot be saved.
        """
        own_tags = [check_run_text("tag", tag) for tag in check_list("tags", tags)]
        for kind, given in (("name", name), ("corpus", corpus)):
            if given is not None:
                check_run_text(kind, given)
        run = run if run.rescore is None else run.ensure_documents()
        record = build_record(run, name, corpus, own_tags)  # before others must wait
        pieces = list(pack_evidence(run))
        with self._database.begin_writing() as connection:
            record.created = datetime.now(UTC)
            add_record(connection, record, pieces, run.findings)
        return record.id

    def list(  # noqa: PLR0913  each condition is independent
        self,
        *,
        task: str | None = None,
        name: str | None = None,
        system: str | None = None,
        corpus: str | None = None,
        tag: str | None = None,
        signature: str | None = None,
        reference: str | os.PathLike[str] | None = None,
        since: str | date | None = None,
        until: str | date | None = None,
        score: str | None = None,
        limit: int | None = 50,
        after: RunKey | None = None,
    ) -> list[Summary]:
        """List runs that meet all conditions, the latest first.

        Args:
            task: only runs of this task.
            name: only runs of this name.
            system: only runs of this system, or of a file of this name in any folder.
            corpus: only runs on this corpus.
            tag: only runs with this tag.
            signature: only runs of this signature, or with these choices in it, such as `scheme:iob2|repair:begin`.
            reference: only runs with this reference, or texts of code-switching: the SHA-256 of the file, at least its
                first four digits, its path, or its name in any folder.
            since: only runs saved at this time or later: a date, or a date and time in ISO 8601; without a time zone,
                local time.
            until: only runs saved at this time or earlier; a date includes its whole day.
            score: only runs with a value for the score of this path, the highest first.
            limit: most runs to list; None for all.
            after: only runs that come after this run: the last one of the page before.

        Raises:
            UsageError: if `since` or `until` is not a date or time.
            StoreError: if there is no run `after`, or the store cannot be read. If runs in the list are corrupt, it is
                a `CorruptRunsError`, which has the summaries of the other runs.
        """
        run_filter = RunFilter(
            task=task,
            name=name,
            system=system,
            corpus=corpus,
            tag=tag,
            signature=signature,
            reference=None if reference is None else os.fspath(reference),
            since=None if since is None else parse_time("since", since),
            until=None if until is None else parse_time("until", until, is_end=True),
            score=score,
        )
        with self._database.begin_reading() as connection:
            last = None if after is None else find_run_number(connection, after)
            summaries, errors = load_summaries(connection, run_filter, limit, last)
        if errors:
            raise CorruptRunsError.from_errors(errors, summaries, self.place)
        return summaries

    def get(self, key: RunKey) -> StoredRun:
        """Load a run.

        Args:
            key: its id; or its name, the latest if several runs have it; or the beginning of its id.

        Raises:
            StoreError: if no run has this key, the ids of several runs begin with it, or the store cannot be read.
        """
        with self._database.begin_reading() as connection:
            number = find_run_number(connection, key)
            row = load_row(connection, number)
            return StoredRun(
                summary=load_summary(connection, number),
                row=row,
                inputs=tuple(load_inputs(connection, number)),
                place=self.place,
                fetch=lambda what: self._fetch_packed(row["id"], what),
                list_findings=lambda limit: self._load_findings(row["id"], limit),
            )

    def findings(  # noqa: PLR0913  each condition is independent
        self,
        run: RunKey,
        *,
        kind: str | None = None,
        label: str | None = None,
        document: str | None = None,
        slices: Mapping[str, str] | None = None,
        after: int | None = None,
        limit: int | None = 50,
    ) -> Sequence[StoredFinding]:
        """Load findings of a run in their order.

        Args:
            run: the run.
            kind: only findings of this kind.
            label: only findings with this label in the reference or the prediction.
            document: only findings in the document of this name.
            slices: only findings with these values in these columns of `--by COLUMN`.
            after: only findings after this position: that of the last finding of the page before.
            limit: most findings to load; None for all.

        Raises:
            StoreError: if there is no such run, or the store cannot be read.
        """
        with self._database.begin_reading() as connection:
            conditions = FindingFilter(kind, label, document, -1 if after is None else after, dict(slices or {}))
            return load_findings(connection, find_run_number(connection, run), conditions, limit)

    def load_details(self, summaries: Sequence[Summary]) -> Sequence[RunDetails]:
        """Load main scores and further details of listed runs.

        Args:
            summaries: the runs, as `list` returns them.

        Raises:
            StoreError: if the store cannot be read. If some of the runs are corrupt, it is a `CorruptRunsError`, which
                has the summaries of the other runs.
        """
        with self._database.begin_reading() as connection:
            loaded, errors = load_details(connection, summaries)
        if errors:
            raise CorruptRunsError.from_errors(errors, [details.summary for details in loaded], self.place)
        return loaded

    def save_note(self, corpus_key: str, key: str, verdict: str, text: str = "") -> Note:
        """Save a note about a finding, replacing an earlier one.

        Args:
            corpus_key: identifies the reference: `Run.corpus_key`, or that of `load_details`.
            key: key of the finding, 16 hexadecimal digits.
            verdict: `gold error`, `ambiguous` or `real error`.
            text: any text.

        Raises:
            UsageError: if the key or the verdict is invalid, or the text is too long.
            StoreError: if the store cannot be written.
        """
        note = make_note(corpus_key, key, verdict, text)
        with self._database.begin_writing() as connection:
            save_note(connection, note)
        return note

    def list_notes(self, corpus_key: str | None = None) -> Sequence[Note]:
        """List notes, the oldest first.

        Args:
            corpus_key: only notes about this reference.

        Raises:
            StoreError: if a note is corrupt, or the store cannot be read.
        """
        with self._database.begin_reading() as connection:
            return load_notes(connection, None if corpus_key is None else [corpus_key])

    def delete_note(self, corpus_key: str, key: str) -> bool:
        """Delete a note, and return whether there was one.

        Args:
            corpus_key: identifies the reference.
            key: key of the finding.

        Raises:
            StoreError: if the store cannot be written.
        """
        with self._database.begin_writing() as connection:
            return delete_note(connection, corpus_key, key)

    def open_findings(self, run: RunKey) -> StoredFindings:
        """Open the findings of a run.

        Columns, pages and texts are loaded without loading all findings.

        Args:
            run: the run.

        Raises:
            StoreError: if there is no such run, or the store cannot be read.
        """
        with self._database.begin_reading() as connection:
            number = find_run_number(connection, run)
            identity = load_id(connection, number)
        return StoredFindings(lambda: self._begin_reading_run(number, identity), number)

    @contextmanager
    def _begin_reading_run(self, number: int, identity: RunId | None) -> Iterator[Connection]:
        """Open a transaction that reads a run.

        Its number may meanwhile be that of another run.
        """
        with self._database.begin_reading() as connection:
            if load_id(connection, number) != identity:
                raise StoreError(f"run {identity} was deleted", remedy="`isogloss runs list` shows what there is.")
            yield connection

    def finding_counts(self, run: RunKey) -> dict[FindingGroup, int]:
        """Count the findings of a run by kind and labels.

        Args:
            run: the run.

        Returns:
            By (kind, label of the reference or else of the prediction, label of the prediction if it differs).

        Raises:
            StoreError: if there is no such run, or the store cannot be read.
        """
        with self._database.begin_reading() as connection:
            return count_groups(open_findings(connection, find_run_number(connection, run)))

    def slice_counts(self, run: RunKey) -> dict[Slice, int]:
        """Count the findings of a run in each slice.

        Args:
            run: the run.

        Returns:
            By (column, value).

        Raises:
            StoreError: if there is no such run, or the store cannot be read.
        """
        with self._database.begin_reading() as connection:
            return count_slices(open_findings(connection, find_run_number(connection, run)))

    def tag(self, run: RunKey, *own_tags: str) -> None:
        """Add tags to a run. Tags that it has already stay.

        Args:
            run: id or name of the run.
            *own_tags: tags to add.

        Raises:
            UsageError: if a tag is empty, too long, or has line ends or control characters.
            StoreError: if there is no such run, or the store cannot be written.
        """
        checked_tags = {check_run_text("tag", tag) for tag in own_tags}
        with self._database.begin_writing() as connection:
            number = lock_run(connection, run)
            add_tags(connection, number, checked_tags)

    def untag(self, run: RunKey, *own_tags: str) -> None:
        """Remove tags from a run.

        Tags that the run does not have are ignored.

        Args:
            run: id or name of the run.
            *own_tags: tags to remove.

        Raises:
            StoreError: if there is no such run, or the store cannot be written.
        """
        with self._database.begin_writing() as connection:
            number = lock_run(connection, run)
            known = set(load_summary(connection, number).tags)
            connection.execute(delete(tags).where(tags.c.run == number, tags.c.tag.in_(own_tags)))
            _save_tag_digest(connection, number, known - set(own_tags))

    def delete(self, *keys: RunKey) -> None:
        """Delete runs with their findings and counts.

        Corrupt runs are deleted too. After an error none is deleted.

        Args:
            *keys: ids or names of the runs.

        Raises:
            StoreError: if there is no such run, or the store cannot be written.
        """
        with self._database.begin_writing() as connection:
            numbers = [find_unchecked_number(connection, key) for key in keys]
            connection.execute(delete(runs).where(runs.c.number.in_(numbers)))

    def export(self, keys: Iterable[RunKey], path: str | os.PathLike[str]) -> None:
        """Write runs to one file, which any store can load.

        The file appears when it is complete.

        Args:
            keys: the runs.
            path: the file, JSON lines, `-` for standard output; compressed if its name ends with `.gz` or `.zst`.

        Raises:
            StoreError: if there is no such run, or the store cannot be read.
            SourceError: if the file cannot be written.
        """
        with self._database.begin_reading() as connection:
            export_runs(connection, [find_run_number(connection, key) for key in check_list("keys", keys)], path)

    def load_export(self, path: str | os.PathLike[str]) -> Sequence[RunId]:
        """Import the runs of a file that `export` wrote.

        After an error none is imported.

        Args:
            path: the file; `-` is standard input.

        Returns:
            The ids of the new runs. Runs that are here already stay as they are.

        Raises:
            DataError: if the file is damaged, cut short, or not an export.
            StoreError: if the store cannot be written.
        """
        return self._import(ExportReader(path))

    def _import(self, reader: ExportReader) -> Sequence[RunId]:
        with self._database.begin_writing() as connection:
            return import_runs(connection, reader)

    def _fetch_packed(self, identity: RunId, what: str) -> bytes | None:
        piece = packed.c
        with self._database.begin_reading() as connection:
            number = find_number_by_id(connection, identity)
            query = select(piece.data).where(piece.run == number, piece.what == what)
            with report_corrupt_part(connection, number, what):
                data = b"".join(connection.scalars(query.order_by(piece.position)))
            check_part(connection, number, what, digest_bytes(data) if data else None)
        return data or None

    def _load_findings(self, identity: RunId, limit: int | None) -> tuple[Finding, ...]:
        with self._database.begin_reading() as connection:
            loaded = load_findings(connection, find_number_by_id(connection, identity), FindingFilter(), limit)
        return tuple(stored.finding for stored in loaded)


def add_tags(connection: Connection, number: int, own_tags: set[str]) -> None:
    """Add tags to a run, and change their digest.

    Args:
        connection: connection in a transaction that writes, and that has locked the run.
        number: number of the run.
        own_tags: tags; those that the run has already stay.
    """
    known = set(load_summary(connection, number).tags)
    new = sorted(own_tags - known)
    if new:
        connection.execute(tags.insert(), [{"run": number, "tag": tag} for tag in new])
        _save_tag_digest(connection, number, known | own_tags)


def _save_tag_digest(connection: Connection, number: int, own_tags: Iterable[str]) -> None:
    column = digests.c
    row = update(digests).where(column.run == number, column.part == TAGS)
    connection.execute(row.values(digest=digest_tags(own_tags)))


def check_run_text(kind: str, text: RunKey) -> str:
    """Check a name, corpus or tag.

    Args:
        kind: what the text is, for the message.
        text: the text.

    Raises:
        UsageError: if it is empty, too long, or has line ends or control characters.
    """
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_NAME_LENGTH:
        raise UsageError(f"A {kind} is one line of 1 to {MAX_NAME_LENGTH} characters, got {text!r}.")
    wrong = next((character for character in text if category(character) in FORBIDDEN_CATEGORIES), None)
    if wrong is not None:
        raise UsageError(f"A {kind} is one line, got {text!r}. Remove control characters such as {wrong!r}.")
    return text


def check_save(systems: int, *, store: str | os.PathLike[str] | None = None, name: str | None = None) -> None:
    """Check the arguments of `save_runs` before any run is scored.

    Args:
        systems: number of runs.
        store: where to save them.
        name: name of the runs.

    Raises:
        UsageError: if the location or a name is invalid.
    """
    parse_location(store)
    for own in build_names(name, systems):
        if own is not None:
            check_run_text("name", own)


def save_runs(
    runs: Sequence[Run],
    *,
    store: str | os.PathLike[str] | None = None,
    name: str | None = None,
    corpus: str | None = None,
    tags: Iterable[str] = (),
) -> list[RunId]:
    """Save the runs of one call.

    Args:
        runs: one per system.
        store: where, as for `Store.open`.
        name: name of the run; several runs are named `NAME-1`, `NAME-2` and so on in their order.
        corpus: name of the corpus.
        tags: words to list runs by.

    Returns:
        Their ids.

    Raises:
        UsageError: if the location, a name or a tag is invalid.
        StoreError: if a run cannot be saved; the runs before it are saved.
        MissingExtraError: if the store is in PostgreSQL, and its driver is not installed.
    """
    names = build_names(name, len(runs))
    tags = tags if isinstance(tags, str) else tuple(tags)
    with Store.open(store) as opened:
        return [opened.save(run, name=own, corpus=corpus, tags=tags) for run, own in zip(runs, names, strict=True)]


def load_runs(
    path: str | os.PathLike[str],
    *,
    store: str | os.PathLike[str] | None = None,
) -> tuple[str, Sequence[RunId]]:
    """Import the runs of a file that `Store.export` wrote.

    If the file is not an export, no store is created.

    Args:
        path: the file; `-` is standard input.
        store: where to, as for `Store.open`.

    Returns:
        Where the store is, and the ids of the new runs.

    Raises:
        UsageError: if the location is invalid.
        DataError: if the file cannot be read, is damaged, cut short, or not an export.
        StoreError: if the store cannot be written.
        MissingExtraError: if the store is in PostgreSQL, and its driver is not installed.
    """
    reader = ExportReader(path)
    with Store.open(store) as opened:
        return opened.place, opened._import(reader)  # noqa: SLF001  of the class above


def build_names(name: str | None, runs: int) -> Sequence[str | None]:
    """Return the name of each run that is saved by one call.

    Args:
        name: name of the call, None for none.
        runs: number of runs.
    """
    return [name] * runs if name is None or runs == 1 else [f"{name}-{k}" for k in range(1, runs + 1)]
