"""Errors of files, disks and servers are reported with what to do."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from saved_runs import called, finished, ner_run, with_findings

from isogloss.errors import StoreError, UsageError
from isogloss.store import Store

posix = pytest.mark.skipif(os.name != "posix", reason="limits and users are those of POSIX")
FULL = """
import resource, sys
from pathlib import Path
from saved_runs import with_findings
from saved_runs import with_findings
from isogloss.errors import StoreError
from isogloss.store import Store

with Store.open(sys.argv[1]) as store:
    if sys.argv[2] != "none":
        limit = Path(sys.argv[1]).stat().st_size + int(sys.argv[2])
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        store.save(with_findings(100_000))
    except StoreError as error:
        print(type(error).__name__, error.exit_code, error)
    print(len(store.list()))
"""
READ_ONLY = """
import os, sys
from saved_runs import ner_run
from saved_runs import ner_run
from isogloss.errors import StoreError
from isogloss.store import Store

run = ner_run().ensure_documents()
Store.open(sys.argv[1]).close()  # so that all modules are loaded while they can be
if os.getuid() == 0:
    os.setuid(65534)
with Store.open(sys.argv[1]) as store:
    print(len(store.list()), store.get("first").summary.name)
    try:
        store.save(run)
    except StoreError as error:
        print(error.exit_code, error)
    print(len(store.list()))
"""


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """The file of a store with a run."""
    with Store.open(tmp_path / "runs.db") as store:
        store.save(with_findings(500), name="first")
    return tmp_path / "runs.db"


@posix
@pytest.mark.parametrize("room", ["0", "70000", "300000"])
def test_full_disk_saves_nothing_and_keeps_earlier_runs(saved: Path, room: str) -> None:
    told = finished(called(FULL, str(saved), room))
    assert told.startswith(f"StoreError 3 {saved}: ")
    assert "nothing of this was saved" in told
    assert told.splitlines()[-1] == "1"
    with Store.open(saved) as store:
        assert len(store.findings("first", limit=None)) == 500
        store.save(ner_run())
        assert len(store.list()) == 2


@posix
def test_full_file_system_is_reported(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if shutil.which("mount") is None or os.getuid() != 0:
        pytest.skip("only root can make a small disk")
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("a small disk cannot be made here")
    try:
        with Store.open(disk / "runs.db") as store:
            store.save(ner_run(), name="first")
        told = finished(called(FULL, str(disk / "runs.db"), "none"))
        assert told.startswith(f"StoreError 3 {disk}/runs.db: the disk is full\n")
        assert told.splitlines()[-1] == "1"
        with Store.open(disk / "runs.db") as store:
            assert store.get("first").run().to_dict() == ner_run().to_dict()
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.fixture
def open_to_all(saved: Path) -> Iterator[Path]:
    """The same file in a folder that any user reaches."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(saved, folder / "runs.db")
        yield folder
        folder.chmod(0o755)


@posix
@pytest.mark.parametrize(("file", "folder"), [(0o444, 0o555), (0o444, 0o777), (0o666, 0o555)])
def test_read_only_file_can_be_read_but_not_written(open_to_all: Path, file: int, folder: int) -> None:
    (open_to_all / "runs.db").chmod(file)
    open_to_all.chmod(folder)
    told = finished(called(READ_ONLY, str(open_to_all / "runs.db")))
    first, refused, *_, last = told.splitlines()
    assert (first, last) == ("1 first", "1")
    assert refused == f"3 {open_to_all}/runs.db: the file is read-only"


def test_file_that_is_not_a_database_is_reported(tmp_path: Path) -> None:
    (tmp_path / "runs.db").write_bytes(b"Ada B-PER\n" * 500)
    with pytest.raises(StoreError, match=r"runs\.db: is not a store of runs, or is damaged"):
        Store.open(tmp_path / "runs.db")
    assert (tmp_path / "runs.db").read_bytes() == b"Ada B-PER\n" * 500


