from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import FormatError
from isogloss.records.json_lines import (
    decode_block,
    decode_value,
    is_array,
    read_block_lists,
    read_block_rows,
    read_items,
    read_rows,
)
from isogloss.records.sources import Block, Source


class Point(msgspec.Struct):
    x: int
    name: msgspec.Raw = msgspec.Raw(b"null")


POINT = msgspec.json.Decoder(Point)
NAMES = msgspec.json.Decoder(list[str])
ANYTHING = msgspec.json.Decoder(dict[str, Any])
REMEDY = 'Write {"x": 1}.'


def put(folder: Path, text: str) -> Source:
    path = folder / "f"
    path.write_text(text, encoding="utf-8", newline="")
    return Source(path)


def read(folder: Path, text: str) -> list[tuple[int | str, int]]:
    return [(line, row.x) for line, row in read_rows(put(folder, text), POINT, REMEDY)]


def block_of(folder: Path, text: str) -> tuple[Source, Block]:
    source = put(folder, text)
    return source, next(source.blocks())


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{"x":1}\n{"x":2}\n\n  \n{"x":3}', [1, 2, 5]),
        ('[{"x":1},\n{"x":2}\n,\n{"x":3}]', [1, 2, 4]),
        ('\n[\n  {"x":1},\n\n  {"x":\n2},\n  {"x":3}\n]\n', [3, 5, 7]),
        ('[{"x":1}, {"x":2},\n{"x":3}]', [1, "1, item 2", 2]),
    ],
)
def test_rows_have_the_line_where_they_begin(text: str, lines: list[int | str], tmp_path: Path) -> None:
    assert read(tmp_path, text) == list(zip(lines, [1, 2, 3], strict=True))


def test_rows_of_a_sound_block_are_one_list(tmp_path: Path) -> None:
    source, block = block_of(tmp_path, '{"x": 1}\n{"x": 2}\n')
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
def test_a_block_is_not_decoded_at_once_if_a_line_differs(tmp_path: Path, text: str) -> None:
    assert decode_block(block_of(tmp_path, text)[1], POINT) is None


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_block_is_decoded_at_once_if_lines_are_objects(tmp_path: Path, end: str) -> None:
    _, block = block_of(tmp_path, f'{{"x": 1}}{end}{{"x": 2, "y": "}}\\n{{"}}{end}')
    assert [row.x for row in decode_block(block, POINT) or ()] == [1, 2]


def is_an_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict) and line[:1] == "{" and line.rstrip("\r")[-1:] == "}"
    except ValueError:
        return False


PARTS = ['{"x": 1}', '{"x": 2, "y": {}}', '{"x": 3, "y": [{}', ",", "{}", "]}", "\n", "\n", "\r\n", " "]


@given(parts=st.lists(st.sampled_from(PARTS), min_size=1, max_size=10))
def test_a_block_decoded_at_once_is_what_json_reads(parts: list[str]) -> None:
    text = "".join(parts).rstrip("\n") + "\n"
    lines = text.split("\n")[:-1]
    rows = decode_block(Block(text.encode(), 1, len(lines)), ANYTHING)
    if all(map(is_an_object, lines)) or rows is not None:  # a blank behind the last object may be read so, or not
        assert rows == [json.loads(line) for line in lines]


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text(st.sampled_from('a,[]{}"\n\\é𠀀'), max_size=4)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("ab,"), inner, max_size=2)),
    max_leaves=6,
)


