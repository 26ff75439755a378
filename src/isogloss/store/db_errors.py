"""What a database says went wrong, as errors that say where, what and what to do."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from sqlalchemy.exc import DBAPIError

from isogloss.errors import StoreError
from isogloss.store.location import Place

SQLITE = {
    sqlite3.SQLITE_FULL: (
        "the disk is full",
        "Make room and try again: nothing of this was saved, all else is as it was.",
    ),
    sqlite3.SQLITE_IOERR: (
        "the file cannot be read or written to its end",
        "Check the disk, its free space and the limits on the size of files: nothing of this was saved.",
    ),
    sqlite3.SQLITE_READONLY: (
        "the file is read-only",
        "Allow writing to it and to its folder, or name another --store.",
    ),
    sqlite3.SQLITE_PERM: ("there is no permission", "Allow access to it, or name another --store."),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "Check that its folder exists and can be written to."),
    sqlite3.SQLITE_NOTADB: ("is no store of runs, or is damaged", "Name another --store, or restore a copy."),
    sqlite3.SQLITE_CORRUPT: (
        "the file is damaged",
        "Restore a copy, or save what is left with `sqlite3 FILE .recover`.",
    ),
    sqlite3.SQLITE_BUSY: ("another program has been writing to it all the time", "Try again when it has finished."),
    sqlite3.SQLITE_LOCKED: ("another program has been writing to it all the time", "Try again when it has finished."),
    sqlite3.SQLITE_TOOBIG: ("a text or a part of the run is larger than a store can hold", "Save fewer findings."),
}
NUL = ("a text holds a NUL character, which PostgreSQL cannot keep", "Remove it, or save to an SQLite file.")
SERVER = {  # by the beginning of the code in SQL
    "08": ("the server cannot be reached", "Check that it runs, and its host and port."),
    "22021": NUL,
    "22P05": NUL,
    "25006": ("the database is read-only", "Connect to one that can be written to."),
    "28": ("the server does not let this user in", "Check user and password in the URL."),
    "3D000": ("there is no such database", "Create it first: createdb NAME"),
    "42501": ("this user may not do that", "Grant the user the right to create, read and write tables."),
    "53100": ("the disk of the server is full", "Make room and try again: nothing of this was saved."),
    "53": ("the server has no room for this", "Try again later, or give it more memory or connections."),
    "55P03": ("another program has been writing to it all the time", "Try again when it has finished."),
    "57": ("the server has stopped", "Try again when it runs: nothing of this was saved."),
}
UNREADABLE = "Could not decode to UTF-8"
SHOWN = 120  # characters of what a database says
DRIVERS = ("psycopg", "sqlite3")
MASK = 0xFF  # an extended code of SQLite has the plain one in its last byte
CONNECTING = (  # what a server says before it gives codes
    (re.compile(r'database ".*" does not exist'), "3D000"),
    (re.compile(r'authentication failed|no password supplied|pg_hba\.conf|role ".*" does not exist'), "28"),
    (re.compile(""), "08"),
)


@contextmanager
def located(place: Place) -> Iterator[None]:
    """Errors of the database on the way become errors of the store at this place.

    Raises:
        StoreError: for anything that is no bug of ours.
    """
    try:
        yield
    except Exception as error:
        told = _told(error, place)
        if told is error:
            raise
        raise told from error


def _told(error: Exception, place: Place) -> BaseException:
    """The error to raise instead; the same one if it says where, or is a bug."""
    if isinstance(error, UnicodeEncodeError):
        remedy = "Give texts that are Unicode: one half of a surrogate pair is none."
        return StoreError(f"a text cannot be saved: {error.reason}", where=place.name, remedy=remedy)
    if isinstance(error, msgspec.DecodeError):  # of what the store has encoded itself
        message, remedy = SQLITE[sqlite3.SQLITE_CORRUPT]
        return StoreError(message, where=place.name, detail=f"It holds JSON that is none: {error}", remedy=remedy)
    if isinstance(error, OSError):
        return StoreError(f"cannot be used: {error.strerror or error}", where=place.name)
    if isinstance(error, StoreError):
        whole = error.where is not None
        return error if whole else StoreError(error.message, where=place.name, detail=error.detail, remedy=error.remedy)
    if isinstance(error, DBAPIError):
        return _fault(error.orig or error, place, error)
    return _fault(error, place, error) if type(error).__module__.split(".")[0] in DRIVERS else error


def _fault(error: BaseException, place: Place, outer: Exception) -> BaseException:
    """The error to raise instead of what a driver says; the outer one if it is a bug."""
    found = _of_sqlite(error) if isinstance(error, sqlite3.Error) else _of_server(error)
    if found is None:
        return outer
    message, remedy = found
    said = str(error).strip().splitlines()
    detail = f"The database says: {said[0][:SHOWN]}" if said else ""
    return StoreError(message, where=place.name, detail=detail, remedy=remedy)


def _of_sqlite(error: sqlite3.Error) -> tuple[str, str] | None:
    if UNREADABLE in str(error):  # the driver finds this, and has no code for it
        return SQLITE[sqlite3.SQLITE_CORRUPT]
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else SQLITE.get(code & MASK)


def _of_server(error: Any) -> tuple[str, str] | None:
    code: str | None = getattr(error, "sqlstate", None)
    if code:
        return next((SERVER[code[:n]] for n in (5, 2) if code[:n] in SERVER), None)
    said = str(error)
    if "NUL" in said:  # the driver refuses it before the server does
        return NUL
    if type(error).__name__ != "OperationalError":
        return None
    return SERVER[next(code for pattern, code in CONNECTING if pattern.search(said))]
