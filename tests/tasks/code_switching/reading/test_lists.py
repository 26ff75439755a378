from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest
from text_rows import read_rows

from isogloss.tasks.code_switching.inputs import open_texts
from isogloss.tasks.code_switching.rows import TextRow


def test_a_list_of_strings_is_a_list_of_texts() -> None:
    texts = open_texts(["one", "", "два\n"])
    assert (texts.name, texts.sources, texts.format) == ("texts", (), "list")
    assert read_rows(["one", "", "два\n"]) == [TextRow("one", 0, "1"), TextRow("", 1, "2"), TextRow("два\n", 2, "3")]


@pytest.mark.parametrize("make", [tuple, iter, lambda texts: dict.fromkeys(texts).keys()])
def test_any_collection_can_be_read_again(make: Any) -> None:
    texts = open_texts(make(["one", "two"]))
    for _ in range(2):
        assert [row.text for piece in texts.read_batches(1) for row in piece] == ["one", "two"]


def test_an_empty_list_has_no_pieces() -> None:
    assert list(open_texts([]).read_batches(1)) == []


def test_a_dictionary_is_a_row_with_the_fields_of_json_lines() -> None:
    row = OrderedDict({"key": 5, "a.b": "Ada ran", "q": "Who?", "tokens": ("Ada", "ran"), "entities": [(0, 3)]})
    found = read_rows([row], text_field="a.b", id_field="key", prompt_field="q")
    expected = TextRow("Ada ran", 0, "5", ((0, 7),), ((0, 3), (4, 7)), ((0, 3, None),), "Who?")
    assert found == [expected]


def test_a_string_of_another_class_is_a_string() -> None:
    class Answer(str):
        __slots__ = ()

    [row] = read_rows([Answer("one")])
    assert type(row.text) is str
