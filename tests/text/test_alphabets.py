from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import UsageError
from isogloss.text.alphabets import (
    COMBINING_FLAG,
    COMBINING_MARKS,
    COMPATIBILITY_RANGES,
    FOREIGN,
    LEVELS,
    MAX_MARKS,
    NATIVE,
    QUOTE_FLAG,
    AlphabetLevel,
    collect_span_flags,
    flag_characters,
    list_languages,
    load_alphabet,
)
from isogloss.text.scripts import LETTER, SPACE, load_character_table, read_data_file, to_code_points
from isogloss.text.words import CLASS_MASK

GIVEN = Path(__file__).resolve().parents[2].parent / "shared/data/code-switching/alphabets.json"


def native_of(letters: str, language: str, level: AlphabetLevel = "main") -> str:
    return "".join(letter for letter in letters if load_alphabet(language, level).is_native(letter))


def test_table_equals_the_given_one_but_for_one_letter() -> None:
    if not GIVEN.exists():
        pytest.skip("the alphabets that came with the task are not here")
    expected = json.loads(GIVEN.read_text(encoding="utf-8"))
    found = json.loads(read_data_file("alphabets.json"))
    assert set(found["hy"]["main"]) - set(expected["hy"]["main"]) == {"և"}
    found["hy"]["main"] = found["hy"]["main"].replace("և", "")
    assert {name: {key: sorted(value) for key, value in entry.items()} for name, entry in found.items()} == {
        name: {key: sorted(value) for key, value in entry.items()} for name, entry in expected.items()
    }


@pytest.mark.parametrize("level", LEVELS)
def test_every_language_has_letters_and_leaves_others_foreign(level: AlphabetLevel) -> None:
    assert len(list_languages()) == 247
    for language in list_languages():
        flags = load_alphabet(language, level).flags
        native, foreign = (flags & NATIVE) > 0, (flags & FOREIGN) > 0
        assert native.any(), language
        assert foreign.any(), language
        assert not (native & foreign).any(), language


@pytest.mark.parametrize("level", LEVELS)
def test_a_letter_of_the_table_is_native_in_both_cases(level: AlphabetLevel) -> None:
    table = json.loads(read_data_file("alphabets.json"))
    for language in list_languages():
        listed = table[language].get("main", "") + "".join(table[language].get("main_multi", ()))
        own = [letter for letter in listed if load_character_table().find_script(letter)]
        cases = {case for letter in own for case in (letter, letter.upper(), letter.lower()) if len(case) == 1}
        assert native_of("".join(cases), language, level) == "".join(cases), language


def test_a_wider_level_has_all_letters_of_the_narrower_one() -> None:
    for language in list_languages():
        main, auxiliary = ((load_alphabet(language, level).flags & NATIVE) > 0 for level in LEVELS[:2])
        assert not (main & ~auxiliary).any(), language


def test_ukrainian_has_33_letters_and_2_raised_forms() -> None:
    letters = "АаБбВвГгҐґДдЕеЄєЖжЗзИиІіЇїЙйКкЛлМмНнОоПпРрСсТтУуФфХхЦцЧчШшЩщЬьЮюЯя"
    native = np.flatnonzero(load_alphabet("uk").flags & NATIVE).tolist()
    since_python_312 = [code for code in native if 0x1E030 <= code < 0x1E06E]  # further raised forms
    assert {unicodedata.normalize("NFKC", chr(code)) for code in since_python_312} <= set(letters)
    assert "".join(chr(code) for code in native if code < 0x1E030) == "".join(sorted(letters + "ᵸꚝ"))


def test_letters_are_native_in_upper_lower_and_title_case() -> None:
    for language, letters, native in [
        ("tr", "İIıiĞşWQ", "İIıiĞş"),
        ("az", "İıƏəW", "İıƏə"),
        ("en", "İıIi", "Ii"),
        ("de", "ßẞÄäŁ", "ßẞÄä"),
        ("ka", "აᲐჰᲰa", "აᲐჰᲰ"),
        ("el", "ςΣσάa", "ςΣσά"),
        ("hy", "ևԵե", "ևԵե"),
        ("hr", "ǅǆǄž", "ǅǆǄž"),
        ("uk", "їыёўi", "ї"),
        ("vi", "đẾf", "đẾ"),
        ("hi", "कहa", "कह"),
    ]:
        assert native_of(letters, language) == native


