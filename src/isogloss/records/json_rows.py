"""Rows of a type from a file of JSON lines, or of one JSON array, each with the line where it begins.

    for line, row in rows_of(source, ROW, REMEDY): ...

JSON lines are read block by block. An array is one JSON document: the whole file is in memory, and broken JSON anywhere
in it leaves no row. Where several items of it stand in one line, as programs write it, all but the first of the line
are named by their number, too: `1, item 57`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import msgspec

from isogloss.errors import FormatError, UsageError
from isogloss.records import json_lines
from isogloss.records.attributes import Values, as_text
from isogloss.records.json_lines import HALF_PAIR, half_pair, value_of
from isogloss.records.sources import Source

BLOCK = 1 << 16  # bytes: the rows of a megabyte no longer stay in the processor's cache
BEGINS = re.compile(rb'\s*(?:\[\s*)?\{\s*["}]')  # an object, or an array of objects
BETWEEN = re.compile(rb"[\s,]*")  # items of an array
BYTE = re.compile(r" \(byte (\d+)\)$")  # at the end of what msgspec says
T = TypeVar("T")
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])


def read_rows(source: Source, decoder: msgspec.json.Decoder[T], remedy: str) -> Iterator[tuple[int | str, T]]:
    """The rows of a file, from the beginning at each call.

    Args:
        source: JSON lines, or one array.
        decoder: gives a row its type.
        remedy: what a row looks like, for errors.

    Raises:
        SourceError: the file cannot be read.
        FormatError: it is no JSON, a row is no object, or a value is not of the type that it should be.
    """
    if is_array(source):
        for line, raw in items_of(source, remedy):
            yield line, value_of(decoder, raw, "", source.locate(line), remedy)
        return
    for block in source.blocks(BLOCK):
        yield from json_lines.rows_of(source, block, decoder, remedy)


def is_array(source: Source) -> bool:
    """Whether the first character that is no white space opens an array.

    Args:
        source: a file of JSON.

    Raises:
        SourceError: the file cannot be read.
    """
    for block in source.blocks(BLOCK):
        text = block.data.lstrip()
        if text:
            return text.startswith(b"[")
    return False


def items_of(source: Source, remedy: str) -> Iterator[tuple[int | str, msgspec.Raw]]:
    """The items of an array as JSON, each with its line, and its number from 1 where another stands before it there.

    Args:
        source: a file that holds one array.
        remedy: what it looks like, for errors.

    Raises:
        SourceError: the file cannot be read.
        FormatError: it is no JSON, or no array.
    """
    data = b"".join(block.data for block in source.blocks())
    try:
        items = _ITEMS.decode(data)
    except msgspec.ValidationError as error:
        raise FormatError("holds no array", where=f"{source.name}:1", remedy=remedy) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise _broken(source.name, data, error, remedy) from error
    at = data.index(b"[") + 1
    line = 1 + data.count(b"\n", 0, at)
    before = 0
    for number, item in enumerate(items, 1):
        begin = BETWEEN.match(data, at).end()  # type: ignore[union-attr]  # it matches the empty text, too
        line += data.count(b"\n", at, begin)
        yield (f"{line}, item {number}" if line == before else line), item
        before = line
        at = begin + len(bytes(item))
        line += data.count(b"\n", begin, at)


def _broken(name: str, data: bytes, error: Exception, remedy: str) -> FormatError:
    """The error for what is no JSON, with line and column, from 1: by the json module, or where that takes it, ours."""
    if isinstance(error, RecursionError):
        return FormatError("the JSON is nested too deeply", where=name, remedy=remedy)
    text = data.decode().rstrip()  # what breaks off, breaks off in its last line
    byte = BYTE.search(str(error))
    reason = BYTE.sub("", str(error)).rpartition(": ")[2]
    at = len(data[: int(byte[1])].decode("utf-8", "ignore")) if byte else 0
    try:
        json.loads(text)
    except json.JSONDecodeError as better:
        reason, at = better.msg[:1].lower() + better.msg[1:], better.pos
    except RecursionError:
        pass
    else:
        if (half := half_pair(text)) is not None:
            reason, at = HALF_PAIR, half
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return FormatError(f"broken JSON: {reason}", where=f"{name}:{line}:{column}", remedy=remedy)


V = TypeVar("V")
TEXT = msgspec.json.Decoder(str)
NULL = b"null"
_ROW = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ID = msgspec.json.Decoder(str | int)
_OBJECT = msgspec.json.Decoder(dict[str, Any])


@dataclass(frozen=True)
class Fields:
    """A row.

    Args:
        values: its fields, as JSON.
        line: where it is in its file.
        name: of the file.
        remedy: what a row looks like, for errors.
    """

    values: Mapping[str, msgspec.Raw]
    line: int | str
    name: str
    remedy: str

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.name}:{self.line}"

    def has(self, key: str) -> bool:
        """Whether it has a field that is not null."""
        return key in self.values and memoryview(self.values[key]) != NULL

    def read(self, key: str, decoder: msgspec.json.Decoder[V]) -> V | None:
        """A field, None where it has none or null.

        Args:
            key: its name.
            decoder: gives it its type.

        Raises:
            FormatError: it is of another type.
        """
        if not self.has(key):
            return None
        return value_of(decoder, self.values[key], key, self.where, self.remedy)

    def first(self, keys: Iterable[str], decoder: msgspec.json.Decoder[V]) -> V | None:
        """The first of some fields that it has, None where it has none of them: as `read`."""
        return next((self.read(key, decoder) for key in keys if self.has(key)), None)

    def id(self, keys: Iterable[str] = ("id",)) -> str | None:
        """The first of some fields that it has, as text."""
        found = self.first(keys, _ID)
        return None if found is None else str(found)

    def text(self, keys: Iterable[str] = ("text",)) -> str:
        """The first of some fields that it has.

        Args:
            keys: names of fields, in order of preference.

        Raises:
            FormatError: it has none of them, or it is no text.
        """
        found = self.first(keys, TEXT)
        if found is None:
            raise self.fault(f"the row has no `{next(iter(keys))}`")
        return found

    def columns(self, wanted: Sequence[str], within: Sequence[str] = ()) -> Values | None:
        """What is wanted of a document beside what is scored, None where nothing is.

        Args:
            wanted: names of columns.
            within: fields that may hold them, looked into after the row itself.

        Raises:
            UsageError: a column holds a list or an object.
        """
        if not wanted:
            return None
        own = {name: msgspec.json.decode(self.values[name]) for name in wanted if name in self.values}
        objects = [{name: value for name, value in own.items() if name not in within}, *map(self.mapping, within)]
        found = {name: next((each[name] for each in objects if name in each), None) for name in wanted}
        texts = {name: as_text(value, name, self.where) for name, value in found.items()}
        return {name: text for name, text in texts.items() if text is not None}

    def mapping(self, key: str) -> dict[str, Any]:
        """A field that holds others; nothing where it is no object."""
        raw = self.values.get(key)
        return _OBJECT.decode(raw) if raw is not None and bytes(memoryview(raw)[:1]) == b"{" else {}

    def scalars(self, within: Iterable[str]) -> list[str]:
        """The names of what can be a column, in the row or in the fields that may hold some."""
        own = {key: msgspec.json.decode(raw) for key, raw in self.values.items()}
        objects = [own, *map(self.mapping, within)]
        return [key for each in objects for key, value in each.items() if isinstance(value, str | int | float)]

    def fault(self, message: str, remedy: str | None = None) -> FormatError:
        """The error for a row that cannot be read.

        Args:
            message: what is wrong.
            remedy: what to do about it; None for what a row looks like.
        """
        return FormatError(message, where=self.where, remedy=self.remedy if remedy is None else remedy)


def read_lazy_rows(source: Source, remedy: str) -> Iterator[Fields]:
    """The rows of JSON lines, or of one array.

    Args:
        source: the file.
        remedy: what a row looks like, for errors.

    Raises:
        SourceError: the file cannot be read.
        FormatError: it is no JSON, or a row is no object.
    """
    for line, values in read_rows(source, _ROW, remedy):
        yield Fields(values, line, source.name, remedy)


def columns_of(source: Source, within: Collection[str] = ()) -> Callable[[], Iterable[str]]:
    """The columns that a file has, as far as its first row tells.

    Args:
        source: the file.
        within: fields that may hold some.
    """
    return partial(_columns, source, within)


def _columns(source: Source, within: Collection[str]) -> list[str]:
    for row in read_lazy_rows(source, ""):
        return row.scalars(within)
    return []


def named(columns: Sequence[int | str] | None, what: str, most: int = 2) -> tuple[str | None, ...]:
    """The names that `--columns` gives, (most,); None for each that it does not.

    Args:
        columns: some names.
        what: what they are, for the error.
        most: how many there may be.

    Raises:
        UsageError: they are numbers, or more.
    """
    names = [column for column in columns or () if isinstance(column, str)]
    if columns is not None and (len(names) != len(columns) or not 0 < len(names) <= most):
        raise UsageError(f"columns {','.join(map(str, columns))} cannot be read: give {what}.")
    return (*names, *[None] * (most - len(names)))


def text_key(texts: Collection[str], wanted: str | None, row: Fields, what: str, meant: Iterable[str] = ()) -> str:
    """Which of the texts of a row counts: the one that is wanted, that called `text`, the only one, or the one meant.

    Args:
        texts: the names of all.
        wanted: the name that `--columns` gives, None where it gives none.
        row: for errors.
        what: what a row is called in errors.
        meant: names that its spans have for texts.

    Raises:
        FormatError: it has no such text, none at all, or several.
    """
    if wanted is not None:
        if wanted not in texts:
            known = ", ".join(map(repr, texts)) or "none"
            raise row.fault(f"the {what} has no text {wanted!r}, but {known}")
        return wanted
    if not texts:
        raise row.fault(f"the {what} has no text")
    for names in (["text"], texts, meant):
        fitting = {*names} & {*texts}
        if len(fitting) == 1:
            return fitting.pop()
    raise row.fault(f"the {what} has several texts: {', '.join(texts)}", "Name one of them: --columns FIELD.")


def check_name(wanted: str, known: Collection[str], what: str, where: str) -> None:
    """Refuse a name that nothing in a file has.

    Args:
        wanted: the name that `--columns` gives.
        known: those that the file has.
        what: what they name, in the plural.
        where: the file.

    Raises:
        FormatError: it is not among them.
    """
    if wanted not in known:
        found = ", ".join(map(repr, sorted(known))) or "none"
        raise FormatError(f"has no {what} {wanted!r}, but {found}", where=where, remedy="Name them with --columns.")
