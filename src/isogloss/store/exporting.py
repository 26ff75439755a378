"""Runs written to one file, to take them to another store.

The file is JSON lines: a head; per run a line `run`, lines `packed` with what was packed, and lines `findings`; and an
end with the number of runs and a digest of all lines before it, without which nothing of the file is taken in.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import Connection, select

from isogloss.records.destinations import written
from isogloss.store.findings import FindingRow
from isogloss.store.queries import in_utc
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


def export(connection: Connection, numbers: Sequence[int], path: str | os.PathLike[str]) -> None:
    """Write runs to a file, which takes its name when it is complete.

    Args:
        connection: of a transaction.
        numbers: of the runs.
        path: the file, `-` for standard output; compressed if its name ends with `.gz` or `.zst`.

    Raises:
        UsageError: its name says that it is compressed otherwise.
        SourceError: it cannot be written.
        MissingExtraError: its name ends with `.zst`, and zstandard is not installed.
    """
    digest, numbers = hashlib.sha256(), list(dict.fromkeys(numbers))
    with written(path) as file:
        for line in _lines(connection, numbers):
            data = msgspec.json.encode(line) + b"\n"
            digest.update(data)
            file.write(data)
        file.write(msgspec.json.encode(EndLine(len(numbers), digest.hexdigest())) + b"\n")


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
        column.position,
        group.kind,
        group.label,
        group.other_label,
        column.document,
        column.place,
        column.payload,
    ).select_from(joined)
    while rows := connection.execute(
        query.where(column.run == number, column.position > last).order_by(column.position).limit(ROWS),
    ).all():
        last = rows[-1].position
        yield FindingsLine(
            [(tuple(row[1:4]), row[4], row[5], msgspec.Raw(msgspec.json.encode(row[6]))) for row in rows],
        )


def as_row(entry: tuple[tuple[str, str | None, str | None], str, str, msgspec.Raw]) -> FindingRow:
    """A finding of a line as it is written to a table."""
    verdict, document, place, payload = entry
    try:
        more = _PAYLOAD.decode(payload).more
    except msgspec.ValidationError:  # of a file that somebody wrote by hand
        more = None
    return verdict, document, place, bytes(payload).decode(), slices_of(more)
