from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from isogloss.errors import DataError
from isogloss.formats.offsets import MAX_SHIFT, MarkedSpan, OffsetMode, place_drawn_spans, place_span_lines, place_spans

LETTERS = "ab é\u0301กี้漢عبＡ\uffff𠀀👩\u200d👧\n"
TEXTS = st.text(st.sampled_from(LETTERS), min_size=1, max_size=24)
Units = Callable[[str], int]
CODE_UNITS: dict[str, Units] = {
    "UTF-16 code units": lambda text: len(text.encode("utf-16-le")) // 2,
    "bytes of UTF-8": lambda text: len(text.encode()),
    "line breaks as two": lambda text: len(text.replace("\n", "\r\n")),
}


@st.composite
def marked(draw: st.DrawFn) -> tuple[str, list[MarkedSpan]]:
    """A text and spans of it, each with its own text."""
    text = draw(TEXTS)
    spans: list[MarkedSpan] = []
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        spans.append((start, end, draw(st.sampled_from(["A", "B"])), text[start:end]))
    return text, spans


def repaired(text: str, *spans: MarkedSpan) -> list[tuple[int, int, str]]:
    return place_spans(text, spans, "f:1", offsets="repaired")[0]


def notes(text: str, *spans: MarkedSpan) -> list[tuple[str, int]]:
    return [(warning.message, warning.count) for warning in place_spans(text, spans, "f:1", offsets="repaired")[1]]


@given(marked())
def test_spans_that_stand_where_they_say_stay(case: tuple[str, list[MarkedSpan]]) -> None:
    text, spans = case
    assert place_spans(text, spans, "f:1", offsets="checked") == ([span[:3] for span in spans], ())


@pytest.mark.parametrize("kind", CODE_UNITS)
@given(case=marked())
def test_offsets_in_code_units_are_refused_or_repaired(kind: str, case: tuple[str, list[MarkedSpan]]) -> None:
    text, spans = f"👍\n{case[0]}", [(start + 2, end + 2, label, own) for start, end, label, own in case[1]]
    units = CODE_UNITS[kind]
    slipped = [(units(text[:start]), units(text[:end]), label, own) for start, end, label, own in spans]
    wrong = [span for span in slipped if text[span[0] : span[1]] != span[3]]
    assume(wrong)
    with pytest.raises(DataError, match="--repair-offsets turns them into code points"):
        place_spans(text, slipped, "f:1", offsets="checked")
    found, warnings = place_spans(text, slipped, "f:1", offsets="repaired")
    for (start, end, label), (_, _, expected, own) in zip(found, spans, strict=True):
        assert label == expected
        assert text[start:end] == ((own or "").strip() or own)
    assert warnings[0].message.startswith("Offsets that count ")
    assert {warning.code for warning in warnings} == {"offsets-repaired"}


def test_code_units_are_turned_for_the_whole_document() -> None:
    text = "👍👍 Ada, Bob"
    assert repaired(text, (5, 8, "P", "Ada"), (10, 13, "P", "Bob")) == [(3, 6, "P"), (8, 11, "P")]
    assert notes(text, (5, 8, "P", "Ada")) == [
        ("Offsets that count UTF-16 code units were turned into code points.", 1)
    ]


@pytest.mark.parametrize("letter", ["Ａ", "ｱ", "\uffff"])
def test_forms_of_other_widths_are_one_utf_16_unit_each(letter: str) -> None:
    text = f"{letter * 3} 👍 Ada"  # Ada begins at 6; the emoji alone has two units
    assert repaired(text, (7, 10, "P", "Ada")) == [(6, 9, "P")]
    assert notes(text, (7, 10, "P", "Ada")) == [
        ("Offsets that count UTF-16 code units were turned into code points.", 1)
    ]


def test_a_span_that_is_turned_is_freed_of_white_space_too() -> None:
    assert repaired("👍 Ada ", (3, 7, "P", "Ada ")) == [(2, 5, "P")]


def test_a_span_moves_to_its_text_within_reach() -> None:
    for distance in [-MAX_SHIFT, -1, 1, MAX_SHIFT]:
        text = "." * 40 + "Ada" + "." * 40
        assert repaired(text, (40 - distance, 43 - distance, "P", "Ada")) == [(40, 43, "P")]
        assert notes(text, (40 - distance, 43 - distance, "P", "Ada")) == [
            ("Spans were moved to where their text stands.", 1)
        ]


@pytest.mark.parametrize("distance", [-MAX_SHIFT - 1, MAX_SHIFT + 1])
def test_a_span_whose_text_is_too_far_away_is_refused(distance: int) -> None:
    text = "." * 40 + "Ada" + "." * 40
    with pytest.raises(DataError, match=r"covers '\.\.\.', but its own text is 'Ada'") as error:
        repaired(text, (40 - distance, 43 - distance, "P", "Ada"))
    assert "--repair" not in str(error.value)


