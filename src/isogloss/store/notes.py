"""Notes: verdicts of a reader about findings.

A note belongs to a reference and the key of a finding, not to a run, so that it stays when other runs are saved or runs
are deleted.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, get_args

import msgspec
from sqlalchemy import Connection, Row, delete, select
from sqlalchemy.exc import DBAPIError

from isogloss.errors import StoreError, UsageError
from isogloss.store.digests import ROW_ERRORS, compute_checksum, encode_row, to_utc
from isogloss.store.queries import WITHOUT_INDEX
from isogloss.store.schema import notes

Verdict = Literal["gold error", "ambiguous", "real error"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
KEY_DIGITS = 16
MAX_NOTE_LENGTH = 10_000  # characters of its text
NO_RUN = 0  # seed of the checksums


class Note(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A verdict about a finding.

    Args:
        corpus_key: identifies the reference, see `isogloss.runs.run.compute_corpus_key`.
        key: key of the finding, 16 hexadecimal digits, see `isogloss.runs.finding_columns`.
        verdict: `gold error`, `ambiguous` or `real error`.
        text: any text.
        created: when it was written, in UTC.
    """

    corpus_key: str
    key: str
    verdict: Verdict
    text: str
    created: datetime


def make_note(corpus_key: str, key: str, verdict: str, text: str) -> Note:
    """Make a note that is written now.

    Args:
        corpus_key: identifies the reference.
        key: key of the finding, 16 hexadecimal digits.
        verdict: one of `VERDICTS`.
        text: any text.

    Raises:
        UsageError: if the key or the verdict is invalid, or the text is too long.
    """
    if len(key) != KEY_DIGITS or not set(key) <= set("0123456789abcdef"):
        raise UsageError(f"The key of a finding must be {KEY_DIGITS} hexadecimal digits, got {key!r}.")
    if verdict not in VERDICTS:
        raise UsageError(f"Unknown verdict {verdict!r}. Choose from {', '.join(VERDICTS)}.")
    if len(text) > MAX_NOTE_LENGTH:
        raise UsageError(f"A note has at most {MAX_NOTE_LENGTH:,} characters, got {len(text):,}.")
    return Note(corpus_key, key, verdict, text, datetime.now(UTC))


def load_notes(connection: Connection, corpus_keys: Collection[str] | None = None) -> list[Note]:
    """Load notes, the oldest first.

    Args:
        connection: connection in a transaction.
        corpus_keys: the references; None for all.

    Raises:
        StoreError: if a note is corrupt.
    """
    query = select(notes).with_hint(notes, *WITHOUT_INDEX)  # a damaged index would hide notes
    try:
        notes_read = [_build_note(row) for row in connection.execute(query)]
    except (*ROW_ERRORS, msgspec.MsgspecError, DBAPIError) as error:
        raise StoreError("a note is corrupt: not what was saved", remedy=REMEDY) from error
    wanted = [note for note in notes_read if corpus_keys is None or note.corpus_key in corpus_keys]
    return sorted(wanted, key=lambda note: (note.created, note.corpus_key, note.key))


REMEDY = "Restore a copy of the store, or delete all notes with: DELETE FROM notes"


def save_note(connection: Connection, note: Note) -> None:
    """Write a note in the place of an earlier one.

    Args:
        connection: connection in a transaction that writes.
        note: the note.
    """
    delete_note(connection, note.corpus_key, note.key)
    row = msgspec.structs.asdict(note) | {"created": note.created.astimezone(UTC), "checksum": _compute_checksum(note)}
    connection.execute(notes.insert(), row)


def delete_note(connection: Connection, corpus_key: str, key: str) -> bool:
    """Delete a note, and return whether there was one.

    Args:
        connection: connection in a transaction that writes.
        corpus_key: identifies the reference.
        key: key of the finding.
    """
    own = delete(notes).where(notes.c.corpus_key == corpus_key, notes.c.key == key)
    return connection.execute(own).rowcount > 0


def add_notes(connection: Connection, imported: Sequence[Note]) -> None:
    """Write notes about findings that have no note yet.

    Args:
        connection: connection in a transaction that writes.
        imported: the notes.
    """
    known = {(note.corpus_key, note.key) for note in load_notes(connection)}
    for note in imported:
        if (note.corpus_key, note.key) not in known:
            save_note(connection, note)


def _build_note(row: Row[Any]) -> Note:
    values = {name: getattr(row, name) for name in Note.__struct_fields__}
    note = msgspec.convert(values | {"created": to_utc(row.created)}, Note)
    if _compute_checksum(note) != row.checksum:
        raise ValueError(note.key)
    return note


def _compute_checksum(note: Note) -> int:
    created = note.created.astimezone(UTC).isoformat()
    return compute_checksum(NO_RUN, encode_row((note.corpus_key, note.key, note.verdict, note.text, created)))
