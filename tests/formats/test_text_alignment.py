from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from isogloss.errors import DataError, FormatError
from isogloss.formats.documents import LabelledSpan, LocatedSpans, SpanDocument
from isogloss.formats.text_alignment import align_texts, count_text_units, get_text_excerpt
from isogloss.kernel.provenance import RunWarning

NAMES = ("gold", "pred")
BLANKS = " \n\t\u00a0\u2003"
WORDS = st.lists(st.text(st.sampled_from("abé\u0301ก漢𠀀"), min_size=1, max_size=3), min_size=1, max_size=5)


def document(text: str | None, *spans: LabelledSpan, **more: Any) -> SpanDocument:
    return SpanDocument(**{"line": 3, "id": None, "text": text, "spans": list(spans)} | more)


def shown(document: SpanDocument, passage_text: str, units: tuple[Sequence[int], Sequence[int]] | None) -> list[str]:
    """What spans cover."""
    if units is None:
        return [passage_text[start:end] for start, end, _ in document.spans]
    return [passage_text[units[0][start] : units[1][end - 1]] for start, end, _ in document.spans]


def covered(pair: tuple[SpanDocument, SpanDocument]) -> tuple[list[str], list[str]]:
    """What the spans of both sides cover of their common text."""
    passage = get_text_excerpt(pair)
    assert passage is not None
    units = None if passage.starts is None or passage.ends is None else (passage.starts, passage.ends)
    one, other = (shown(side, passage.text, units) for side in pair)
    return one, other


@st.composite
def spaced(draw: st.DrawFn) -> tuple[list[str], str]:
    """Words, and a text of them with any white space between and around."""
    words = draw(WORDS)
    gaps = [draw(st.text(st.sampled_from(BLANKS), max_size=2)) for _ in range(len(words) + 1)]
    return words, gaps[0] + "".join(word + gap for word, gap in zip(words, gaps[1:], strict=True))


@given(spaced(), st.data())
def test_spans_of_joined_words_cover_the_same_characters_of_the_real_text(
    case: tuple[list[str], str], data: st.DataObject
) -> None:
    words, text = case
    joined = " ".join(words)
    assume(joined != text)
    sides: list[list[LabelledSpan]] = []
    for own in (joined, text):
        edges = st.integers(0, len(own))
        pairs = [sorted(data.draw(st.tuples(edges, edges))) for _ in range(3)]
        sides.append([(start, end, "L") for start, end in pairs if own[start:end].strip()])
    one, other = document(joined, *sides[0], joined=True), document(text, *sides[1])
    for pair, names in (((one, other), 0), ((other, one), 1)):
        found = align_texts(pair, NAMES)
        assert get_text_excerpt(found) is not None
        assert count_text_units(found) == len("".join(words))
        expected = ["".join(joined[a:b].split()) for a, b, _ in sides[0]]
        also = ["".join(text[a:b].split()) for a, b, _ in sides[1]]
        seen = covered(found) if names == 0 else covered(found)[::-1]
        assert ["".join(each.split()) for each in seen[0]] == expected
        assert ["".join(each.split()) for each in seen[1]] == also
        assert all(each == each.strip() for side in seen for each in side)
        assert found[0].text == found[1].text == text


def test_the_same_names_are_the_same_spans_whatever_white_space_is_around_them() -> None:
    one = document("Ada ( Bob ) .", (0, 3, "P"), (6, 9, "P"), joined=True)
    other = document("Ada\n(Bob).", (0, 3, "P"), (5, 8, "P"))
    found = align_texts((one, other), NAMES)
    assert list(found[0].spans) == list(found[1].spans) == [(0, 3, "P"), (4, 7, "P")]
    assert covered(found) == (["Ada", "Bob"], ["Ada", "Bob"])


