"""Which fields of a row hold its text, its id and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from isogloss.exceptions import FormatError, UsageError
from isogloss.formats.attributes import Values, as_text

MISSING = object()


@dataclass(frozen=True)
class Fields:
    """Names of fields, or of columns of a table.

    In rows that are objects, a name with dots such as `response.text` leads to a field of a field, unless the row has
    a field of just this name.

    Args:
        text: of the text.
        id: of the id; None or empty to number the texts.
        prompt: of what a text answers; None where it is not wanted.
        columns: of what is wanted beside, to slice and cluster by.
    """

    text: str = "text"
    id: str | None = "id"
    prompt: str | None = None
    columns: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not self.id:
            object.__setattr__(self, "id", None)
        named = [name for name in (self.text, self.id, self.prompt) if name is not None]
        if not all(isinstance(name, str) and name for name in named):
            given = ", ".join(map(repr, named))
            raise UsageError(f"text_field, id_field and prompt_field are names of fields, not {given}.")
        twice = next((name for name in named if named.count(name) > 1), None)
        if twice is not None:
            raise UsageError(f"text_field, id_field and prompt_field must differ, but two of them are {twice!r}.")

    @property
    def named(self) -> tuple[str, ...]:
        """All that are not None."""
        return tuple(name for name in (self.text, self.id, self.prompt) if name is not None)

    @property
    def are_plain(self) -> bool:
        """Whether none leads to a field of a field, and no others are wanted."""
        return not any("." in name for name in self.named) and not self.columns

    def values(self, row: Mapping[str, Any], where: str) -> Values | None:
        """The columns of a row that are wanted, None where none are.

        Raises:
            UsageError: one holds a list or an object.
        """
        if not self.columns:
            return None
        given = ((name, found(row, name)) for name in self.columns)
        texts = ((name, None if value is MISSING else as_text(value, name, where)) for name, value in given)
        return {name: text for name, text in texts if text is not None}


def found(row: Mapping[str, Any], name: str) -> Any:
    """The value of a field, MISSING where it is not there."""
    if name in row or "." not in name:
        return row.get(name, MISSING)
    value: Any = row
    for part in name.split("."):
        value = value.get(part, MISSING) if isinstance(value, Mapping) else MISSING
    return value


def text_of(row: Mapping[str, Any], name: str, where: str) -> str:
    """The text of a row.

    Raises:
        FormatError: it is missing, null or no string.
    """
    value = found(row, name)
    if isinstance(value, str):
        return value
    raise FormatError(
        f"`{name}` {_kind(value)}, but a text is a string",
        where=where,
        detail=f"The row has {_listed(list(row))}.",
        remedy=f"Name the field with the text: --text-field {_candidate(row, name)}",
    )


def prompt_of(row: Mapping[str, Any], name: str | None, where: str) -> str | None:
    """What the text of a row answers; None where it is null or not wanted.

    Raises:
        FormatError: it is wanted, but missing or no string.
    """
    value = None if name is None else found(row, name)
    if value is None or isinstance(value, str):
        return value
    raise FormatError(
        f"`{name}` {_kind(value)}, but a prompt is a string",
        where=where,
        detail=f"The row has {_listed(list(row))}.",
        remedy="Name the field with the prompt with --prompt-field; a row without a prompt has null there.",
    )


def position(columns: Sequence[str], name: str, option: str, where: str) -> int:
    """Where a column stands in the header of a table, from 0.

    Raises:
        FormatError: it is not there, or twice.
    """
    times = list(columns).count(name)
    if times == 1:
        return list(columns).index(name)
    close = get_close_matches(name, columns, n=1, cutoff=0.4)
    raise FormatError(
        f"{'two columns are' if times else 'no column is'} called {name!r}",
        where=where,
        detail=f"The columns are {_listed(columns)}.",
        remedy=f"Name the column: {option} {close[0] if close and not times else 'NAME'}",
    )


def _kind(value: Any) -> str:
    if value is MISSING:
        return "is missing"
    return "is null" if value is None else f"is of type {type(value).__name__}"


def _listed(names: Sequence[Any]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "no fields"


def _candidate(row: Mapping[str, Any], name: str) -> str:
    """The field that is most likely meant: one with a similar name, else the one with the longest string."""
    strings = {str(key): len(value) for key, value in row.items() if isinstance(value, str)}
    close = get_close_matches(name, strings, n=1)
    return close[0] if close else max(strings, key=strings.__getitem__, default="NAME")
