"""Lines of JSON to rows of a type: fast for whole blocks, and with file, line and column where a line is at fault.

    ROW = msgspec.json.Decoder(Row)
    for block in source.blocks():
        for line, row in rows_of(source, block, ROW, REMEDY): ...

Blank lines are skipped. The rows before a fault are handed on before it is raised. What a row holds beside its type is
ignored, unless `Columns` keep it; a value that means different things in different rows can be left as JSON,
`msgspec.Raw`, and be read later by `value_of`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np

from isogloss.errors import FormatError, UsageError
from isogloss.records.attributes import Values, as_text
from isogloss.records.sources import Block, Source

NOT_LINES = (
    "JSON lines hold one object in each line. If the file is one array, convert it: jq -c '.[]' FILE > FILE.jsonl"
)
SPREAD = "JSON lines hold one object in each line. If yours go over several, convert them: jq -c . FILE > FILE.jsonl"
# A line break that is not between the braces of two objects: a blank line, or an object that reaches over two.
# It begins with the line break itself, which makes it five times as fast.
BREAK_ELSEWHERE = re.compile(rb"\n(?:(?<!\}\n)(?<!\}\r\n)|(?!\{|\Z))")
UNREADABLE = re.compile(r'["\\\x00-\x1f]')  # in names of columns
NEWLINE, OPENING, CLOSING = b"\n{}"
HALF_PAIR = "half a surrogate pair, which is no character"
T = TypeVar("T")


def rows_of(source: Source, block: Block, decoder: msgspec.json.Decoder[T], remedy: str) -> Iterator[tuple[int, T]]:
    """The rows of a block, each with the number of its line.

    Args:
        source: what the block is of.
        block: whole lines.
        decoder: gives a line its type.
        remedy: what a row looks like, for errors.

    Raises:
        FormatError: a line is no JSON, no object, or a value is not of the type that it should be.
    """
    rows = rows_at_once(block, decoder)
    return _one_by_one(source, block, decoder, remedy) if rows is None else enumerate(rows, block.first_line)


def pieces_of(
    source: Source,
    block: Block,
    decoder: msgspec.json.Decoder[T],
    remedy: str,
) -> Iterator[tuple[Sequence[int], list[T]]]:
    """The rows of a block as lists: the numbers of their lines, and the rows.

    Args:
        source: what the block is of.
        block: whole lines.
        decoder: gives a line its type.
        remedy: what a row looks like, for errors.

    Raises:
        FormatError: as `rows_of`, after the rows before the fault.
    """
    rows = rows_at_once(block, decoder)
    if rows is not None:
        yield range(block.first_line, block.first_line + len(rows)), rows
        return
    lines: list[int] = []
    rows = []
    fault: FormatError | None = None
    try:
        for line, row in _one_by_one(source, block, decoder, remedy):
            lines.append(line)
            rows.append(row)
    except FormatError as error:
        fault = error
    yield lines, rows
    if fault is not None:
        raise fault


def rows_at_once(block: Block, decoder: msgspec.json.Decoder[T]) -> list[T] | None:
    """All rows of a block, None where its lines have to be looked at one by one: a fault, a blank line.

    Args:
        block: whole lines.
        decoder: gives a line its type.
    """
    try:
        rows = decoder.decode_lines(block.data)
    except (msgspec.DecodeError, RecursionError):
        return None
    return rows if len(rows) == block.lines and _is_one_a_line(block) else None


def _is_one_a_line(block: Block) -> bool:
    """Whether there is an object in each line, where there are as many objects as lines.

    A line break between braces is one between two objects: inside one a comma stands there, and strings hold none.
    """
    if not block.data.startswith(b"{"):
        return False
    characters = np.frombuffer(block.data, np.uint8)
    between = characters[1:-1] == NEWLINE
    between &= characters[2:] == OPENING
    between &= characters[:-2] == CLOSING
    return np.count_nonzero(between) == block.lines - 1 or not BREAK_ELSEWHERE.search(block.data)


def value_of(decoder: msgspec.json.Decoder[T], raw: msgspec.Raw, key: str, where: str, remedy: str) -> T:
    """A value of a row that was left as JSON.

    Args:
        decoder: gives it its type.
        raw: the JSON.
        key: its name in the row.
        where: file and line of the row.
        remedy: what it looks like, for errors.

    Raises:
        FormatError: it, or something in it, is not of the type that it should be.
    """
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError as error:
        raise FormatError(_types(error, key), where=where, remedy=remedy) from error


def _one_by_one(source: Source, block: Block, decoder: msgspec.json.Decoder[T], remedy: str) -> Iterator[tuple[int, T]]:
    for number, line in enumerate(block.data.split(b"\n"), block.first_line):
        if line and not line.isspace():
            try:
                row = decoder.decode(line)
            except (msgspec.DecodeError, RecursionError) as error:
                raise _fault(line, error, source.locate(number), remedy) from error
            yield number, row


def _fault(line: bytes, error: Exception, where: str, remedy: str) -> FormatError:
    if isinstance(error, msgspec.ValidationError):
        in_array = line.lstrip()[:1] == b"["
        return FormatError(_types(error, ""), where=where, remedy=NOT_LINES if in_array else remedy)
    if isinstance(error, RecursionError):
        return FormatError("the JSON is nested too deeply", where=where, remedy=remedy)
    reason, column = _broken(line.decode(), str(error))
    if line.lstrip()[:1] == b"[":
        remedy = NOT_LINES
    elif line.strip() == b"{":
        remedy = SPREAD
    return FormatError(f"broken JSON: {reason}", where=f"{where}:{column}", remedy=remedy)


def _broken(line: str, said: str) -> tuple[str, int]:
    """Why a line is no JSON, and the column, from 1: by the json module, or where that takes it, by msgspec."""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return error.msg[:1].lower() + error.msg[1:], error.colno
    except RecursionError:
        return said, 1
    if (half := half_pair(line)) is not None:
        return HALF_PAIR, half + 1
    byte = re.search(r" \(byte (\d+)\)$", said)
    return (said[: byte.start()], len(line.encode()[: int(byte[1])].decode()) + 1) if byte else (said, 1)


def half_pair(text: str) -> int | None:
    """Where JSON has half a surrogate pair, which is no character; None where it has none."""
    alone = re.sub(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..", lambda pair: " " * len(pair[0]), text)
    half = re.search(r"\\u[dD][89a-fA-F]", alone)
    return None if half is None else half.start()


def _types(error: msgspec.ValidationError, key: str) -> str:
    """What msgspec says about a type, with the place first: `entities[0].start`: expected `int`, got `str`."""
    what, _, path = str(error).partition(" - at `$")
    place = f"{key}{path.rstrip('`')}".removeprefix(".")
    return f"`{place}`: {what[:1].lower()}{what[1:]}" if place else f"{what[:1].lower()}{what[1:]}"


@dataclass(frozen=True, eq=False)
class Columns(Generic[T]):
    """Rows of a type that also keep some columns as they are, whatever these hold.

    Args:
        kind: the type of these rows.
        fields: per column the field of a row that has it.
        decoder: gives a line this type.
    """

    kind: type[T]
    fields: Mapping[str, str]
    decoder: msgspec.json.Decoder[T]

    @classmethod
    def beside(cls, kind: type[T], names: Iterable[str]) -> Columns[T]:
        """Rows of a type and of these columns; where the type has one already, it keeps it as it does.

        Args:
            kind: type of a row.
            names: columns to keep in addition.

        Raises:
            UsageError: a name with characters that no key is looked for with.
        """
        for name in names:
            if UNREADABLE.search(name):
                raise UsageError(
                    f"The column {name!r} cannot be read: quotes, backslashes and controls are in no name.",
                )
        known = {field.encode_name: field.name for field in msgspec.structs.fields(kind)}  # type: ignore[arg-type]
        more = {f"column_{k}": name for k, name in enumerate(sorted(set(names) - known.keys()))}
        made: Any = msgspec.defstruct(
            f"{kind.__name__}WithColumns",
            [(field, Any, None) for field in more],
            bases=(kind,),
            rename=more,
            gc=False,
        )
        own = {name: known[name] for name in names if name in known}
        return cls(made, own | {name: field for field, name in more.items()}, msgspec.json.Decoder(made))

    def of(self, row: T, where: str) -> Values:
        """The columns that a row has, as text.

        Args:
            row: of the type.
            where: its place.

        Raises:
            UsageError: one holds a list or an object.
        """
        found = {}
        for name, field in self.fields.items():
            value = getattr(row, field)
            if isinstance(value, msgspec.Raw):
                value = msgspec.json.decode(value)
            text = None if value is msgspec.UNSET else as_text(value, name, where)
            if text is not None:
                found[name] = text
        return found


def columns_of(source: Source) -> list[str]:
    """The columns of the first row whose value is a string, a number or a truth value; none where that is no object."""
    for block in source.blocks():
        for line in block.data.split(b"\n"):
            if line and not line.isspace():
                return _scalars(line)
    return []


def _scalars(line: bytes) -> list[str]:
    try:
        row = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return []
    return [key for key, value in row.items() if isinstance(value, str | int | float)] if isinstance(row, dict) else []
