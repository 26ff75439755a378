from __future__ import annotations

import unicodedata

import numpy as np
import regex

from isogloss.text.scripts import CLASSES, QUOTE_CHARACTERS, QUOTE_PAIRS, load_character_table, to_code_points

LETTERS = {"Lu", "Ll", "Lt", "Lo", "Lm"}


def test_characters_have_these_classes() -> None:
    for letters, name in [
        ("aЯαﻙक한ჰ", "L"),
        ("中あกກខဗ", "I"),
        ("カﾊ", "K"),
        ("\u0301\u093f\u200c\u00adーｰ🏽ำ", "M"),
        ("\u200d\u094d\u17d2", "V"),
        ("7٣½Ⅳ②_\u06dd", "D"),
        (" \n\u00a0\u3000\u200b", "Z"),
        ("'’·״", "J"),
        (".,٫", "N"),
        ("😀♂↔©", "S"),
        ("🇺", "R"),
        ("-!«+€\x00", "O"),
    ]:
        assert {letter: CLASSES[load_character_table().classes[ord(letter)]] for letter in letters} == dict.fromkeys(
            letters,
            name,
        )


def test_scripts_equal_those_of_regex() -> None:
    """The package `regex` has its own tables; letters that both know, and that only one script uses."""
    for code in range(0x20, 0x3400):
        letter = chr(code)
        script = load_character_table().find_script(letter)
        if script is not None and unicodedata.category(letter) in LETTERS:
            assert regex.match(rf"\p{{scx={script}}}", letter), hex(code)
        elif unicodedata.category(letter) in LETTERS:
            plain = unicodedata.normalize("NFKC", letter)[-1]
            assert regex.search(r"\p{sc=Common}|\p{sc=Inherited}", letter + plain), hex(code)


def test_what_is_no_letter_has_no_script() -> None:
    for letter in "1٣½\u0301\u093f.-_😀 ː\u0640\ufe70":
        assert load_character_table().find_script(letter) is None
        assert load_character_table().find_scripts(letter) == ()


def test_letters_of_scripts_are_those_that_one_of_them_uses() -> None:
    both = np.flatnonzero(load_character_table().mask_letters(frozenset({"Cyrl", "Grek"})))
    assert {ord("я"), ord("Ω")} <= set(both.tolist())
    assert not {ord("a"), ord("1"), ord("中")} & set(both.tolist())


def test_code_points_keep_surrogates_and_emoji() -> None:
    assert to_code_points("a\ud800😀").tolist() == [0x61, 0xD800, 0x1F600]


def test_all_that_opens_or_closes_encloses() -> None:
    assert set(QUOTE_PAIRS) | set("".join(QUOTE_PAIRS.values())) | set("`\n\"'") == QUOTE_CHARACTERS
