from __future__ import annotations

import unicodedata

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isogloss.tasks.segmentation.options import Align
from isogloss.tasks.segmentation.pairing import CanonicalText, to_canonical

TEXT = st.text(st.sampled_from("กขนำ้ําเแ็\u0e48\u200be\u0301\u0327éกa"), min_size=1, max_size=8)


def form(words: list[str], align: Align) -> CanonicalText:
    text = "".join(words)
    starts = np.zeros(len(text), np.bool_)
    starts[np.cumsum([0, *map(len, words[:-1])])[: len(text)]] = True
    return to_canonical(np.array([ord(c) for c in text], np.uint32), starts, align)


def cut(found: CanonicalText) -> list[str]:
    words: list[str] = []
    for code, start in zip(found.text.tolist(), found.starts.tolist(), strict=True):
        if start:
            words.append("")
        words[-1] += chr(code)
    return words


EQUAL: list[tuple[Align, str, str]] = [
    ("nfc", "é", "e\u0301"),
    ("nfc", "ḉ", "c\u0301\u0327"),
    ("thai", "é", "e\u0301"),
    ("thai", "น้ำ", "น\u0e4d\u0e49\u0e32"),
    ("thai", "น้ำ", "น\u0e49\u0e4d\u0e32"),
    ("thai", "แม่", "เเม่"),
    ("thai", "กา\u200bดำ", "กาดำ"),
    ("thai", "\ufeffกา", "กา"),
]


def test_ways_to_write_the_same_have_one_form() -> None:
    for align, one, other in EQUAL:
        assert form([one], align).text.tolist() == form([other], align).text.tolist()


def test_what_only_thai_takes_as_equal_is_not_canonically_equivalent() -> None:
    for one, other in [(one, other) for align, one, other in EQUAL if align == "thai"][1:]:
        assert form([one], "nfc").text.tolist() != form([other], "nfc").text.tolist()


def test_a_word_that_starts_inside_a_composed_character_still_starts() -> None:
    assert cut(form(["น", "ำ"], "thai")) == ["น", "\u0e4d\u0e32"]
    assert cut(form(["น\u0e4d", "า"], "thai")) == ["น\u0e4d", "า"]
    assert cut(form(["e", "\u0301"], "nfc")) == ["e", "\u0301"]


def test_a_word_that_is_invisible_alone_is_none() -> None:
    assert cut(form(["กา", "\u200b", "ดำ"], "thai")) == ["กา", "ด\u0e4d\u0e32"]
    assert cut(form(["กา", "\u200b"], "thai")) == ["กา"]


def test_each_character_knows_which_it_stands_for() -> None:
    assert form(["ก\u200b", "ำ"], "thai").positions == (0, 2, 2)


@given(TEXT)
def test_texts_have_the_same_form_just_when_they_are_canonically_equivalent(text: str) -> None:
    decomposed = unicodedata.normalize("NFD", text)
    assert "".join(map(chr, form([text], "nfc").text.tolist())) == decomposed


@given(TEXT)
def test_the_form_of_a_form_is_itself(text: str) -> None:
    once = "".join(map(chr, form([text], "thai").text.tolist()))
    assert "".join(map(chr, form([once], "thai").text.tolist())) == once


@given(st.lists(TEXT, min_size=1, max_size=4))
def test_a_text_with_characters_left_begins_with_a_word(words: list[str]) -> None:
    found = form(words, "thai")
    assert not len(found.text) or found.starts[0]
