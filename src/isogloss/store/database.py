"""The database of a store.

This module has connections, transactions, and the version of the tables.

A kill or an error leaves all of a transaction or nothing. SQLite gets an explicit BEGIN, because its driver would
change tables outside of the transaction. A writer takes the lock at once, because SQLite may refuse it later without
waiting.
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
from sqlalchemy import (
    Column,
    Connection,
    Engine,
    MetaData,
    NullPool,
    PrimaryKeyConstraint,
    String,
    Table,
    create_engine,
    event,
    inspect,
    text,
)
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler
from sqlalchemy.exc import ArgumentError
from sqlalchemy.sql.selectable import FromClause

from isogloss.errors import MissingExtraError, StoreError, UsageError
from isogloss.store.db_errors import translate_errors
from isogloss.store.location import StoreLocation
from isogloss.store.schema import metadata

TIMEOUT_SECONDS = 60.0  # how long a writer waits for others
RETRY_SECONDS = 0.05
WRITE_OPTION = "isogloss_writes"
LATEST_VERSION = "0005"  # the newest migration
VERSION_TABLE = "isogloss_schema"
_encode_json = msgspec.json.Encoder().encode  # twice as fast as `msgspec.json.encode`
MIGRATIONS = Path(__file__).parent / "migrations"


class Database:
    """The database of a store.

    Args:
        location: where the database is.
        create: whether to create a missing file.

    Raises:
        StoreError: if the file is missing, or cannot be created.
        MissingExtraError: if the store is in PostgreSQL, and its driver is not installed.
    """

    def __init__(self, location: StoreLocation, *, create: bool) -> None:
        self.location = location
        if location.path is not None:
            _prepare_file(location.path, create=create)
        self._engine = _create_engine(location)

    @contextmanager
    def begin_reading(self) -> Iterator[Connection]:
        """Open a transaction that reads the state of one moment.

        The transaction only reads.

        Raises:
            StoreError: if the database refuses.
        """
        with translate_errors(self.location.name), self._engine.connect() as connection:
            if self.location.path is None:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")  # noqa: PLW2901  same connection
            with connection.begin():
                yield connection

    @contextmanager
    def begin_writing(self) -> Iterator[Connection]:
        """Open a transaction that writes; after an error nothing is written.

        Raises:
            StoreError: if the database refuses.
        """
        with translate_errors(self.location.name), self._engine.connect() as connection:
            writer = connection.execution_options(**{WRITE_OPTION: True})
            with writer.begin():
                yield writer

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def add_rows(connection: Connection, table: Table, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    """Insert many rows in the fastest way of the driver.

    Args:
        connection: connection in a transaction that writes.
        table: the table.
        columns: names of its columns.
        rows: one value per column, JSON as text.
    """
    names = ", ".join(columns)
    if not rows:
        return
    if connection.dialect.name == "sqlite":
        marks = ", ".join("?" * len(columns))
        connection.exec_driver_sql(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", rows)  # noqa: S608  own names
        return
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(f"COPY {table.name} ({names}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def encode_json(value: Any) -> str:
    """Encode JSON as text. Floats are exact, nan is null."""
    return _encode_json(value).decode()


def lock_tables(connection: Connection) -> None:
    """Make other imports and upgrades wait for this transaction.

    In SQLite every writer waits anyway.
    """
    if connection.dialect.name != "sqlite":
        connection.execute(text("SELECT pg_advisory_xact_lock(7310943)"))


def _prepare_file(path: Path, *, create: bool) -> None:
    """Check that the file exists, or create its folder."""
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


class _HintCompiler(SQLiteCompiler):
    """The SQLite compiler of SQLAlchemy, extended with hints.

    It also writes hints such as `NOT INDEXED`.
    """

    def get_from_hint_text(self, table: FromClause, text: str | None) -> str | None:  # noqa: ARG002  of SQLAlchemy
        return text


def _create_engine(location: StoreLocation) -> Engine:
    codec: dict[str, Any] = {"json_serializer": encode_json, "json_deserializer": msgspec.json.decode}
    if location.path is not None:
        file = location.path
        engine = create_engine("sqlite://", creator=lambda: _connect_file(file), poolclass=NullPool, **codec)
        event.listen(engine, "begin", _begin_transaction)
        engine.dialect.statement_compiler = _HintCompiler
        return engine
    assert location.url is not None  # noqa: S101  a location is one or the other
    arguments = {"connect_timeout": 10, **location.parameters}
    try:
        return create_engine(location.url, pool_pre_ping=True, connect_args=arguments, **codec)
    except ImportError as error:
        raise MissingExtraError("A store in PostgreSQL", "isogloss[postgres]") from error
    except ArgumentError:  # it names parts of the URL
        raise UsageError(
            f"Invalid store URL {location.name}: its hosts and ports do not match, or a port is not a number. "
            "Give one port for each host."
        ) from None


def _connect_file(file: Path) -> sqlite3.Connection:
    """Connect to a file.

    The connection is read-only if the file or its folder cannot be written to.
    """
    mode = "rwc"
    in_writable_folder = os.access(file.parent, os.W_OK)  # SQLite writes its log beside the file
    if file.exists() and not (in_writable_folder and os.access(file, os.W_OK)):
        mode = "ro" if in_writable_folder or Path(f"{file}-wal").exists() else "ro&immutable=1"
    name = f"file:{quote(os.fspath(file.absolute()))}?mode={mode}"
    connection = sqlite3.connect(name, uri=True, timeout=TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        if mode == "rwc":
            _enable_wal(connection)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _enable_wal(connection: sqlite3.Connection) -> None:
    """Turn on the write-ahead log.

    Retry, because SQLite does not wait when two connections turn it on at once.
    """
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(RETRY_SECONDS)
        else:
            return


def _begin_transaction(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITE_OPTION, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def upgrade_store(database: Database, migrations: Path = MIGRATIONS, version: str = LATEST_VERSION) -> None:
    """Create the tables of a store, or upgrade older tables.

    A new store gets new tables; tables of an older version are upgraded.

    Args:
        database: database of the store.
        migrations: folder of the migrations.
        version: the newest of them.

    Raises:
        StoreError: if the tables are of a later version or of another program, or the database refuses.
    """
    with database.begin_reading() as connection:
        if _read_version(connection, database) == version:
            return
    with database.begin_writing() as connection:
        lock_tables(connection)
        version_now = _read_version(connection, database)
        if version_now is None and version == LATEST_VERSION:
            _create_tables(connection)
        elif version_now != version:  # no other process has upgraded it meanwhile
            _run_migrations(connection, version_now, migrations)


def _create_tables(connection: Connection) -> None:
    """Create the tables of a new store.

    Running all migrations would import alembic, which takes longer than a small run.
    """
    metadata.create_all(connection)
    version = Column("version_num", String(32), nullable=False)  # the table as alembic creates it
    table = Table(VERSION_TABLE, MetaData(), version, PrimaryKeyConstraint(version, name=f"{VERSION_TABLE}_pkc"))
    table.create(connection)
    connection.execute(table.insert().values(version_num=LATEST_VERSION))


def _read_version(connection: Connection, database: Database) -> str | None:
    """Read the version of the tables; None if there are none."""
    tables = set(inspect(connection).get_table_names())
    if VERSION_TABLE in tables:
        version: str | None = connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))  # noqa: S608  own name
        return version
    others = tables & metadata.tables.keys() if database.location.path is None else tables
    if others:
        message = f"is a database of something else: it has the tables {', '.join(sorted(others)[:5])}"
        raise StoreError(message, remedy="Name another --store.")
    return None


def _run_migrations(connection: Connection, version: str | None, migrations: Path) -> None:
    from alembic import command  # noqa: PLC0415  140 ms that only an older store waits for
    from alembic.config import Config  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    if version is not None and version not in {
        s.revision for s in ScriptDirectory.from_config(config).walk_revisions()
    }:
        message = f"its tables are of a later version ({version}) than this isogloss knows ({LATEST_VERSION})"
        raise StoreError(message, remedy="Update isogloss: pip install -U isogloss")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