def test_a_span_that_begins_far_before_its_text_is_refused() -> None:
    with pytest.raises(DataError, match=r"the span \[-1000, -997\)"):
        repaired("." * 2000 + "Ada", (-1000, -997, "P", "Ada"))


def test_of_two_places_the_nearest_is_taken_and_of_two_as_near_the_first() -> None:
    assert repaired("Ada Ada Ada", (5, 8, "P", "Ada")) == [(4, 7, "P")]
    assert repaired("Ada..Ada", (3, 5, "P", "Ada")) == [(5, 8, "P")]
    assert repaired("Ada.....Ada", (4, 7, "P", "Ada")) == [(0, 3, "P")]


def test_white_space_at_the_ends_is_left_out_of_all_spans_of_a_document() -> None:
    text = " Ada met Bob "
    assert repaired(text, (0, 4, "P", None), (8, 13, "P", " Bob ")) == [(1, 4, "P"), (9, 12, "P")]
    assert notes(text, (0, 4, "P", None), (8, 13, "P", " Bob ")) == [
        ("White space at the ends of spans was left out.", 2)
    ]
    # Also where another span has to be moved.
    assert repaired(text, (0, 4, "P", None), (8, 11, "P", "Bob")) == [(1, 4, "P"), (9, 12, "P")]
    assert [count for _, count in notes(text, (0, 4, "P", None), (8, 11, "P", "Bob"))] == [1, 1]


def test_a_span_of_white_space_alone_and_one_that_no_text_has_stay() -> None:
    assert repaired("a  b", (1, 3, "P", None), (4, 9, "P", None)) == [(1, 3, "P"), (4, 9, "P")]


def test_other_white_space_inside_its_own_text_is_a_slip() -> None:
    span = (0, 8, "P", "New York")
    assert repaired("New\nYork", span) == [(0, 8, "P")]
    with pytest.raises(DataError, match="--repair-offsets"):
        place_spans("New\nYork", [span], "f:1", offsets="checked")


def test_one_text_that_is_nowhere_refuses_the_document_and_is_the_one_that_is_named() -> None:
    with pytest.raises(DataError, match="its own text is 'Eve'") as error:
        repaired("x Ada Bob", (1, 4, "P", "Ada"), (6, 9, "P", "Eve"))
    assert error.value.where == "f:1"


def test_without_repair_the_error_mentions_a_text_close_by() -> None:
    with pytest.raises(DataError, match="stand close by: --repair-offsets moves the spans there"):
        place_spans("x Ada", [(1, 4, "P", "Ada")], "f:1", offsets="checked")


def test_error_names_the_line_of_the_span() -> None:
    spans: list[MarkedSpan] = [(0, 3, "P", "Ada"), (4, 7, "P", "Bob")]
    with pytest.raises(DataError) as error:
        place_span_lines("Ada Eve", spans, lambda at: f"f:{10 + at}", offsets="checked")
    assert error.value.where == "f:11"


def test_line_breaks_and_tabs_may_be_blanks_in_texts_that_stand_in_a_line() -> None:
    spans: list[MarkedSpan] = [(0, 8, "L", "New York")]
    assert place_span_lines("New\nYork", spans, lambda at: f"f:{at}", offsets="checked") == ([(0, 8, "L")], ())


@pytest.mark.parametrize(
    ("span", "says"),
    [
        ((2, 2, "L", ""), "has no extent"),
        ((-1, 2, "L", None), "begins before its text"),
        ((0, 9, "L", None), "reaches beyond its text, which has 3"),
    ],
)
def test_spans_with_lines_of_their_own_are_within_the_text(span: MarkedSpan, says: str) -> None:
    with pytest.raises(DataError, match=says) as error:
        place_span_lines("Ada", [(0, 1, "L", "A"), span], lambda at: f"f:{at}", offsets="checked")
    assert error.value.where == "f:1"


# doccano's issue 2290: in its pages the word is [22, 32), in Python [19, 29).
FIREMEN = "👨🏻\u200d🚒 firemen drive firetrucks"


def units(text: str, at: int) -> int:
    """A code point's place in code units."""
    return len(text[:at].encode("utf-16-le")) // 2


def test_spans_of_a_person_count_code_units() -> None:
    assert FIREMEN[19:29] == "firetrucks"
    spans, (warning,) = place_drawn_spans(FIREMEN, [(22, 32, "X")], "f:1", offsets="repaired")
    assert (spans, warning.code, warning.count, warning.where) == ([(19, 29, "X")], "offsets-repaired", 1, "f:1")


def test_without_repair_drawn_spans_are_kept_and_counted() -> None:
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
