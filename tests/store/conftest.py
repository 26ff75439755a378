"""Fixtures of stores in SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import commanded, kind, server, template, url

from isogloss.store import Store

__all__ = ["kind", "server", "template", "url"]  # fixtures


@pytest.fixture
def untouched(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database without tables."""
    if kind == "sqlite":
        return f"sqlite:///{tmp_path / 'untouched.db'}"
    return str(request.getfixturevalue("untouched_server"))


@pytest.fixture
def untouched_server(server: str) -> str:
    """The URL of a database of the server without tables."""
    other = server.replace("/postgres?", "/empty?")
    commanded(other, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    return other


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """An empty store."""
    with Store.open(url) as opened:
        yield opened
