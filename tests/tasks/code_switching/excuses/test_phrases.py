from __future__ import annotations

from excused_spans import list_excuses, list_reasons

from isogloss.tasks.code_switching.excuse_patterns import PHRASES_BY_WORD
from isogloss.tasks.code_switching.excuses import ExcuseFinder


def found(text: str) -> list[str]:
    return [span for span, _ in list_excuses(text, finder=ExcuseFinder(frozenset({"latin_phrase"})))]


def test_latin_phrases_are_found_whole() -> None:
    for text, expected in [
        ("це ad hoc, так", ["ad hoc"]),
        ("«De facto» і (status quo).", ["De facto", "status quo"]),
        ("Іваненко et al. пишуть", ["et al."]),
        ("e.g., i. e. так", ["e.g.", "i. e."]),
        ("conditio sine qua non", ["conditio sine qua non", "sine qua non"]),
        ("veni, vidi, vici!", ["veni, vidi, vici"]),
        ("ad hocs", []),
        ("ad-hoc", []),
        ("ad\nhoc", []),
        ("ad word hoc", []),
        ("in the de per se7", []),
        ("status", []),
    ]:
        assert found(text) == expected


def test_every_phrase_is_found_with_a_capital_and_before_a_comma() -> None:
    phrases = [phrase for phrases in PHRASES_BY_WORD.values() for phrase in phrases]
    assert len(phrases) == len(set(phrases)) > 90
    for phrase in phrases:
        assert not phrase.isalpha(), phrase
        told = list_reasons(f"слово {phrase.capitalize()}, слово", finder=ExcuseFinder(frozenset({"latin_phrase"})))
        assert {reason for _, reason in told} == {"latin_phrase"}, phrase
