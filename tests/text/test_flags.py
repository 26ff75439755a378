from __future__ import annotations

import unicodedata

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isogloss.text.alphabets import (
    CLASS_MASK,
    FOREIGN,
    MAX_MARKS,
    NATIVE,
    QUOTE_FLAG,
    collect_span_flags,
    flag_characters,
    load_alphabet,
)
from isogloss.text.scripts import LETTER, SPACE, to_code_points

SIDES = NATIVE | FOREIGN


def sides(text: str, language: str) -> str:
    """`n`, `f` or `-` for what is native, foreign and neutral."""
    told = {NATIVE: "n", FOREIGN: "f", 0: "-"}
    return "".join(
        told[flag & SIDES] for flag in flag_characters(load_alphabet(language), to_code_points(text)).tolist()
    )


def test_a_letter_with_its_marks_is_what_the_letter_of_one_code_point_is() -> None:
    for language, text, expected in [
        ("uk", "й", "n"),
        ("uk", "и\u0306", "n-"),
        ("uk", "і\u0308", "n-"),
        ("uk", "е\u0308", "f-"),
        ("uk", "у\u0306", "f-"),
        ("ru", "е\u0308и\u0306", "n-n-"),
        ("uk", "за\u0301мок", "nn-nnn"),
        ("ru", "о\u0301", "n-"),
        ("fr", "e\u0301n\u0303", "n-f-"),
        ("vi", "e\u0302\u0301a\u0323\u0302", "n--n--"),
        ("fr", "e\u0302\u0301", "f--"),
        ("ar", "ا\u0653ا\u0654", "n-n-"),
        ("el", "α\u0313\u0301\u0345", "f---"),
        ("ja", "か\u3099", "n-"),
        ("uk", "\u0301а \u0306", "-n--"),
        ("uk", "1\u0301«\u0308", "----"),
        ("uk", "", ""),
    ]:
        assert sides(text, language) == expected


LETTERS = "аеіиуоyaeoçșñếậǖάᾧїйёўقآأहऩが"


@given(st.text(LETTERS + " 1.", max_size=8), st.sampled_from(["uk", "ru", "vi", "fr", "el", "ar", "hi", "ja", "cs"]))
def test_decomposed_text_has_the_sides_of_composed_text(text: str, language: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    apart = unicodedata.normalize("NFD", text)
    marked = zip(sides(apart, language), apart, strict=True)
    assert "".join(side for side, letter in marked if not unicodedata.combining(letter)) == sides(composed, language)


def test_the_marks_on_a_letter_are_as_many_as_any_letter_has() -> None:
    most = max(
        len(unicodedata.normalize("NFD", chr(code))) - 1 for code in range(0x110000) if not 0xD800 <= code < 0xE000
    )
    assert most <= MAX_MARKS


def test_a_thousand_marks_change_nothing() -> None:
    assert sides("а" + "\u0301" * 1000 + "б", "uk") == "n" + "-" * 1000 + "n"


def test_flags_hold_the_class_and_what_encloses() -> None:
    flags = flag_characters(load_alphabet("uk"), to_code_points('а "')).tolist()
    assert [flag & CLASS_MASK for flag in flags[:2]] == [LETTER, SPACE]
    assert [flag & QUOTE_FLAG for flag in flags] == [0, 0, QUOTE_FLAG]


def test_the_alphabet_does_not_change() -> None:
    before = load_alphabet("uk").flags.copy()
    flag_characters(load_alphabet("uk"), to_code_points("е\u0308"))
    assert np.array_equal(load_alphabet("uk").flags, before)


@given(st.data())
def test_flags_of_a_span_are_those_of_its_characters(data: st.DataObject) -> None:
    flags = np.array(data.draw(st.lists(st.integers(0, 255), min_size=2, max_size=20)), np.uint8)
    edges = sorted(data.draw(st.sets(st.integers(0, len(flags) - 1), max_size=8)))
    start, end = np.array(edges[:-1:2], np.int64), np.array(edges[1::2], np.int64)
    expected = [int(np.bitwise_or.reduce(flags[low:high])) for low, high in zip(start, end, strict=True)]
    assert collect_span_flags(flags, start, end).tolist() == expected


def test_spans_that_touch_do_not_share_flags() -> None:
    flags = np.array([1, 2, 4, 0], np.uint8)
    assert collect_span_flags(flags, np.array([0, 1, 2]), np.array([1, 2, 3])).tolist() == [1, 2, 4]