def test_vietnamese_has_f_j_w_z_for_foreign_words_only() -> None:
    assert native_of("fjwzFJWZ", "vi") == ""
    assert native_of("fjwzFJWZ", "vi", "main+auxiliary") == "fjwzFJWZ"


def test_letters_of_several_characters_make_each_of_them_native() -> None:
    """Yoruba `gb` and Serbian `dž` are in the table; Akan has neither c nor q."""
    assert native_of("gbẹọṣ", "yo") == "gbẹọṣ"
    assert native_of("džljnj", "sr_Latn") == "džljnj"
    assert native_of("cq", "ak") == ""


def test_language_without_alphabet_has_letters_of_its_scripts() -> None:
    for level in LEVELS[1:]:
        for language, native, foreign in [
            ("zh", "汉漢ㄅ", "あ한a"),
            ("zh_Hant", "漢汉ㄅ", "あ한a"),
            ("ja", "漢汉あア", "한aㄅ"),
            ("ko", "한ㅋ漢", "あaㄅ"),
        ]:
            assert native_of(native + foreign, language, level) == native
            assert all(load_alphabet(language, level).is_foreign(letter) for letter in foreign)


@pytest.mark.parametrize(
    ("language", "native", "rare"),
    [
        ("ko", "한ㅋ", "漢字汉"),
        ("zh", "汉国学个后干", "漢國學個後ㄅ"),
        ("zh_Hans", "汉国学个后干", "漢國學個後ㄅ"),
        ("yue_Hans", "汉国学个后干", "漢國學個後ㄅ"),
        ("zh_Hant", "漢國學個後后干台ㄅ", "汉国学个"),
        ("yue", "漢國學個後后干台ㄅ", "汉国学个"),
        ("ja", "漢字国学後あア個國々", "汉们这说"),
    ],
)
def test_letters_that_a_language_rarely_writes_are_auxiliary(language: str, native: str, rare: str) -> None:
    assert native_of(native + rare, language) == native
    assert native_of(native + rare, language, "main+auxiliary") == native + rare
    assert native_of(native + rare, language, "script") == native + rare


def test_common_characters_of_one_standard_are_native_there() -> None:
    """Level 1 of GB 2312, Big5 and JIS X 0208 has the characters that a language writes most."""
    for language, encoding, rows in [
        ("zh", "gb2312", range(0xB0, 0xD8)),
        ("zh_Hant", "big5", range(0xA4, 0xC7)),
        ("ja", "euc_jp", range(0xB0, 0xD0)),
    ]:
        pairs = (bytes((row, cell)).decode(encoding, "ignore") for row in rows for cell in range(0x40, 0xFF))
        common = [
            letter for letter in pairs if len(letter) == 1 and load_character_table().find_script(letter) == "Hani"
        ]
        foreign = [letter for letter in common if not load_alphabet(language).is_native(letter)]
        assert len(common) > 2900
        assert len(foreign) <= 2, (language, foreign)


def test_the_level_script_has_the_letters_of_neighbours() -> None:
    assert native_of("їыёўђa", "uk", "script") == "їыёўђ"
    assert load_alphabet("uk", "script").scripts == {"Cyrl"}


def test_what_is_no_letter_of_a_script_is_neutral() -> None:
    for letter in [*"15½_.-«😀 ʼ\u0301\u0640", "\u093f"]:
        for language in ("uk", "ar", "hi", "ja"):
            assert not load_alphabet(language).is_native(letter)
            assert not load_alphabet(language).is_foreign(letter)


def test_a_compatibility_form_is_native_if_what_it_stands_for_is() -> None:
    for language, form, native in [
        ("en", "ﬁ", True),
        ("en", "Ａ", True),
        ("en", "ſ", True),
        ("en", "ﬀ", True),
        ("uk", "Ａ", False),
        ("el", "\u1f71", True),
        ("el", "\u2126", True),
        ("en", "\u212a", True),
        ("sv", "\u212b", True),
        ("en", "\u212b", False),
        ("hi", "\u095c", True),
        ("ar", "ﷲ", True),
        ("ar", "ﻻ", True),
        ("fa", "ﮔ", True),
        ("ar", "ﮔ", False),
        ("th", "\u0e33", True),
        ("hy", "ﬓ", True),
    ]:
        assert load_alphabet(language).is_native(form) is native
        assert load_alphabet(language).is_foreign(form) is not native


