from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import DataError, FormatError, SourceError
from isogloss.records.json_lines import is_array, read_items, read_rows
from isogloss.records.sources import Source

ROW: msgspec.json.Decoder[dict[str, int]] = msgspec.json.Decoder(dict[str, int])
REMEDY = "A row looks so."


def put(folder: Path, text: str) -> Source:
    path = folder / "rows.json"
    path.write_text(text, encoding="utf-8")
    return Source(path)


def rows(folder: Path, text: str) -> list[tuple[int | str, dict[str, int]]]:
    return list(read_rows(put(folder, text), ROW, REMEDY))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{"a":1}\n{"a":2}\n\n{"a":3}', [1, 2, 4]),
        ('[{"a":1},\n{"a":2}\n,\n{"a":3}]', [1, 2, 4]),
        ('\n[\n  {"a":1},\n\n  {"a":\n2},\n  {"a":3}\n]\n', [3, 5, 7]),
        ('[{"a":1}, {"a":2},\n{"a":3}]', [1, "1, item 2", 2]),
    ],
)
def test_rows_of_lines_and_of_an_array_have_the_line_where_they_begin(
    text: str,
    lines: list[int | str],
    tmp_path: Path,
) -> None:
    assert rows(tmp_path, text) == list(zip(lines, [{"a": 1}, {"a": 2}, {"a": 3}], strict=True))


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text(st.sampled_from('a,[]{}"\n\\é𠀀'), max_size=4)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("ab,"), inner, max_size=2)),
    max_leaves=6,
)


@given(st.lists(VALUES, max_size=5), st.sampled_from([None, 0, 2]), st.booleans())
def test_items_are_what_the_json_module_reads_and_begin_in_their_line(
    values: list[Any],
    indent: int | None,
    ascii_only: bool,  # noqa: FBT001  a parameter of the table
) -> None:
    from tempfile import TemporaryDirectory  # noqa: PLC0415

    text = json.dumps(values, indent=indent, ensure_ascii=ascii_only)
    with TemporaryDirectory() as folder:
        found = list(read_items(put(Path(folder), text), REMEDY))
    assert [json.loads(bytes(raw)) for _, raw in found] == values
    for (line, raw), value in zip(found, values, strict=True):
        if indent is not None:
            assert isinstance(line, int)
            start = "\n".join(text.split("\n")[line - 1 :]).lstrip()
            assert start.startswith(bytes(raw).decode())
            assert json.loads(bytes(raw)) == value


@pytest.mark.parametrize(
    ("text", "where", "says"),
    [
        ('[{"a":1},\n{"a":"x"}]', "2", "expected `int`, got `str`"),
        ("[1]", "1", "expected `object`, got `int`"),
        ('[{"a":1},\n{"a":}]', "2:6", "broken JSON: expecting value"),
        ('[{"a":1},\n {"b":1}', "2:9", "broken JSON: expecting ',' delimiter"),
        ('[{"a":1}]\n{', "2:1", "broken JSON: extra data"),
        ('[{"a":1},\n{"\\ud800":1}]', "2:3", "half a surrogate pair"),
        ('{"a":1}\n{"a":"x"}', "2", "expected `int`, got `str`"),
        ('{"a":1}\n{', "2:2", "broken JSON"),
    ],
)
def test_a_fault_is_told_with_its_line(text: str, where: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError) as error:
        rows(tmp_path, text)
    assert error.value.where == f"{tmp_path}/rows.json:{where}"
    assert says in error.value.message


@pytest.mark.parametrize("text", ["[" * 100_000, '[{"a":' + "[" * 100_000 + "]" * 100_000 + "}]"])
def test_json_that_is_nested_too_deeply_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="nested too deeply"):
        rows(tmp_path, text)


def test_the_rows_before_a_fault_of_lines_come_first(tmp_path: Path) -> None:
    found = read_rows(put(tmp_path, '{"a":1}\n{"a":"x"}\n'), ROW, REMEDY)
    assert next(found) == (1, {"a": 1})
    with pytest.raises(DataError):
        next(found)


@pytest.mark.parametrize(("text", "array"), [("  \n[", True), ('{"a":[', False), ("", False), ("\n\n", False)])
def test_an_array_is_told_by_its_first_character(text: str, array: bool, tmp_path: Path) -> None:  # noqa: FBT001  a row
    assert is_array(put(tmp_path, text)) is array


def test_an_object_is_no_array(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="is not an array"):
        list(read_items(put(tmp_path, '{"a": [1]}'), REMEDY))


def test_an_absent_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError):
        list(read_rows(Source(tmp_path / "nowhere"), ROW, REMEDY))
