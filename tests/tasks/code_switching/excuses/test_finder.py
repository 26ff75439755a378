from __future__ import annotations

import re

import numpy as np
import pytest
from excused_spans import join_texts, list_excuses, list_reasons
from hypothesis import given
from hypothesis import strategies as st

from isogloss.tasks.code_switching.batches import CharSpans
from isogloss.tasks.code_switching.excuse_patterns import FoundExcuse
from isogloss.tasks.code_switching.excuses import EXCUSE_CACHE_SIZE, MAX_CACHED_LENGTH, ExcuseFinder
from isogloss.tasks.code_switching.reasons import DEFAULT_REASONS, REASONS, RULE_REASONS
from isogloss.text.alphabets import FOREIGN, collect_span_flags, flag_characters, load_alphabet
from isogloss.text.words import find_tokens

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
    "additive": "Барвник E102 дозволено.",
    "currency": "Коштує 5 CHF за штуку.",
    "code": "Пишіть `push` тут.",
    "markup": "Пишіть <br> тут.",
    "latex": "Так \\quad тут.",
    "quotation": "Кажуть «green» часто.",
}


def test_the_reasons_are_in_this_order() -> None:
    expected = (
        "email url mention hashtag file_name encoding roman_numeral unit symbol latin_phrase additive "
        "currency code markup latex quotation pattern prompt name acronym original capitalised"
    )
    assert " ".join(REASONS) == expected
    assert set(RULE_REASONS) == DEFAULT_REASONS == set(EXAMPLES)


def test_each_reason_excuses_its_example() -> None:
    for reason in RULE_REASONS:
        assert {why for _, why in list_reasons(EXAMPLES[reason])} == {reason}


def test_a_reason_that_is_not_chosen_is_not_given() -> None:
    for reason in RULE_REASONS:
        told = list_excuses(EXAMPLES[reason], finder=ExcuseFinder(DEFAULT_REASONS - {reason}))
        assert reason not in {why for _, why in told}
        assert list_excuses(EXAMPLES[reason], finder=ExcuseFinder(frozenset())) == []


def test_capitalised_words_are_excused_only_by_option() -> None:
    text = "Живе в Oslo та New York, але works."
    asked = ExcuseFinder(DEFAULT_REASONS | {"capitalised"})
    assert [word for word, why in list_reasons(text) if why] == []
    assert [word for word, why in list_reasons(text, finder=asked) if why == "capitalised"] == ["Oslo", "New", "York"]
    assert list_reasons(text, finder=asked)[-1] == ("works", None)


def test_patterns_match_anywhere_but_not_the_empty_string() -> None:
    finder = ExcuseFinder(frozenset(), (re.compile(r"Wi-Fi|z*"),))
    assert list_excuses("без Wi-Fi та word", finder=finder) == [("Wi-Fi", "pattern")]


def test_a_text_without_foreign_letters_has_no_excuses() -> None:
    assert list_excuses("Слово «інше» о 5 і `так`.", finder=ExcuseFinder(DEFAULT_REASONS, (re.compile("Слово"),))) == []


def test_native_letters_of_unspaced_scripts_end_a_run() -> None:
    assert list_excuses("用example.com的", "zh") == [("example.com", "url")]
    assert list_excuses("これはmain.goです", "ja") == [("main.go", "file_name")]


def find_excuses(texts: list[str], finder: ExcuseFinder) -> list[FoundExcuse]:
    """Return what a finder finds in concatenated texts."""
    joined = join_texts(texts)
    flags = flag_characters(load_alphabet("uk"), joined.code_points)
    start, end = find_tokens(flags)
    foreign = (collect_span_flags(flags, start, end) & FOREIGN) > 0 if texts else np.zeros(0, np.bool_)
    return sorted(set(finder.find(joined, flags, CharSpans(start, end), foreign)))


def test_one_text_has_no_effect_on_the_next() -> None:
    for texts in [["«one", "two»"], ["5", "km"], ["x", "= 2"], ["1 =", "x"], ["ad", "hoc"]]:
        assert find_excuses(texts, ExcuseFinder()) == []
        assert find_excuses([" ".join(texts)], ExcuseFinder()) != []


PARTS = ("Слово word.", "«green", "green»", "`", "п'ять a", "5", "km", "x", "= 2", "ad", "hoc", "")
parts = st.sampled_from([*EXAMPLES.values(), *PARTS])


@given(st.lists(parts, max_size=6))
def test_concatenated_texts_give_what_each_gives_alone(texts: list[str]) -> None:
    finder = ExcuseFinder(DEFAULT_REASONS, (re.compile("^[a-z]+|слово$"),))
    expected, at = [], 0
    for text in texts:
        expected += [(at + start, at + end, reason) for start, end, reason in find_excuses([text], finder)]
        at += len(text) + 1
    assert find_excuses(texts, finder) == expected


def test_a_cached_run_gives_the_same_excuses() -> None:
    finder = ExcuseFinder()
    text = " ".join(EXAMPLES.values())
    first = list_excuses(text, finder=finder)
    assert first == list_excuses(text, finder=finder) == list_excuses(text, finder=ExcuseFinder())


def test_the_cache_has_a_limited_number_of_short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.tasks.code_switching.excuses.EXCUSE_CACHE_SIZE", 10)
    finder = ExcuseFinder()
    text = " ".join([*(f"word{number}" for number in range(100)), "x" * (MAX_CACHED_LENGTH + 1)])
    list_excuses(text, finder=finder)
    assert 0 < len(finder.cache) <= 10 < EXCUSE_CACHE_SIZE
    assert max(map(len, finder.cache)) <= MAX_CACHED_LENGTH


@pytest.mark.parametrize(
    ("finder", "signature"),
    [
        (ExcuseFinder(), "default"),
        (ExcuseFinder(DEFAULT_REASONS - {"url"}), "-url"),
        (ExcuseFinder(DEFAULT_REASONS | {"capitalised"}), "+capitalised"),
        (ExcuseFinder(DEFAULT_REASONS, (re.compile("a"),)), "+pattern"),
    ],
)
def test_the_signature_has_the_reasons_that_are_not_default(finder: ExcuseFinder, signature: str) -> None:
    assert finder.signature == signature


@given(st.text("aZй1 .,@#/:`\"'«»\\-_=~()³°k\nm中の한", max_size=30), st.sampled_from(["uk", "ko", "zh", "ja", "he"]))
def test_spans_are_within_the_text_and_not_empty(text: str, language: str) -> None:
    for span, reason in list_excuses(text, language, ExcuseFinder(frozenset({*RULE_REASONS, "capitalised"}))):
        assert span
        assert reason in REASONS
        assert span in text
