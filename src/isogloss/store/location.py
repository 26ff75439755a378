"""Where a store is: a path, a URL, the environment, or the folder that is worked in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from isogloss.errors import UsageError

DEFAULT = Path(".isogloss") / "runs.db"
VARIABLE = "ISOGLOSS_STORE"
DRIVERS = {"postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}


@dataclass(frozen=True)
class Place:
    """Where a store is.

    Args:
        path: its SQLite file, None where it is in PostgreSQL.
        url: its URL, None where it is a file.
    """

    path: Path | None = None
    url: URL | None = None

    def __post_init__(self) -> None:
        if (self.path is None) == (self.url is None):
            raise ValueError("a store is in a file or at a URL")

    @property
    def name(self) -> str:
        """What messages call it; passwords are not shown."""
        return str(self.path) if self.url is None else self.url.render_as_string(hide_password=True)


def place(url: str | os.PathLike[str] | None = None) -> Place:
    """Where a store is.

    Args:
        url: a path, `sqlite:///PATH` or `postgresql://...`; None for what the variable `ISOGLOSS_STORE` says, or else
            the file `.isogloss/runs.db` in the current folder.

    Raises:
        UsageError: it is something else.
    """
    given = os.fspath(url) if url is not None else os.environ.get(VARIABLE) or os.fspath(DEFAULT)
    if "://" not in given:
        return Place(path=_file(given, given))
    try:
        parsed = make_url(given)
    except (ArgumentError, ValueError) as error:
        raise UsageError(f"{given} is no URL of a store: give a path, or postgresql://USER@HOST/DATABASE.") from error
    if parsed.drivername in DRIVERS:
        return Place(url=parsed.set(drivername=DRIVERS[parsed.drivername]))
    if parsed.drivername in DRIVERS.values():
        return Place(url=parsed)
    if parsed.get_backend_name() == "sqlite":
        return Place(path=_file(parsed.database or "", given))
    raise UsageError(f"A store is in SQLite or PostgreSQL, not in {parsed.drivername}: {given.split('@')[-1]}")


def _file(path: str, given: str) -> Path:
    if not path or path == ":memory:" or "\0" in path:
        raise UsageError(f"{given!r} names no file for a store.")
    return Path(path)
