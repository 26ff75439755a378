from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import UsageError
from isogloss.providers import Found, NameList, Several, Span, joined, merged, recogniser

PEOPLE = NameList([("Ivan Franko", "PER"), ("Lviv", "PER")], name="people")
PLACES = NameList([("Lviv", "LOC"), ("Franko", "LOC")], name="places")
TEXT = "Ivan Franko, Lviv"
SPANS = st.lists(st.builds(lambda start, size: Span(start, start + size), st.integers(0, 20), st.integers(1, 5)))


def test_several_find_what_any_of_them_finds() -> None:
    assert Several([PEOPLE, PLACES]).annotate([TEXT, ""]) == [
        [Span(0, 11, "PER"), Span(5, 11, "LOC"), Span(13, 17, "LOC"), Span(13, 17, "PER")],
        [],
    ]


def test_who_found_a_name_is_kept() -> None:
    (found,) = Several([PEOPLE, PLACES]).found(["Lviv"])
    assert found == [Found(0, 4, "LOC", "places"), Found(0, 4, "PER", "people")]


def test_what_two_of_them_find_alike_stands_once_in_the_union_and_twice_by_finder() -> None:
    several = Several([PEOPLE, NameList([("Lviv", "PER")], name="others")])
    assert several.annotate(["Lviv"]) == [[Span(0, 4, "PER")]]
    assert [name.recogniser for name in several.found(["Lviv"])[0]] == ["others", "people"]


def test_their_name_is_all_their_names() -> None:
    assert Several([PEOPLE, PLACES]).name == "people+places"


def test_without_any_recogniser_there_is_nothing_to_ask() -> None:
    with pytest.raises(UsageError, match="at least one"):
        Several([])


def test_all_are_loaded() -> None:
    Several([recogniser(PEOPLE, language="uk"), PLACES]).load()


def test_merged_spans_are_in_order_and_stand_once() -> None:
    a, b = Span(3, 4), Span(0, 9, "X")
    assert merged([("one", [a, b, a]), ("two", [b])]) == [
        Found(0, 9, "X", "one"),
        Found(0, 9, "X", "two"),
        Found(3, 4, None, "one"),
    ]


def test_joined_spans_cover_what_overlaps() -> None:
    spans = [Span(4, 6, "A"), Span(0, 3, "A"), Span(2, 4, "A"), Span(7, 9, "A"), Span(8, 10, "B")]
    assert joined(spans) == [Span(0, 4, "A"), Span(4, 6, "A"), Span(7, 10, None)]
    assert joined(spans, touching=True) == [Span(0, 6, "A"), Span(7, 10, None)]


@given(SPANS, st.booleans())
def test_joined_spans_cover_the_same_characters_without_overlap(spans: list[Span], touching: bool) -> None:  # noqa: FBT001
    stretches = joined(spans, touching=touching)
    covered = {at for span in spans for at in range(span.start, span.end)}
    assert covered == {at for span in stretches for at in range(span.start, span.end)}
    assert sum(span.end - span.start for span in stretches) == len(covered)
    gaps = [other.start - one.end for one, other in pairwise(stretches)]
    assert all(gap > 0 if touching else gap >= 0 for gap in gaps)
