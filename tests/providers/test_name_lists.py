from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import DataError, SourceError, UsageError
from isogloss.providers import (
    CombinedRecogniser,
    FoundName,
    NameList,
    Span,
    join_spans,
    load_name_list,
    merge_names,
    open_recogniser,
)
from isogloss.providers.models import split_units
from isogloss.text.display import split_graphemes


def found(names: list[str], text: str) -> list[str]:
    (spans,) = NameList(names).annotate([text])
    return [text[span.start : span.end] for span in spans]


def test_a_name_is_found_as_a_whole_word() -> None:
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


def test_whitespace_of_a_name_matches_any_whitespace() -> None:
    for space in [" ", "  ", "\n", "\u00a0", "\t \u3000"]:
        assert found(["New York City"], f"in New{space}York{space}City") == [f"New{space}York{space}City"]


def test_whitespace_separates_units_of_unspaced_scripts() -> None:
    assert found(["東京"], "東 京") == []


def test_the_longest_name_is_found_and_the_next_after_it() -> None:
    names = ["New", "New York", "York City Hall", "York", "City"]
    assert found(names, "New York City Hall York") == ["New York", "City", "York"]


def test_a_shorter_name_is_found_if_the_longer_one_breaks_off() -> None:
    assert found(["a b c d", "a b", "c x"], "a b c x") == ["a b", "c x"]


def test_canonically_equivalent_names_are_found() -> None:
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


def test_a_missing_file_is_an_error_before_any_text(tmp_path: Path) -> None:
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
def test_names_equal_a_naive_search(names: list[str], text: str) -> None:
    longest_first = sorted(names, key=len, reverse=True)
    pattern = "|".join(rf"(?<!\S){re.escape(name)}(?!\S)" for name in longest_first)
    expected = [match.span() for match in re.finditer(pattern, text)] if names else []
    assert [span[:2] for span in NameList(names).annotate([text])[0]] == expected


@given(st.lists(st.text(min_size=1, max_size=4), max_size=4), st.text(max_size=20))
def test_found_names_are_excused_in_any_script(names: list[str], text: str) -> None:
    (spans,) = NameList(names).annotate([text])
    for one, other in pairwise(spans):
        assert one.end <= other.start
    assert all(0 <= span.start < span.end <= len(text) for span in spans)


@given(st.text(min_size=1, max_size=9))
def test_a_text_that_is_listed_is_found_in_itself(text: str) -> None:
    (spans,) = NameList([text]).annotate([text])
    bare = text.strip()
    assert [text[span.start : span.end] for span in spans] == ([bare] if bare else [])


def test_a_long_list_finds_what_a_short_list_finds() -> None:
    """It does not end in reasonable time where each name is searched for."""
    text = "some words and New York 49999 again " * 3000
    names = NameList([f"New York {number}" for number in range(50_000)] + [f"Name{n}" for n in range(50_000)])
    assert names.annotate([text]) == NameList(["New York 49999", "Name"]).annotate([text])


MIXED = st.text(st.sampled_from("ab Жж'’\u0301_1ก\u0e32\u0e49東タ한हि\u094d\u200d👩🔬\n.\u1793\u17d2"), max_size=20)


def list_units(text: str) -> list[str]:
    return [text[start:end] for _, start, end in split_units(text)]


def test_words_and_signs_are_units() -> None:
    assert list_units("П'ять, l'eau_2 x!") == ["П'ять", ",", "l", "'", "eau", "_", "2", "x", "!"]


def test_in_unspaced_scripts_a_cluster_is_a_unit() -> None:
    assert list_units("ที่นี่ 東京タワー") == ["ที่", "นี่", "東", "京", "タワー"]


def test_units_end_where_the_script_changes() -> None:
    assert list_units("AI의APIキーは") == ["AI", "의", "API", "キー", "は"]


@given(MIXED | st.text())
def test_units_cover_all_but_whitespace(text: str) -> None:
    at = 0
    for unit, start, end in split_units(text):
        assert start < end
        assert not text[at:start].strip()
        assert unit == unicodedata.normalize("NFC", text[start:end])
        at = end
    assert not text[at:].strip()


@given(st.text("กา\u0e49ที่ស្រី東កខ្មမြန်မာ", max_size=20))
def test_units_never_cut_a_cluster(text: str) -> None:
    edges = {edge for cluster in split_graphemes(text) for edge in cluster}
    assert all(start in edges and end in edges for _, start, end in split_units(text))


PEOPLE = NameList([("Ivan Franko", "PER"), ("Lviv", "PER")], name="people")
PLACES = NameList([("Lviv", "LOC"), ("Franko", "LOC")], name="places")
TWO_NAMES = "Ivan Franko, Lviv"
ANY_SPANS = st.lists(st.builds(lambda start, size: Span(start, start + size), st.integers(0, 20), st.integers(1, 5)))


def test_combined_recognisers_find_what_any_finds() -> None:
    assert CombinedRecogniser([PEOPLE, PLACES]).annotate([TWO_NAMES, ""]) == [
        [Span(0, 11, "PER"), Span(5, 11, "LOC"), Span(13, 17, "LOC"), Span(13, 17, "PER")],
        [],
    ]


def test_each_name_has_its_recogniser() -> None:
    (found,) = CombinedRecogniser([PEOPLE, PLACES]).find_names(["Lviv"])
    assert found == [FoundName(0, 4, "LOC", "places"), FoundName(0, 4, "PER", "people")]


def test_equal_names_are_united_but_listed_by_recogniser() -> None:
    several = CombinedRecogniser([PEOPLE, NameList([("Lviv", "PER")], name="others")])
    assert several.annotate(["Lviv"]) == [[Span(0, 4, "PER")]]
    assert [name.recogniser for name in several.find_names(["Lviv"])[0]] == ["others", "people"]


def test_a_combined_recogniser_has_all_names() -> None:
    assert CombinedRecogniser([PEOPLE, PLACES]).name == "people+places"


def test_without_recognisers_a_combination_is_refused() -> None:
    with pytest.raises(UsageError, match="at least one"):
        CombinedRecogniser([])


def test_all_are_loaded() -> None:
    CombinedRecogniser([open_recogniser(PEOPLE, language="uk"), PLACES]).load()


def test_merged_names_are_sorted_without_duplicates() -> None:
    a, b = Span(3, 4), Span(0, 9, "X")
    assert merge_names([("one", [a, b, a]), ("two", [b])]) == [
        FoundName(0, 9, "X", "one"),
        FoundName(0, 9, "X", "two"),
        FoundName(3, 4, None, "one"),
    ]


def test_joined_spans_cover_what_overlaps() -> None:
    spans = [Span(4, 6, "A"), Span(0, 3, "A"), Span(2, 4, "A"), Span(7, 9, "A"), Span(8, 10, "B")]
    assert join_spans(spans) == [Span(0, 4, "A"), Span(4, 6, "A"), Span(7, 10, None)]
    assert join_spans(spans, join_touching=True) == [Span(0, 6, "A"), Span(7, 10, None)]


@given(ANY_SPANS, st.booleans())
def test_joined_spans_cover_the_same_characters(spans: list[Span], touching: bool) -> None:  # noqa: FBT001
    stretches = join_spans(spans, join_touching=touching)
    covered = {at for span in spans for at in range(span.start, span.end)}
    assert covered == {at for span in stretches for at in range(span.start, span.end)}
    assert sum(span.end - span.start for span in stretches) == len(covered)
    gaps = [other.start - one.end for one, other in pairwise(stretches)]
    assert all(gap > 0 if touching else gap >= 0 for gap in gaps)
