from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.errors import UsageError
from isogloss.store.database import StoreLocation, parse_location


@pytest.mark.parametrize(
    ("variable", "url", "path"),
    [
        (None, None, ".isogloss/runs.db"),
        ("", None, ".isogloss/runs.db"),
        ("/data/all.db", None, "/data/all.db"),
        ("/data/all.db", "mine.db", "mine.db"),
        (None, "sqlite:///a/b.db", "a/b.db"),
        (None, "sqlite:////a/b.db", "/a/b.db"),
        (None, "a b%20c.db", "a b%20c.db"),
    ],
)
def test_file_comes_from_url_else_variable_else_default(
    variable: str | None, url: str | None, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ISOGLOSS_STORE", raising=False)
    if variable is not None:
        monkeypatch.setenv("ISOGLOSS_STORE", variable)
    assert parse_location(url).path == Path(path)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_every_postgresql_scheme_uses_psycopg_and_hides_the_password(scheme: str) -> None:
    location = parse_location(f"{scheme}://ada:secret@db.example:5433/runs")
    assert location.url is not None
    assert (location.url.drivername, location.url.port, location.url.password) == ("postgresql+psycopg", 5433, "secret")
    assert "secret" not in location.name
    assert "db.example:5433/runs" in location.name


@pytest.mark.parametrize(
    "url",
    ["mysql://ada:secret@db/runs", "http://db", "sqlite://", "sqlite:///:memory:", "://", "x\0y"],
)
def test_other_locations_are_refused_without_password(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_location(url)
    assert "secret" not in str(caught.value)


def test_location_needs_exactly_one_of_file_and_url() -> None:
    with pytest.raises(ValueError, match="in a file or at a URL"):
        StoreLocation()
