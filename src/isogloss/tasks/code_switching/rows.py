"""Texts to score as rows, their input fields, and their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from itertools import repeat
from typing import Any, Literal, NamedTuple

from isogloss.errors import DataError, FormatError, UsageError
from isogloss.records.attributes import Values, as_text
from isogloss.records.pairing import IdHashes, build_repeat_error, hash_ids
from isogloss.records.row_shape import Kind, RowShape
from isogloss.tasks.code_switching.given_segments import SEGMENT_KEYS, EntitySpan, TextSpan, parse_segments

MISSING = object()  # the value of a field that a row does not have


class TextRow(NamedTuple):
    """A text. Spans are half-open and count its code points.

    Args:
        text: as the user gave it; may have newlines.
        place: where it begins: a line of a file from 1, a row of a Parquet file from 1, a position in a list from 0.
        name: its id, or its number from 1.
        sentences: ascending and disjoint; None if they are not given.
        tokens: ascending and disjoint, each within one sentence; None if they are not given.
        entities: spans with a label or None; may overlap; None if they are not given.
        prompt: the prompt that the text answers, if known.
        columns: values to slice and cluster by; None if no columns are read.
    """

    text: str
    place: int
    name: str
    sentences: Sequence[TextSpan] | None = None
    tokens: Sequence[TextSpan] | None = None
    entities: tuple[EntitySpan, ...] | None = None
    prompt: str | None = None
    columns: Values | None = None


def build_rows(
    texts: Sequence[str],
    places: Iterable[int],
    names: Iterable[str],
    prompts: Iterable[str | None] = repeat(None),
    columns: Iterable[Values | None] = repeat(None),
) -> list[TextRow]:
    """Build rows without given sentences, tokens and entities.

    Each argument has the values of a field: (rows,).
    """
    nothing = repeat(None)
    fields = zip(texts, places, names, nothing, nothing, nothing, prompts, columns, strict=False)
    return list(map(partial(tuple.__new__, TextRow), fields))  # three times as fast as to call TextRow


@dataclass(frozen=True)
class TextFields:
    """The names of fields, or of columns of a table.

    In rows that are objects, a name with dots such as `response.text` is a field of a field, unless the row has a
    field of exactly this name.

    Args:
        text: field of the text.
        id: field of the id; None or empty to number the texts.
        prompt: field of the prompt that a text answers; None to read no prompts.
        columns: further fields, to slice and cluster by.
    """

    text: str = "text"
    id: str | None = "id"
    prompt: str | None = None
    columns: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not self.id:
            object.__setattr__(self, "id", None)
        if not all(isinstance(name, str) and name for name in self.names):
            given = ", ".join(map(repr, self.names))
            raise UsageError(f"text_field, id_field and prompt_field are names of fields, not {given}.")
        twice = next((name for name in self.names if self.names.count(name) > 1), None)
        if twice is not None:
            raise UsageError(f"text_field, id_field and prompt_field must differ, but two of them are {twice!r}.")

    @property
    def names(self) -> tuple[str, ...]:
        """The fields of text, id and prompt that are read."""
        return tuple(name for name in (self.text, self.id, self.prompt) if name is not None)

    @property
    def is_nested(self) -> bool:
        """Whether a name may be a field of a field."""
        return any("." in name for name in (*self.names, *self.columns))

    def make_shape(self) -> RowShape:
        """Return what rows of tables look like."""
        kinds: dict[str, Kind] = {key: "list" for key in SEGMENT_KEYS if key not in self.names}
        if self.prompt is not None:
            kinds[self.prompt] = "optional"
        read = (*self.names, *self.columns, *SEGMENT_KEYS)
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
            is_absent_id = name == DEFAULT_ID and name not in columns
            if name is not None and not is_absent_id:
                _check_column(columns, name, f"--{option}-field", where)

    def build_row(self, mapping: Mapping[str, Any], place: int, names: RowNames, where: str) -> TextRow:
        """Build a row from an object.

        Args:
            mapping: fields of the object by name.
            place: its place.
            names: names the row.
            where: file and line of the object, for messages.

        Raises:
            FormatError: if a field is missing, or has a wrong type.
            DataError: if sentences, tokens or entities do not fit the text or each other.
            UsageError: if a column has a list or an object.
        """
        text = self._get_string(mapping, self.text, "text", where)
        given_id = None if self.id is None else _get_field(mapping, self.id)
        (name,) = names.name_rows([None if given_id is MISSING else given_id], [place])
        prompt = None
        if self.prompt is not None and _get_field(mapping, self.prompt) is not None:
            prompt = self._get_string(mapping, self.prompt, "prompt", where)
        taken = {field.partition(".")[0] for field in self.names}
        segments = {key: mapping[key] for key in SEGMENT_KEYS if key in mapping and key not in taken}
        columns = self._get_columns(mapping, where) if self.columns else None
        row = TextRow(text, place, name, prompt=prompt, columns=columns)
        return row._replace(**parse_segments(segments, text, where)._asdict()) if segments else row

    def _get_string(self, mapping: Mapping[str, Any], name: str, role: Literal["text", "prompt"], where: str) -> str:
        value = _get_field(mapping, name)
        if isinstance(value, str):
            return value
        what = {id(MISSING): "is missing", id(None): "is null"}.get(id(value), f"is of type {type(value).__name__}")
        raise FormatError(
            f"`{name}` {what}, but a {role} is a string",
            where=where,
            detail=f"The row has {_quote_names(list(mapping))}.",
            remedy=f"Name the field with the text: --text-field {_suggest_field(mapping, name)}"
            if role == "text"
            else "Name the field with the prompt with --prompt-field; a row without a prompt has null there.",
        )

    def _get_columns(self, mapping: Mapping[str, Any], where: str) -> Values:
        values = ((name, _get_field(mapping, name)) for name in self.columns)
        texts = ((name, None if value is MISSING else as_text(value, name, where)) for name, value in values)
        return {name: text for name, text in texts if text is not None}


def _get_field(mapping: Mapping[str, Any], name: str) -> Any:
    """Return the value of a field, `MISSING` if there is none."""
    if name in mapping or "." not in name:
        return mapping.get(name, MISSING)
    value: Any = mapping
    for part in name.split("."):
        value = value.get(part, MISSING) if isinstance(value, Mapping) else MISSING
    return value


def _check_column(columns: Sequence[str], name: str, option: str, where: str) -> None:
    times = list(columns).count(name)
    if times == 1 or (not times and "." in name and name.partition(".")[0] in columns):
        return
    close = get_close_matches(name, columns, n=1, cutoff=0.4)
    raise FormatError(
        f"{'two columns are' if times else 'no column is'} called {name!r}",
        where=where,
        detail=f"The columns are {_quote_names(columns)}.",
        remedy=f"Name the column: {option} {close[0] if close and not times else 'NAME'}",
    )


def _quote_names(names: Sequence[Any]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "no fields"


def _suggest_field(mapping: Mapping[str, Any], name: str) -> str:
    """Return the field that probably has the text, by name or length."""
    strings = {str(key): len(value) for key, value in mapping.items() if isinstance(value, str)}
    close = get_close_matches(name, strings, n=1)
    return close[0] if close else max(strings, key=strings.__getitem__, default="NAME")


DEFAULT_ID = "id"  # rows need not have this field
NUMBERED_REMEDY = "or have them numbered with an empty --id-field."


class RowNames:
    """The names of the rows of one pass: ids or numbers.

    Args:
        field: field of the ids; None to number the rows.
        locate: returns the location of a place, for messages.
    """

    def __init__(self, field: str | None, locate: Callable[[int], str]) -> None:
        self._field = field
        self._locate = locate
        self._count = 0
        self._has_ids: bool | None = None
        self._hashes = IdHashes()

    def number_rows(self, count: int) -> Iterable[str]:
        """Return the numbers of the next rows."""
        first = self._count + 1
        self._count += count
        return map(str, range(first, first + count))

    def name_rows(self, ids: Sequence[Any], places: Sequence[int]) -> Iterable[str]:
        """Return the names of the next rows.

        Args:
            ids: (rows,) their ids, None for rows without id.
            places: (rows,) their places.

        Raises:
            FormatError: if an id is neither a string nor a whole number, or rows lack the field that the user named.
            DataError: if some rows have an id and others do not.
        """
        if self._field is None or not ids:
            return self.number_rows(len(ids))
        if self._has_ids is None:
            self._has_ids = ids[0] is not None
        if not set(map(type, ids)) <= ({str, int} if self._has_ids else {type(None)}):
            raise self._find_fault(ids, places)
        if self._has_ids:
            names = list(map(str, ids))
            self._hashes.extend(hash_ids(names))
            return names
        if self._field != DEFAULT_ID:
            raise FormatError(
                f"the row has no `{self._field}`",
                where=self._locate(places[0]),
                remedy="Name the field with the ids with --id-field, or leave the option out to number the texts.",
            )
        return self.number_rows(len(ids))

    def check_repeats(self, rows: Iterable[tuple[str, int]]) -> None:
        """Refuse an id that two rows have, after the pass.

        Args:
            rows: names and places of all rows, from a second pass.

        Raises:
            DataError: if two rows have the same id; it names both places.
        """
        repeated = self._hashes.find_repeat(rows)
        if repeated is not None:
            name, first, second = repeated
            remedy = f"Give every text an id of its own, name another field with --id-field, {NUMBERED_REMEDY}"
            raise build_repeat_error(name, self._locate(first), self._locate(second), remedy)

    def _find_fault(self, ids: Sequence[Any], places: Sequence[int]) -> DataError:
        """Return the error for the first id unlike those before it."""
        allowed = {str, int} if self._has_ids else {type(None)}
        value, place = next(pair for pair in zip(ids, places, strict=True) if type(pair[0]) not in allowed)
        if value is not None and type(value) not in {str, int}:
            return FormatError(
                f"`{self._field}` is {value!r}",
                where=self._locate(place),
                remedy="An id is a string or a whole number.",
            )
        has, others = ("no id", "has one") if value is None else ("an id", "has none")
        return DataError(
            f"the row has {has} in `{self._field}`, but the first {others}",
            where=self._locate(place),
            remedy=f"Give all rows an id, or none, {NUMBERED_REMEDY}",
        )
