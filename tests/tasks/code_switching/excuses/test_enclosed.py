from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from excused_spans import list_excuses, list_reasons
from hypothesis import given
from hypothesis import strategies as st

from isogloss.tasks.code_switching.excuse_patterns import FENCE_LENGTH, find_code, find_quotations
from isogloss.tasks.code_switching.excuses import ExcuseFinder
from isogloss.text.scripts import QUOTE_CHARACTERS


def found(text: str, reason: str = "quotation", language: str = "uk") -> list[str]:
    return [span for span, _ in list_excuses(text, language, ExcuseFinder(frozenset({reason})))]


def test_a_quotation_excuses_only_the_words_inside() -> None:
    for quoted in [
        "«green»",
        "« green »",
        "»green«",
        "“green”",
        "„green“",
        "„green”",
        "”green”",
        "‹green›",
        "›green‹",
        "‘green’",
        "‚green‘",
        "「green」",
        "《green》",
        '"green"',
        "'green'",
        "'it's green'",
        "“п'ять green”",
        '"green."',
    ]:
        text = f"слово before {quoted} after, слово"
        told = list_reasons(text)
        assert {word for word, reason in told if reason is None} == {"before", "after"}
        assert quoted in found(text)


def test_other_quotation_marks_excuse_nothing() -> None:
    for text in [
        "п'ять green об'єкт",
        "п’ять green об’єкт",
        "o‘n green bo‘ldi’",
        '15" green 20"',
        "don't green won't",
        "«green",
        "green»",
        "»green »",
        "'green",
        "green“ word „",
        "«перший\ngreen»",
        "it's green 'cause",
        "` green '",
    ]:
        assert ("green", None) in list_reasons(text)
        assert found(text) == []


def test_words_between_quotations_are_not_excused() -> None:
    for text in ('"a" green "b"', "»a« green »b«", "„a“ green „b“", "'a' green 'b'", "”a” green ”b”", "«a» green «b»"):
        assert ("green", None) in list_reasons(text)


def test_quotations_may_be_nested() -> None:
    text = "«зовні “всередині green” so» after"
    assert found(text) == ["«зовні “всередині green” so»", "“всередині green”"]


def test_a_hebrew_abbreviation_is_no_quotation() -> None:
    assert found('צה"ל green דו"ח', language="he") == []
    assert found('אמר "green" ו', language="he") == ['"green"']


def test_a_particle_may_follow_a_quotation_at_once() -> None:
    assert found("그는 'green'이라고 했다", language="ko") == ["'green'"]
    assert found("他说“green”是", language="zh") == ["“green”"]


def test_code_is_between_equal_runs_of_backticks() -> None:
    for text, expected in [
        ("код `git push` так", ["`git push`"]),
        ("``a ` b``", ["``a ` b``"]),
        ("```\nprint\n```", ["```\nprint\n```"]),
        ("один ` і\n```\nprint\n```", ["```\nprint\n```"]),
        ("`a` word `b`", ["`a`", "`b`"]),
        ("`one\ntwo`", []),
        ("`open", []),
        ("``a`", []),
        ("```\nprint", []),
    ]:
        assert found(text, "code") == expected


def test_marks_of_one_text_do_not_enclose_the_next() -> None:
    """The finder takes texts together; here a mark opens in one and closes in another, each in its own call."""
    assert found("«green") == []
    assert found("green»") == []


def naive_code(text: str) -> Iterator[tuple[int, int]]:
    """Each run of backticks looks ahead for the next of its length, one after the other."""
    at = 0
    while at < len(text):
        length = len(text) - at - len(text[at:].lstrip("`"))
        at += length
        ahead = at
        while length and ahead < len(text):
            closing = len(text) - ahead - len(text[ahead:].lstrip("`"))
            if closing == length:
                break
            ahead += max(1, closing)
        if length and ahead < len(text) and (length >= FENCE_LENGTH or "\n" not in text[at:ahead]):
            yield at - length, ahead + length
            at = ahead + length
        at += not length


@given(st.text("`` `a\n", max_size=24))
def test_code_equals_a_naive_search(text: str) -> None:
    assert [(start, end) for start, end, _ in find_code(text)] == list(naive_code(text))


def test_runs_of_hundreds_of_backticks_close_each_other() -> None:
    text = f"{'`' * 300} a {'`' * 256} b {'`' * 256} {'`' * 300}"
    assert [(start, end) for start, end, _ in find_code(text)] == [(0, len(text))]
    assert [(start, end) for start, end, _ in find_code(text[1:])] == [(302, 817)]


@given(st.text("\"'’‘“”„«»‹› `\naй1中", max_size=20))
def test_enclosed_spans_have_marks_at_both_ends(text: str) -> None:
    for start, end, reason in chain(find_code(text), find_quotations(text)):
        assert 0 <= start < end - 1 < len(text)
        assert text[start] in QUOTE_CHARACTERS
        assert text[end - 1] in QUOTE_CHARACTERS
        assert reason == "code" or "\n" not in text[start:end]
