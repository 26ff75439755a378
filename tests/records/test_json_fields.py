from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from isogloss.errors import FormatError, UsageError
from isogloss.records.json_fields import (
    TEXT,
    ColumnDecoder,
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


def test_a_row_knows_its_place(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("[{},\n{}, {}]", encoding="utf-8")
    rows = read_lazy_rows(Source(tmp_path / "f"), "")
    assert [row.where.removeprefix(f"{tmp_path}/") for row in rows] == ["f:1", "f:2", "f:2, item 3"]


def test_null_and_missing_fields_are_none() -> None:
    row = fields({"a": None, "b": [1]})
    assert (row.read("a", NUMBERS), row.read("b", NUMBERS), row.read("c", NUMBERS)) == (None, [1], None)
    assert (row.has("a"), row.has("b"), row.has("c")) == (False, True, False)


def test_a_field_of_wrong_type_is_located() -> None:
    with pytest.raises(FormatError, match=r"^f:3: `a\[1\]`: expected `int`, got `str`\nWrite it otherwise\.$"):
        fields({"a": [1, "2"]}).read("a", NUMBERS)


def test_the_first_field_with_a_value_is_read() -> None:
    row = fields({"a": None, "b": "x", "c": "y"})
    assert (row.read_first("abc", TEXT), row.read_text("ac"), row.read_id("ab")) == ("x", "y", "x")


def test_a_row_without_text_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^f:3: the row has no `text`\nWrite"):
        fields({}).read_text()


@pytest.mark.parametrize(("value", "expected"), [(7, "7"), ("ก", "ก"), (None, None)])
def test_an_id_is_text(value: Any, expected: str | None) -> None:
    assert fields({"id": value}).read_id() == expected


def test_columns_of_the_row_precede_those_of_inner_objects() -> None:
    row = fields({"a": "own", "meta": {"a": "inner", "b": 2, "c": None}, "list": [1]})
    assert row.read_columns(["a", "b", "c", "d"], ["meta"]) == {"a": "own", "b": "2"}
    assert row.read_columns(["meta"], ["meta"]) == {}
    assert row.read_columns([]) is None


def test_a_list_as_column_value_is_refused() -> None:
    with pytest.raises(UsageError, match=r"f:3: the column 'list'"):
        fields({"list": [1]}).read_columns(["list"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"a": 1, "meta": {"b": "x", "c": []}, "d": []}, {"e": 1}]', ["a", "b"]),
        ('{"a": null, "b": true}\n', ["b"]),
        ("[1]", []),
        ("{", []),
        ("", []),
    ],
)
def test_columns_are_those_of_the_first_row(tmp_path: Path, text: str, expected: list[str]) -> None:
    (tmp_path / "f").write_text(text, encoding="utf-8")
    assert list(make_column_lister(Source(tmp_path / "f"), ["meta"])()) == expected


@pytest.mark.parametrize(
    ("columns", "expected"),
    [(None, (None, None)), (["a"], ("a", None)), (["a", "b"], ("a", "b"))],
)
def test_one_or_two_names_are_those_of_text_and_spans(
    columns: list[str | int] | None,
    expected: tuple[str | None, str | None],
) -> None:
    assert parse_column_names(columns, "names") == expected


def test_the_number_of_column_names_can_be_limited() -> None:
    assert (parse_column_names(None, "names", most=1), parse_column_names(["a"], "names", most=1)) == ((None,), ("a",))


@pytest.mark.parametrize("columns", [[1], ["a", 2], ["a", "b", "c"], []])
def test_numbers_or_more_names_are_refused(columns: list[str | int]) -> None:
    with pytest.raises(UsageError, match=r"cannot be read: give names\."):
        parse_column_names(columns, "names")


def test_an_unknown_column_name_is_refused() -> None:
    check_column_name("a", {"a", "b"}, "labels", "f")
    with pytest.raises(FormatError, match=r"^f: has no labels 'c', but 'a', 'b'\n"):
        check_column_name("c", {"b", "a"}, "labels", "f")


def test_texts_are_chosen_by_name_or_if_unambiguous() -> None:
    for texts, wanted, meant, key in [
        (["a", "b"], "b", [], "b"),
        (["a", "text"], None, ["a"], "text"),
        (["a"], None, [], "a"),
        (["a", "b"], None, ["b", "b", "c"], "b"),
    ]:
        assert choose_text(texts, wanted, fields({}), "row", meant) == key


def test_an_ambiguous_text_is_refused() -> None:
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


class Row(msgspec.Struct):
    id: str
    entity: str | None = msgspec.field(name="wikidata_id", default=None)
    left: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\nb"])
def test_names_with_quotes_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        ColumnDecoder.build(Row, [name])


def test_extra_columns_keep_the_fields_of_the_type() -> None:
    columns = ColumnDecoder.build(Row, ["genre", "wikidata_id", "left", "absent", "two words"])
    row = columns.decoder.decode(b'{"id": "1", "wikidata_id": "Q1", "left": 2.50, "genre": true, "two words": 7}')
    assert (row.id, row.entity) == ("1", "Q1")
    assert columns.read_columns(row, "f:1") == {"genre": "true", "wikidata_id": "Q1", "left": "2.5", "two words": "7"}


def test_an_object_as_column_value_is_refused() -> None:
    columns = ColumnDecoder.build(Row, ["genre"])
    with pytest.raises(UsageError, match="f:3: the column 'genre' holds a value of type dict"):
        columns.read_columns(columns.decoder.decode(b'{"id": "1", "genre": {"a": 1}}'), "f:3")
