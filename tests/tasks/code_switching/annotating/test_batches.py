from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.tasks.code_switching.batches import JoinedTexts, clean_text, find_last_starts
from isogloss.tasks.code_switching.rows import TextRow

TEXTS = st.lists(st.text("aж<>b/\n\u0301ёé 🙂", max_size=12), max_size=5)


def join_texts(texts: Sequence[str], *, clean: bool = False) -> JoinedTexts:
    rows = [TextRow(text, 10 * place, f"id {place}") for place, text in enumerate(texts)]
    return JoinedTexts.from_rows(rows, lambda place, line: f"{place}+{line}", clean=clean)


@given(TEXTS, st.booleans())
def test_each_text_begins_at_its_offset(texts: list[str], clean: bool) -> None:  # noqa: FBT001  hypothesis gives it
    one = join_texts(texts, clean=clean)
    text = "".join(map(chr, one.code_points[:].tolist()))
    assert len(text) == one.offsets[-1]
    for k, row in enumerate(one.rows):
        start, end = one.offsets[k : k + 2].tolist()
        assert text[start : end - 1] == row.text
        assert text[end - 1] == " "
        assert clean or row.text == texts[k]


@given(TEXTS)
def test_cleaned_characters_have_places_in_the_original(texts: list[str]) -> None:
    one = join_texts(texts, clean=True)
    for k, row in enumerate(one.rows):
        passage = one.provenance.get_excerpt(k)
        assert passage.text == texts[k]
        for at, letter in enumerate(row.text):
            start, end = passage.locate_span(at, at + 1)
            assert texts[k][start] == letter or texts[k][start] in "ёé"
            assert set(texts[k][start + 1 : end]) <= {"\u0301"}


def test_a_place_counts_the_lines_before_it() -> None:
    one = join_texts(["a", "b\nc\n\nd"])
    assert [one.provenance.where(1, at, "predicted") for at in (0, 1, 2, 5)] == ["10+0", "10+0", "10+1", "10+3"]
    assert one.provenance.name(1) == "id 1"


def test_dropped_marks_belong_to_the_letter_before() -> None:
    passage = join_texts(["e\u0301\u0301<b>\u0301é"], clean=True).provenance.get_excerpt(0)
    assert (passage.locate_span(0, 1), passage.locate_span(1, 2)) == ((0, 3), (7, 8))


@pytest.mark.parametrize("clean", [False, True])
def test_cleaning_moves_spans_and_drops_empty_ones(clean: bool) -> None:  # noqa: FBT001  a parameter
    text = "<i>ж</i> <b></b>é\u0301"
    spans = ((0, 8), (9, 16), (16, 18))
    row = TextRow(text, 0, "1", spans, spans, tuple((*span, "X") for span in spans))
    (moved,) = JoinedTexts.from_rows([row], lambda place, line: "", clean=clean).rows
    expected = ((0, 1), (2, 3)) if clean else spans
    assert (moved.sentences, moved.tokens) == (expected, expected)
    assert moved.entities == tuple((*span, "X") for span in expected)


def test_tags_and_marks_are_removed() -> None:
    for text, expected in [
        ("а<b>б</b>в", "абв"),
        ("a < b", "a < b"),
        ("<<b>а", "<а"),
        ("<>а", "<>а"),
        ("<a\nb>а", "а"),
        ("їжак й є ю Ї Й", "їжак й є ю Ї Й"),
        ("ёлка ўсё", "елка усе"),
        ("за\u0301мок", "замок"),
        ("и\u0306", "и"),
        ("naïve", "naive"),
        ("한", "한"),
        ("हिन्दी", "हिनदी"),
        ("", ""),
    ]:
        assert clean_text(text).text == expected


def clean_naively(text: str) -> str:
    """The first two steps of PNaCoS as they are described: tags, then marks character by character."""
    bare = []
    for letter in re.sub("<[^<]+?>", "", text):
        apart = unicodedata.normalize("NFD", letter)
        kept = "".join(part for part in apart if unicodedata.category(part) != "Mn")
        bare.append(letter if letter in "йєюїЙЄЮЇ" else unicodedata.normalize("NFC", kept))
    return "".join(bare)


CLEANED = st.text("абйїєёўéñ한がहि<>/b \u0301\u0306") | st.text()


@given(CLEANED)
def test_cleaning_equals_a_naive_version(text: str) -> None:
    assert clean_text(text).text == clean_naively(text)


@given(CLEANED)
def test_each_cleaned_character_comes_from_its_place(text: str) -> None:
    result = clean_text(text)
    assert len(result.places) == len(result.text)
    assert list(result.places) == sorted(result.places)
    for letter, place in zip(result.text, result.places, strict=True):
        assert letter in clean_naively(text[place])


@given(st.lists(st.integers(0, 20)).map(sorted), st.lists(st.integers(0, 20)).map(sorted))
def test_last_starts_are_those_of_a_search(starts: list[int], places: list[int]) -> None:
    found = find_last_starts(np.array(starts, np.int64), np.array(places, np.int64))
    assert found.tolist() == [sum(start <= place for start in starts) - 1 for place in places]
