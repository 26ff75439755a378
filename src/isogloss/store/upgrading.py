"""The version of a store's tables: made when it is new, upgraded when it is older, refused when it is newer."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from isogloss.errors import StoreError
from isogloss.store.connection import Database, lock
from isogloss.store.tables import metadata

HEAD = "0002"
VERSIONS = "isogloss_schema"  # the table that holds the version
MIGRATIONS = Path(__file__).parent / "migrations"


def bring_up(database: Database, migrations: Path = MIGRATIONS, head: str = HEAD) -> None:
    """See that the tables are those of this version.

    Args:
        database: of the store.
        migrations: folder of the migrations.
        head: the newest of them.

    Raises:
        StoreError: they are of a later version, or of something else; or the database refuses.
    """
    with database.reading() as connection:
        if _version(connection, database) == head:
            return
    with database.writing() as connection:
        lock(connection)
        if _version(connection, database) != head:  # another may have upgraded it meanwhile
            _upgrade(connection, database, migrations)


def _version(connection: Connection, database: Database) -> str | None:
    """The version of the tables, None where there are none.

    Raises:
        StoreError: the tables are of something else.
    """
    tables = set(inspect(connection).get_table_names())
    if VERSIONS in tables:
        found: str | None = connection.execute(text(f"SELECT version_num FROM {VERSIONS}")).scalar()  # noqa: S608  own name
        return found
    others = tables if database.is_file else tables & metadata.tables.keys()
    if others:
        message = f"is a database of something else: it has the tables {', '.join(sorted(others)[:5])}"
        raise StoreError(message, where=database.place.name, remedy="Name another --store.")
    return None


def _upgrade(connection: Connection, database: Database, migrations: Path) -> None:
    from alembic import command  # noqa: PLC0415  140 ms that a store of this version need not wait for
    from alembic.config import Config  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    found = _version(connection, database)
    if found is not None and found not in {s.revision for s in ScriptDirectory.from_config(config).walk_revisions()}:
        message = f"its tables are of a later version ({found}) than this isogloss knows ({HEAD})"
        raise StoreError(message, where=database.place.name, remedy="Update isogloss: pip install -U isogloss")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
