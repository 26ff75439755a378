from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from saved_runs import finding, ner_run, with_findings
from sqlalchemy import inspect

import isogloss
from isogloss.errors import StoreError
from isogloss.store import Store
from isogloss.store.database import LATEST_VERSION, MIGRATIONS, VERSION_TABLE, Database, upgrade_store
from isogloss.store.location import parse_location
from isogloss.store.schema import metadata

GOLDEN = Path(__file__).parents[1] / "golden" / "store"
WITHOUT_DIGESTS = (  # the tables of version 0003
    "DROP TABLE digests",
    "ALTER TABLE scores DROP COLUMN checksum",
    "ALTER TABLE findings DROP COLUMN checksum",
)
LATER = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "later", "{head}"


def upgrade():
    op.add_column("runs", sa.Column("colour", sa.Text()))
    op.create_table("colours", sa.Column("name", sa.Text(), primary_key=True))
    op.execute("INSERT INTO colours VALUES ('red')")
    op.execute("UPDATE runs SET colour = 'red'")
    {more}
"""


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    opened = Database(parse_location(url), create=True)
    yield opened
    opened.close()


def with_later(folder: Path, more: str = "") -> Path:
    """The migrations, and one more."""
    migrations = folder / "migrations"
    shutil.copytree(MIGRATIONS, migrations)
    (migrations / "versions" / "later.py").write_text(LATER.format(head=LATEST_VERSION, more=more))
    return migrations


def version(database: Database) -> str:
    with database.begin_reading() as connection:
        return str(connection.exec_driver_sql(f"SELECT version_num FROM {VERSION_TABLE}").scalar())


def test_migrations_create_the_tables_of_the_schema(untouched: str) -> None:
    Store.open(untouched).close()
    opened = Database(parse_location(untouched), create=False)
    with opened.begin_reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "version_table": VERSION_TABLE})
        assert compare_metadata(context, metadata) == []
        for table in metadata.sorted_tables:
            made = inspect(connection)
            assert {i["name"] for i in made.get_indexes(table.name) if not i.get("duplicates_constraint")} == {
                i.name for i in table.indexes
            }
    opened.close()


def test_new_store_has_latest_version(database: Database) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_heads() == [LATEST_VERSION]
    assert version(database) == LATEST_VERSION


def test_older_store_is_upgraded_and_keeps_its_runs(url: str, database: Database, tmp_path: Path) -> None:
    with Store.open(url) as store:
        identity = store.save(ner_run())
    upgrade_store(database, with_later(tmp_path), "later")
    assert version(database) == "later"
    with database.begin_reading() as connection:
        assert connection.exec_driver_sql("SELECT name FROM colours").scalars().all() == ["red"]
        assert connection.exec_driver_sql("SELECT colour, task FROM runs").all() == [("red", "ner")]
    with database.begin_writing() as connection:
        for command in ("DROP TABLE colours", "ALTER TABLE runs DROP COLUMN colour"):
            connection.exec_driver_sql(command)
        connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = '{LATEST_VERSION}'")
    with Store.open(url) as store:
        assert store.get(identity).to_dict() == ner_run().to_dict()


def test_failed_upgrade_changes_nothing(database: Database, tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        upgrade_store(database, with_later(tmp_path, "1 / 0"), "later")
    assert version(database) == LATEST_VERSION
    with database.begin_reading() as connection:
        assert set(inspect(connection).get_table_names()) == {*metadata.tables, VERSION_TABLE}
        assert "colour" not in {column["name"] for column in inspect(connection).get_columns("runs")}


def test_later_store_version_asks_for_an_update(url: str, database: Database) -> None:
    with database.begin_writing() as connection:
        connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = '2099'")
    with pytest.raises(StoreError, match=r"later version \(2099\) than this isogloss knows .*\nUpdate isogloss"):
        Store.open(url)
    with database.begin_writing() as connection:
        connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = '{LATEST_VERSION}'")


def test_database_of_another_program_stays_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "songs.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE songs (name TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is a database of something else: it has the tables songs"):
        Store.open(path)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("songs",)]
    connection.close()
    assert len(path.read_bytes()) == len(before)


def test_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "runs.db").touch()
    with Store.open(tmp_path / "runs.db") as store:
        assert store.list() == []


def test_upgrade_from_0001_fills_slices_of_findings(url: str, database: Database) -> None:
    with Store.open(url) as store:
        store.save(with_findings(10))
        identity = store.save(with_findings(300))
        counts = store.slice_counts(identity)
    with database.begin_writing() as connection:
        for command in (*WITHOUT_DIGESTS, "DROP TABLE sliced_findings", "DROP TABLE finding_slices"):
            connection.exec_driver_sql(command)
        odd = ['{"marks": [], "more": [1]}', '{"marks": [], "more": {"slices": {"genre": 3}}}', '{"marks": []}']
        for k, payload in enumerate(odd):
            connection.exec_driver_sql(f"UPDATE findings SET payload = '{payload}' WHERE run = 1 AND position = {k}")
        connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = '0001'")
    with Store.open(url) as store:
        assert store.slice_counts(identity) == counts
        assert sum(store.slice_counts(store.list()[1].id).values()) == 2 * sum(k % 7 > 0 for k in range(3, 10))
        page = store.findings(identity, kind="missed", slices={"genre": "news"}, limit=None)
        assert [found.position for found in page] == [
            k for k in range(300) if finding(k).kind == "missed" and k % 7 and k % 3 == 0
        ]
    assert version(database) == LATEST_VERSION


def test_upgrade_from_0003_computes_the_digests_of_runs(url: str, database: Database) -> None:
    with Store.open(url) as store:
        identity = store.save(with_findings(300, ner_run(confidence=0.9)), name="first", tags=["x", "ü"])
        store.save(isogloss.classification(["a", "b"], [{"a": 0.9, "b": 0.2}, {"a": 0.4, "b": 0.3}]))
        saved = load_all(database)
    with database.begin_writing() as connection:
        for command in (*WITHOUT_DIGESTS, f"UPDATE {VERSION_TABLE} SET version_num = '0003'"):
            connection.exec_driver_sql(command)
    with Store.open(url) as store:
        assert load_all(database) == saved
        assert store.get(identity).to_dict() == with_findings(300, ner_run(confidence=0.9)).to_dict()
        assert len(store.findings(identity, limit=None)) == 300


def load_all(database: Database) -> list[set[tuple[object, ...]]]:
    """The digests and checksums of a store."""
    columns = ("run, part, digest FROM digests", "run, path, checksum FROM scores", "position, checksum FROM findings")
    with database.begin_reading() as connection:
        return [set(map(tuple, connection.exec_driver_sql(f"SELECT {some}"))) for some in columns]


@pytest.mark.extra
def test_postgresql_database_with_other_tables_can_hold_a_store(untouched_server: str) -> None:
    opened = Database(parse_location(untouched_server), create=False)
    with opened.begin_writing() as connection:
        connection.exec_driver_sql("CREATE TABLE songs (name TEXT)")
    Store.open(untouched_server).close()
    with opened.begin_writing() as connection:
        connection.exec_driver_sql(f"DROP TABLE {VERSION_TABLE}")
    with pytest.raises(StoreError, match="is a database of something else"):
        Store.open(untouched_server)
    opened.close()


def test_store_of_version_0001_can_be_read(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "runs.db")
    connection.executescript((GOLDEN / "0001.sql").read_text(encoding="utf-8"))
    connection.close()
    with Store.open(tmp_path / "runs.db") as store:
        assert store._database.location.path is not None
        stored = store.get("first")
        assert stored.summary.tags == ("kept",)
        assert stored.summary.score is not None
        assert stored.summary.score.value == 0.4
        assert [found.finding.kind for found in store.findings("first")] == ["wrong_boundary", "missed"]
        assert stored.to_dict()["by_label"]["PER"]["strict"]["recall"] == 0.0
        every = stored.run().document_counts
        assert every is not None
        assert every.counts.documents.tolist() == [0, 1]
        assert stored.run().to_dict()["scores"] == stored.to_dict()["scores"]
    assert version(Database(parse_location(tmp_path / "runs.db"), create=False)) == LATEST_VERSION


def test_store_of_version_0002_keeps_its_slices(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "runs.db")
    connection.executescript((GOLDEN / "0002.sql").read_text(encoding="utf-8"))
    before = connection.execute("SELECT slice_column, value, count FROM finding_slices").fetchall()
    connection.close()
    with Store.open(tmp_path / "runs.db") as store:
        assert [summary.name for summary in store.list()] == ["first"]
        assert store.slice_counts("first") == {(column, value): count for column, value, count in before}
        page = store.findings("first", kind="missed", slices={"genre": "news", "author": "ж0"})
        assert [found.position for found in page] == [9]
        assert [found.finding for found in page] == [finding(found.position) for found in page]
        again = store.get(store.save(with_findings(24))).run()
        comparison = isogloss.compare(store.get("first").run(), again)
        assert comparison.pairs[0].scores["strict.f1"].difference == 0.0
