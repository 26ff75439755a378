"""Rows of a type from a file of JSON lines, or of one JSON array, each with the line where it begins.

    for line, row in rows_of(source, ROW, REMEDY): ...

JSON lines are read block by block. An array is one JSON document: the whole file is in memory, and broken JSON anywhere
in it leaves no row. Where several items of it stand in one line, as programs write it, all but the first of the line
are named by their number, too: `1, item 57`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeVar

import msgspec

from isogloss.exceptions import FormatError
from isogloss.formats import json_lines
from isogloss.formats.json_lines import HALF_PAIR, half_pair, value_of
from isogloss.sources import Source

BLOCK = 1 << 16  # bytes: the rows of a megabyte no longer stay in the processor's cache
BEGINS = re.compile(rb'\s*(?:\[\s*)?\{\s*["}]')  # an object, or an array of objects
BETWEEN = re.compile(rb"[\s,]*")  # items of an array
BYTE = re.compile(r" \(byte (\d+)\)$")  # at the end of what msgspec says
T = TypeVar("T")
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])


def rows_of(source: Source, decoder: msgspec.json.Decoder[T], remedy: str) -> Iterator[tuple[int | str, T]]:
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
            yield line, value_of(decoder, raw, "", f"{source.name}:{line}", remedy)
        return
    for block in source.blocks(BLOCK):
        yield from json_lines.rows_of(source, block, decoder, remedy)


def is_array(source: Source) -> bool:
    """Whether the first character that is no white space opens an array.

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
