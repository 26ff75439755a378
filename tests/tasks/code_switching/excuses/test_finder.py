from __future__ import annotations

import re

import numpy as np
import pytest
from excusing import reasons_of, spans_of
from hypothesis import given
from hypothesis import strategies as st

from isogloss.tasks.code_switching.excuse_patterns import Found
from isogloss.tasks.code_switching.excuses import BY_DEFAULT, KEPT, REASONS, RULES, SHORT, Excuses, Finder
from isogloss.text.alphabets import CLASS, FOREIGN, alphabet, any_of, flags_of
from isogloss.text.scripts import code_points
from isogloss.text.words import tokens

# One token for each reason of rules, in a sentence where nothing else is foreign.
EXAMPLES = {
    "email": "Пишіть на me@example.com сьогодні.",
    "url": "Сайт https://example.com працює.",
    "mention": "Так каже @user сьогодні.",
    "hashtag": "Під #love багато.",
    "file_name": "Файл main.go зник.",
    "encoding": "Текст у UTF-8 читають.",
    "roman_numeral": "У XIV столітті.",
    "unit": "Проїхали 5 km до міста.",
    "symbol": "Нехай x = 2.",
    "latin_phrase": "Це ad hoc рішення.",
    "code": "Пишіть `push` тут.",
    "quotation": "Кажуть «green» часто.",
}


def test_the_reasons_are_in_this_order() -> None:
    expected = (
        "email url mention hashtag file_name encoding roman_numeral unit symbol latin_phrase code quotation "
        "pattern prompt name capitalised"
    )
    assert " ".join(REASONS) == expected
    assert set(RULES) == BY_DEFAULT == set(EXAMPLES)


def test_each_reason_excuses_all_foreign_tokens_of_its_example_and_is_the_first_to_do_so() -> None:
    for reason in RULES:
        assert {why for _, why in reasons_of(EXAMPLES[reason])} == {reason}


def test_a_reason_that_is_not_asked_for_is_not_given() -> None:
    for reason in RULES:
        told = spans_of(EXAMPLES[reason], finder=Finder(BY_DEFAULT - {reason}))
        assert reason not in {why for _, why in told}
        assert spans_of(EXAMPLES[reason], finder=Finder(frozenset())) == []


def test_capitalised_words_are_excused_only_if_asked_for() -> None:
    text = "Живе в Oslo та New York, але works."
    asked = Finder(BY_DEFAULT | {"capitalised"})
    assert [word for word, why in reasons_of(text) if why] == []
    assert [word for word, why in reasons_of(text, finder=asked) if why == "capitalised"] == ["Oslo", "New", "York"]
    assert reasons_of(text, finder=asked)[-1] == ("works", None)


def test_patterns_are_found_anywhere_and_an_empty_match_is_none() -> None:
    finder = Finder(frozenset(), (re.compile(r"Wi-Fi|z*"),))
    assert spans_of("без Wi-Fi та word", finder=finder) == [("Wi-Fi", "pattern")]


def test_nothing_is_looked_for_where_nothing_is_foreign() -> None:
    assert spans_of("Слово «інше» о 5 і `так`.", finder=Finder(BY_DEFAULT, (re.compile("Слово"),))) == []


def test_native_letters_of_a_script_without_spaces_end_a_stretch() -> None:
    assert spans_of("用example.com的", "zh") == [("example.com", "url")]
    assert spans_of("これはmain.goです", "ja") == [("main.go", "file_name")]


def found_in(texts: list[str], finder: Finder) -> list[Found]:
    """What is found in texts that are given together, as places in all of them."""
    whole = "".join(text + " " for text in texts)
    edges = np.cumsum([0, *(len(text) + 1 for text in texts)])
    flags = flags_of(alphabet("uk"), code_points(whole))
    start, end = tokens(flags & np.uint8(CLASS))
    foreign = (any_of(flags, start, end) & FOREIGN) > 0 if whole else np.zeros(0, np.bool_)
    return sorted(set(finder.find(whole, flags, edges, (start[foreign], end[foreign]))))


def test_what_stands_in_one_text_has_no_effect_on_the_next() -> None:
    for texts in [["«one", "two»"], ["5", "km"], ["x", "= 2"], ["1 =", "x"], ["ad", "hoc"]]:
        assert found_in(texts, Finder()) == []
        assert found_in([" ".join(texts)], Finder()) != []


PARTS = ("Слово word.", "«green", "green»", "`", "п'ять a", "5", "km", "x", "= 2", "ad", "hoc", "")
parts = st.sampled_from([*EXAMPLES.values(), *PARTS])


@given(st.lists(parts, max_size=6))
def test_texts_together_give_what_each_gives_alone(texts: list[str]) -> None:
    finder = Finder(BY_DEFAULT, (re.compile("^[a-z]+|слово$"),))
    expected, at = [], 0
    for text in texts:
        expected += [(at + start, at + end, reason) for start, end, reason in found_in([text], finder)]
        at += len(text) + 1
    assert found_in(texts, finder) == expected


def test_a_finder_that_has_seen_a_stretch_gives_the_same_again() -> None:
    finder = Finder()
    text = " ".join(EXAMPLES.values())
    assert spans_of(text, finder=finder) == spans_of(text, finder=finder) == spans_of(text, finder=Finder())


def test_only_so_many_short_stretches_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.tasks.code_switching.excuses.KEPT", 10)
    finder = Finder()
    spans_of(" ".join(f"word{number}" for number in range(100)) + " " + "x" * (SHORT + 1), finder=finder)
    assert 0 < len(finder.kept) <= 10 < KEPT
    assert max(map(len, finder.kept)) <= SHORT


def test_excuses_are_ascending_and_each_once() -> None:
    found = Excuses.of([(3, 5, "url"), (0, 2, "name"), (3, 5, "url"), (3, 5, "email")])
    rows = zip(found.start.tolist(), found.end.tolist(), found.reason.tolist(), strict=True)
    assert list(rows) == [(0, 2, REASONS.index("name")), (3, 5, 0), (3, 5, 1)]
    assert len(Excuses.of([]).start) == 0


@pytest.mark.parametrize(
    ("finder", "signature"),
    [
        (Finder(), "default"),
        (Finder(BY_DEFAULT - {"url"}), "-url"),
        (Finder(BY_DEFAULT | {"capitalised"}), "+capitalised"),
        (Finder(BY_DEFAULT, (re.compile("a"),)), "+pattern"),
    ],
)
def test_the_signature_says_how_the_reasons_differ_from_the_usual_ones(finder: Finder, signature: str) -> None:
    assert finder.signature == signature


@given(st.text("aZй1 .,@#/:`\"'«»\\-_=~()³°k\nm中の한", max_size=30), st.sampled_from(["uk", "ko", "zh", "ja", "he"]))
def test_spans_lie_in_the_text_and_are_not_empty(text: str, language: str) -> None:
    for span, reason in spans_of(text, language, Finder(frozenset({*RULES, "capitalised"}))):
        assert span
        assert reason in REASONS
        assert span in text
