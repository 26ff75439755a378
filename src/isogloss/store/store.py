"""A store of runs: one object for all that can be done with it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Self
from unicodedata import category
from uuid import UUID

from sqlalchemy import delete, select

from isogloss.errors import UsageError
from isogloss.kernel.findings import Finding
from isogloss.runs.run import Run
from isogloss.store import exporting, importing, slicing
from isogloss.store.connection import Database
from isogloss.store.findings import Sought, StoredFinding, Verdict, page, verdicts
from isogloss.store.location import place
from isogloss.store.queries import Chosen, inputs_of, locked, number_of, number_still, summaries, summary
from isogloss.store.recording import Entry, record
from isogloss.store.slicing import Slice
from isogloss.store.stored_run import StoredRun, Summary
from isogloss.store.tables import packed, runs, tags
from isogloss.store.upgrading import bring_up

RunId = UUID
Key = str | UUID  # of a run: its id, its name, or the beginning of its id
LONGEST = 200  # characters of a name or tag
NO_TEXT = frozenset(("Cc", "Cs", "Zl", "Zp"))  # control characters, halves of surrogate pairs, ends of lines


class Store:
    """Runs in an SQLite file or in PostgreSQL. A store may be used by many threads and processes at once.

    Args:
        database: whose tables are those of this version.

    Examples:
        >>> store = Store.open("runs.db")  # doctest: +SKIP
        >>> store.save(isogloss.ner("gold.conll", "system.conll"), name="baseline")  # doctest: +SKIP
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(cls, url: str | os.PathLike[str] | None = None, *, create: bool = True) -> Self:
        """Open a store; a new one is made, one of an earlier version is upgraded.

        Args:
            url: a path, `sqlite:///PATH` or `postgresql://...`; None for what the variable `ISOGLOSS_STORE` says, or
                else the file `.isogloss/runs.db` in the current folder.
            create: whether to make a file where there is none.

        Raises:
            UsageError: the URL is none of a store.
            StoreError: it cannot be opened, is of a later version, or is something else.
            MissingExtraError: it is in PostgreSQL, and its driver is not installed.
        """
        database = Database(place(url), create=create)
        try:
            bring_up(database)
        except BaseException:
            database.close()
            raise
        return cls(database)

    @property
    def place(self) -> str:
        """Where it is; passwords are not shown."""
        return self._database.place.name

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def save(self, run: Run, *, name: str | None = None, corpus: str | None = None, tags: Iterable[str] = ()) -> RunId:
        """Save a run with all its findings: all of it, or after an error or a kill nothing.

        Where its single documents were not kept, its input is read once more for them.

        Args:
            run: the run.
            name: what it can be asked for by; of several runs of a name the latest is meant.
            corpus: name of the corpus.
            tags: words that runs can be listed by.

        Returns:
            Its id.

        Raises:
            UsageError: a name or tag is empty, long, or has line ends or control characters.
            StoreError: it cannot be saved.
        """
        own_tags = [checked("tag", tag) for tag in _several(tags)]
        for what, given in (("name", name), ("corpus", corpus)):
            if given is not None:
                checked(what, given)
        entry = Entry.of(
            run if run.rescore is None else run.ensure_documents()
        )  # others need not wait for its intervals
        with self._database.writing() as connection:
            return record(connection, entry, name=name, corpus=corpus, own_tags=own_tags)

    def list(  # noqa: PLR0913  each condition is independent
        self,
        *,
        task: str | None = None,
        system: str | None = None,
        corpus: str | None = None,
        tag: str | None = None,
        reference: str | None = None,
        score: str | None = None,
        limit: int | None = 50,
        after: Key | None = None,
    ) -> list[Summary]:
        """Runs, the latest first.

        Args:
            task: only of this task.
            system: only of this system, or of a file of this name in any folder.
            corpus: only on this corpus.
            tag: only with this tag.
            reference: only those that read a file of this SHA-256.
            score: only those that have the score of this path defined, the highest first.
            limit: at most so many, None for all.
            after: only those that come after this run: the last one of the page before.

        Raises:
            StoreError: there is no run `after`, or the store cannot be read.
        """
        with self._database.reading() as connection:
            last = None if after is None else number_of(connection, after)
            return summaries(connection, Chosen(task, system, corpus, tag, reference, score), limit, last)

    def get(self, key: Key) -> StoredRun:
        """A run.

        Args:
            key: its id; or its name, of several runs the latest; or the beginning of its id.

        Raises:
            StoreError: there is none, or ids of several begin so; or the store cannot be read.
        """
        with self._database.reading() as connection:
            number = number_of(connection, key)
            row = connection.execute(select(runs).where(runs.c.number == number)).one()
            return StoredRun(
                summary=summary(connection, number),
                row=dict(row._mapping),  # noqa: SLF001  its public name has the underscore
                inputs=tuple(inputs_of(connection, number)),
                place=self._database.place,
                fetch=lambda what: self._fetch(row.id, what),
                list_findings=lambda limit: self._findings(row.id, limit),
            )

    def findings(  # noqa: PLR0913  each condition is independent
        self,
        run: Key,
        *,
        kind: str | None = None,
        label: str | None = None,
        document: str | None = None,
        slices: Mapping[str, str] | None = None,
        after: int | None = None,
        limit: int | None = 50,
    ) -> Sequence[StoredFinding]:
        """Findings of a run in their order.

        Args:
            run: the run.
            kind: only of this kind.
            label: only those in which either side has this label.
            document: only those in the document of this name.
            slices: only those with these values in these columns, as `--by COLUMN` gave them.
            after: only those after this position: that of the last one of the page before.
            limit: at most so many, None for all.

        Raises:
            StoreError: there is no such run, or the store cannot be read.
        """
        with self._database.reading() as connection:
            sought = Sought(kind, label, document, -1 if after is None else after, dict(slices or {}))
            return page(connection, number_of(connection, run), sought, limit)

    def finding_counts(self, run: Key) -> dict[Verdict, int]:
        """How many findings of each kind and labels were saved of a run.

        Args:
            run: the run.

        Returns:
            By (kind, label of the reference or else of the prediction, label of the prediction where it is another).

        Raises:
            StoreError: there is no such run, or the store cannot be read.
        """
        with self._database.reading() as connection:
            return dict(verdicts(connection, number_of(connection, run)).values())

    def slice_counts(self, run: Key) -> dict[Slice, int]:
        """How many findings were saved of a run with each value of each column of its slices.

        Args:
            run: the run.

        Returns:
            By (column, value).

        Raises:
            StoreError: there is no such run, or the store cannot be read.
        """
        with self._database.reading() as connection:
            return slicing.counts(connection, number_of(connection, run))

    def tag(self, run: Key, *own_tags: str) -> None:
        """Give a run tags; those that it has already do no harm.

        Raises:
            UsageError: a tag is empty, long, or has line ends or control characters.
            StoreError: there is no such run, or the store cannot be written.
        """
        wanted = {checked("tag", tag) for tag in own_tags}
        with self._database.writing() as connection:
            number = locked(connection, run)
            new = sorted(wanted - set(connection.scalars(select(tags.c.tag).where(tags.c.run == number))))
            if new:
                connection.execute(tags.insert(), [{"run": number, "tag": tag} for tag in new])

    def untag(self, run: Key, *own_tags: str) -> None:
        """Take tags from a run; those that it does not have do no harm.

        Raises:
            StoreError: there is no such run, or the store cannot be written.
        """
        with self._database.writing() as connection:
            number = number_of(connection, run)
            connection.execute(delete(tags).where(tags.c.run == number, tags.c.tag.in_(own_tags)))

    def delete(self, *keys: Key) -> None:
        """Delete runs with all that hangs on them: all of these runs, or after an error none.

        Raises:
            StoreError: there is no such run, or the store cannot be written.
        """
        with self._database.writing() as connection:
            numbers = [number_of(connection, key) for key in keys]
            connection.execute(delete(runs).where(runs.c.number.in_(numbers)))

    def export(self, keys: Iterable[Key], path: str | os.PathLike[str]) -> None:
        """Write runs to one file, which any store can load. It is there when it is complete.

        Args:
            keys: the runs.
            path: the file, JSON lines, `-` for standard output; compressed if its name ends with `.gz` or `.zst`.

        Raises:
            StoreError: there is no such run, or the store cannot be read.
            SourceError: the file cannot be written.
        """
        with self._database.reading() as connection:
            exporting.export(connection, [number_of(connection, key) for key in _several(keys)], path)

    def load_export(self, path: str | os.PathLike[str]) -> Sequence[RunId]:
        """Take in the runs of a file that `export` wrote: all of them, or after an error none.

        Args:
            path: the file; `-` is standard input.

        Returns:
            The ids of those that were not here before. The others are left as they are.

        Raises:
            DataError: the file is damaged, cut short, or something else.
            StoreError: the store cannot be written.
        """
        return self.load_lines(importing.begun(path))

    def load_lines(self, lines: importing.Lines) -> Sequence[RunId]:
        """Likewise, of a file whose first line was read.

        Raises:
            DataError: the file is damaged or cut short.
            StoreError: the store cannot be written.
        """
        with self._database.writing() as connection:
            return importing.load(connection, lines)

    def _fetch(self, identity: RunId, what: str) -> bytes | None:
        piece = packed.c
        with self._database.reading() as connection:
            query = select(piece.data).where(piece.run == number_still(connection, identity), piece.what == what)
            pieces = connection.scalars(query.order_by(piece.position)).all()
        return b"".join(pieces) if pieces else None

    def _findings(self, identity: RunId, limit: int | None) -> tuple[Finding, ...]:
        with self._database.reading() as connection:
            return tuple(
                found.finding for found in page(connection, number_still(connection, identity), Sought(), limit)
            )


def _several(values: Iterable[Key]) -> list[Key]:
    """Refuse the one text that was meant to be a list of one."""
    if isinstance(values, str):
        raise UsageError(f"Give a list: [{values!r}].")
    return list(values)


def checked(what: str, text: Key) -> str:
    """A name, corpus or tag that can be kept.

    Raises:
        UsageError: it is empty, long, or has what is no character of a line.
    """
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
        raise UsageError(f"A {what} is {text!r}, but it is a line of 1 to {LONGEST} characters.")
    wrong = next((character for character in text if category(character) in NO_TEXT), None)
    if wrong is not None:
        raise UsageError(f"A {what} is {text!r}, but it is one line without control characters such as {wrong!r}.")
    return text
