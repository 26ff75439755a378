"""The location of a store.

It is an SQLite file, or the URL of a PostgreSQL database.

A password in a URL is never printed. `hide_password` shows only parts of a URL that cannot hold one: a URL whose parts
cannot be told apart, such as one with `@` in its password, is reduced to its scheme. `parse_location` refuses the same
URLs, because the server's own messages would name parts of the password as host or database.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, unquote, unquote_plus

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from isogloss.errors import UsageError

DEFAULT = Path(".isogloss") / "runs.db"
VARIABLE = "ISOGLOSS_STORE"
DRIVERS = dict.fromkeys(("postgresql", "postgres", "postgresql+psycopg"), "postgresql+psycopg")
HIDDEN = "***"
PASSWORD_PARAMETERS = frozenset(("password", "sslpassword"))
HARMLESS_PARAMETERS = frozenset(
    (
        "application_name",
        "connect_timeout",
        "dbname",
        "host",
        "hostaddr",
        "port",
        "service",
        "sslmode",
        "sslrootcert",
        "target_session_attrs",
        "user",
    )
)
HARMLESS_VALUE = re.compile(r"[\w./,:+-]*")
MAX_PORT = 65535
CLEAR_URL = re.compile(
    r"""
    (?P<scheme>[a-z][\w+]*)://
    (?: (?P<user>[^:/?@=\s]*) (?: :(?P<password> (?: (?!\?[^@]*=) [^@] )* ) )? @ )?  # no ?NAME=VALUE in a password
    (?P<server> (?P<host> \[[^\]/?@=\s]+\] | [^:/?@=\s\[\]]* ) (?: :(?P<port>[0-9]{0,5}) )? )
    (?: /(?P<database>[^:?@=]*) )?
    (?: \?(?P<query>.*) )?
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
SCHEME = re.compile(r"[a-z][\w+]*://", re.IGNORECASE)
SQLITE = re.compile(r"sqlite(\+\w+)?://")
SQLITE_FILE = re.compile(r"sqlite(\+\w+)?:(//)?/[^@?=]*")  # without a place for a password
NAMED_PASSWORD = re.compile(r"(password|passwd|pwd)\s*=", re.IGNORECASE)
PLAIN_PATH = re.compile(r"/(?!/)|\.{1,2}[/\\]|~|[a-z]:[/\\]", re.IGNORECASE)  # how a path begins


@dataclass(frozen=True)
class StoreLocation:
    """The location of a store.

    It is an SQLite file or the URL of a PostgreSQL database, one of the two.

    Args:
        path: the file.
        url: the URL, without the parameters that may be secret.
        parameters: the parameters of the URL that may be secret, such as `sslpassword`.
    """

    path: Path | None = None
    url: URL | None = None
    parameters: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if (self.path is None) == (self.url is None):
            raise ValueError("a store is in a file or at a URL")

    @property
    def name(self) -> str:
        """The path, or the URL without its password, for messages."""
        return str(self.path) if self.url is None else hide_password(self.url.render_as_string(hide_password=False))


def hide_password(location: str) -> str:
    """Return the location of a store as it may be printed.

    Args:
        location: a path or URL, which need not be valid. A path is returned as it is; of a URL, the password and the
            values of unknown parameters are replaced; of a URL with unclear parts, everything after the scheme.
    """
    parts = _match_url(location)
    if parts is not None:
        user = (
            f"{parts['user']}{'' if parts['password'] is None else f':{HIDDEN}'}@" if parts["user"] is not None else ""
        )
        database = "" if parts["database"] is None else f"/{parts['database']}"
        query = "" if parts["query"] is None else f"?{'&'.join(map(_hide_parameter, parts['query'].split('&')))}"
        return f"{parts['scheme']}://{user}{parts['server']}{database}{query}"
    if SQLITE_FILE.fullmatch(location):
        return location
    scheme = SCHEME.match(location)
    if scheme is not None:
        return f"{scheme[0]}{HIDDEN}"
    return HIDDEN if _may_hold_password(location) else location


def hide_passwords_in_text(text: str, locations: Sequence[str]) -> str:
    """Replace locations of stores in a text by their printable parts.

    Args:
        text: any text, such as a traceback.
        locations: locations that may occur in it, plain, quoted, or read as the path of a file or of its folder.
    """
    paths = (Path(location) for location in locations)
    read_as_paths = [str(path) for each in paths for path in (each, *each.parents)]
    for location in sorted({*locations, *read_as_paths} - {""}, key=len, reverse=True):
        hidden = hide_password(location)
        if hidden != location:
            text = text.replace(location, hidden).replace(repr(location)[1:-1], hidden)
    return text


