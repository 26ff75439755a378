"""Runs written to one file, to take them to another store.

The file is JSON lines: a head; per run a line `run`, lines `packed` with what was packed, and lines `findings`; and an
end with the number of runs and a digest of all lines before it, without which nothing of the file is taken in.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import IO, Any
from uuid import UUID

import msgspec
from sqlalchemy import Connection, select

from isogloss.exceptions import SourceError
from isogloss.store.findings import FindingRow
from isogloss.store.selecting import in_utc
from isogloss.store.slicing import slices_of
from isogloss.store.tables import finding_groups, findings, inputs, packed, runs, scores, tags

FORMAT = "isogloss-runs"
LAYOUT = 1  # of the lines
ROWS = 1000  # findings of a line


class Head(msgspec.Struct, tag="head", tag_field="line", forbid_unknown_fields=True):
    """The first line.

    Args:
        format: what the file is.
        layout: version of its lines.
    """

    format: str
    layout: int


class Row(msgspec.Struct, forbid_unknown_fields=True):
    """The row of a run, see `isogloss.store.tables`."""

    name: str | None
    task: str
    system: str
    corpus: str | None
    version: str
    profile: str | None
    signature: str
    choices: dict[str, str | int | float]
    documents: int
    documents_digest: str | None
    main_score: str | None
    listed: bool
    document: dict[str, Any]
    native: dict[str, Any]
    rebuilding: dict[str, Any]


class RunLine(msgspec.Struct, tag="run", tag_field="line", forbid_unknown_fields=True):
    """A run: its row, and the rows of its files, tags and scores.

    Args:
        id: its id.
        created: when it was saved.
        row: the rest of its row.
        inputs: role, path, sha256.
        tags: its tags.
        scores: path, value, low, high.
    """

    id: UUID
    created: datetime
    row: Row
    inputs: list[tuple[str, str, str]]
    tags: list[str]
    scores: list[tuple[str, float | None, float | None, float | None]]


class PackedLine(msgspec.Struct, tag="packed", tag_field="line", forbid_unknown_fields=True):
    """A piece of what was packed of the latest run.

    Args:
        what: `counts`, `ranking`, ...
        position: of the piece.
        data: its bytes, in base64.
    """

    what: str
    position: int
    data: bytes


class FindingsLine(msgspec.Struct, tag="findings", tag_field="line", forbid_unknown_fields=True):
    """Findings of the latest run, in their order.

    Args:
        rows: kind, label and other label; document; place; payload.
    """

    rows: list[tuple[tuple[str, str | None, str | None], str, str, msgspec.Raw]]


class _Payload(msgspec.Struct):
    """What of a finding's payload is looked at."""

    more: Any = None


_PAYLOAD = msgspec.json.Decoder(_Payload)


class EndLine(msgspec.Struct, tag="end", tag_field="line", forbid_unknown_fields=True):
    """The last line.

    Args:
        runs: how many there are.
        sha256: of all lines before.
    """

    runs: int
    sha256: str


Line = Head | RunLine | PackedLine | FindingsLine | EndLine


def export(connection: Connection, numbers: Sequence[int], path: Path) -> None:
    """Write runs to a file, which takes its name when it is complete.

    Args:
        connection: of a transaction.
        numbers: of the runs.
        path: the file; compressed if its name ends with `.gz`.

    Raises:
        SourceError: it cannot be written.
    """
    try:
        handle, partial = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            _write(connection, numbers, file, compressed=path.suffix == ".gz")
        Path(partial).chmod(0o666 & ~_umask())
        Path(partial).replace(path)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        Path(partial).unlink(missing_ok=True)


def _write(connection: Connection, numbers: Sequence[int], file: IO[bytes], *, compressed: bool) -> None:
    digest, numbers = hashlib.sha256(), list(dict.fromkeys(numbers))
    with closing(gzip.GzipFile("", "wb", 6, file, mtime=0) if compressed else _Open(file)) as stream:
        for line in _lines(connection, numbers):
            data = msgspec.json.encode(line) + b"\n"
            digest.update(data)
            stream.write(data)
        stream.write(msgspec.json.encode(EndLine(len(numbers), digest.hexdigest())) + b"\n")


class _Open:
    """A file that someone else closes."""

    def __init__(self, file: IO[bytes]) -> None:
        self.write = file.write

    def close(self) -> None:
        """Leave it open."""


def _lines(connection: Connection, numbers: Sequence[int]) -> Iterator[Line]:
    yield Head(FORMAT, LAYOUT)
    for number in numbers:
        yield _run(connection, number)
        pieces = select(packed.c.what, packed.c.position, packed.c.data).where(packed.c.run == number)
        for what, position, data in connection.execute(pieces.order_by(packed.c.what, packed.c.position)):
            yield PackedLine(what, position, data)
        yield from _findings(connection, number)


def _run(connection: Connection, number: int) -> RunLine:
    row = dict(connection.execute(select(runs).where(runs.c.number == number)).one()._mapping)  # noqa: SLF001
    read, figures, own = inputs.c, scores.c, tags.c
    files = select(read.role, read.path, read.sha256).where(read.run == number).order_by(read.position)
    values = select(figures.path, figures.value, figures.low, figures.high).where(figures.run == number)
    return RunLine(
        id=row["id"],
        created=in_utc(row["created"]),
        row=Row(**{name: row[name] for name in Row.__struct_fields__}),
        inputs=[tuple(entry) for entry in connection.execute(files)],
        tags=list(connection.scalars(select(own.tag).where(own.run == number).order_by(own.tag))),
        scores=[tuple(entry) for entry in connection.execute(values.order_by(figures.path))],
    )


def _findings(connection: Connection, number: int) -> Iterator[FindingsLine]:
    """A page at a time, so that memory is bounded with every driver."""
    group, column, last = finding_groups.c, findings.c, -1
    joined = findings.join(finding_groups, (group.run == column.run) & (group.number == column.finding_group))
    query = select(
        column.position, group.kind, group.label, group.other_label, column.document, column.place, column.payload
    ).select_from(joined)
    while rows := connection.execute(
        query.where(column.run == number, column.position > last).order_by(column.position).limit(ROWS)
    ).all():
        last = rows[-1].position
        yield FindingsLine(
            [(tuple(row[1:4]), row[4], row[5], msgspec.Raw(msgspec.json.encode(row[6]))) for row in rows]
        )


def as_row(entry: tuple[tuple[str, str | None, str | None], str, str, msgspec.Raw]) -> FindingRow:
    """A finding of a line as it is written to a table."""
    verdict, document, place, payload = entry
    try:
        more = _PAYLOAD.decode(payload).more
    except msgspec.ValidationError:  # of a file that somebody wrote by hand
        more = None
    return verdict, document, place, bytes(payload).decode(), slices_of(more)


def _umask() -> int:
    """The permissions that new files do not get."""
    current = os.umask(0)
    os.umask(current)
    return current


def _unwritable(path: Path, error: OSError) -> SourceError:
    return SourceError(f"cannot be written: {error.strerror}", where=str(path), remedy="Name a file that can be.")
