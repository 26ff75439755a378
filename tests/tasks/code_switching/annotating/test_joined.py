from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.tasks.code_switching.batches import JoinedTexts
from isogloss.tasks.code_switching.rows import TextRow

TEXTS = st.lists(st.text("aж<>b/\n\u0301ёé 🙂", max_size=12), max_size=5)


def joined(texts: Sequence[str], *, clean: bool = False) -> JoinedTexts:
    rows = [TextRow(text, 10 * place, f"id {place}") for place, text in enumerate(texts)]
    return JoinedTexts.from_rows(rows, lambda place, line: f"{place}+{line}", clean=clean)


@given(TEXTS, st.booleans())
def test_each_text_stands_at_its_offset(texts: list[str], clean: bool) -> None:  # noqa: FBT001  hypothesis gives it
    one = joined(texts, clean=clean)
    assert len(one.text) == len(one.code_points) == one.offsets[-1]
    for k, row in enumerate(one.rows):
        start, end = one.offsets[k : k + 2].tolist()
        assert one.text[start : end - 1] == row.text
        assert one.text[end - 1] == " "
        assert clean or row.text == texts[k]


@given(TEXTS)
def test_characters_that_are_left_stand_in_the_text_as_it_was_given(texts: list[str]) -> None:
    one = joined(texts, clean=True)
    for k, row in enumerate(one.rows):
        passage = one.origin.passage(k)
        assert passage.text == texts[k]
        for at, letter in enumerate(row.text):
            start, end = passage.locate_span(at, at + 1)
            assert texts[k][start] == letter or texts[k][start] in "ёé"
            assert set(texts[k][start + 1 : end]) <= {"\u0301"}


def test_a_place_counts_the_lines_before_it() -> None:
    one = joined(["a", "b\nc\n\nd"])
    assert [one.origin.where(1, at, "predicted") for at in (0, 1, 2, 5)] == ["10+0", "10+0", "10+1", "10+3"]
    assert one.origin.name(1) == "id 1"


def test_marks_that_were_dropped_belong_to_the_letter_before_them() -> None:
    passage = joined(["e\u0301\u0301<b>\u0301é"], clean=True).origin.passage(0)
    assert (passage.locate_span(0, 1), passage.locate_span(1, 2)) == ((0, 3), (7, 8))


@pytest.mark.parametrize("clean", [False, True])
def test_spans_move_with_the_text_and_what_is_left_empty_goes(clean: bool) -> None:  # noqa: FBT001  a parameter
    text = "<i>ж</i> <b></b>é\u0301"
    spans = ((0, 8), (9, 16), (16, 18))
    row = TextRow(text, 0, "1", spans, spans, tuple((*span, "X") for span in spans))
    (moved,) = JoinedTexts.from_rows([row], lambda place, line: "", clean=clean).rows
    expected = ((0, 1), (2, 3)) if clean else spans
    assert (moved.sentences, moved.tokens) == (expected, expected)
    assert moved.entities == tuple((*span, "X") for span in expected)
