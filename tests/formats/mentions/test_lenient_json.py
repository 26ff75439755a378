from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from isogloss.formats.lenient_json import MAX_DEPTH, JsonValue, find_json_values

Numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
SCALARS: st.SearchStrategy[Any] = st.none() | st.booleans() | Numbers | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12
)
CONTAINERS = st.lists(VALUES, max_size=4) | st.dictionaries(st.text(), VALUES, max_size=4)
PIECES = (
    *("[", "{", "(", '"', "'", '{"a":', '["a",', "['a ", "['", "['' ", "[ ", "[' ", "{[(", "[1,", "[1 ", "[\\"),
    *('[{"a":1} ', "['\\", "[tru", "] ", "[]"),
)
PROSE = st.text(st.characters(exclude_characters="[({", codec="utf-8"))


@given(CONTAINERS, PROSE, PROSE)
def test_json_is_read_as_the_json_module_reads_it_whatever_stands_around(value: Any, before: str, after: str) -> None:
    for written in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        assert list(find_json_values(before + written + after)) == [JsonValue(value)]


@given(CONTAINERS)
def test_what_python_prints_is_read_as_python_reads_it(value: Any) -> None:
    assert list(find_json_values(repr(value))) == [JsonValue(value)]


@given(CONTAINERS)
def test_indented_json_is_the_same(value: Any) -> None:
    assert list(find_json_values(json.dumps(value, indent=2))) == [JsonValue(value)]


def test_what_is_no_json_but_meant_as_such_is_read() -> None:
    for answer, value in [
        ('[{"a": 1},]', [{"a": 1}]),
        ('{"a": [1, 2,],}', {"a": [1, 2]}),
        ("[('Ada', 'PER'), (\"Bob\", 'PER',)]", [("Ada", "PER"), ("Bob", "PER")]),
        ("{'a': True, 'b': None}", {"a": True, "b": None}),
        ("['O'Brien', 'Xi'an']", ["O'Brien", "Xi'an"]),
        ('["two\nlines"]', ["two\nlines"]),
        (r'["\ud83d\ude00 \ud83d \x41 \' \/"]', ["😀 � A ' /"]),
        ('{"a": ["x"], "a": ["y"]}', {"a": ["x", "y"]}),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ("[NaN]", [None]),
    ]:
        assert list(find_json_values(answer)) == [JsonValue(value)]


def test_of_a_value_that_breaks_off_what_is_complete_stays() -> None:
    for answer, rest in [
        ('[{"a": 1}, {"a": 2', [{"a": 1}]),
        ('[{"a": 1}, {"a": "two', [{"a": 1}]),
        ('[{"a": 1}, ', [{"a": 1}]),
        ('[{"a": 1}', [{"a": 1}]),
        ('{"PER": ["Ada", "Bo', {"PER": ["Ada"]}),
        ('{"PER": ["Ada"], "LO', {"PER": ["Ada"]}),
        ('{"PER": ["Ada"], "LOC":', {"PER": ["Ada"]}),
        ('{"entities": [["Ada", "PER"], ["Bob"', {"entities": [["Ada", "PER"]]}),
        ('[{"PER": ["Ada"], "LOC": ["Os', [{"PER": ["Ada"], "LOC": []}]),
        ("[1, tru", [1]),
        ('{"a": 1', None),
        ("[", []),
    ]:
        [value] = find_json_values(answer)
        assert (value.value, value.is_finished, value.is_at_end) == (rest, False, True)


def test_where_the_grammar_is_left_the_value_ends_and_the_search_goes_on() -> None:
    for answer, found in [
        ("see [Ada] there", [JsonValue([], is_finished=False)]),
        ('[{"a": 1}, ...] and so on', [JsonValue([{"a": 1}], is_finished=False, is_data_lost=True)]),
        ('[1} {"a": 1}', [JsonValue([1], is_finished=False), JsonValue({"a": 1})]),
        ("[1 [2]]", [JsonValue([1], is_finished=False), JsonValue([2])]),
        ("{1: 2}", [JsonValue(None, is_finished=False, is_data_lost=True)]),
        ("[1.2.3]", [JsonValue([], is_finished=False)]),
        ("no brackets", []),
        ("", []),
    ]:
        assert list(find_json_values(answer)) == found


def test_values_are_nested_so_deep_and_no_deeper() -> None:
    deep = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert [value.is_finished for value in find_json_values(deep)] == [True]
    assert [value.is_finished for value in find_json_values(f"[{deep}]")] == [False, True]


@given(st.text("[](){},:'\"\\ a1\n"))
def test_no_answer_is_an_error(answer: str) -> None:
    for value in find_json_values(answer):
        assert value.is_finished or value.value is None or isinstance(value.value, list | tuple | dict)


def test_an_answer_of_one_piece_repeated_is_read_in_a_pass() -> None:
    """It does not end in reasonable time where a step looks at all characters before or behind it."""
    for piece in PIECES:
        assert all(isinstance(value, JsonValue) for value in find_json_values(piece * (100_000 // len(piece)))), piece
