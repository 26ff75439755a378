from __future__ import annotations

import re
import traceback
from pathlib import Path
from string import ascii_lowercase
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from isogloss.errors import UsageError
from isogloss.store import Store
from isogloss.store.location import StoreLocation, hide_password, parse_location


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


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("postgresql://db.example/runs", "postgresql://db.example/runs"),
        (
            "postgresql://ada@db.example:5433/runs?sslmode=require",
            "postgresql://ada@db.example:5433/runs?sslmode=require",
        ),
        ("postgresql://ada:secret@[::1]:5433/runs", "postgresql://ada:***@[::1]:5433/runs"),
        ("postgresql://ada:s/e?c#r:e t@db/runs", "postgresql://ada:***@db/runs"),
        ("postgresql://db/runs?sslmode=require&password=secret", "postgresql://db/runs?sslmode=require&password=***"),
        ("postgresql://db/runs?p%61ssword=sec@ret&sslpassword=x", "postgresql://db/runs?password=***&sslpassword=***"),
        ("postgresql://db/runs?pasword=secret", "postgresql://db/runs?***"),
        ("postgresql://db/runs?sslmode=require;password=secret", "postgresql://db/runs?***"),
        ("postgresql://ada:se@cret@db/runs", "postgresql://***"),
        ("postgresql://ada:secret/runs", "postgresql://***"),
        ("postgres-ql://ada:secret@db/runs", "***"),
        (" postgresql://ada:secret@db/runs", "***"),
        ("postgresql:/ada:secret@db/runs", "***"),
        ("ada:secret@db/runs", "***"),
        ("host=db user=ada password=secret", "***"),
        ("/data/runs.db?password=secret", "***"),
        ("sqlite:////data/C:/runs.db", "sqlite:////data/C:/runs.db"),
        ("sqlite://ada:secret@db/runs.db", "sqlite://ada:***@db/runs.db"),
        ("/data/10:30@home.db", "/data/10:30@home.db"),
        ("runs.db", "runs.db"),
    ],
)
def test_only_harmless_parts_of_a_url_are_shown(location: str, shown: str) -> None:
    assert hide_password(location) == shown


# Passwords are made of Q, X, Z and signs, all other parts of small letters: no printed line may have a Q, X or Z.
words = st.text(ascii_lowercase, min_size=1, max_size=6)
secrets = st.text("QXZ@:/?#&=+;% '\n\\ü", max_size=12).map("Q{}Z".format)
schemes = st.sampled_from(["postgresql", "postgres", "postgresql+psycopg", "postgres-ql", "mysql", "http", "x y", ""])
PLACES = (
    "{scheme}://{user}:{secret}@{host}/{name}",
    "{scheme}://:{secret}@{host}:5432/{name}?sslmode=require",
    "{scheme}://{user}:{secret}@",
    "{scheme}://{user}:{secret}@[{host}/{name}",
    "{scheme}://{user}:{secret}@{host}:{name}",
    "{scheme}:/{user}:{secret}@{host}/{name}",
    "{scheme}//{user}:{secret}@{host}/{name}",
    "{scheme}:{user}:{secret}@{host}",
    "//{user}:{secret}@{host}/{name}",
    "{user}:{secret}@{host}/{name}",
    "{scheme}://{user}@{host}/{name}?application_name={name}&password={secret}",
    "{scheme}://{host}/{name}?password={secret}&sslpassword={secret}",
    "{scheme}://{host}:5432/{name}?host={host}&sslpassword={secret}",
    "{scheme}://{host}?password={secret}",
    "{scheme}://{host}/{name}?{name}={secret}",
    "host={host} password='{secret}' dbname={name}",
    "{name}.db?password={secret}",
)


@st.composite
def urls_with_password(draw: st.DrawFn) -> str:
    """A URL, or what was meant to be one, with a password that is encoded or not."""
    secret = draw(secrets)
    parts = {name: draw(words) for name in ("user", "host", "name")}
    return draw(st.sampled_from(PLACES)).format(
        scheme=draw(schemes), secret=quote(secret, safe="") if draw(st.booleans()) else secret, **parts
    )


@given(urls_with_password())
@example("postgresql://ada:Q@X/Z?x=1&y@db/runs")
@example("postgresql://ada:12?x=Q@db/runs")
@example("postgresql://ada:Q%00Z@db/runs")
@example("postgresql://ada:Q\udcffZ@db/runs")
@example("sqlite:///postgresql://ada:Q@db/runs")
def test_no_part_of_a_password_is_printed(url: str) -> None:
    """Neither a message with its traceback nor the name or a representation of the location holds a part of it."""
    try:
        location = parse_location(url)
    except UsageError as error:
        printed = [re.sub(r'File ".*"', "", line) for line in traceback.format_exception(error)]  # any letters
    else:
        printed = [location.name, repr(location), repr(location.url)]
    text = "".join([hide_password(url), *printed])
    assert not set("QXZ") & set(text), text


@given(secrets, words)
def test_encoded_password_is_kept_for_the_server(secret: str, user: str) -> None:
    location = parse_location(f"postgresql://{user}:{quote(secret, safe='')}@db/runs")
    assert location.url is not None
    assert location.url.password == secret
    assert location.name == f"postgresql+psycopg://{user}:***@db/runs"


def test_password_parameters_are_kept_for_the_server() -> None:
    location = parse_location("postgresql://db/runs?password=a%40b&sslpassword=c&sslmode=require&host=x&host=y")
    assert location.parameters == {"password": "a@b", "sslpassword": "c"}
    assert location.url is not None
    assert dict(location.url.query) == {"sslmode": "require", "host": ("x", "y")}


def test_path_object_is_a_file_whatever_its_name(tmp_path: Path) -> None:
    assert parse_location(tmp_path / "10:30@home.db").path == tmp_path / "10:30@home.db"
    assert parse_location(Path("10:30@home.db")).path == Path("10:30@home.db")
    assert parse_location("./10:30@home.db").path == Path("10:30@home.db")


def test_no_file_is_created_for_a_url_without_slashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        UsageError, match=r"Invalid store URL \*\*\*: give a path such as \./runs\.db, or postgresql://"
    ):
        Store.open("postgresql:/ada:secret@db/runs")
    assert list(tmp_path.iterdir()) == []
