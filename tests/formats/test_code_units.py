from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import DataError
from isogloss.formats.offsets import OffsetMode, place_drawn_spans

# doccano's issue 2290: in its pages the word is [22, 32), in Python [19, 29).
FIREMEN = "👨🏻\u200d🚒 firemen drive firetrucks"


def units(text: str, at: int) -> int:
    """A code point's place in code units."""
    return len(text[:at].encode("utf-16-le")) // 2


def test_spans_of_a_person_count_code_units() -> None:
    assert FIREMEN[19:29] == "firetrucks"
    spans, (warning,) = place_drawn_spans(FIREMEN, [(22, 32, "X")], "f:1", offsets="repaired")
    assert (spans, warning.code, warning.count, warning.where) == ([(19, 29, "X")], "offsets-repaired", 1, "f:1")


def test_without_being_asked_they_are_left_as_they_are_and_counted() -> None:
    text = FIREMEN + " at work"
    spans, (warning,) = place_drawn_spans(text, [(22, 32, "X"), (0, 4, "Y")], "f:1", offsets="checked")
    assert (spans, warning.code, warning.count) == ([(22, 32, "X"), (0, 4, "Y")], "offsets-uncertain", 2)


@pytest.mark.parametrize("offsets", ["checked", "repaired", "unchecked"])
@pytest.mark.parametrize("text", ["Ada met Bob", "อมรา met منى", "Ada met 🚒"])
def test_spans_before_such_characters_are_certain(text: str, offsets: OffsetMode) -> None:
    assert place_drawn_spans(text, [(0, 3, "X")], "f:1", offsets=offsets) == ([(0, 3, "X")], ())


def test_a_span_that_reaches_beyond_the_text_tells_of_the_remedy() -> None:
    with pytest.raises(DataError, match=r"^f:1: the span \[22, 32\) 'X' reaches beyond .* 29 code points\n.*--repair"):
        place_drawn_spans(FIREMEN, [(22, 32, "X")], "f:1", offsets="checked")


def test_a_span_that_cuts_a_character_counts_something_else() -> None:
    with pytest.raises(DataError, match=r"within a character"):
        place_drawn_spans("🚒🚒", [(0, 1, "X")], "f:1", offsets="repaired")


def test_spans_that_are_known_stay() -> None:
    known = [(2, 5, "X")]
    spans, (warning,) = place_drawn_spans(
        "🚒 Ada met Bob", [*known, (11, 14, "X")], "f", offsets="repaired", exact=known
    )
    assert (spans, warning.count) == ([(2, 5, "X"), (10, 13, "X")], 1)


@pytest.mark.parametrize("text", ["Ada met Bob", "🚒 Ada met Bob"])
def test_white_space_at_the_ends_goes_with_or_without_such_characters(text: str) -> None:
    start = units(text, text.index("Ada"))
    spans, warnings = place_drawn_spans(text, [(start, start + 4, "X")], "f:1", offsets="repaired")
    assert [text[begin:end] for begin, end, _ in spans] == ["Ada"]
    assert (warnings[-1].message, warnings[-1].count) == ("White space at the ends of spans was left out.", 1)


def test_known_spans_are_freed_of_white_space_too() -> None:
    assert place_drawn_spans("🚒 Ada met", [(2, 6, "X")], "f", offsets="repaired", exact=[(2, 6, "X")])[0] == [
        (2, 5, "X")
    ]


def test_spans_outside_of_a_text_stay_outside() -> None:
    assert place_drawn_spans("🚒", [(-1, 9, "X")], "f", offsets="repaired")[0] == [(-1, 8, "X")]


@given(st.text(max_size=20), st.data())
def test_every_span_comes_back(text: str, data: st.DataObject) -> None:
    edges = st.integers(0, len(text))
    pairs = data.draw(st.lists(st.tuples(edges, edges).map(sorted), max_size=4))
    spans = [(start, end, "X") for start, end in pairs if start < end and text[start:end].strip() == text[start:end]]
    found, _ = place_drawn_spans(
        text, [(units(text, a), units(text, b), label) for a, b, label in spans], "f", offsets="repaired"
    )
    assert list(found) == spans
