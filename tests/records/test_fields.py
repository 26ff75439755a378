from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import FormatError, UsageError
from isogloss.records.json_fields import (
    TEXT,
    LazyRow,
    check_column_name,
    choose_text,
    make_column_lister,
    parse_column_names,
    read_lazy_rows,
)
from isogloss.records.sources import Source

NUMBERS = msgspec.json.Decoder(list[int])


def fields(values: dict[str, Any]) -> LazyRow:
    raw = {key: msgspec.Raw(json.dumps(value).encode()) for key, value in values.items()}
    return LazyRow(raw, 3, "f", "Write it otherwise.")


def rows(folder: Path, text: str) -> list[LazyRow]:
    (folder / "f").write_text(text, encoding="utf-8")
    return list(read_lazy_rows(Source(folder / "f"), "Write it otherwise."))


@pytest.mark.parametrize("text", ['{"a": 1}\n\n{"a": [2]}\n', '\n[{"a": 1},\n\n{"a": [2]}]'])
def test_lines_and_arrays_give_the_same_rows_with_their_lines(tmp_path: Path, text: str) -> None:
    found = rows(tmp_path, text)
    assert [bytes(row.values["a"]) for row in found] == [b"1", b"[2]"]
    assert [row.line for row in found] == [text[:1].count("\n") + 1, text[:1].count("\n") + 3]


def test_items_of_one_line_are_told_apart_by_their_numbers(tmp_path: Path) -> None:
    found = rows(tmp_path, "[{}, {},\n{}, {}\n, {}]")
    assert [row.line for row in found] == [1, "1, item 2", 2, "2, item 4", 3]
    assert found[1].where.endswith("f:1, item 2")


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ('[{"a": 1}, 2]', ":1, item 2", "expected `object`"),
        ('[{"a": 1},\n {"a" 1}]', ":2:7", "broken JSON"),
        ('[{"a": 1}', ":1:10", "broken JSON"),
        ('[{"a": "\\ud83d b"}]', ":1:9", "half a surrogate pair"),
        ('{"a": 1}\n3\n', ":2", "expected `object`"),
    ],
)
def test_what_is_no_row_is_told_with_its_place(tmp_path: Path, text: str, where: str, what: str) -> None:
    with pytest.raises(FormatError) as error:
        rows(tmp_path, text)
    assert (error.value.where or "").endswith(f"f{where}")
    assert what in error.value.message


def test_nesting_that_is_too_deep_is_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="nested too deeply"):
        rows(tmp_path, "[" * 100_000)


@given(
    st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=5), max_size=2), max_size=5),
    st.sampled_from([None, 0, 1]),
)
def test_items_are_those_that_the_json_module_finds_at_their_lines(
    tmp_path_factory: pytest.TempPathFactory,
    items: list[dict[str, str]],
    indent: int | None,
) -> None:
    text = json.dumps(items, indent=indent, ensure_ascii=False)
    found = rows(tmp_path_factory.mktemp("rows"), text)
    values = [{key: msgspec.json.decode(raw) for key, raw in row.values.items()} for row in found]
    assert values == items
    decoder, at = json.JSONDecoder(), 1
    for row, item in zip(found, items, strict=True):
        while text[at] in " ,\n":
            at += 1
        line = text.count("\n", 0, at) + 1
        assert str(row.line).split(",", maxsplit=1)[0] == str(line)
        read, at = decoder.raw_decode(text, at)
        assert read == item


def test_a_field_that_is_null_or_absent_is_none() -> None:
    row = fields({"a": None, "b": [1]})
    assert (row.read("a", NUMBERS), row.read("b", NUMBERS), row.read("c", NUMBERS)) == (None, [1], None)
    assert (row.has("a"), row.has("b"), row.has("c")) == (False, True, False)


def test_a_field_of_another_type_is_told_with_its_place() -> None:
    with pytest.raises(FormatError, match=r"^f:3: `a\[1\]`: expected `int`, got `str`\nWrite it otherwise\.$"):
        fields({"a": [1, "2"]}).read("a", NUMBERS)


