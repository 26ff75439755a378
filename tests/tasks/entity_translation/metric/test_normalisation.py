from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import UsageError
from isogloss.tasks.entity_translation.matching import FOLDS, is_caseless, make_fold

ORDER = ("none", "nfc", "nfkc", "nfkc-quotes", "no-space", "letters")
CHARACTERS = st.sampled_from("aAİıßſ é e\u0301ŞşＡﬁ½ー「」’'\"-–\u00a0  กำ\u0e33한글ガカ\u3099١1.,Ω\u2126\u0345")
TEXT = st.text(CHARACTERS, max_size=8)


def test_each_form_unifies_more_than_the_form_before() -> None:
    for form, one, other in [
        ("none", "Straße", "STRASSE"),
        ("nfc", "Caf\u00e9", "cafe\u0301"),
        ("nfkc", "Ｄｕｎｅ", "dune"),
        ("nfkc-quotes", "L\u2019été \u2013 2", "l'été - 2"),
        ("nfkc-quotes", "「Dune」", '"dune"'),
        ("no-space", "코믹 북 가이", "코믹북 가이"),
        ("letters", "飛べ! イサミ", "「飛べ」イサミ"),
    ]:
        assert make_fold(form)(one) == make_fold(form)(other)
        if form != "none":
            before = make_fold(ORDER[ORDER.index(form) - 1])
            assert before(one) != before(other)


def test_no_form_strips_marks() -> None:
    for one, other in [("กา", "กำ"), ("カ", "ガ"), ("é", "e"), ("हि", "ह")]:
        assert all(form(one) != form(other) for form in FOLDS.values())


@pytest.mark.parametrize("form", ORDER)
@given(text=TEXT)
def test_a_form_of_a_form_is_itself(form: str, text: str) -> None:
    assert make_fold(form)(make_fold(form)(text)) == make_fold(form)(text)


@given(name=TEXT, before=TEXT, after=TEXT)
def test_folding_keeps_names_that_occur_as_they_are(
    name: str,
    before: str,
    after: str,
) -> None:
    assert make_fold("none")(name) in make_fold("none")(before + name + after)


def test_the_names_are_in_their_order() -> None:
    assert tuple(FOLDS) == ORDER


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(UsageError, match=r"Unknown normalize 'nfd'. Choose from none, nfc"):
        make_fold("nfd")


def test_case_folding_never_makes_a_caseless_character() -> None:
    changed = {character: character.casefold() for character in map(chr, range(0x110000)) if not is_caseless(character)}
    assert not any(map(is_caseless, "".join(folded for character, folded in changed.items() if folded != character)))
    assert all(character.casefold() == character for character in map(chr, range(0x110000)) if is_caseless(character))
    assert is_caseless("ดูน 2 (ガ)")
    assert not is_caseless("飛べ A")
