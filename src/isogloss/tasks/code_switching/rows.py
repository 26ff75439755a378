"""Which fields of a row hold its text, its id and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from itertools import chain, repeat
from typing import Any, NamedTuple, Protocol

from isogloss.errors import DataError, FormatError, UsageError
from isogloss.records.attributes import Values, as_text
from isogloss.records.pairing import IdHashes, build_repeat_error, hash_ids
from isogloss.records.row_shape import Kind, RowShape
from isogloss.records.sources import Source
from isogloss.tasks.code_switching.given_segments import KEYS

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

    def shape(self) -> RowShape:
        """What rows of tables look like."""
        kinds: dict[str, Kind] = {key: "list" for key in KEYS if key not in self.named}
        if self.prompt is not None:
            kinds[self.prompt] = "optional"
        read = (*self.named, *self.columns, *KEYS)
        return RowShape(
            needed=(self.text,),
            header=f"id,{self.text}",
            row='A row looks like {"id": "1", "text": "Ada ran"}. If the text has another name, say --text-field NAME.',
            kinds={**kinds, self.text: "nullable"},
            plain="If the file has one text in each line, say --input-format lines.",
            check_columns=self.check_columns,
            columns={*read, *(name.partition(".")[0] for name in read)},
            line_of=self.text,
            every_csv=True,
        )

    def check_columns(self, columns: Sequence[str], where: str) -> None:
        """Refuse a table in which a field has no column, or two.

        Args:
            columns: columns of the table.
            where: file and line of the header.

        Raises:
            FormatError: if a column is missing, or two have the same name.
        """
        for option, name in (("text", self.text), ("id", self.id), ("prompt", self.prompt)):
            is_absent_id = name == DEFAULT and name not in columns
            if name is not None and not is_absent_id:
                _check_column(columns, name, f"--{option}-field", where)

    def values(self, row: Mapping[str, Any], where: str) -> Values | None:
        """The columns of a row that are wanted, None where none are.

        Args:
            row: fields of the row by name.
            where: file and line of the row.

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

    Args:
        row: fields of the row by name.
        name: name of the field.
        where: file and line of the row.

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

    Args:
        row: fields of the row by name.
        name: name of the field, None if it is not wanted.
        where: file and line of the row.

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


def _check_column(columns: Sequence[str], name: str, option: str, where: str) -> None:
    times = list(columns).count(name)
    if times == 1 or (not times and "." in name and name.partition(".")[0] in columns):
        return
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


DEFAULT = "id"  # a field of this name is looked for, but need not be there
NUMBERED = "or have them numbered with an empty --id-field."
ABSENT = {type(None)}


class Names:
    """What the rows of one pass are called.

    Args:
        field: where their ids are looked for; None to number them.
        where: what messages call a place.
    """

    def __init__(self, field: str | None, where: Callable[[int], str]) -> None:
        self._field = field
        self._where = where
        self._count = 0
        self._with_ids: bool | None = None
        self._hashes = IdHashes()

    def numbered(self, count: int) -> Iterable[str]:
        """The numbers of the next rows."""
        first = self._count + 1
        self._count += count
        return map(str, range(first, first + count))

    def of(self, ids: Sequence[Any], places: Sequence[int]) -> Iterable[str]:
        """What the next rows are called.

        Args:
            ids: (rows,) their ids; None where they have none.
            places: (rows,) where they are.

        Raises:
            FormatError: an id is neither a string nor a whole number.
            DataError: some rows have an id and others do not.
        """
        if self._field is None or not ids:
            return self.numbered(len(ids))
        kinds = set(map(type, ids))
        if self._with_ids is None:
            self._with_ids = ids[0] is not None
        if not kinds <= ({str, int} if self._with_ids else ABSENT):
            raise self._fault(ids, places)
        if not self._with_ids:
            if self._field != DEFAULT:
                raise self._no_id(places[0])
            return self.numbered(len(ids))
        names = list(map(str, ids))
        self._hashes.extend(hash_ids(names))
        return names

    def check(self, rows: Iterable[tuple[str, int]]) -> None:
        """Fail if an id stands twice. The pass must be over.

        Args:
            rows: names and places of all rows, from a second pass.

        Raises:
            DataError: if one does; it names both places.
        """
        repeat = self._hashes.find_repeat(rows)
        if repeat is not None:
            name, first, second = repeat
            remedy = f"Give every text an id of its own, name another field with --id-field, {NUMBERED}"
            raise build_repeat_error(name, self._where(first), self._where(second), remedy)

    def _fault(self, ids: Sequence[Any], places: Sequence[int]) -> DataError:
        """What is wrong with the first id that is not like those before it."""
        for value, place in zip(ids, places, strict=True):
            absent = value is None
            if not absent and type(value) not in {str, int}:
                return FormatError(
                    f"`{self._field}` is {value!r}",
                    where=self._where(place),
                    remedy="An id is a string or a whole number.",
                )
            if absent is self._with_ids:
                has, others = ("no id", "has one") if absent else ("an id", "has none")
                return DataError(
                    f"the row has {has} in `{self._field}`, but the first {others}",
                    where=self._where(place),
                    remedy=f"Give all rows an id, or none, {NUMBERED}",
                )
        raise AssertionError("all ids are alike")

    def _no_id(self, place: int) -> FormatError:
        return FormatError(
            f"the row has no `{self._field}`",
            where=self._where(place),
            remedy="Name the field with the ids with --id-field, or leave the option out to number the texts.",
        )


