from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import FormatError
from isogloss.records.json_lines import decode_block, decode_value, read_block_lists, read_block_rows
from isogloss.records.sources import Block, Source


class Point(msgspec.Struct):
    x: int
    name: msgspec.Raw = msgspec.Raw(b"null")


POINT = msgspec.json.Decoder(Point)
NAMES = msgspec.json.Decoder(list[str])
ANYTHING = msgspec.json.Decoder(dict[str, Any])
REMEDY = 'Write {"x": 1}.'


def block_of(path: Path, text: str) -> tuple[Source, Block]:
    path.write_text(text, encoding="utf-8", newline="")
    source = Source(path)
    return source, next(source.blocks())


def test_rows_come_with_their_lines_and_blank_lines_are_skipped(tmp_path: Path) -> None:
    source, block = block_of(tmp_path / "f", '{"x": 1}\n\n  \n{"x": 2}\n')
    assert [(line, row.x) for line, row in read_block_rows(source, block, POINT, REMEDY)] == [(1, 1), (4, 2)]


def test_a_sound_block_is_one_piece(tmp_path: Path) -> None:
    source, block = block_of(tmp_path / "f", '{"x": 1}\n{"x": 2}\n')
    [(lines, rows)] = read_block_lists(source, block, POINT, REMEDY)
    assert (list(lines), [row.x for row in rows]) == ([1, 2], [1, 2])


@pytest.mark.parametrize(
    "text",
    [
        '{"x": 1}\n\n',
        '\n{"x": 1}\n',
        '{"x": 1}\n{"x": "1"}\n',
        '{"x": 1} {"x": 2}\n',
        '{"x":\n1}\n',
        '{"x": 1}{"x": 2}\n{"x":\n3}\n',
        '{"x": 1}{"x": 2}\n{"y": {}\n, "x": 3}\n',
        '{"x": 1}{"x": 2}\r\n\r\n',
    ],
)
def test_a_block_with_anything_but_one_sound_row_a_line_is_not_read_at_once(tmp_path: Path, text: str) -> None:
    _, block = block_of(tmp_path / "f", text)
    assert decode_block(block, POINT) is None


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_of_one_object_each_are_read_at_once(tmp_path: Path, end: str) -> None:
    _, block = block_of(tmp_path / "f", f'{{"x": 1}}{end}{{"x": 2, "y": "}}\\n{{"}}{end}')
    assert [row.x for row in decode_block(block, POINT) or ()] == [1, 2]


def test_the_rows_before_a_fault_are_handed_on_first(tmp_path: Path) -> None:
    source, block = block_of(tmp_path / "f", '{"x": 1}\n{"x": \n{"x": 3}\n')
    pieces = read_block_lists(source, block, POINT, REMEDY)
    lines, rows = next(pieces)
    assert (list(lines), [row.x for row in rows]) == ([1], [1])
    with pytest.raises(FormatError, match=r"f:2:7: broken JSON: expecting value"):
        next(pieces)


def test_a_wrong_type_is_told_with_its_place_and_the_remedy(tmp_path: Path) -> None:
    source, block = block_of(tmp_path / "f", '{"x": "one"}\n')
    with pytest.raises(FormatError, match=r"f:1: `x`: expected `int`, got `str`\nWrite") as raised:
        list(read_block_rows(source, block, POINT, REMEDY))
    assert raised.value.remedy == REMEDY


def test_an_array_in_place_of_lines_is_answered_with_how_to_convert_it(tmp_path: Path) -> None:
    source, block = block_of(tmp_path / "f", '[{"x": 1},\n{"x": 2}]\n')
    with pytest.raises(FormatError, match="jq -c"):
        list(read_block_rows(source, block, POINT, REMEDY))


def test_an_object_over_several_lines_is_answered_with_how_to_put_it_into_one(tmp_path: Path) -> None:
    source, block = block_of(tmp_path / "f", '{\n  "x": 1\n}\n')
    with pytest.raises(FormatError, match=r"jq -c \. FILE"):
        list(read_block_rows(source, block, POINT, REMEDY))


def test_json_that_is_nested_too_deeply_is_an_error_with_its_place(tmp_path: Path) -> None:
    source, block = block_of(tmp_path / "f", '{"y": ' + "[" * 100_000 + "\n")
    with pytest.raises(FormatError, match=r"f:1"):
        list(read_block_rows(source, block, POINT, REMEDY))


def test_a_value_left_as_json_is_read_later() -> None:
    assert decode_value(NAMES, msgspec.Raw(b'["a"]'), "names", "f:1", REMEDY) == ["a"]
    with pytest.raises(FormatError, match=r"f:1: `names\[1\]`: expected `str`, got `int`"):
        decode_value(NAMES, msgspec.Raw(b'["a", 2]'), "names", "f:1", REMEDY)


def is_an_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict) and line[:1] == "{" and line.rstrip("\r")[-1:] == "}"
    except ValueError:
        return False


PARTS = ['{"x": 1}', '{"x": 2, "y": {}}', '{"x": 3, "y": [{}', ",", "{}", "]}", "\n", "\n", "\r\n", " "]


@given(parts=st.lists(st.sampled_from(PARTS), min_size=1, max_size=10))
def test_a_block_is_read_at_once_where_each_line_is_one_object(parts: list[str]) -> None:
    text = "".join(parts).rstrip("\n") + "\n"
    lines = text.split("\n")[:-1]
    rows = decode_block(Block(text.encode(), 1, len(lines)), ANYTHING)
    if all(map(is_an_object, lines)) or rows is not None:  # a blank behind the last object may be read so, or not
        assert rows == [json.loads(line) for line in lines]
