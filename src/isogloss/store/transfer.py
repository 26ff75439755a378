"""Export runs to one file, and import them into another store.

The file is JSON lines: a head; per run a line `run`, lines `packed` with its packed counts, and lines `chunk` with its
findings (`findings` up to layout 2); lines `note`; an end with the number of runs and a digest of all lines before it.
Without a correct end nothing of the file is imported.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar
from uuid import UUID

import msgspec
from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from isogloss.errors import FormatError
from isogloss.kernel.findings import Finding
from isogloss.records.destinations import open_binary_output
from isogloss.records.sources import Source
from isogloss.runs.run import compute_corpus_key
from isogloss.runs.run_json import InputFile
from isogloss.store.database import lock_tables
from isogloss.store.digests import (
    PACKED_PARTS,
    PART_TITLES,
    RUN,
    RowDigest,
    check_part,
    load_digests,
    report_corrupt_part,
    to_utc,
)
from isogloss.store.findings import LAYOUT_VERSION as FINDING_LAYOUT
from isogloss.store.findings import open_findings
from isogloss.store.former_findings import FORMER_PARTS, to_finding
from isogloss.store.notes import Note, add_notes, load_notes
from isogloss.store.queries import load_inputs, load_row, load_scores, load_summary
from isogloss.store.saving import RunRecord, RunRow, add_record
from isogloss.store.schema import packed, runs

FORMAT = "isogloss-runs"
LAYOUT_VERSION = 4  # of the lines; since 2, a run has digests; since 3, findings are chunks; since 4, with a layout
EXPORT_AGAIN = "Export the runs again: nothing of this file was imported."
L = TypeVar("L")


class ExportHead(msgspec.Struct, tag="head", tag_field="line", forbid_unknown_fields=True):
    """The first line of an export.

    It has the name of the format and the version of its lines.
    """

    format: str
    layout: int


class PackedLine(msgspec.Struct, tag="packed", tag_field="line", forbid_unknown_fields=True):
    """A piece of packed counts of the latest run.

    JSON has the bytes in base64.
    """

    what: str
    position: int
    data: bytes


class FindingsLine(msgspec.Struct, tag="findings", tag_field="line", forbid_unknown_fields=True):
    """Findings of the latest run, up to layout 2.

    They have (kind, label, other label), document, place and payload.
    """

    rows: list[tuple[tuple[str, str | None, str | None], str, str, Any]]


class ChunkLine(msgspec.Struct, tag="chunk", tag_field="line", forbid_unknown_fields=True):
    """Findings of the latest run, see `isogloss.kernel.findings`."""

    findings: list[Finding]


class _RawChunkLine(msgspec.Struct, tag="chunk", tag_field="line"):
    """Findings as they are stored."""

    findings: msgspec.Raw


class NoteLine(msgspec.Struct, tag="note", tag_field="line", forbid_unknown_fields=True):
    """A note about a finding of the exported runs."""

    note: Note


class EndLine(msgspec.Struct, tag="end", tag_field="line", forbid_unknown_fields=True):
    """The last line of an export.

    It has the number of runs, and the SHA-256 of all lines before.
    """

    runs: int
    sha256: str


ExportLine = ExportHead | RunRecord | PackedLine | FindingsLine | ChunkLine | NoteLine | EndLine


def export_runs(connection: Connection, numbers: Sequence[int], path: str | os.PathLike[str]) -> None:
    """Write runs to a file.

    The file takes its name when it is complete.

    Args:
        connection: connection in a transaction.
        numbers: numbers of the runs.
        path: the file, `-` for standard output; compressed if its name ends with `.gz` or `.zst`.

    Raises:
        UsageError: if its name says that it is compressed otherwise.
        SourceError: if the file cannot be written.
        MissingExtraError: if its name ends with `.zst`, and zstandard is not installed.
    """
    digest, numbers = hashlib.sha256(), list(dict.fromkeys(numbers))
    with open_binary_output(path) as file:
        for line in _build_lines(connection, numbers):
            data = msgspec.json.encode(line) + b"\n"
            digest.update(data)
            file.write(data)
        file.write(msgspec.json.encode(EndLine(len(numbers), digest.hexdigest())) + b"\n")


def _build_lines(connection: Connection, numbers: Sequence[int]) -> Iterator[ExportLine | _RawChunkLine]:
    yield ExportHead(FORMAT, LAYOUT_VERSION)
    corpora: set[str] = set()
    for number in numbers:
        record = _load_record(connection, number)
        corpora.add(compute_corpus_key([InputFile(*entry) for entry in record.inputs], record.row.documents_digest))
        yield record
        yield from _load_pieces(connection, number)
        yield from (
            _RawChunkLine(msgspec.Raw(data)) for data in open_findings(connection, number).read_chunks_with_texts()
        )
    yield from map(NoteLine, load_notes(connection, corpora))


def _load_pieces(connection: Connection, number: int) -> Iterator[PackedLine]:
    column, digests = packed.c, dict[str, RowDigest]()
    pieces = select(column.what, column.position, column.data).where(column.run == number)
    pieces = pieces.where(column.what.in_(PACKED_PARTS))
    with report_corrupt_part(connection, number, "counts"):
        for what, position, data in connection.execute(pieces.order_by(column.what, column.position)):
            digests.setdefault(what, RowDigest()).add(data)
            yield PackedLine(what, position, data)
    saved = load_digests(connection, number)
    for what in sorted(PACKED_PARTS & saved.keys() | digests.keys()):
        check_part(connection, number, what, digests[what].to_bytes() if what in digests else None)


def _load_record(connection: Connection, number: int) -> RunRecord:
    row = load_row(connection, number)
    return RunRecord(
        id=row["id"],
        created=to_utc(row["created"]),
        row=RunRow(**{name: row[name] for name in RunRow.__struct_fields__}),
        inputs=[(file.role, file.path, file.sha256) for file in load_inputs(connection, number)],
        tags=list(load_summary(connection, number).tags),
        scores=load_scores(connection, number),
        digests={part: digest.hex() for part, digest in sorted(load_digests(connection, number).items())},
        finding_layout=open_findings(connection, number).layout,
    )


class ExportReader:
    """The lines of an exported file, one line ahead.

    They are checked against the digest of the last line.

    Args:
        path: the file; `-` is standard input.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if its first line is not that of an exported file, or of a later version.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._source = Source(path)
        self._digest = hashlib.sha256()
        self._number = 0
        self._raw_lines = self._read_raw_lines()
        self._raw = b""
        self._decode = msgspec.json.Decoder(ExportLine).decode
        self._next: ExportLine | None = None
        self._advance()
        self._check_head()

    def read_all(self, kind: type[L]) -> Iterator[L]:
        """Yield the following lines of one kind."""
        while isinstance(self._next, kind):
            line = self._next
            self._advance()
            yield line

    def check_end(self, run_count: int) -> None:
        """Check the last line.

        Args:
            run_count: number of runs in the file.

        Raises:
            FormatError: if the file is cut short or was changed.
        """
        end = self._next
        if end is None:
            raise self.make_error("is cut short: its last line is missing")
        if not isinstance(end, EndLine):
            raise self.make_error("is in the wrong place")
        if (end.runs, end.sha256) != (run_count, self._digest.hexdigest()):
            raise self.make_error("was changed after it was written: its digest is different")
        if next(self._raw_lines, b""):
            raise self.make_error("goes on after its end")

    def make_error(self, message: str, remedy: str = EXPORT_AGAIN) -> FormatError:
        """Make the error for the next line."""
        return FormatError(message, where=f"{self._source.name}:{self._number}", remedy=remedy)

    def _advance(self) -> None:
        self._digest.update(self._raw)
        self._raw = next(self._raw_lines, b"")
        self._number += 1
        try:
            self._next = self._decode(self._raw) if self._raw else None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self.make_error(f"is not a line of exported runs: {error}") from error

    def _check_head(self) -> None:
        if not isinstance(self._next, ExportHead) or self._next.format != FORMAT:
            raise self.make_error("is not a file of exported runs")
        if self._next.layout > LAYOUT_VERSION:
            message = f"has layout {self._next.layout}, and this version of isogloss knows {LAYOUT_VERSION}"
            raise self.make_error(message, "Update isogloss: pip install -U isogloss")
        self._advance()

    def _read_raw_lines(self) -> Iterator[bytes]:
        for block in self._source.blocks(decode=False):
            yield from (line + b"\n" for line in block.data[:-1].split(b"\n"))


