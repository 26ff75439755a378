"""Rows of a type from JSON, with their lines.

The JSON is JSON lines or one array.

    decoder = msgspec.json.Decoder(Row)
    for line, row in read_rows(source, decoder, REMEDY): ...

JSON lines are read block by block; `read_block_rows` and `read_block_lists` are for readers with blocks of their own.
Blank lines are skipped, and the rows before a fault are yielded before it is raised. Keys that the type does not have
are ignored, unless a `ColumnDecoder` keeps them. A value that means different things in different rows can be left as
JSON, `msgspec.Raw`, and decoded later by `decode_value`.

An array is one JSON document: the whole file is in memory, and broken JSON anywhere in it leaves no row. If several
items share a line, all but the first of the line are also located by their number: `1, item 57`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TypeVar

import msgspec
import numpy as np

from isogloss.errors import FormatError
from isogloss.records.sources import Block, Source

BLOCK_BYTES = 1 << 16  # the rows of a megabyte no longer stay in the processor's cache
ARRAY_REMEDY = (
    "JSON lines hold one object in each line. If the file is one array, convert it: jq -c '.[]' FILE > FILE.jsonl"
)
MULTILINE_REMEDY = (
    "JSON lines hold one object in each line. If yours go over several, convert them: jq -c . FILE > FILE.jsonl"
)
# A line break that is not between the braces of two objects: a blank line, or an object that reaches over two.
# It begins with the line break itself, which makes it five times as fast.
BREAK_ELSEWHERE = re.compile(rb"\n(?:(?<!\}\n)(?<!\}\r\n)|(?!\{|\Z))")
BEGINS = re.compile(rb'\s*(?:\[\s*)?\{\s*["}]')  # an object, or an array of objects
BETWEEN_ITEMS = re.compile(rb"[\s,]*")
BYTE_OFFSET = re.compile(r" \(byte (\d+)\)$")  # at the end of messages of msgspec
NEWLINE, OPENING, CLOSING = b"\n{}"
HALF_SURROGATE = "half a surrogate pair, which is not a character"
T = TypeVar("T")
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])


def read_rows(source: Source, decoder: msgspec.json.Decoder[T], remedy: str) -> Iterator[tuple[int | str, T]]:
    """Read the rows of a file, from the beginning at each call.

    Args:
        source: JSON lines, or one array.
        decoder: converts a row to its type.
        remedy: what a row looks like, for errors.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if it is not JSON, a row is not an object, or a value is of the wrong type.
    """
    if is_array(source):
        for line, raw in read_items(source, remedy):
            yield line, decode_value(decoder, raw, "", source.locate(line), remedy)
        return
    for block in source.blocks(BLOCK_BYTES):
        yield from read_block_rows(source, block, decoder, remedy)


def is_array(source: Source) -> bool:
    """Check whether a file of JSON begins with an array.

    It does if its first character that is not white space opens one.

    Args:
        source: a file of JSON.

    Raises:
        SourceError: if the file cannot be read.
    """
    for block in source.blocks(BLOCK_BYTES):
        text = block.data.lstrip()
        if text:
            return text.startswith(b"[")
    return False


def read_items(source: Source, remedy: str) -> Iterator[tuple[int | str, msgspec.Raw]]:
    """Read the items of an array as JSON, with their lines.

    An item has its number beside the line if another one begins in the same line before it.

    Args:
        source: a file with one array.
        remedy: what the file looks like, for errors.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if it is not JSON, or not an array.
    """
    data = b"".join(block.data for block in source.blocks())
    try:
        items = _ITEMS.decode(data)
    except msgspec.ValidationError as error:
        raise FormatError("is not an array", where=f"{source.name}:1", remedy=remedy) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise _build_array_error(source.name, data, error, remedy) from error
    yield from _number_items(data, items, data.index(b"["), 1)


def locate_items(data: bytes, first_line: int) -> Iterator[tuple[int | str, msgspec.Raw]]:
    """Yield the items of an array as JSON, with their lines.

    Args:
        data: the JSON of an array.
        first_line: the line in which it begins.
    """
    return _number_items(data, _ITEMS.decode(data), data.index(b"["), first_line)


def _number_items(
    data: bytes, items: Sequence[msgspec.Raw], opening: int, first_line: int
) -> Iterator[tuple[int | str, msgspec.Raw]]:
    """Yield items with their lines.

    The array opens at a byte of the data.
    """
    at = opening + 1
    line = first_line + data.count(b"\n", 0, at)
    before = 0
    for number, item in enumerate(items, 1):
        begin = BETWEEN_ITEMS.match(data, at).end()  # type: ignore[union-attr]  # it matches the empty text, too
        line += data.count(b"\n", at, begin)
        yield (f"{line}, item {number}" if line == before else line), item
        before = line
        at = begin + len(bytes(item))
        line += data.count(b"\n", begin, at)


def read_block_rows(
    source: Source, block: Block, decoder: msgspec.json.Decoder[T], remedy: str
) -> Iterator[tuple[int, T]]:
    """Read the rows of a block, each with its line number.

    Args:
        source: source of the block.
        block: whole lines.
        decoder: converts a line to its type.
        remedy: what a row looks like, for errors.

    Raises:
        FormatError: if a line is not JSON or not an object, or a value is of the wrong type.
    """
    rows = decode_block(block, decoder)
    return _read_lines(source, block, decoder, remedy) if rows is None else enumerate(rows, block.first_line)


def read_block_lists(
    source: Source,
    block: Block,
    decoder: msgspec.json.Decoder[T],
    remedy: str,
) -> Iterator[tuple[Sequence[int], list[T]]]:
    """Read a block as lists of line numbers and rows.

    Args:
        source: source of the block.
        block: whole lines.
        decoder: converts a line to its type.
        remedy: what a row looks like, for errors.

    Raises:
        FormatError: if a line is at fault, after the rows before it.
    """
    rows = decode_block(block, decoder)
    if rows is not None:
        yield range(block.first_line, block.first_line + len(rows)), rows
        return
    lines: list[int] = []
    rows = []
    fault: FormatError | None = None
    try:
        for line, row in _read_lines(source, block, decoder, remedy):
            lines.append(line)
            rows.append(row)
    except FormatError as error:
        fault = error
    yield lines, rows
    if fault is not None:
        raise fault


def decode_block(block: Block, decoder: msgspec.json.Decoder[T]) -> list[T] | None:
    """Decode all lines of a block at once.

    It is None if each line must be read by itself, because of a blank line or a fault.

    Args:
        block: whole lines.
        decoder: converts a line to its type.
    """
    try:
        rows = decoder.decode_lines(block.data)
    except (msgspec.DecodeError, RecursionError):
        return None
    return rows if len(rows) == block.lines and _has_object_in_each_line(block) else None


def _has_object_in_each_line(block: Block) -> bool:
    """Check whether each line of a block is one object.

    The block must have as many objects as lines.

    A line break between braces is between two objects: inside an object there is a comma, and strings have no break.
    """
    if not block.data.startswith(b"{"):
        return False
    characters = np.frombuffer(block.data, np.uint8)
    between = characters[1:-1] == NEWLINE
    between &= characters[2:] == OPENING
    between &= characters[:-2] == CLOSING
    return np.count_nonzero(between) == block.lines - 1 or not BREAK_ELSEWHERE.search(block.data)


def decode_value(decoder: msgspec.json.Decoder[T], raw: msgspec.Raw, key: str, where: str, remedy: str) -> T:
    """Decode a value of a row that was left as JSON.

    Args:
        decoder: converts the value to its type.
        raw: the JSON.
        key: its key in the row.
        where: file and line of the row.
        remedy: what the value looks like, for errors.

    Raises:
        FormatError: if it, or something in it, is of the wrong type.
    """
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError as error:
        raise FormatError(_describe_type_error(error, key), where=where, remedy=remedy) from error


def _read_lines(source: Source, block: Block, decoder: msgspec.json.Decoder[T], remedy: str) -> Iterator[tuple[int, T]]:
    for number, line in enumerate(block.data.split(b"\n"), block.first_line):
        if line and not line.isspace():
            try:
                row = decoder.decode(line)
            except (msgspec.DecodeError, RecursionError) as error:
                raise build_line_error(line, error, source.locate(number), remedy) from error
            yield number, row


def build_line_error(line: bytes, error: Exception, where: str, remedy: str) -> FormatError:
    """Build the error for a line that cannot be decoded.

    Args:
        line: the line.
        error: the error of the decoder.
        where: file and line.
        remedy: what a row looks like.
    """
    in_array = line.lstrip()[:1] == b"["
    if isinstance(error, msgspec.ValidationError):
        return FormatError(_describe_type_error(error, ""), where=where, remedy=ARRAY_REMEDY if in_array else remedy)
    if isinstance(error, RecursionError):
        return FormatError("the JSON is nested too deeply", where=where, remedy=remedy)
    if line.strip() == b"{":
        return FormatError("the JSON object does not end in its line", where=where, remedy=MULTILINE_REMEDY)
    reason, at = _explain_broken_json(line.decode(), error)
    return FormatError(f"broken JSON: {reason}", where=f"{where}:{at + 1}", remedy=ARRAY_REMEDY if in_array else remedy)


def _build_array_error(name: str, data: bytes, error: Exception, remedy: str) -> FormatError:
    if isinstance(error, RecursionError):
        return FormatError("the JSON is nested too deeply", where=name, remedy=remedy)
    text = data.decode().rstrip()  # an array that breaks off breaks off in its last line
    reason, at = _explain_broken_json(text, error)
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return FormatError(f"broken JSON: {reason}", where=f"{name}:{line}:{column}", remedy=remedy)


def _explain_broken_json(text: str, error: Exception) -> tuple[str, int]:
    """Return why a text is not JSON, and where, from 0.

    The explanation is that of the json module, or if that reads the text, of msgspec.
    """
    try:
        json.loads(text)
    except json.JSONDecodeError as better:
        return better.msg[:1].lower() + better.msg[1:], better.pos
    except RecursionError:
        pass
    else:
        if (half := find_half_surrogate(text)) is not None:
            return HALF_SURROGATE, half
    byte = BYTE_OFFSET.search(str(error))
    reason = BYTE_OFFSET.sub("", str(error)).rpartition(": ")[2]
    return reason, len(text.encode()[: int(byte[1])].decode("utf-8", "ignore")) if byte else 0


def find_half_surrogate(text: str) -> int | None:
    """Return where JSON has half a surrogate pair; None if nowhere."""
    alone = re.sub(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..", lambda pair: " " * len(pair[0]), text)
    half = re.search(r"\\u[dD][89a-fA-F]", alone)
    return None if half is None else half.start()


def _describe_type_error(error: msgspec.ValidationError, key: str) -> str:
    """Write a type error of msgspec with the place first.

    An example is: `entities[0].start`: expected `int`, got `str`.
    """
    what, _, path = str(error).partition(" - at `$")
    place = f"{key}{path.rstrip('`')}".removeprefix(".")
    return f"`{place}`: {what[:1].lower()}{what[1:]}" if place else f"{what[:1].lower()}{what[1:]}"