@pytest.mark.parametrize(
    "damage",
    [lambda data: data[:8192] + b"\x5a" * (len(data) - 8192), lambda data: data[: len(data) // 2]],
    ids=["overwritten", "cut short"],
)
def test_damaged_file_is_reported(saved: Path, damage: Callable[[bytes], bytes]) -> None:
    saved.write_bytes(damage(saved.read_bytes()))
    with (
        pytest.raises(StoreError, match=r"runs\.db: the file is damaged\n.*\nRestore a copy"),
        Store.open(saved) as store,
    ):
        store.findings("first", limit=None)


def test_folder_cannot_be_a_store_nor_a_file_its_folder(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder; a store is a file\nName a file: "):
        Store.open(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="its folder cannot be made"):
        Store.open(tmp_path / "file" / "runs.db")


def test_writer_that_times_out_is_reported(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.store.database.TIMEOUT_SECONDS", 0.1)
    with Store.open(saved) as store, store._database.begin_writing(), Store.open(saved) as other:
        assert len(other.list()) == 1
        with pytest.raises(StoreError, match="another program has been writing to it all the time"):
            other.save(ner_run())


@pytest.mark.extra
def test_unreachable_server_is_reported_without_password() -> None:
    pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    with pytest.raises(StoreError, match=r"the server cannot be reached\n.*\nCheck that it runs") as caught:
        Store.open("postgresql://ada:secret@127.0.0.1:1/runs")
    assert "secret" not in str(caught.value)
    assert caught.value.where == "postgresql+psycopg://ada:***@127.0.0.1:1/runs"


@pytest.mark.extra
@pytest.mark.parametrize(
    "url",
    [
        "postgresql://127.0.0.1:1/runs?password=secret",
        "postgresql://127.0.0.1:1/runs?password=a&secret=b",
        "postgresql://127.0.0.1:1/runs?sslmode=disable&sslpassword=secret",
        "postgresql://127.0.0.1:1/runs?host=a:x&host=b&password=secret",
        "postgresql://ada:pass@secret@127.0.0.1:1/runs",
    ],
)
def test_no_password_is_in_the_traceback_of_a_server_error(url: str) -> None:
    pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    with pytest.raises((StoreError, UsageError)) as caught:
        Store.open(url)
    cause: BaseException | None = caught.value
    while cause is not None:  # without the lines of this file
        assert "secret" not in "".join(traceback.format_exception_only(cause))
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)


@pytest.mark.extra
def test_unknown_parameter_of_a_url_is_reported() -> None:
    pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    with pytest.raises(
        StoreError, match=r"parameter that PostgreSQL does not know\nCheck the names after \?"
    ) as caught:
        Store.open("postgresql://127.0.0.1:1/runs?pasword=secret")
    assert caught.value.where == "postgresql+psycopg://127.0.0.1:1/runs"


@pytest.mark.extra
def test_password_parameter_reaches_the_server(server: str) -> None:
    with Store.open(server) as plain, Store.open(f"{server}&password=secret") as store:
        assert store.list() == plain.list()
        assert "secret" not in store.place


@pytest.mark.extra
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("/postgres?", "/nothing?", r"there is no such database\n.*\nCreate it first"),
        ("postgres:@", "nobody:@", "the server refuses this user"),
    ],
)
def test_missing_database_or_user_is_reported(server: str, old: str, new: str, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        Store.open(server.replace(old, new))


@pytest.mark.extra
def test_user_without_write_permission_can_read(server: str) -> None:
    import psycopg  # noqa: PLC0415  an extra

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS reader")
        connection.execute("CREATE ROLE reader LOGIN IN ROLE pg_read_all_data")
    with Store.open(server.replace("postgres:@", "reader:@")) as store:
        assert isinstance(store.list(), list)
        with pytest.raises(StoreError, match="this user lacks a permission"):
            store.save(ner_run())


def test_missing_driver_names_the_install_command() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from isogloss.cli import run\n"
        "sys.exit(run(['runs', 'list', '--store', 'postgresql://ada@127.0.0.1:1/runs']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert "pip install 'isogloss[postgres]'" in done.stderr


def test_damaged_schema_is_reported(saved: Path) -> None:
    with closing(sqlite3.connect(saved)) as connection, connection:
        connection.execute("ALTER TABLE runs RENAME COLUMN task TO tesk")
    connection.close()
    with pytest.raises(StoreError, match="the file is damaged"), Store.open(saved) as store:
        store.list()


@pytest.mark.parametrize(
    ("old", "new"),
    [(b'"task":"ner"', b'"task":"n\xffr"'), (b'{"task":', b'{"task"}'), (b"ner|scheme", b"n\xfer|scheme")],
    ids=["no text", "no JSON", "no signature"],
)
def test_corrupt_text_names_the_run_and_its_row(saved: Path, old: bytes, new: bytes) -> None:
    whole = saved.read_bytes()
    assert old in whole
    saved.write_bytes(whole.replace(old, new))
    message = r"run first \([0-9a-f]{8}\): its row is corrupt: not what was saved\nRestore it from an export or delete"
    with pytest.raises(StoreError, match=message) as error, Store.open(saved) as store:
        store.get(store.list()[0].id).as_saved()
    assert error.value.where == str(saved)
    assert len(error.value.detail or "") < 200