def import_runs(connection: Connection, reader: ExportReader) -> list[UUID]:
    """Write the runs of a file that the store does not have.

    Args:
        connection: connection in a transaction that writes; the caller must undo it after an error.
        reader: reader of the file.

    Returns:
        Ids of the new runs.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if the file is damaged.
    """
    lock_tables(connection)  # of two imports of the same runs, the second finds them here
    new, run_count = [], 0
    for line in reader.read_all(RunRecord):
        run_count += 1
        pieces = ((piece.what, piece.position, piece.data) for piece in reader.read_all(PackedLine))
        findings = _read_findings(reader)
        if connection.scalar(select(runs.c.number).where(runs.c.id == line.id)) is None:
            new.append(line.id)
            try:
                parts = add_record(connection, line, pieces, findings)
            except (IntegrityError, connection.dialect.loaded_dbapi.IntegrityError) as error:
                raise reader.make_error("follows a run whose rows contradict each other") from error
            if line.digests:
                check_import(line, parts, reader)
        for _ in chain(pieces, findings):  # skip those of a run that is here already
            pass
    add_notes(connection, [line.note for line in reader.read_all(NoteLine)])
    reader.check_end(run_count)
    return new


def check_import(record: RunRecord, parts: Mapping[str, bytes], reader: ExportReader) -> None:
    """Check that a run was imported as it was exported.

    The run in this store must be as it was in the store that exported it.

    Args:
        record: the run.
        parts: digests of its parts.
        reader: reader of the file.

    Raises:
        FormatError: if a digest is another than in the file.
    """
    names = parts.keys() | record.digests.keys()
    if record.finding_layout != FINDING_LAYOUT:  # their digests differ; the digest of the file covers them
        names -= FORMER_PARTS | {RUN}
    for part in sorted(names, key=lambda part: (part == RUN, part)):
        digest = parts.get(part)
        if record.digests.get(part) != (None if digest is None else digest.hex()):
            name = record.id if record.row.name is None else f"{record.row.name} ({record.id})"
            title = PART_TITLES.get(part, part)
            raise reader.make_error(f"follows run {name}, whose {title} differ from their digest in the file")


def _read_findings(reader: ExportReader) -> Iterator[Finding]:
    """Yield the findings of a run, in any layout."""
    for line in reader.read_all(FindingsLine):
        for (kind, *_), document, place, payload in line.rows:
            try:
                yield to_finding(kind, document, place, payload)
            except (TypeError, LookupError, AttributeError) as error:
                raise reader.make_error("follows findings that cannot be read") from error
    for chunk in reader.read_all(ChunkLine):
        yield from chunk.findings
