from __future__ import annotations

import json
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from isogloss.tasks.code_switching.verdicts import (
    ATTACHMENT,
    GLUED,
    HOMOGLYPH,
    LETTER_SHAPES,
    LOOK_ALIKES,
    MIXTURES,
    classify_mixture,
)
from isogloss.text.alphabets import load_alphabet
from isogloss.text.scripts import load_character_table

GIVEN = Path(__file__).resolve().parents[4].parent / "shared/data/code-switching/mixed_script_tokens.jsonl"


def test_a_word_is_this_kind_of_mixture() -> None:
    for language, token, expected in [
        # A Latin letter among Cyrillic ones, a Cyrillic one among Latin, in either case and with marks.
        ("uk", "Кiев", HOMOGLYPH),
        ("uk", "УКРАIНА", HOMOGLYPH),
        ("uk", "Yкраїна", HOMOGLYPH),
        ("uk", "паpк", HOMOGLYPH),
        ("uk", "Gоogle", HOMOGLYPH),
        ("ru", "cёстры", HOMOGLYPH),
        ("ru", "мed", GLUED),
        ("uk", "ïжак", HOMOGLYPH),
        ("uk", "i\u0308жак", HOMOGLYPH),
        ("en", "pаypal", HOMOGLYPH),
        ("en", "Αlpha", HOMOGLYPH),
        ("el", "Aθήνα", HOMOGLYPH),
        ("hy", "hայ", HOMOGLYPH),
        # A foreign word with an affix.
        ("ko", "AI의", ATTACHMENT),
        ("ko", "JavaScript를", ATTACHMENT),
        ("ko", "LLC는", ATTACHMENT),
        ("ar", "بbulgarian", ATTACHMENT),
        ("ar", "الـAI", ATTACHMENT),
        ("ar", "والGPS", ATTACHMENT),
        ("he", "בGoogle", ATTACHMENT),
        ("fa", "AI\u200cها", ATTACHMENT),
        ("uk", "sms'ка", ATTACHMENT),
        ("ru", "PR’щик", ATTACHMENT),
        # Neither.
        ("ru", "статистическогоdispersion", GLUED),
        ("ko", "SK하이닉스", GLUED),
        ("ko", "플form", GLUED),
        ("ko", "의AI", GLUED),
        ("ar", "AIب", GLUED),
        ("ar", "الشarif", GLUED),
        ("hi", "बहut", GLUED),
        ("ru", "Гогwarts", GLUED),
        ("uk", "мылоabc", GLUED),
        ("ru", "аnten", GLUED),
        # No mixture of scripts at all.
        ("uk", "Київ", None),
        ("uk", "Kyiv", None),
        ("uk", "мыло", None),
        ("en", "café", None),
        ("vi", "fax", None),
        ("uk", "123", None),
        ("uk", "за\u0301мок", None),
        ("uk", "COVID19", None),
        ("uk", "日本AI", None),
        ("uk", "", None),
    ]:
        assert classify_mixture(token, load_alphabet(language)) == expected


def test_a_regional_language_has_the_affixes_of_the_language() -> None:
    assert classify_mixture("AIها", load_alphabet("fa_AF")) == ATTACHMENT


def test_every_mixed_word_of_real_answers_is_classified() -> None:
    if not GIVEN.exists():
        pytest.skip("the mixed words that came with the task are not here")
    rows = [json.loads(line) for line in GIVEN.read_text(encoding="utf-8").splitlines()]
    kinds = Counter(classify_mixture(row["token"], load_alphabet(row["language"])) for row in rows)
    assert len(rows) == kinds.total() == 80
    assert set(kinds) <= set(MIXTURES)
    attached = {
        row["token"] for row in rows if classify_mixture(row["token"], load_alphabet(row["language"])) == ATTACHMENT
    }
    assert {"AI로", "NFC를", "Azure와", "JavaScript를"} <= attached
    assert not {"SK하이닉스", "Гогwarts", "नоble"} & attached


def test_letters_that_look_alike_are_of_different_scripts() -> None:
    """Within a row one letter a script, but where two letters of a script look the same."""
    for row in LOOK_ALIKES.split():
        scripts = {load_character_table().find_script(letter) for letter in row}
        assert len(scripts) > 1, row
        assert scripts <= {"Latn", "Cyrl", "Grek", "Armn"}, row


def test_a_letter_has_one_shape_and_one_code_point() -> None:
    letters = "".join(LOOK_ALIKES.split())
    assert len(set(letters)) == len(letters) == len(LETTER_SHAPES)
    assert unicodedata.normalize("NFC", letters) == letters
