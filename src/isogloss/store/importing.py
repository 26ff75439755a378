"""Runs taken in from a file that another store wrote."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from datetime import UTC
from itertools import chain
from typing import Any, TypeVar
from uuid import UUID

import msgspec
from sqlalchemy import Connection, Table, select
from sqlalchemy.exc import IntegrityError

from isogloss.errors import FormatError
from isogloss.records.sources import Source
from isogloss.store.connection import add_rows, lock
from isogloss.store.exporting import FORMAT, LAYOUT, EndLine, FindingsLine, Head, Line, PackedLine, RunLine, as_row
from isogloss.store.findings import FindingRow, add_findings
from isogloss.store.recording import add_run
from isogloss.store.tables import inputs, packed, runs, scores, tags

AGAIN = "Export the runs again: nothing of this file was taken in."
L = TypeVar("L")


class Lines:
    """The lines of a file, with the next one in sight, and checked against the digest of its last one.

    Args:
        source: the file.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._digest = hashlib.sha256()
        self._number = 0
        self._raw = self._each()
        self._decode = msgspec.json.Decoder(Line).decode
        self.next: Line | None = None
        self._latest = b""
        self.advance()

    def advance(self) -> None:
        """Go on by a line.

        Raises:
            FormatError: it is none of such a file.
        """
        if self.next is not None:
            self._digest.update(self._latest)
        self._latest = next(self._raw, b"")
        self._number += 1
        try:
            self.next = self._decode(self._latest) if self._latest else None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self.fault(f"is no line of exported runs: {error}") from error

    def all_of(self, kind: type[L]) -> Iterator[L]:
        """The following lines of a kind; each is passed before it is handed out."""
        while isinstance(self.next, kind):
            line = self.next
            self.advance()
            yield line

    def head(self) -> None:
        """Read the first line.

        Raises:
            FormatError: the file is something else, or of a later version.
        """
        if not isinstance(self.next, Head) or self.next.format != FORMAT:
            raise self.fault("does not begin as a file of exported runs does")
        if self.next.layout > LAYOUT:
            message = f"was written in layout {self.next.layout}, and this version of isogloss knows {LAYOUT}"
            raise FormatError(message, where=self._where, remedy="Update isogloss: pip install -U isogloss")
        self.advance()

    def end(self, found: int) -> None:
        """Read the last line.

        Args:
            found: how many runs there were.

        Raises:
            FormatError: the file is cut short or was changed.
        """
        end = self.next
        if end is None:
            raise self.fault("is cut short: its last line is missing")
        if not isinstance(end, EndLine):
            raise self.fault("stands where it cannot")
        if (end.runs, end.sha256) != (found, self._digest.hexdigest()):
            raise self.fault("was changed after it was written: its digest is another")
        if next(self._raw, b""):
            raise self.fault("goes on after its end")

    def fault(self, message: str) -> FormatError:
        """What is wrong with the next line."""
        return FormatError(message, where=self._where, remedy=AGAIN)

    @property
    def _where(self) -> str:
        return f"{self._source.name}:{self._number}"

    def _each(self) -> Iterator[bytes]:
        for block in self._source.blocks(decode=False):
            yield from (line + b"\n" for line in block.data[:-1].split(b"\n"))


def begun(path: str | os.PathLike[str]) -> Lines:
    """The lines of a file after the first.

    Args:
        path: the file; `-` is standard input.

    Raises:
        SourceError: the file cannot be read.
        FormatError: it is something else.
    """
    lines = Lines(Source(path))
    lines.head()
    return lines


def load(connection: Connection, lines: Lines) -> list[UUID]:
    """Take in runs in the transaction of a connection, which an error must undo.

    Args:
        connection: of a transaction that writes.
        lines: of the file, after the first.

    Returns:
        Ids of the runs that were not here before.

    Raises:
        SourceError: the file cannot be read.
        FormatError: it is damaged.
    """
    lock(connection)  # of two that take in the same runs, one finds them here
    new, found = [], 0
    for line in lines.all_of(RunLine):
        found += 1
        pieces = lines.all_of(PackedLine)
        rows = (as_row(entry) for part in lines.all_of(FindingsLine) for entry in part.rows)
        if connection.scalar(select(runs.c.number).where(runs.c.id == line.id)) is None:
            new.append(line.id)
            try:
                _add(connection, line, pieces, rows)
            except (IntegrityError, connection.dialect.loaded_dbapi.IntegrityError) as error:
                raise lines.fault("follows a run whose rows contradict each other") from error
        for _ in chain(pieces, rows):  # of a run that is here already
            pass
    lines.end(found)
    return new


def _add(connection: Connection, line: RunLine, pieces: Iterator[PackedLine], rows: Iterator[FindingRow]) -> None:
    row = msgspec.structs.asdict(line.row) | {"id": line.id, "created": line.created.astimezone(UTC)}
    number = add_run(connection, row)
    parts: tuple[tuple[Table, tuple[str, ...], list[tuple[Any, ...]]], ...] = (
        (inputs, ("position", "role", "path", "sha256"), [(k, *entry) for k, entry in enumerate(line.inputs)]),
        (tags, ("tag",), [(tag,) for tag in line.tags]),
        (scores, ("path", "value", "low", "high"), line.scores),
    )
    for table, columns, entries in parts:
        if entries:
            add_rows(connection, table, ("run", *columns), [(number, *entry) for entry in entries])
    for piece in pieces:
        columns = ("run", "what", "position", "data")
        add_rows(connection, packed, columns, [(number, piece.what, piece.position, piece.data)])
    add_findings(connection, number, rows)