BLOCK = 1 << 18  # bytes read at once: what is made of them stays in the processor's cache


class Row(NamedTuple):
    """A text. Positions are half-open and count its code points.

    Args:
        text: as the user gave it, newlines inside allowed.
        place: where it begins: a line of a file from 1, a row of a Parquet file from 1, a position in a list from 0.
        name: its id, or its number from 1.
        sentences: ascending, disjoint; None where they are to be found.
        tokens: likewise; each is within one sentence.
        entities: spans with a label or None; may overlap.
        prompt: what the text answers; None where nobody said.
        columns: what is wanted of the row beside; None where nothing is.
    """

    text: str
    place: int
    name: str
    sentences: tuple[tuple[int, int], ...] | None = None
    tokens: tuple[tuple[int, int], ...] | None = None
    entities: tuple[tuple[int, int, str | None], ...] | None = None
    prompt: str | None = None
    columns: Values | None = None


class Rows(Protocol):
    """Rows that can be read again."""

    @property
    def name(self) -> str:
        """What messages call them: the path, or `texts`."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """The files they are in; none for a list."""

    @property
    def format(self) -> str:
        """What they are kept in: one of `FORMATS`, or `list`."""

    @property
    def columns(self) -> Callable[[], Iterable[str]]:
        """What tells the columns of the rows, as far as the first one has them."""

    def pieces(self, size: int) -> Iterator[list[Row]]:
        """All rows in their order, in lists with about `size` code points of text in all. No list is empty.

        Args:
            size: code points of a list.

        Raises:
            SourceError: a file cannot be read.
            FormatError: a row is not what it should be.
            DataError: a position is not within its text, tokens do not fit their sentences, an id stands twice, or
                only some rows have one.
            MissingExtraError: what reads the format is not installed.
        """

    def where(self, place: int, line: int) -> str:
        """What messages call a spot of a text.

        Args:
            place: of the row.
            line: newlines in the text before the spot. It counts where a text has several lines of its file.
        """


@dataclass(frozen=True, eq=False)
class Readable:
    """Rows of any format.

    Args:
        name: what messages call them.
        sources: the files they are in.
        format: what they are kept in.
        read: hands on all rows in their order, in lists of any length; they are called as it is told.
        spot: what messages call a spot, by place and line.
        id_field: where ids are looked for, None to number the rows.
        columns: the columns of the rows, as far as the first one tells.
    """

    name: str
    sources: tuple[Source, ...]
    format: str
    read: Callable[[Names], Iterator[list[Row]]]
    spot: Callable[[int, int], str]
    id_field: str | None
    columns: Callable[[], Iterable[str]] = tuple

    def pieces(self, size: int) -> Iterator[list[Row]]:
        """All rows, as `Rows` has it."""
        names = self._names()
        yield from _gathered(self.read(names), size)
        names.check((row.name, row.place) for rows in self.read(self._names()) for row in rows)

    def where(self, place: int, line: int) -> str:
        """What messages call a spot of a text."""
        return self.spot(place, line)

    def _names(self) -> Names:
        return Names(self.id_field, lambda place: self.spot(place, 0))


def of_columns(
    texts: Sequence[str],
    places: Iterable[int],
    names: Iterable[str],
    prompts: Iterable[str | None] = repeat(None),
    values: Iterable[Values | None] = repeat(None),
) -> list[Row]:
    """Rows of which nothing is known but these.

    Args:
        texts: (rows,) the texts.
        places: (rows,) where they begin.
        names: (rows,) what they are called.
        prompts: (rows,) what they answer.
        values: (rows,) what is wanted of them beside.
    """
    nothing = repeat(None)
    fields = zip(texts, places, names, nothing, nothing, nothing, prompts, values, strict=False)
    return list(map(partial(tuple.__new__, Row), fields))  # three times as fast as to call Row


def _gathered(lists: Iterable[list[Row]], size: int) -> Iterator[list[Row]]:
    """The rows in lists with at least `size` code points of text; only the last may have less."""
    piece: list[Row] = []
    held = 0
    for row in chain.from_iterable(lists):
        piece.append(row)
        held += len(row[0])
        if held >= size:
            yield piece
            piece, held = [], 0
    if piece:
        yield piece