@given(values=st.lists(VALUES, max_size=5), indent=st.sampled_from([None, 0, 2]), ascii_only=st.booleans())
def test_items_of_an_array_are_what_json_reads(
    tmp_path_factory: pytest.TempPathFactory,
    values: list[Any],
    indent: int | None,
    ascii_only: bool,  # noqa: FBT001  a parameter of the table
) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=ascii_only)
    found = list(read_items(put(tmp_path_factory.mktemp("items"), text), REMEDY))
    assert [json.loads(bytes(raw)) for _, raw in found] == values
    for line, raw in found:
        if indent is not None:
            assert isinstance(line, int)
            start = "\n".join(text.split("\n")[line - 1 :]).lstrip()
            assert start.startswith(bytes(raw).decode())


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("text", "where", "says", "remedy"),
    [
        ('[{"x":1},\n{"x":"y"}]', ":2", "`x`: expected `int`, got `str`", REMEDY),
        ("[1]", ":1", "expected `object`, got `int`", REMEDY),
        ('[{"x":1}, 2]', ":1, item 2", "expected `object`, got `int`", REMEDY),
        ('[{"x":1},\n{"x":}]', ":2:6", "broken JSON: expecting value", REMEDY),
        ('[{"x":1},\n {"y":1}', ":2:9", "broken JSON: expecting ',' delimiter", REMEDY),
        ('[{"x":1}]\n{', ":2:1", "broken JSON: extra data", REMEDY),
        ('[{"x":1},\n{"\\ud800":1}]', ":2:3", "half a surrogate pair", REMEDY),
        (DEEP, "", "nested too deeply", REMEDY),
        ('[{"y":' + DEEP + "]" * 100_000 + "}]", "", "nested too deeply", REMEDY),
        ('{"x":1}\n{"x":"y"}', ":2", "`x`: expected `int`, got `str`", REMEDY),
        ('{"x":1}\n3\n', ":2", "expected `object`, got `int`", REMEDY),
        ('{"x":1}\n{', ":2", "does not end in its line", "jq -c . FILE"),
        ('{"x":1}\n{"x": \n', ":2:7", "broken JSON: expecting value", REMEDY),
        ('{\n  "x": 1\n}\n', ":1", "does not end in its line", "jq -c . FILE"),
        ('{"x":1}\n[{"x":1}]\n', ":2", "expected `object`", "jq -c '.[]' FILE"),
        ('{"x":1}\n[{"x":1},\n', ":2", "expected `object`", "jq -c '.[]' FILE"),
        ('{"y": ' + DEEP + "\n", ":1", "nested too deeply", REMEDY),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
def test_a_fault_has_its_place_and_a_remedy(text: str, where: str, says: str, remedy: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError) as error:
        read(tmp_path, text)
    assert (error.value.where or "").startswith(f"{tmp_path}/f{where}")
    assert says in error.value.message
    assert remedy in (error.value.remedy or "")


def test_rows_before_a_fault_are_yielded(tmp_path: Path) -> None:
    source, block = block_of(tmp_path, '{"x": 1}\n{"x": \n{"x": 3}\n')
    rows = read_block_rows(source, block, POINT, REMEDY)
    assert next(rows) == (1, Point(1))
    with pytest.raises(FormatError, match=":2:7"):
        next(rows)
    lists = read_block_lists(source, block, POINT, REMEDY)
    assert next(lists) == ([1], [Point(1)])
    with pytest.raises(FormatError, match=":2:7"):
        next(lists)


@pytest.mark.parametrize(("text", "array"), [("  \n[", True), ('{"a":[', False), ("", False), ("\n\n", False)])
def test_an_array_begins_with_a_bracket(text: str, array: bool, tmp_path: Path) -> None:  # noqa: FBT001  a row
    assert is_array(put(tmp_path, text)) is array


def test_an_object_is_not_an_array(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="is not an array"):
        list(read_items(put(tmp_path, '{"a": [1]}'), REMEDY))


def test_a_value_left_as_json_is_decoded_later() -> None:
    assert decode_value(NAMES, msgspec.Raw(b'["a"]'), "names", "f:1", REMEDY) == ["a"]
    with pytest.raises(FormatError, match=r"f:1: `names\[1\]`: expected `str`, got `int`"):
        decode_value(NAMES, msgspec.Raw(b'["a", 2]'), "names", "f:1", REMEDY)
