"""Attributes of documents, such as language or genre.

They are names of slices and clusters.

A string is its own name; a number or a truth value is named by its JSON text; null and a missing column are no value.
Lists and objects have no name. A long string is shortened, with a digest of the whole at its end.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice
from typing import Any

from isogloss.errors import UsageError
from isogloss.records.sources import Source

FILE_COLUMN = "file"  # a column of every document that is read from a file
MAX_NAME_LENGTH = 120  # code points of a name
SHORTENED_LENGTH = 100  # code points that a longer string keeps
CARRIED_KEYS = ("newdoc id", "newpar id")  # comments that are valid until the next of their kind
DOCSTART_COLUMN, DOCSTART_LINE = "docstart", "-DOCSTART-"

Values = Mapping[str, str]
NO_VALUES: Values = {}


def as_text(value: Any, column: str, where: str) -> str | None:
    """Return the name of a value; None for null.

    Args:
        value: a value of JSON.
        column: name of its column, for the error.
        where: place of its row, for the error.

    Raises:
        UsageError: if the value is a list or an object.
    """
    if isinstance(value, str):
        return _check_surrogates(value if len(value) <= MAX_NAME_LENGTH else _shorten(value), column, where)
    if value is None:
        return None
    if hasattr(value, "item"):  # a number of numpy
        value = value.item()
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise UsageError(
        f"{where}: the column {column!r} holds a value of type {type(value).__name__}. "
        "Slices and clusters are named by strings, numbers, true and false.",
    )


def parse_comment(line: str) -> tuple[str, str] | None:
    """Parse a comment such as `# genre = news`.

    The result is None for other lines.
    """
    key, _, value = line.removeprefix("#").partition("=")
    return (" ".join(key.split()), value.strip()) if line.startswith("#") and key.strip() and value.strip() else None


class Comments:
    """Comments of sentences, read line by line.

    A comment belongs to the sentence that follows, or in which it is; `newdoc id` and `newpar id` belong to all
    sentences up to the next `newdoc` or `newpar`. The column `docstart` is the number of the latest `-DOCSTART-` line.

    Args:
        columns: columns to keep.
    """

    def __init__(self, columns: Iterable[str]) -> None:
        self._columns = frozenset(columns)
        self._carried: dict[str, str] = {}
        self._own: dict[str, str] = {}
        self._starts = 0

    def read_line(self, line: str) -> None:
        """Read a line; only comments and `-DOCSTART-` lines have an effect."""
        if not self._columns:
            return
        line = line.strip()
        if line.startswith("#"):
            self._take_comment(line)
        elif line.startswith(DOCSTART_LINE):
            self._starts += 1

    def finish_sentence(self) -> Values:
        """Return the columns of the finished sentence, and begin the next.

        The finished sentence is the one whose comments were read.
        """
        if not self._columns:
            return NO_VALUES
        known = self._carried | self._own | ({DOCSTART_COLUMN: str(self._starts)} if self._starts else {})
        self._own = {}
        return {key: as_text(value, key, "") or "" for key, value in known.items() if key in self._columns}

    def _take_comment(self, line: str) -> None:
        word = next(iter(line.lstrip("# \t").split()), "")
        if word in {"newdoc", "newpar"}:
            self._carried.pop("newpar id", None)
        if word == "newdoc":
            self._carried.pop("newdoc id", None)
        parsed = parse_comment(line)
        if parsed is not None:
            (self._carried if parsed[0] in CARRIED_KEYS else self._own).update([parsed])


def list_comment_columns(text: str) -> list[str]:
    """List the columns in the comments of a text, in order."""
    parsed = (parse_comment(line.strip()) for line in text.split("\n") if line.lstrip().startswith("#"))
    starts = [DOCSTART_COLUMN] if DOCSTART_LINE in text else []
    return [*dict.fromkeys(each[0] for each in parsed if each is not None), *starts]


def read_comment_columns(source: Source) -> Iterator[str]:
    """Read the columns in the comments of a file's first block.

    Args:
        source: a file in columns.

    Raises:
        SourceError: if it cannot be read.
    """
    for block in islice(source.blocks(), 1):
        yield from list_comment_columns(block.text)


def _check_surrogates(name: str, column: str, where: str) -> str:
    if not name.isascii() and any("\ud800" <= character <= "\udfff" for character in name):
        raise UsageError(f"{where}: the column {column!r} holds half a surrogate pair, which is not a character.")
    return name


def _shorten(value: str) -> str:
    digest = sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{value[:SHORTENED_LENGTH]}… ({digest[:12]})"
