from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import UsageError
from isogloss.providers import CombinedRecogniser, FoundName, NameList, Span, join_spans, merge_names, open_recogniser

PEOPLE = NameList([("Ivan Franko", "PER"), ("Lviv", "PER")], name="people")
PLACES = NameList([("Lviv", "LOC"), ("Franko", "LOC")], name="places")
TEXT = "Ivan Franko, Lviv"
SPANS = st.lists(st.builds(lambda start, size: Span(start, start + size), st.integers(0, 20), st.integers(1, 5)))


def test_several_find_what_any_of_them_finds() -> None:
    assert CombinedRecogniser([PEOPLE, PLACES]).annotate([TEXT, ""]) == [
        [Span(0, 11, "PER"), Span(5, 11, "LOC"), Span(13, 17, "LOC"), Span(13, 17, "PER")],
        [],
    ]


def test_who_found_a_name_is_kept() -> None:
    (found,) = CombinedRecogniser([PEOPLE, PLACES]).find_names(["Lviv"])
    assert found == [FoundName(0, 4, "LOC", "places"), FoundName(0, 4, "PER", "people")]


def test_what_two_of_them_find_alike_stands_once_in_the_union_and_twice_by_finder() -> None:
    several = CombinedRecogniser([PEOPLE, NameList([("Lviv", "PER")], name="others")])
    assert several.annotate(["Lviv"]) == [[Span(0, 4, "PER")]]
    assert [name.recogniser for name in several.find_names(["Lviv"])[0]] == ["others", "people"]


def test_their_name_is_all_their_names() -> None:
    assert CombinedRecogniser([PEOPLE, PLACES]).name == "people+places"


def test_without_any_recogniser_there_is_nothing_to_ask() -> None:
    with pytest.raises(UsageError, match="at least one"):
        CombinedRecogniser([])


def test_all_are_loaded() -> None:
    CombinedRecogniser([open_recogniser(PEOPLE, language="uk"), PLACES]).load()


def test_merged_spans_are_in_order_and_stand_once() -> None:
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


@given(SPANS, st.booleans())
def test_joined_spans_cover_the_same_characters_without_overlap(spans: list[Span], touching: bool) -> None:  # noqa: FBT001
    stretches = join_spans(spans, join_touching=touching)
    covered = {at for span in spans for at in range(span.start, span.end)}
    assert covered == {at for span in stretches for at in range(span.start, span.end)}
    assert sum(span.end - span.start for span in stretches) == len(covered)
    gaps = [other.start - one.end for one, other in pairwise(stretches)]
    assert all(gap > 0 if touching else gap >= 0 for gap in gaps)
