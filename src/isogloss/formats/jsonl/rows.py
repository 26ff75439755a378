"""One line of JSON to a row with the expected types, or an error with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TypeVar

import msgspec

from isogloss.exceptions import FormatError
from isogloss.formats.span_pairing import Triple
from isogloss.sources import Block, Source

REMEDY = 'A row looks like {"id": "1", "text": "Ada met Bob", "entities": [{"start": 0, "end": 3, "label": "PER"}]}.'
NOT_LINES = (
    "JSON lines hold one object in each line. If the file is one array, convert it: jq -c '.[]' FILE > FILE.jsonl"
)

TOKENS = (
    'With tags, a row has tokens such as {"start": 0, "end": 3}, as many as tags; both count code points of the text.'
)
MOST = 1 << 62  # what a position stays below
T = TypeVar("T")


class Entity(msgspec.Struct, gc=False):
    """A span written as an object."""

    start: int
    end: int
    label: str


class Token(msgspec.Struct, gc=False):
    """Where a token stands in the text."""

    start: int
    end: int


class Row(msgspec.Struct, gc=False):
    """What a line may hold. What is only looked at without `entities` is left as JSON: it may mean something else."""

    id: str | int | None = None
    text: str | None = None
    entities: list[Entity | tuple[int, int, str]] | msgspec.UnsetType = msgspec.UNSET
    spans: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    tokens: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    tags: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET

    @property
    def name(self) -> str | None:
        """The id as text."""
        return None if self.id is None else str(self.id)


_ROW = msgspec.json.Decoder(Row)
_SPANS = msgspec.json.Decoder(list[Entity | tuple[int, int, str]])
_TOKENS = msgspec.json.Decoder(list[Token])
_TAGS = msgspec.json.Decoder(list[str])


def rows_of(source: Source, block: Block) -> Iterator[tuple[int, Row]]:
    """The rows of a block, each with the number of its line.

    Args:
        source: what the block is of.
        block: whole lines.

    Raises:
        FormatError: a line is no JSON, no object, or a value is not of the type that it should be.
    """
    try:
        rows = _ROW.decode_lines(block.data)
    except (msgspec.DecodeError, RecursionError):
        return _one_by_one(source, block)
    if len(rows) != block.data.count(b"\n"):  # blank lines, or an object in several
        return _one_by_one(source, block)
    return enumerate(rows, block.first_line)


def _one_by_one(source: Source, block: Block) -> Iterator[tuple[int, Row]]:
    for number, line in enumerate(block.data.split(b"\n"), block.first_line):
        if line and not line.isspace():
            try:
                row = _ROW.decode(line)
            except (msgspec.DecodeError, RecursionError) as error:
                raise _fault(line, error, f"{source.name}:{number}") from error
            yield number, row


def spans_of(row: Row, name: str, line: int) -> Sequence[Triple] | None:
    """The spans of a row as they stand, None where it has tags instead.

    Args:
        row: a row.
        name: of its file.
        line: its line.

    Raises:
        FormatError: `spans` are not of the types that they should be, or it has neither spans nor tags.
    """
    entities = row.entities
    if entities is msgspec.UNSET:
        if row.spans is not msgspec.UNSET:
            entities = _part(_SPANS, row.spans, "spans", f"{name}:{line}")
        elif row.tags is not msgspec.UNSET:
            return None
        else:
            raise FormatError("the row has neither `entities` nor `tags`", where=f"{name}:{line}", remedy=REMEDY)
    if not entities:
        return ()
    return [(item.start, item.end, item.label) if isinstance(item, Entity) else item for item in entities]


def tags_of(row: Row, where: str) -> tuple[list[Token], list[str]]:
    """The tokens of a row and their tags.

    Args:
        row: a row with `tags`.
        where: its file and line.

    Raises:
        FormatError: tokens or tags are missing or not what they should be, or there are not as many of both.
    """
    if row.tokens is msgspec.UNSET or row.tags is msgspec.UNSET:
        raise FormatError("the row has `tags`, but no `tokens`", where=where, remedy=TOKENS)
    tokens = _part(_TOKENS, row.tokens, "tokens", where)
    tags = _part(_TAGS, row.tags, "tags", where)
    if len(tokens) != len(tags):
        raise FormatError(f"the row has {len(tokens)} tokens, but {len(tags)} tags", where=where, remedy=TOKENS)
    if not all(tags):
        message = f"`tags[{tags.index('')}]` is empty"
        raise FormatError(message, where=where, remedy="The tag of a token without a name is 'O'.")
    _check_order(tokens, where)
    return tokens, tags


def _check_order(tokens: list[Token], where: str) -> None:
    end = 0
    for at, token in enumerate(tokens):
        if not end <= token.start < token.end < MOST:
            message = f"`tokens[{at}]`, [{token.start}, {token.end}), is empty or does not begin at {end} or later"
            raise FormatError(message, where=where, remedy="List the tokens in the order of the text.")
        end = token.end


def _part(decoder: msgspec.json.Decoder[T], raw: msgspec.Raw, key: str, where: str) -> T:
    """A value of a row that was left as JSON."""
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError as error:
        raise FormatError(_types(error, key), where=where, remedy=TOKENS if key == "tokens" else REMEDY) from error


def _fault(line: bytes, error: Exception, where: str) -> FormatError:
    if isinstance(error, msgspec.ValidationError):
        return FormatError(_types(error, ""), where=where, remedy=NOT_LINES if line.lstrip()[:1] == b"[" else REMEDY)
    if isinstance(error, RecursionError):
        return FormatError("the JSON is nested too deeply", where=where, remedy=REMEDY)
    reason, column = _broken(line.decode(), str(error))
    remedy = NOT_LINES if line.lstrip()[:1] == b"[" or line.strip() == b"{" else REMEDY
    return FormatError(f"broken JSON: {reason}", where=f"{where}:{column}", remedy=remedy)


def _broken(line: str, said: str) -> tuple[str, int]:
    """Why a line is no JSON, and the column, from 1: by the json module, or where that takes it, by msgspec."""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return error.msg[:1].lower() + error.msg[1:], error.colno
    except RecursionError:
        return said, 1
    alone = re.sub(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..", lambda pair: " " * len(pair[0]), line)
    if half := re.search(r"\\u[dD][89a-fA-F]", alone):
        return "half a surrogate pair, which is no character", half.start() + 1
    byte = re.search(r" \(byte (\d+)\)$", said)
    return (said[: byte.start()], len(line.encode()[: int(byte[1])].decode()) + 1) if byte else (said, 1)


def _types(error: msgspec.ValidationError, key: str) -> str:
    """What msgspec says about a type, with the place first: `entities[0].start`: expected `int`, got `str`."""
    what, _, path = str(error).partition(" - at `$")
    place = f"{key}{path.rstrip('`')}".removeprefix(".")
    return f"`{place}`: {what[:1].lower()}{what[1:]}" if place else f"{what[:1].lower()}{what[1:]}"
