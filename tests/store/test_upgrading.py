from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command as alembic_command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from former_store import downgrade
from saved_runs import finding, ner_run, with_findings
from sqlalchemy import inspect

import isogloss
from isogloss.errors import StoreError
from isogloss.store import Store
from isogloss.store.database import LATEST_VERSION, MIGRATIONS, VERSION_TABLE, Database, upgrade_store
from isogloss.store.location import parse_location
from isogloss.store.schema import metadata

GOLDEN = Path(__file__).parents[1] / "golden" / "store"
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


@pytest.mark.parametrize("migrate", [True, False])
def test_migrations_and_a_new_store_have_the_tables_of_the_schema(untouched: str, *, migrate: bool) -> None:
    opened = Database(parse_location(untouched), create=True)
    if migrate:
        with opened.begin_writing() as connection:
            config = read_config()
            config.attributes["connection"] = connection
            alembic_command.upgrade(config, "head")
    else:
        upgrade_store(opened)
    with opened.begin_reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "version_table": VERSION_TABLE})
        assert context.get_current_revision() == LATEST_VERSION
        assert compare_metadata(context, metadata) == []
        made = inspect(connection)
        assert set(made.get_table_names()) == {*metadata.tables, VERSION_TABLE}
        assert made.get_pk_constraint(VERSION_TABLE)["name"] == f"{VERSION_TABLE}_pkc"
        for table in metadata.sorted_tables:
            assert made.get_pk_constraint(table.name)["name"] == table.primary_key.name
            assert {i["name"] for i in made.get_indexes(table.name) if not i.get("duplicates_constraint")} == {
                i.name for i in table.indexes
            }
    opened.close()


def read_config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    return config


def test_new_store_has_latest_version(database: Database) -> None:
    assert ScriptDirectory.from_config(read_config()).get_heads() == [LATEST_VERSION]
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
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE songs (name TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is a database of something else: it has the tables songs"):
        Store.open(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("songs",)]
    connection.close()
    assert len(path.read_bytes()) == len(before)


def test_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "runs.db").touch()
    with Store.open(tmp_path / "runs.db") as store:
        assert store.list() == []


@pytest.mark.parametrize("former", ["0001", "0003", "0004"])
def test_upgrade_packs_the_findings_of_all_runs(url: str, database: Database, former: str) -> None:
    with Store.open(url) as store:
        store.save(with_findings(10))
        identity = store.save(with_findings(300, ner_run(confidence=0.9)), name="first", tags=["x", "ü"])
        counts, digests = store.slice_counts(identity), load_all_digests(database)
    downgrade(database, {1: with_findings(10).findings, 2: with_findings(300).findings}, former)
    with Store.open(url) as store:
        assert load_all_digests(database) == digests
        assert store.slice_counts(identity) == counts
        assert store.get(identity).to_dict() == with_findings(300, ner_run(confidence=0.9)).to_dict()
        page = store.findings(identity, kind="missed", slices={"genre": "news"}, limit=None)
        assert [found.position for found in page] == [
            k for k in range(300) if finding(k).kind == "missed" and k % 7 and k % 3 == 0
        ]
    assert version(database) == LATEST_VERSION


def load_all_digests(database: Database) -> set[tuple[object, ...]]:
    with database.begin_reading() as connection:
        return set(map(tuple, connection.exec_driver_sql("SELECT run, part, digest FROM digests")))


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE findings SET place = 'other:1' WHERE position = 5",
        """UPDATE findings SET payload = '{"marks": 1}' WHERE position = 5""",
        "DELETE FROM findings WHERE position = 9",
        "UPDATE finding_groups SET kind = 'other' WHERE number = 1",
        "DELETE FROM finding_groups WHERE number = 1",
        "UPDATE digests SET digest = 'other' WHERE part = 'findings'",
    ],
)
def test_damaged_findings_stay_corrupt_after_an_upgrade(url: str, database: Database, damage: str) -> None:
    with Store.open(url) as store:
        store.save(with_findings(10), name="first")
    downgrade(database, {1: with_findings(10).findings}, "0004")
    with database.begin_writing() as connection:
        connection.exec_driver_sql(damage)
    with Store.open(url) as store, pytest.raises(StoreError, match=r"run first .* corrupt: not what was saved"):
        store.findings("first")


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
        assert every.documents.tolist() == [0, 1]
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
