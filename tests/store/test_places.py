from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.errors import UsageError
from isogloss.store.database import StoreLocation, parse_location


@pytest.fixture(autouse=True)
def no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ISOGLOSS_STORE", raising=False)


def test_without_a_word_it_is_in_the_current_folder() -> None:
    assert parse_location().path == Path(".isogloss/runs.db")


def test_the_variable_says_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_STORE", "/data/all.db")
    assert parse_location().path == Path("/data/all.db")


def test_an_empty_variable_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_STORE", "")
    assert parse_location().path == Path(".isogloss/runs.db")


def test_what_is_asked_for_comes_before_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_STORE", "/data/all.db")
    assert parse_location("mine.db").path == Path("mine.db")


@pytest.mark.parametrize(
    ("url", "path"),
    [("sqlite:///a/b.db", "a/b.db"), ("sqlite:////a/b.db", "/a/b.db"), ("a b%20c.db", "a b%20c.db")],
)
def test_files_by_path_and_url(url: str, path: str) -> None:
    assert parse_location(url).path == Path(path)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_all_spellings_of_postgresql_have_one_driver(scheme: str) -> None:
    url = parse_location(f"{scheme}://ada:secret@db.example:5433/runs").url
    assert url is not None
    assert (url.drivername, url.port, url.password) == ("postgresql+psycopg", 5433, "secret")


def test_a_password_is_not_shown() -> None:
    name = parse_location("postgresql://ada:secret@db.example/runs").name
    assert "secret" not in name
    assert "db.example/runs" in name


@pytest.mark.parametrize(
    "url",
    ["mysql://ada:secret@db/runs", "http://db", "sqlite://", "sqlite:///:memory:", "://", "x\0y"],
)
def test_other_places_are_refused(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_location(url)
    assert "secret" not in str(caught.value)


def test_a_store_is_in_one_place() -> None:
    with pytest.raises(ValueError, match="in a file or at a URL"):
        StoreLocation()
