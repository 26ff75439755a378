"""Translate errors of the databases into `StoreError`.

The message says what went wrong, where, and what to do.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from sqlalchemy.exc import DBAPIError

from isogloss.errors import StoreError

Message = tuple[str, str]  # what is wrong, what to do

BUSY = ("another program has been writing to it all the time", "Try again when it has finished.")
NUL = ("a text holds a NUL character, which PostgreSQL cannot keep", "Remove it, or save to an SQLite file.")
SQLITE_MESSAGES: dict[int, Message] = {
    sqlite3.SQLITE_FULL: (
        "the disk is full",
        "Make room and try again: nothing of this was saved, earlier runs are unchanged.",
    ),
    sqlite3.SQLITE_IOERR: (
        "the file cannot be read or written to its end",
        "Check the disk, its free space and the limits on the size of files: nothing of this was saved.",
    ),
    sqlite3.SQLITE_READONLY: ("the file is read-only", "Make it and its folder writable, or name another --store."),
    sqlite3.SQLITE_PERM: ("permission denied", "Allow access to it, or name another --store."),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "Check that its folder exists and can be written to."),
    sqlite3.SQLITE_NOTADB: ("is not a store of runs, or is damaged", "Name another --store, or restore a copy."),
    sqlite3.SQLITE_CORRUPT: (
        "the file is damaged",
        "Restore a copy, or save what is left with `sqlite3 FILE .recover`.",
    ),
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_TOOBIG: ("a text or a part of the run is larger than a store can hold", "Save fewer findings."),
}
SERVER_MESSAGES: dict[str, Message] = {  # by SQLSTATE, or its first two characters
    "08": ("the server cannot be reached", "Check that it runs, and its host and port."),
    "22021": NUL,
    "22P05": NUL,
    "25006": ("the database is read-only", "Connect to one that can be written to."),
    "28": ("the server refuses this user", "Check user and password in the URL."),
    "3D000": ("there is no such database", "Create it first: createdb NAME"),
    "42501": ("this user lacks a permission", "Grant the user the right to create, read and write tables."),
    "53100": ("the disk of the server is full", "Make room and try again: nothing of this was saved."),
    "53": ("the server is out of memory or connections", "Try again later, or give it more."),
    "55P03": BUSY,
    "57": ("the server has stopped", "Try again when it runs: nothing of this was saved."),
}
CONNECTION_PATTERNS = (  # while connecting, psycopg gives a text without a SQLSTATE
    (re.compile(r'database ".*" does not exist'), "3D000"),
    (re.compile(r'authentication failed|no password supplied|pg_hba\.conf|role ".*" does not exist'), "28"),
    (re.compile(""), "08"),
)
WRONG_PARAMETER = (  # without the database's own message, which may name a part of a password
    "the URL has a parameter that PostgreSQL does not know",
    "Check the names after ? in the URL; write & in a password as %26.",
)
MISSING_NAMES = ("no such column: ", "no such table: ")  # migrations make them all, so the schema is damaged
UNREADABLE = "Could not decode to UTF-8"
MAX_DETAIL = 120  # characters of the database's own message
DRIVERS = ("psycopg", "sqlite3")
PRIMARY_CODE_MASK = 0xFF  # the last byte of an extended SQLite code is the plain code


@contextmanager
def translate_errors(where: str) -> Iterator[None]:
    """Raise errors of a database as errors of the store.

    They name this location.

    Args:
        where: location of the store, without password.

    Raises:
        StoreError: for any error that is not a bug in isogloss.
    """
    try:
        yield
    except Exception as error:
        translated = _translate_error(error, where)
        if translated is error:
            raise
        names_password = isinstance(translated, StoreError) and translated.message == WRONG_PARAMETER[0]
        raise translated from (None if names_password else error)


def _translate_error(error: Exception, where: str) -> Exception:
    """Return the error to raise.

    It is the same error if it has a location, or is a bug.
    """
    if isinstance(error, UnicodeEncodeError):
        remedy = "Remove single halves of surrogate pairs from the texts: they are not Unicode characters."
        return StoreError(f"a text cannot be saved: {error.reason}", where=where, remedy=remedy)
    if isinstance(error, UnicodeDecodeError):  # of a message of SQLite about a damaged schema
        message, remedy = SQLITE_MESSAGES[sqlite3.SQLITE_CORRUPT]
        return StoreError(message, where=where, remedy=remedy)
    if isinstance(error, msgspec.DecodeError):  # the store holds only JSON that it has encoded itself
        message, remedy = SQLITE_MESSAGES[sqlite3.SQLITE_CORRUPT]
        return StoreError(message, where=where, detail=f"It holds invalid JSON: {error}", remedy=remedy)
    if isinstance(error, OSError):
        return StoreError(f"cannot be used: {error.strerror or error}", where=where)
    if isinstance(error, StoreError) and error.where is None:
        return StoreError(error.message, where=where, detail=error.detail, remedy=error.remedy)
    return _translate_driver_error(error, where)


def _translate_driver_error(error: Exception, where: str) -> Exception:
    driver_error = (error.orig or error) if isinstance(error, DBAPIError) else error
    if type(driver_error).__module__.split(".")[0] not in DRIVERS:
        return error
    is_sqlite = isinstance(driver_error, sqlite3.Error)
    translated = _find_sqlite_message(driver_error) if is_sqlite else _find_server_message(driver_error)
    if translated is None:
        return error
    lines = [] if translated is WRONG_PARAMETER else str(driver_error).strip().splitlines()
    detail = f"The database says: {lines[0][:MAX_DETAIL]}" if lines else ""
    return StoreError(translated[0], where=where, detail=detail, remedy=translated[1])


def _find_sqlite_message(error: Any) -> Message | None:
    if any(text in str(error) for text in (UNREADABLE, *MISSING_NAMES)):  # SQLite has no code for these
        return SQLITE_MESSAGES[sqlite3.SQLITE_CORRUPT]
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else SQLITE_MESSAGES.get(code & PRIMARY_CODE_MASK)


def _find_server_message(error: Any) -> Message | None:
    code: str | None = getattr(error, "sqlstate", None)
    if code:
        return SERVER_MESSAGES.get(code) or SERVER_MESSAGES.get(code[:2])
    if "NUL" in str(error):  # the driver refuses it before the server does
        return NUL
    if "invalid connection option" in str(error):
        return WRONG_PARAMETER
    if type(error).__name__ != "OperationalError":
        return None
    return SERVER_MESSAGES[next(code for pattern, code in CONNECTION_PATTERNS if pattern.search(str(error)))]