def test_all_compatibility_forms_of_letters_are_looked_at() -> None:
    """But for ideographs and syllables, whose languages have all letters of their scripts."""
    within = {code for limits in COMPATIBILITY_RANGES for code in range(*limits)}
    for code in np.flatnonzero(load_character_table().script_index).tolist():
        if unicodedata.normalize("NFKC", chr(code)) != chr(code) and code not in within:
            assert load_character_table().find_script(chr(code)) in {"Hani", "Hang", "Hira", "Kana"}, hex(code)


def test_all_marks_that_compose_a_letter_are_known() -> None:
    composing = set()
    for code in range(0x110000):
        apart = unicodedata.decomposition(chr(code)).split()
        if len(apart) == 2 and apart[0][0] != "<" and unicodedata.normalize("NFC", chr(code)) == chr(code):
            letter, mark = (int(part, 16) for part in apart)
            if load_character_table().script_index[letter] and unicodedata.category(chr(mark))[0] == "M":
                composing.add(mark)
    assert composing <= set(COMBINING_MARKS)
    assert set(np.flatnonzero(load_alphabet("uk").flags & COMBINING_FLAG).tolist()) == set(COMBINING_MARKS)


def test_codes_with_regions_and_former_codes_are_found() -> None:
    for language, code in [
        ("uk-UA", "uk"),
        ("UK", "uk"),
        ("pt-br", "pt"),
        ("sr-latn-rs", "sr_Latn"),
        ("zh-Hant-TW", "zh_Hant"),
        ("uk-Cyrl-UA", "uk"),
        ("de-1996", "de"),
        ("iw", "he"),
        ("in-ID", "id"),
        ("sh-BA", "sr_Latn"),
        ("nb-NO", "nb"),
        ("tl", "fil"),
        ("ko-Hang", "ko"),
        ("ko_Hang_KR", "ko"),
        ("zh_TW", "zh_Hant"),
        ("zh-hk", "zh_Hant"),
        ("zh_Hans_TW", "zh_Hans"),
        ("zh_CN", "zh"),
        ("pa-PK", "pa_Arab"),
        ("sr_ME", "sr_Latn"),
    ]:
        assert load_alphabet(language).language == code


def test_script_without_alphabet_is_refused() -> None:
    with pytest.raises(UsageError, match="Unknown language 'uk-Latn'"):
        load_alphabet("uk-Latn")


def test_an_unknown_language_suggests_what_was_meant() -> None:
    for language, hint in [
        ("ukrainian", "did you mean uk"),
        ("Ukranian", "did you mean uk"),
        ("xx", "such as uk"),
        ("", "such as uk"),
    ]:
        with pytest.raises(UsageError, match=hint):
            load_alphabet(language)


def test_an_unknown_level_lists_the_levels() -> None:
    level: Any = "wide"
    with pytest.raises(UsageError, match="main, main\\+auxiliary, script"):
        load_alphabet("uk", level)


def test_own_letters_are_taken_in_both_cases_and_alone() -> None:
    own = load_alphabet("xx", letters="абв ,1")
    assert (own.language, own.level, own.scripts, own.script) == ("xx", "own", frozenset({"Cyrl"}), "Cyrl")
    assert all(map(own.is_native, "абвАБВ"))
    assert not any(map(own.is_native, "г ,1"))
    assert load_alphabet("uk", letters="ab").scripts == {"Latn"}


def test_own_letters_without_a_letter_are_refused() -> None:
    with pytest.raises(UsageError, match="has no letter"):
        load_alphabet("uk", letters="123 .")


def test_an_alphabet_is_built_once() -> None:
    assert load_alphabet("uk") is load_alphabet("uk-UA")


def test_script_letter_excludes_other_scripts_and_digits() -> None:
    assert load_alphabet("uk").is_script_letter("ы")
    assert not load_alphabet("uk").is_script_letter("a")
    assert not load_alphabet("uk").is_script_letter("1")


SIDES = NATIVE | FOREIGN


def sides(text: str, language: str) -> str:
    """`n`, `f` or `-` for what is native, foreign and neutral."""
    told = {NATIVE: "n", FOREIGN: "f", 0: "-"}
    return "".join(
        told[flag & SIDES] for flag in flag_characters(load_alphabet(language), to_code_points(text)).tolist()
    )


def test_letter_with_marks_counts_as_its_composed_letter() -> None:
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