def test_the_first_field_that_is_there_counts() -> None:
    row = fields({"a": None, "b": "x", "c": "y"})
    assert (row.read_first("abc", TEXT), row.read_text("ac"), row.read_id("ab")) == ("x", "y", "x")


def test_a_row_without_text_is_told() -> None:
    with pytest.raises(FormatError, match=r"^f:3: the row has no `text`\nWrite"):
        fields({}).read_text()


@pytest.mark.parametrize(("value", "expected"), [(7, "7"), ("ก", "ก"), (None, None)])
def test_an_id_is_text(value: Any, expected: str | None) -> None:
    assert fields({"id": value}).read_id() == expected


def test_columns_are_looked_for_in_the_row_and_then_in_the_fields_that_may_hold_them() -> None:
    row = fields({"a": "own", "meta": {"a": "inner", "b": 2, "c": None}, "list": [1]})
    assert row.read_columns(["a", "b", "c", "d"], ["meta"]) == {"a": "own", "b": "2"}
    assert row.read_columns(["meta"], ["meta"]) == {}
    assert row.read_columns([]) is None


def test_a_column_that_holds_others_is_refused() -> None:
    with pytest.raises(UsageError, match=r"f:3: the column 'list'"):
        fields({"list": [1]}).read_columns(["list"])


def test_names_of_columns_are_those_of_the_first_row(tmp_path: Path) -> None:
    (tmp_path / "f").write_text('[{"a": 1, "meta": {"b": "x", "c": []}, "d": []}, {"e": 1}]', encoding="utf-8")
    assert list(make_column_lister(Source(tmp_path / "f"), ["meta"])()) == ["a", "b"]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [(None, (None, None)), (["a"], ("a", None)), (["a", "b"], ("a", "b"))],
)
def test_one_or_two_names_are_those_of_text_and_spans(
    columns: list[str | int] | None,
    expected: tuple[str | None, str | None],
) -> None:
    assert parse_column_names(columns, "names") == expected


def test_as_many_names_as_are_asked_for_are_given() -> None:
    assert (parse_column_names(None, "names", most=1), parse_column_names(["a"], "names", most=1)) == ((None,), ("a",))


@pytest.mark.parametrize("columns", [[1], ["a", 2], ["a", "b", "c"], []])
def test_numbers_or_more_names_are_refused(columns: list[str | int]) -> None:
    with pytest.raises(UsageError, match=r"cannot be read: give names\."):
        parse_column_names(columns, "names")


def test_a_name_that_the_file_does_not_have_is_refused() -> None:
    check_column_name("a", {"a", "b"}, "labels", "f")
    with pytest.raises(FormatError, match=r"^f: has no labels 'c', but 'a', 'b'\n"):
        check_column_name("c", {"b", "a"}, "labels", "f")


def test_the_text_is_named_or_called_text_or_the_only_one_or_meant() -> None:
    for texts, wanted, meant, key in [
        (["a", "b"], "b", [], "b"),
        (["a", "text"], None, ["a"], "text"),
        (["a"], None, [], "a"),
        (["a", "b"], None, ["b", "b", "c"], "b"),
    ]:
        assert choose_text(texts, wanted, fields({}), "row", meant) == key


def test_a_text_that_is_not_clear_is_an_error() -> None:
    for texts, wanted, meant, says in [
        (["a", "b"], "c", [], "the row has no text 'c', but 'a', 'b'"),
        ([], "c", [], "the row has no text 'c', but none"),
        ([], None, [], "the row has no text"),
        (["a", "b"], None, [], "the row has several texts: a, b"),
        (["a", "b"], None, ["a", "b"], "the row has several texts: a, b"),
    ]:
        with pytest.raises(FormatError) as error:
            choose_text(texts, wanted, fields({}), "row", meant)
        assert (error.value.message, error.value.where) == (says, "f:3")
