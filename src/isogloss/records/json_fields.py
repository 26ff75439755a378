"""Fields of JSON rows that are decoded when needed, and extra columns.

Formats whose fields have several names or types read each row as a `LazyRow`. Fast readers decode whole blocks to a
type; `ColumnDecoder` extends the type by the columns that the user names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import msgspec

from isogloss.errors import FormatError, UsageError
from isogloss.records.attributes import Values, as_text
from isogloss.records.json_lines import decode_value, read_rows
from isogloss.records.sources import Source, format_place

T = TypeVar("T")
TEXT = msgspec.json.Decoder(str)
NULL = b"null"
UNREADABLE = re.compile(r'["\\\x00-\x1f]')  # in names of columns
_ROW = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ID = msgspec.json.Decoder(str | int)
_OBJECT = msgspec.json.Decoder(dict[str, Any])
_ANY: msgspec.json.Decoder[Any] = msgspec.json.Decoder()


@dataclass(frozen=True)
class LazyRow:
    """Row whose fields are decoded when they are read.

    Args:
        values: fields as JSON.
        line: line in the file.
        name: name of the file.
        remedy: what a row looks like, for errors.
    """

    values: Mapping[str, msgspec.Raw]
    line: int | str
    name: str
    remedy: str

    @property
    def where(self) -> str:
        """File and line."""
        return format_place(self.name, self.line)

    def has(self, key: str) -> bool:
        """Check whether the row has a field that is not null."""
        return key in self.values and memoryview(self.values[key]) != NULL

    def read(self, key: str, decoder: msgspec.json.Decoder[T]) -> T | None:
        """Decode a field; None if it is missing or null.

        Args:
            key: name of the field.
            decoder: converts the field to its type.

        Raises:
            FormatError: if it is of another type.
        """
        if not self.has(key):
            return None
        return decode_value(decoder, self.values[key], key, self.where, self.remedy)

    def read_json(self, key: str) -> Any:
        """Decode a field that the row has, whatever its type.

        Args:
            key: name of the field.

        Raises:
            FormatError: if it has a number that is out of range.
        """
        return decode_value(_ANY, self.values[key], key, self.where, self.remedy)

    def read_first(self, keys: Iterable[str], decoder: msgspec.json.Decoder[T]) -> T | None:
        """Decode the first of some fields that has a value.

        The result is None if no field has a value.

        Args:
            keys: names of fields, in order of preference.
            decoder: converts the field to its type.

        Raises:
            FormatError: if it is of another type.
        """
        return next((self.read(key, decoder) for key in keys if self.has(key)), None)

    def read_id(self, keys: Iterable[str] = ("id",)) -> str | None:
        """Decode the first of some fields as an id.

        The result is None if no field has a value.
        """
        value = self.read_first(keys, _ID)
        return None if value is None else str(value)

    def read_text(self, keys: Iterable[str] = ("text",)) -> str:
        """Decode the first of some fields as a text.

        Args:
            keys: names of fields, in order of preference.

        Raises:
            FormatError: if the row has none of them, or it is not a text.
        """
        text = self.read_first(keys, TEXT)
        if text is None:
            raise self.build_error(f"the row has no `{next(iter(keys))}`")
        return text

    def read_columns(self, names: Sequence[str], within: Sequence[str] = ()) -> Values | None:
        """Return columns that the row has, as text.

        The result is None if no column is named.

        Args:
            names: names of columns.
            within: fields whose objects may have them, searched after the row itself.

        Raises:
            UsageError: if a column has a list or an object.
        """
        if not names:
            return None
        own = {name: self.read_json(name) for name in names if name in self.values}
        objects = [{name: value for name, value in own.items() if name not in within}, *map(self.read_object, within)]
        columns = {name: next((each[name] for each in objects if name in each), None) for name in names}
        texts = {name: as_text(value, name, self.where) for name, value in columns.items()}
        return {name: text for name, text in texts.items() if text is not None}

    def read_object(self, key: str) -> dict[str, Any]:
        """Decode a field that is an object; empty if it is not."""
        raw = self.values.get(key)
        if raw is None or bytes(memoryview(raw)[:1]) != b"{":
            return {}
        return decode_value(_OBJECT, raw, key, self.where, self.remedy)

    def list_columns(self, within: Iterable[str]) -> list[str]:
        """List the fields of the row that can be columns.

        With `within`, the fields of inner objects are listed too.
        """
        own = {key: self.read_json(key) for key in self.values}
        objects = [own, *map(self.read_object, within)]
        return [key for each in objects for key, value in each.items() if isinstance(value, str | int | float)]

    def build_error(self, message: str, remedy: str | None = None) -> FormatError:
        """Build the error for a row that cannot be read.

        Args:
            message: what is wrong.
            remedy: what to do about it; None for what a row looks like.
        """
        return FormatError(message, where=self.where, remedy=self.remedy if remedy is None else remedy)


def read_lazy_rows(source: Source, remedy: str) -> Iterator[LazyRow]:
    """Read the rows of JSON lines, or of one array.

    Args:
        source: the file.
        remedy: what a row looks like, for errors.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if it is not JSON, or a row is not an object.
    """
    for line, values in read_rows(source, _ROW, remedy):
        yield LazyRow(values, line, source.name, remedy)


def list_columns(source: Source, within: Collection[str] = ()) -> list[str]:
    """List the fields of the first row that can be columns.

    Args:
        source: JSON lines, or one array.
        within: fields whose objects may have columns.
    """
    try:
        return next((row.list_columns(within) for row in read_lazy_rows(source, "")), [])
    except FormatError:
        return []


def make_column_lister(source: Source, within: Collection[str] = ()) -> Callable[[], Iterable[str]]:
    """Return a function that lists the columns of a file.

    Args:
        source: JSON lines, or one array.
        within: fields whose objects may have columns.
    """
    return partial(list_columns, source, within)


@dataclass(frozen=True, eq=False)
class ColumnDecoder(Generic[T]):
    """Decoder of rows of a type that also keep some columns.

    Args:
        kind: the type of these rows.
        fields: field of a row for each column.
        decoder: converts a line to this type.
    """

    kind: type[T]
    fields: Mapping[str, str]
    decoder: msgspec.json.Decoder[T]

    @classmethod
    def build(cls, kind: type[T], names: Iterable[str]) -> ColumnDecoder[T]:
        """Extend a type by columns.

        A column that the type already has stays as it is.

        Args:
            kind: type of a row.
            names: columns to keep in addition.

        Raises:
            UsageError: if a name has characters that keys cannot be matched with.
        """
        for name in names:
            if UNREADABLE.search(name):
                raise UsageError(
                    f"The column {name!r} cannot be read: names have no quotes, backslashes or control characters.",
                )
        known = {field.encode_name: field.name for field in msgspec.structs.fields(kind)}  # type: ignore[arg-type]
        more = {f"column_{k}": name for k, name in enumerate(sorted(set(names) - known.keys()))}
        extended: Any = msgspec.defstruct(
            f"{kind.__name__}WithColumns",
            [(field, Any, None) for field in more],
            bases=(kind,),
            rename=more,
            gc=False,
        )
        own = {name: known[name] for name in names if name in known}
        return cls(extended, own | {name: field for field, name in more.items()}, msgspec.json.Decoder(extended))

    def read_columns(self, row: T, where: str) -> Values:
        """Return the columns that a row has, as text.

        Args:
            row: row of the extended type.
            where: file and line of the row.

        Raises:
            UsageError: if a column has a list or an object.
        """
        columns = {}
        for name, field in self.fields.items():
            value = getattr(row, field)
            if isinstance(value, msgspec.Raw):
                value = decode_value(_ANY, value, name, where, "Write a number that is in range, or a string.")
            text = None if value is msgspec.UNSET else as_text(value, name, where)
            if text is not None:
                columns[name] = text
        return columns


def parse_column_names(columns: Sequence[int | str] | None, what: str, most: int = 2) -> tuple[str | None, ...]:
    """Return the names that `--columns` gives, (most,); None for each missing one.

    Args:
        columns: value of the option.
        what: what the names are for, for the error.
        most: maximum number of names.

    Raises:
        UsageError: if they are numbers, or more.
    """
    names = [column for column in columns or () if isinstance(column, str)]
    if columns is not None and (len(names) != len(columns) or not 0 < len(names) <= most):
        raise UsageError(f"columns {','.join(map(str, columns))} cannot be read: give {what}.")
    return (*names, *[None] * (most - len(names)))


def choose_text(texts: Collection[str], name: str | None, row: LazyRow, what: str, meant: Iterable[str] = ()) -> str:
    """Choose a text of a row.

    It is the one named, the one called `text`, the only one, or the one its spans are for.

    Args:
        texts: names of all texts.
        name: name that `--columns` gives; None if it gives none.
        row: the row, for errors.
        what: what errors call a row.
        meant: names of the texts that its spans are for.

    Raises:
        FormatError: if the row has no such text, no text at all, or several.
    """
    if name is not None:
        if name not in texts:
            known = ", ".join(map(repr, texts)) or "none"
            raise row.build_error(f"the {what} has no text {name!r}, but {known}")
        return name
    if not texts:
        raise row.build_error(f"the {what} has no text")
    for names in (["text"], texts, meant):
        fitting = {*names} & {*texts}
        if len(fitting) == 1:
            return fitting.pop()
    raise row.build_error(f"the {what} has several texts: {', '.join(texts)}", "Name one of them: --columns FIELD.")


def check_column_name(name: str, known: Collection[str], what: str, where: str) -> None:
    """Check that a file has a name that `--columns` gives.

    Args:
        name: the name.
        known: names that the file has.
        what: what they name, in the plural.
        where: the file.

    Raises:
        FormatError: if it is not among them.
    """
    if name not in known:
        present = ", ".join(map(repr, sorted(known))) or "none"
        raise FormatError(f"has no {what} {name!r}, but {present}", where=where, remedy="Name them with --columns.")