def test_texts_that_are_equal_or_too_different_stay() -> None:
    for pair in (
        (document("a b", (0, 1, "L"), joined=True), document("a b", (2, 3, "L"))),
        (document("a b", joined=True), document("a c")),
        (document("a b"), document("a c")),
        (document("a b"), document("a  b")),
        (document("a", unlocated=[("x", "L")]), document("b")),
    ):
        assert align_texts(pair, NAMES) == pair


def test_a_span_that_no_text_has_stays_one() -> None:
    one, other = document("a b", (-2, 1, "L"), (2, 9, "L"), joined=True), document("a  b", (3, 5, "L"))
    first, second = align_texts((one, other), NAMES)
    assert [start < 0 or end > 2 for start, end, _ in (*first.spans, *second.spans)] == [True, True, True]


def test_a_span_of_white_space_alone_is_refused_where_white_space_does_not_count() -> None:
    pair = document("a b", joined=True), document("a  b", (1, 3, "L"))
    with pytest.raises(DataError, match=r"the span \[1, 3\) 'L' is white space only") as error:
        align_texts(pair, NAMES)
    assert error.value.where == "pred:3"


def test_names_are_looked_for_in_the_text_of_the_other_side() -> None:
    asked: list[str] = []
    warning = RunWarning("normalised", "x")

    def locate(text: str) -> LocatedSpans:
        asked.append(text)
        return LocatedSpans([(4, 7, "P")], [("Eve", "P")], (warning,))

    one, other = align_texts((document("Ada Bob", (0, 3, "P")), document(None, locate=locate)), NAMES)
    assert asked == ["Ada Bob"]
    assert (other.text, other.warnings, other.locate) == (one.text, (warning,), None)
    assert list(other.spans) == [(4, 7, "P"), (8, 11, "P")]
    assert one.text == "Ada Bob\nEve"


def test_names_without_any_text_are_refused() -> None:
    with pytest.raises(FormatError, match="no text to find them in") as error:
        align_texts((document(None), document(None, locate=lambda _: LocatedSpans(()))), NAMES)
    assert error.value.where == "pred:3"


def test_names_that_no_text_holds_stand_after_it_each_by_itself() -> None:
    one = document("Ada", (0, 3, "P"), unlocated=[("Bob", "P"), ("", "L")])
    other = document("Ada", unlocated=[("Bob", "P")])
    found = align_texts((one, other), NAMES)
    assert found[0].text == found[1].text == "Ada\nBob\n∅\nBob"
    assert covered(found) == (["Ada", "Bob", "∅"], ["Bob"])
    spans = [span for side in found for span in side.spans]
    assert all(a[1] <= b[0] for a, b in zip(sorted(spans), sorted(spans)[1:], strict=False))
    assert found[0].unlocated == found[1].unlocated == ()


def test_names_stand_after_a_text_whose_white_space_does_not_count() -> None:
    one = document("a b", (0, 1, "L"), joined=True, unlocated=[("x y", "L")])
    other = document("a  b", (3, 4, "L"), unlocated=[("z", "L")])
    found = align_texts((one, other), NAMES)
    assert covered(found) == (["a", "x y"], ["b", "z"])
    assert list(found[0].spans) == [(0, 1, "L"), (2, 3, "L")]
    assert list(found[1].spans) == [(1, 2, "L"), (3, 4, "L")]
    assert count_text_units(found) == 4


def test_span_beyond_its_text_is_refused_before_adding_names() -> None:
    pair = document("Ada", (0, 5, "P")), document("Ada", unlocated=[("Bob", "P")])
    with pytest.raises(DataError, match="reaches beyond its text, which has 3 code points") as error:
        align_texts(pair, NAMES)
    assert error.value.where == "gold:3"


@pytest.mark.parametrize(
    ("pair", "units"),
    [
        ((document("abc"), document(None)), 3),
        ((document(None), document("ab")), 2),
        ((document(None), document(None)), -1),
    ],
)
def test_the_side_that_has_a_text_says_how_long_it_is(pair: tuple[SpanDocument, SpanDocument], units: int) -> None:
    assert count_text_units(pair) == units
    assert (get_text_excerpt(pair) is None) == (units < 0)