def parse_location(url: str | os.PathLike[str] | None = None) -> StoreLocation:
    """Parse the location of a store.

    Args:
        url: a path, `sqlite:///PATH` or `postgresql://...`; None for the value of the variable `ISOGLOSS_STORE`, or
            else the file `.isogloss/runs.db` in the current folder.

    Raises:
        UsageError: if the URL is invalid or names another kind of database.
    """
    given = os.fspath(url) if url is not None else os.environ.get(VARIABLE) or os.fspath(DEFAULT)
    if isinstance(url, os.PathLike) or ("://" not in given and not _may_hold_password(given)):
        return StoreLocation(path=_parse_file(given, given))
    if SQLITE.match(given):
        return StoreLocation(path=_parse_sqlite_url(given))
    parts = _match_url(given)
    if parts is None:
        raise UsageError(
            f"Invalid store URL {hide_password(given)}: give a path such as ./runs.db, or "
            "postgresql://USER@HOST/DATABASE; write @ in a password as %40."
        )
    if parts["scheme"] not in DRIVERS:
        raise UsageError(
            f"Unsupported database {parts['scheme']} in {hide_password(given)}: give a path, or postgresql://..."
        )
    return _build_server_location(parts)


def _match_url(text: str) -> dict[str, str | None] | None:
    """Return the parts of a URL, still encoded.

    Return None if the parts cannot be told apart, or no server can take them.
    """
    match = CLEAR_URL.fullmatch(text)
    if match is None or "\0" in unquote(text) or _has_lone_surrogates(text):
        return None
    parts = match.groupdict()
    may_be_in_password = parts["password"] is not None or parts["port"] is not None  # `?x=@` after `user:1`
    is_unclear = may_be_in_password and "@" in (parts["query"] or "")
    return None if is_unclear or int(parts["port"] or 0) > MAX_PORT else parts


def _format_url(parts: Mapping[str, str | None]) -> str:
    """Write a URL without its password."""
    password = "" if parts["password"] is None else f":{HIDDEN}"
    user = "" if parts["user"] is None else f"{parts['user']}{password}@"
    database = "" if parts["database"] is None else f"/{parts['database']}"
    query = "" if parts["query"] is None else "?" + "&".join(map(_hide_parameter, parts["query"].split("&")))
    return f"{parts['scheme']}://{user}{parts['server']}{database}{query}"


def _hide_parameter(parameter: str) -> str:
    """Return a parameter of a URL as it may be printed."""
    name, _, value = parameter.partition("=")
    name = unquote_plus(name)
    if name in PASSWORD_PARAMETERS:
        return f"{name}={HIDDEN}"
    is_harmless = name in HARMLESS_PARAMETERS and HARMLESS_VALUE.fullmatch(unquote_plus(value))
    return parameter if is_harmless or not parameter else HIDDEN


def _may_hold_password(text: str) -> bool:
    """Return whether a text may hold a password.

    Such a text is a wrong URL or a connection string with a password, and not a path.
    """
    is_like_url = "://" in text or (PLAIN_PATH.match(text) is None and "@" in text.partition(":")[2])
    return is_like_url or NAMED_PASSWORD.search(text) is not None


def _has_lone_surrogates(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _build_server_location(parts: Mapping[str, str | None]) -> StoreLocation:
    decoded = {
        name: None if parts[name] is None else unquote(parts[name] or "") for name in ("user", "password", "database")
    }
    shown: dict[str, list[str]] = {}
    secret: dict[str, str] = {}
    for name, value in parse_qsl(parts["query"] or ""):
        if name in HARMLESS_PARAMETERS:
            shown.setdefault(name, []).append(value)
        else:
            secret[name] = value
    url = URL.create(
        DRIVERS[parts["scheme"] or ""],
        username=decoded["user"],
        password=decoded["password"],
        host=(parts["host"] or "").strip("[]") or None,
        port=int(parts["port"]) if parts["port"] else None,
        database=decoded["database"],
        query={name: values[0] if len(values) == 1 else values for name, values in shown.items()},
    )
    return StoreLocation(url=url, parameters=secret)


def _parse_sqlite_url(given: str) -> Path:
    try:
        database = make_url(given).database or ""
    except (ArgumentError, ValueError):
        database = ""
    return _parse_file("" if "://" in database else database, hide_password(given))


def _parse_file(path: str, shown: str) -> Path:
    if not path or path == ":memory:" or "\0" in path:
        raise UsageError(f"{shown!r} does not name a file: give the path of the store.")
    return Path(path)
