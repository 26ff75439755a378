"""Connections to a store, and transactions of which a kill leaves all or nothing.

SQLite is told explicitly when a transaction begins, because its driver would let changes of tables stand outside of
one, and a writer takes the lock at once, because one who asks for it later may be refused it without waiting.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
from sqlalchemy import Connection, Engine, NullPool, create_engine, event, text

from isogloss.errors import MissingExtraError, StoreError
from isogloss.store.db_errors import located
from isogloss.store.location import Place

PATIENCE = 60.0  # seconds that a writer waits for others
PAUSE = 0.05
WRITES = "isogloss_writes"


class Database:
    """A store's database.

    Args:
        place: where it is.
        create: whether to make the file where there is none.

    Raises:
        StoreError: there is no such file, or it cannot be one.
        MissingExtraError: it is in PostgreSQL, and its driver is not installed.
    """

    def __init__(self, place: Place, *, create: bool) -> None:
        self.place = place
        if place.path is not None:
            _prepare(place.path, create=create)
        self._engine = _engine(place)

    @property
    def is_file(self) -> bool:
        """Whether it is an SQLite file."""
        return self.place.path is not None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads, all of it the state of one moment.

        Raises:
            StoreError: the database refuses.
        """
        with located(self.place), self._engine.connect() as connection:
            if not self.is_file:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")  # noqa: PLW2901
            with connection.begin():
                yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that writes: when it is left with an error, nothing has been written.

        Raises:
            StoreError: the database refuses.
        """
        with located(self.place), self._engine.connect() as connection:
            chosen = connection.execution_options(**{WRITES: True})
            with chosen.begin():
                yield chosen

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def add_rows(connection: Connection, table: Any, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    """Many rows at once, in the fastest way that a driver has.

    Args:
        connection: of a transaction that writes.
        table: the table.
        columns: names of its columns.
        rows: a value of each, JSON as text.
    """
    names = ", ".join(columns)
    if connection.dialect.name == "sqlite":
        marks = ", ".join("?" * len(columns))
        connection.exec_driver_sql(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", rows)  # noqa: S608  own names
        return
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(f"COPY {table.name} ({names}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def encoded(value: Any) -> str:
    """JSON as text. Floats are exact, nan is null."""
    return msgspec.json.encode(value).decode()


def _prepare(path: Path, *, create: bool) -> None:
    """See that there is a file, or a folder to make one in."""
    if path.is_dir():
        raise StoreError("is a folder; a store is a file", where=str(path), remedy=f"Name a file: {path / 'runs.db'}")
    if path.exists() and (create or path.stat().st_size):
        return
    if not create:
        raise StoreError(
            "there is no store of runs",
            where=str(path),
            remedy="Save a run with --save, or name --store.",
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"its folder cannot be made: {error.strerror}"
        raise StoreError(message, where=str(path), remedy="Name another --store.") from error


def _engine(place: Place) -> Engine:
    how: dict[str, Any] = {"json_serializer": encoded, "json_deserializer": msgspec.json.decode}
    if place.path is not None:
        file = place.path
        engine = create_engine("sqlite://", creator=lambda: _connected(file), poolclass=NullPool, **how)
        event.listen(engine, "begin", _begin)
        return engine
    assert place.url is not None  # noqa: S101  a place is one or the other
    try:
        return create_engine(place.url, pool_pre_ping=True, connect_args={"connect_timeout": 10}, **how)
    except ImportError as error:
        raise MissingExtraError("A store in PostgreSQL", "isogloss[postgres]") from error


def _connected(file: Path) -> sqlite3.Connection:
    """A connection to a file; read-only where it, or its folder, cannot be written to."""
    mode = "rwc"
    beside = os.access(file.parent, os.W_OK)  # where the database keeps what it is about to write
    if file.exists() and not (beside and os.access(file, os.W_OK)):
        mode = "ro" if beside or Path(f"{file}-wal").exists() else "ro&immutable=1"
    name = f"file:{quote(os.fspath(file.absolute()))}?mode={mode}"
    connection = sqlite3.connect(name, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA foreign_keys = ON")
    if mode == "rwc":
        _log_ahead(connection)
    return connection


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Have readers and a writer not wait for each other. Two that turn it on at once do not wait by themselves."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                connection.close()
                raise
            time.sleep(PAUSE)
        else:
            return


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def lock(connection: Connection) -> None:
    """Have others who change tables wait until this transaction is over; in SQLite every writer does."""
    if connection.dialect.name != "sqlite":
        connection.execute(text("SELECT pg_advisory_xact_lock(7310943)"))
