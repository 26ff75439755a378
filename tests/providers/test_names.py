# the texts are in many scripts
from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import DataError, SourceError, UsageError
from isogloss.providers import NameList, Span, load_name_list, open_recogniser


def found(names: list[str], text: str) -> list[str]:
    (spans,) = NameList(names).annotate([text])
    return [text[span.start : span.end] for span in spans]


def test_a_name_is_found_where_it_stands_by_itself() -> None:
    for name, text in [
        ("Google", "Google"),
        ("Google", "(Google)"),
        ("Google", "у Google, так"),
        ("Google", "Google's"),
        ("Google", "Google'ом"),
        ("Google", "Google-ом"),
        ("Google", "_Google_"),
        ("Amérique", "l'Amérique"),
        ("O'Brien", "Mr O'Brien."),
        ("Samsung", "Samsung은"),
        ("OpenAI", "OpenAIの東京"),
        ("東京", "私は東京に"),
        ("東京タワー", "東京タワーへ"),
        ("กรุงเทพ", "ไปกรุงเทพมา"),
        ("हिन्दी", "यह हिन्दी है"),
        ("U.S.", "the U.S. army"),
        ("C++", "C++ і C"),
        ("Знам'янка", "у Знам'янка є"),
        ("GPT-4", "GPT-4?"),
        ("AT&T", "AT&T."),
    ]:
        assert found([name], text) == [name]


def test_a_name_is_not_found_inside_a_word() -> None:
    for name, text in [
        ("Google", "google"),
        ("Google", "Googles"),
        ("Google", "МоGoogle"),
        ("Google", "Googleом"),
        ("Google", "Google2"),
        ("Дар", "Дар'я"),
        ("Дар", "Дар’я"),
        ("е", "е\u0301"),
        ("トム", "アトム"),
        ("กา", "กา\u0e49"),
        ("ह", "हि"),
        ("New York", "NewYork"),
        ("AT&T", "AT & T"),
        ("👩", "👩\u200d🔬"),
    ]:
        assert found([name], text) == []


def test_any_whitespace_stands_for_that_of_a_name() -> None:
    for space in [" ", "  ", "\n", "\u00a0", "\t \u3000"]:
        assert found(["New York City"], f"in New{space}York{space}City") == [f"New{space}York{space}City"]


def test_whitespace_in_a_text_of_a_script_without_spaces_separates() -> None:
    assert found(["東京"], "東 京") == []


def test_the_longest_name_wins_and_the_next_begins_behind_it() -> None:
    names = ["New", "New York", "York City Hall", "York", "City"]
    assert found(names, "New York City Hall York") == ["New York", "City", "York"]


def test_a_name_that_goes_on_otherwise_leaves_the_shorter_one() -> None:
    assert found(["a b c d", "a b", "c x"], "a b c x") == ["a b", "c x"]


def test_canonically_equivalent_names_are_equal_and_have_the_offsets_of_the_text() -> None:
    assert NameList(["Zoé"]).annotate(["a Zoe\u0301 b"]) == [[Span(2, 6)]]


def test_a_name_of_two_labels_is_found_with_both() -> None:
    (spans,) = NameList([("Paris", "LOC"), ("Paris", "PER"), "Paris"]).annotate(["Paris"])
    assert set(spans) == {Span(0, 5, "LOC"), Span(0, 5, "PER"), Span(0, 5, None)}


def test_a_name_without_any_character_is_never_found() -> None:
    assert found(["", " ", "a"], "a b") == ["a"]


def test_a_file_has_a_name_a_line_with_its_label_after_a_tab(tmp_path: Path) -> None:
    file = tmp_path / "names.txt"
    file.write_text("\ufeffIvan Franko\tPER\r\n\n  Lviv \t LOC \nKyiv", encoding="utf-8")
    text = "Ivan Franko, Lviv, Kyiv"
    assert load_name_list(file).annotate([text]) == [[Span(0, 11, "PER"), Span(13, 17, "LOC"), Span(19, 23)]]
    chosen = open_recogniser(f"names:{file}?labels=LOC", language="uk")
    assert chosen.annotate([text]) == [[Span(13, 17, "LOC")]]
    assert chosen.name == f"names:{file}?labels=LOC"
    assert load_name_list(file).name == f"names:{file}"


def test_an_absent_file_is_an_error_before_any_text(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"):
        open_recogniser(f"names:{tmp_path}/names.txt", language="uk")


def test_a_file_without_names_is_refused(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("\n \n", encoding="utf-8")
    with pytest.raises(DataError, match="has no names"):
        open_recogniser(f"names:{tmp_path}/names.txt", language="uk")


def test_a_spec_without_file_is_refused() -> None:
    with pytest.raises(UsageError, match="names needs FILE after a colon"):
        open_recogniser("names", language="uk")


WORDS = st.text("abж", min_size=1, max_size=2)
NAMES = st.lists(st.lists(WORDS, min_size=1, max_size=3).map(" ".join), max_size=5)


@given(NAMES, st.lists(WORDS, max_size=12).map(" ".join))
def test_names_are_those_that_a_search_for_each_finds(names: list[str], text: str) -> None:
    longest_first = sorted(names, key=len, reverse=True)
    pattern = "|".join(rf"(?<!\S){re.escape(name)}(?!\S)" for name in longest_first)
    expected = [match.span() for match in re.finditer(pattern, text)] if names else []
    assert [span[:2] for span in NameList(names).annotate([text])[0]] == expected


@given(st.lists(st.text(min_size=1, max_size=4), max_size=4), st.text(max_size=20))
def test_what_is_found_is_a_name_in_any_script(names: list[str], text: str) -> None:
    (spans,) = NameList(names).annotate([text])
    for one, other in pairwise(spans):
        assert one.end <= other.start
    assert all(0 <= span.start < span.end <= len(text) for span in spans)


@given(st.text(min_size=1, max_size=9))
def test_a_text_that_is_listed_is_found_in_itself(text: str) -> None:
    (spans,) = NameList([text]).annotate([text])
    bare = text.strip()
    assert [text[span.start : span.end] for span in spans] == ([bare] if bare else [])


def test_a_list_of_a_hundred_thousand_names_finds_what_one_of_two_finds() -> None:
    """It does not end in reasonable time where each name is searched for."""
    text = "some words and New York 49999 again " * 3000
    names = NameList([f"New York {number}" for number in range(50_000)] + [f"Name{n}" for n in range(50_000)])
    assert names.annotate([text]) == NameList(["New York 49999", "Name"]).annotate([text])
