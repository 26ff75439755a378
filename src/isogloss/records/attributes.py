"""Columns of documents beside what is scored, as text: the names of slices and clusters.

A string is its own name, a number or a truth value is named by its JSON text, null and a missing column are no value.
What holds other values has no name. A long string is cut, and told apart by a digest of the whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice
from typing import Any

from isogloss.errors import UsageError
from isogloss.records.sources import Source

FILE = "file"  # what every document from a file has
LONGEST = 120  # code points of a name
KEPT = 100  # code points of a longer string that are kept
CARRIED = ("newdoc id", "newpar id")  # comments that hold until the next of their kind
DOCSTART, BEGINNING = "docstart", "-DOCSTART-"

Values = Mapping[str, str]
NOTHING: Values = {}


def as_text(value: Any, column: str, where: str) -> str | None:
    """The name of a value, None where there is none.

    Args:
        value: as JSON has it.
        column: its column.
        where: place of its row.

    Raises:
        UsageError: the value holds others.
    """
    if isinstance(value, str):
        return _checked(value if len(value) <= LONGEST else _cut(value), column, where)
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


def commented(line: str) -> tuple[str, str] | None:
    """Key and value of a comment such as `# genre = news`, None of any other line."""
    key, _, value = line.removeprefix("#").partition("=")
    return (" ".join(key.split()), value.strip()) if line.startswith("#") and key.strip() and value.strip() else None


class Comments:
    """The comments of sentences, read one after the other.

    A comment belongs to the sentence that follows, or that it stands in; `newdoc id` and `newpar id` to all sentences
    up to the next `newdoc` or `newpar`. The column `docstart` is the number of the latest `-DOCSTART-` line.

    Args:
        wanted: the columns to keep.
    """

    def __init__(self, wanted: Iterable[str]) -> None:
        self._wanted = frozenset(wanted)
        self._carried: dict[str, str] = {}
        self._own: dict[str, str] = {}
        self._starts = 0

    def take(self, line: str) -> None:
        """Take a line that begins with `#` or is a `-DOCSTART-` line; any other says nothing."""
        if not self._wanted:
            return
        line = line.strip()
        if line.startswith("#"):
            self._take_comment(line)
        elif line.startswith(BEGINNING):
            self._starts += 1

    def sentence(self) -> Values:
        """The columns of the sentence whose comments were taken."""
        if not self._wanted:
            return NOTHING
        known = self._carried | self._own | ({DOCSTART: str(self._starts)} if self._starts else {})
        self._own = {}
        return {key: as_text(value, key, "") or "" for key, value in known.items() if key in self._wanted}

    def _take_comment(self, line: str) -> None:
        word = next(iter(line.lstrip("# \t").split()), "")
        if word in {"newdoc", "newpar"}:
            self._carried.pop("newpar id", None)
        if word == "newdoc":
            self._carried.pop("newdoc id", None)
        found = commented(line)
        if found is not None:
            (self._carried if found[0] in CARRIED else self._own).update([found])


def commented_columns(text: str) -> list[str]:
    """The columns that the comments of a text have, in the order of their first place."""
    found = (commented(line.strip()) for line in text.split("\n") if line.lstrip().startswith("#"))
    starts = [DOCSTART] if BEGINNING in text else []
    return [*dict.fromkeys(each[0] for each in found if each is not None), *starts]


def columns_of_comments(source: Source) -> Iterator[str]:
    """The columns that the comments of a file have, as far as its first block tells.

    Args:
        source: a file in columns.

    Raises:
        SourceError: it cannot be read.
    """
    for block in islice(source.blocks(), 1):
        yield from commented_columns(block.text)


def _checked(name: str, column: str, where: str) -> str:
    if not name.isascii() and any("\ud800" <= character <= "\udfff" for character in name):
        raise UsageError(f"{where}: the column {column!r} holds half a surrogate pair, which is no character.")
    return name


def _cut(value: str) -> str:
    digest = sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{value[:KEPT]}… ({digest[:12]})"
