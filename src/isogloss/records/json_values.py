"""JSON values of a file, one after another, whatever their layout.

A file may have one value in each line, or one or more values that go over several lines, as `json.dump` with an indent
and the command lines of web services write them.

    for value in read_json_values(source, REMEDY): value.line, value.content

If values go over lines, the whole file is in memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from isogloss.errors import FormatError
from isogloss.records.json_lines import BLOCK_BYTES, build_line_error, locate_items
from isogloss.records.sources import Source

BLANKS = " \t\r\n"
_ANY: msgspec.json.Decoder[Any] = msgspec.json.Decoder()


@dataclass(frozen=True)
class JsonValue:
    """A JSON value of a file.

    Args:
        line: its first line.
        content: the value.
        raw: its JSON.
    """

    line: int
    content: Any
    raw: bytes

    def list_item_lines(self) -> Sequence[int | str]:
        """List the lines of the items of an array.

        An item has its number beside the line if another one begins in the same line before it.
        """
        return [line for line, _ in locate_items(self.raw, self.line)]


def read_json_values(source: Source, remedy: str) -> Iterator[JsonValue]:
    """Read the JSON values of a file.

    Args:
        source: the file.
        remedy: what the file looks like, for errors.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if it is not JSON.
    """
    return _read_lines(source, remedy) if has_value_in_first_line(source) else _read_pieces(source, remedy)


def has_value_in_first_line(source: Source) -> bool:
    """Check whether the first filled line is a JSON value.

    Args:
        source: the file.

    Raises:
        SourceError: if the file cannot be read.
    """
    for block in source.blocks(BLOCK_BYTES):
        text = block.data.lstrip()
        if text:
            try:
                _ANY.decode(text.split(b"\n", 1)[0])
            except (msgspec.DecodeError, RecursionError):
                return False
            return True
    return False


def _read_lines(source: Source, remedy: str) -> Iterator[JsonValue]:
    for block in source.blocks(BLOCK_BYTES):
        for number, line in enumerate(block.data.split(b"\n"), block.first_line):
            if line and not line.isspace():
                try:
                    content = _ANY.decode(line)
                except (msgspec.DecodeError, RecursionError) as error:
                    raise build_line_error(line, error, source.locate(number), remedy) from error
                yield JsonValue(number, content, line)


def _read_pieces(source: Source, remedy: str) -> Iterator[JsonValue]:
    """Read values that go over several lines."""
    text = b"".join(block.data for block in source.blocks()).decode()
    decoder, at, line = json.JSONDecoder(), 0, 1
    while (begin := _skip_blanks(text, at)) < len(text):
        line += text.count("\n", at, begin)
        try:
            _, at = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError) as error:
            raise _build_error(source, text, begin, error, remedy) from error
        raw = text[begin:at].encode()
        yield JsonValue(line, _decode_piece(raw, source.locate(line), remedy), raw)
        line += text.count("\n", begin, at)


def _decode_piece(raw: bytes, where: str, remedy: str) -> Any:
    """Decode a value.

    The json module has read it, which reads more than JSON.
    """
    try:
        return _ANY.decode(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(f"broken JSON: {error}", where=where, remedy=remedy) from error


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in BLANKS:
        at += 1
    return at


def _build_error(source: Source, text: str, begin: int, error: Exception, remedy: str) -> FormatError:
    if isinstance(error, RecursionError):
        return FormatError("the JSON is nested too deeply", where=source.name, remedy=remedy)
    at = error.pos if isinstance(error, json.JSONDecodeError) else begin
    at = min(at, len(text.rstrip()))  # JSON that breaks off breaks off in its last line
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    reason = error.msg[:1].lower() + error.msg[1:] if isinstance(error, json.JSONDecodeError) else str(error)
    return FormatError(f"broken JSON: {reason}", where=f"{source.locate(line)}:{column}", remedy=remedy)
