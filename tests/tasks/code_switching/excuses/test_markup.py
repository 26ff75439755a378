"""Markup, formulas, codes, acronyms and bracketed originals: what is excused, and what looks alike and is not."""

from __future__ import annotations

import pytest
from excused_spans import list_reasons

from isogloss.tasks.code_switching.excuses import ExcuseFinder
from isogloss.tasks.code_switching.reasons import DEFAULT_REASONS, OWN_OPTIONS

ALL = ExcuseFinder(DEFAULT_REASONS | set(OWN_OPTIONS) - {"capitalised"})


def excused(text: str, reason: str, language: str = "uk") -> list[str]:
    """The foreign words that are excused for this reason first."""
    return [word for word, why in list_reasons(text, language, ALL) if why == reason]


def free(text: str, language: str = "uk") -> list[str]:
    """The foreign words that nothing excuses."""
    return [word for word, why in list_reasons(text, language, ALL) if why is None]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<em>слово</em>", ["em", "em"]),
        ('Тут <a href="x" class=note>сайт</a>.', ["href", "x", "class", "note"]),
        ("Рядок<br/>і<br>ще", ["br", "br"]),
        ("<user-card id='7'>ні</user-card>", ["user", "card", "id", "user", "card"]),
        ("Так&nbsp;ні", ["nbsp"]),
        ("<!-- todo: later -->Так", ["todo", "later"]),
        ("[сайт](docs/guide)", ["docs", "guide"]),
        ("Так [ні][ref]\n\n[ref]: тут", ["ref", "ref"]),
        ("# Так {.intro}", ["intro"]),
        ("- [x] зроблено", ["x"]),
    ],
)
def test_markup_is_excused(text: str, words: list[str]) -> None:
    assert excused(text, "markup") == words
    assert free(text) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Якщо x <y and z> w, то", ["and"]),
        ("a < word > b", ["word"]),
        ("AT&T; і R&D", []),
        ("[word](docs)", ["word"]),
        ("{note}", ["note"]),
    ],
)
def test_what_looks_like_markup_is_not_excused(text: str, words: list[str]) -> None:
    assert set(words) <= set(free(text))


def test_code_between_tags_and_fences_is_excused() -> None:
    assert excused("<code>let it</code> і <pre>so\nbe</pre>", "code") == [
        *("code", "let", "it", "code", "pre", "so", "be", "pre"),
    ]
    assert free("~~~python\nprint it\n~~~\nтак") == []
    assert free("```json\n{так}") == []  # the name of the language, where the answer breaks off
    assert free("```\nshow me") == ["show", "me"]


@pytest.mark.parametrize(
    "text",
    [
        "Площа $S = \\pi r$ тут",
        "$$\nE = mc\n$$",
        "\\(a \\text{if so}\\) та \\[sum of\\]",
        "\\begin{align}one two\\end{align}",
        "Пишемо \\textbf{bold words} так",
        "де $r$ радіус",
    ],
)
def test_latex_is_excused(text: str) -> None:
    assert free(text) == []


@pytest.mark.parametrize("text", ["Коштує $5 and так $6", "US$ word $ так", "$word$ так", "\\n word", "\\[ word"])
def test_dollars_and_backslashes_in_texts_are_not_formulas(text: str) -> None:
    assert [word for word in free(text) if word in ("and", "word")] != []


@pytest.mark.parametrize(
    ("text", "reason", "words"),
    [
        ("Барвники E102, E 211 та E-330", "additive", ["E102", "E", "E"]),
        ("Це E12 і E5", "additive", []),
        ("5 TRY та CZK 20, 7CHF", "currency", ["TRY", "CZK"]),
        ("EUR/USD росте", "currency", ["EUR", "USD"]),
        ("слово TOP і ALL", "currency", []),
        ("файл PDF чи MP3", "file_name", ["PDF", "MP3"]),
        ("слово pdf", "file_name", []),
    ],
)
def test_codes_are_excused(text: str, reason: str, words: list[str]) -> None:
    assert excused(text, reason) == words


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("Тут AI та NATO, UNESCO і COVID-19", "uk", ["AI", "NATO", "UNESCO", "COVID"]),
        ("нові CPUs", "uk", ["CPUs"]),
        ("AI로 만든 VR은", "ko", ["AI로", "VR은"]),
        ("курс OPTIONS TRADING", "uk", []),
        ("CLEAN TEAM을", "ko", []),
        ("про REST API", "uk", ["REST", "API"]),
        ("в AIм", "uk", []),
        ("Це Word", "uk", []),
    ],
)
def test_acronyms_are_excused_on_request(text: str, language: str, words: list[str]) -> None:
    assert excused(text, "acronym", language) == words
    assert [why for _, why in list_reasons(text, language) if why == "acronym"] == []


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("机器学习（Machine Learning）是", "zh", ["Machine", "Learning"]),
        ("навчання (англ. machine learning) тут", "uk", ["machine", "learning"]),
        ("«навчання» (learning), так", "uk", ["learning"]),
        ("자바(Java)의", "ko", ["Java"]),
        ("(word) на початку", "uk", []),
        ("слово (you can see this.)", "uk", []),
        ("слово (one two three four five six seven)", "uk", []),
        ("слово (так word)", "uk", []),
        ("word (other)", "uk", []),
    ],
)
def test_bracketed_originals_are_excused_on_request(text: str, language: str, words: list[str]) -> None:
    assert excused(text, "original", language) == words
    assert [why for _, why in list_reasons(text, language) if why == "original"] == []
