# the texts are in many scripts
from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from libraries import library

from isogloss.errors import MissingExtraError, UsageError
from isogloss.providers import open_splitter, rule_based
from isogloss.providers.rule_based import RuleSplitter, choose_default_splitter

PIECES = ["Так", "Т", "см", ".", "!", " ", "\u3000", "\u2028", "\n", "\n\n", "»", "。", "x"]
SPLITTERS = ["terminators", "lines", pytest.param("sentencex", marks=pytest.mark.extra)]


def sentences(spec: str | None, text: str, language: str = "uk") -> list[str]:
    if spec and spec.startswith("sentencex"):
        library("sentencex")
    (spans,) = open_splitter(spec, language=language).annotate([text])
    return [text[span.start : span.end] for span in spans]


def test_terminators_end_a_sentence_before_whitespace() -> None:
    for parts in [
        ["Так.", "Ні!", "Чому?", "Бо…"],
        ["Він сказав: «Так.»", "І пішов."],
        ["(Так!)", "Ні."],
        ["Ціна 3.14 грн.", "Добре."],
        ["Т. Шевченко писав.", "І. Франко теж."],
        ["Див. example.com.", "Так."],
        ["Перший рядок", "другий"],
        ["¿Sí?!", "No."],
    ]:
        expected = parts if parts[0] != "Див. example.com." else ["Див.", "example.com.", "Так."]
        joint = "\n" if parts[0] == "Перший рядок" else " "
        assert sentences("terminators", joint.join(parts)) == expected


def test_terminators_of_other_scripts_need_no_whitespace() -> None:
    for text, count in [
        ("你好。再见！好吗？", 3),
        ("他说：「好。」走了。", 2),
        ("هل أنت بخير؟نعم.", 2),
        ("यह है।वह है॥", 2),
        ("ሰላም።ደህና", 2),
        ("សួស្តី។បាទ៕", 2),
        ("ဟုတ်ကဲ့။မဟုတ်ဘူး။", 2),
        ("Բարեւ։ Այո։", 2),
    ]:
        found = sentences("terminators", text)
        assert len(found) == count
        assert "".join(found) == text.replace("։ ", "։")


def test_a_newline_ends_a_sentence_and_blank_lines_are_none() -> None:
    assert sentences("terminators", " а\n\n б \r\n\u2028в\u2029") == ["а", "б", "в"]


def test_lines_end_only_at_newlines() -> None:
    assert sentences("lines", "Так. Ні.\r\n\n Чому? ") == ["Так. Ні.", "Чому?"]


@pytest.mark.extra
def test_sentencex_knows_the_rules_of_the_language() -> None:
    for language, parts in [
        ("uk", ["Він народився 1990 р. у м. Києві.", "Так!"]),
        ("en", ["Mr. Smith went to Washington, D.C. on Monday.", "He left."]),
        ("en_US", ["Mr. Smith came.", "He left."]),
        ("zh_TW", ["你好。", "再见！"]),
        ("hi", ["यह है।", "वह है।"]),
        ("xx", ["One.", "Two."]),
    ]:
        assert sentences("sentencex", " ".join(parts), language) == parts


@pytest.mark.extra
@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_short_texts_are_split_as_long_ones(text: str) -> None:
    library("sentencex")
    checked = open_splitter("sentencex", language="uk")
    rules = getattr(checked, "provider", checked)
    assert isinstance(rules, RuleSplitter)
    assert rules.cut is not None
    assert rules.annotate([text]) == replace(rules, cut=None).annotate([text])


@pytest.mark.extra
@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), max_size=8), st.sampled_from([4, 40, 512]))
def test_texts_cut_together_are_split_as_alone(texts: list[str], size: int) -> None:
    library("sentencex")
    checked = open_splitter("sentencex", language="uk")
    rules = getattr(checked, "provider", checked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rule_based, "SHORT_TEXT", size)
        assert rules.annotate(texts) == replace(rules, cut=None).annotate(texts)


@pytest.mark.extra
def test_a_text_that_loses_something_is_cut_alone() -> None:
    """The second text loses its tab, so `find_ends` cuts it, and each of the others is cut again."""
    rules = RuleSplitter("x", lambda text: [len(text) // 2], lambda text: [text.replace("\t", "")])
    assert [[span[:2] for span in spans] for spans in rules.annotate(["ab", "c\td?", "ef"])] == [
        [(0, 2)],
        [(0, 1), (2, 4)],
        [(0, 2)],
    ]


@pytest.mark.extra
def test_sentencex_can_be_given_another_language() -> None:
    text = "Це було в м. Києві."
    assert sentences("sentencex:uk", text, "en") == [text]
    assert len(sentences("sentencex", text, "en")) == 2


@pytest.mark.extra
def test_sentencex_accepts_wide_spaces_before_an_initial() -> None:
    for space in ["\u00a0", "\u202f", "\u3000", "\u2028"]:
        text = "Поет І. Я. Франко. А\u0301. Так."
        wide = text.replace(" ", space)
        assert sentences("sentencex", wide) == [one.replace(" ", space) for one in sentences("sentencex", text)]


@pytest.mark.extra
def test_sentencex_counts_code_points() -> None:
    text = "🙂 Так. 𝔄𝔟𝔠! Ні."
    assert sentences("sentencex", text) == ["🙂 Так.", "𝔄𝔟𝔠!", "Ні."]


TEXT = st.text(st.sampled_from("аbЖ.!?…。؟।\n \u00a0\u2028'\"»«)(1🙂\u0301т")) | st.text()


@pytest.mark.parametrize("spec", SPLITTERS)
@given(text=TEXT)
def test_sentences_cover_all_but_whitespace(spec: str, text: str) -> None:
    found = sentences(spec, text)
    assert all(sentence == sentence.strip() != "" for sentence in found)
    assert "".join(found).split() == [] or "".join("".join(found).split()) == "".join(text.split())


def _slow(text: str) -> Iterable[str]:
    """The sentences by terminators, character by character."""
    sentence = ""
    at = 0
    while at < len(text):
        sentence += text[at]
        at += 1
        if sentence[-1] == "\n":
            yield sentence
            sentence = ""
        elif sentence[-1] in ".!。":
            marks = sentence[-1]
            while at < len(text) and text[at] in ".!。":
                marks, sentence, at = marks + text[at], sentence + text[at], at + 1
            while at < len(text) and text[at] in "»)":
                sentence, at = sentence + text[at], at + 1
            bare = sentence.rstrip("»)")[: -len(marks)]
            initial = marks == "." and bare[-1:].isupper() and not bare[-2:-1].isalnum()
            if "。" in marks or (not initial and (at == len(text) or text[at].isspace())):
                yield sentence
                sentence = ""
    yield sentence


@given(st.text("aЖ.!。»)\n ", max_size=15))
def test_terminators_equal_a_naive_splitter(text: str) -> None:
    assert sentences("terminators", text) == [one.strip() for one in _slow(text) if one.strip()]


@pytest.mark.parametrize("spec", SPLITTERS)
def test_a_long_text_is_split_in_linear_time(spec: str) -> None:
    """It does not end in reasonable time where each sentence looks at all of the text before or behind it."""
    for unit in ("Привіт, світе. Так! ", ".", "слово ", "А. ", ".)", "\n"):
        text = (unit * 100_000)[:100_000]
        assert "".join("".join(sentences(spec, text)).split()) == "".join(text.split()), unit


@pytest.mark.extra
def test_sentencex_is_the_default() -> None:
    library("sentencex")
    assert open_splitter(language="uk").name == choose_default_splitter() == "sentencex"


def test_without_sentencex_terminators_are_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.providers.rule_based.find_spec", lambda _: None)
    assert open_splitter(language="uk").name == "terminators"


def test_an_error_of_missing_sentencex_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentencex", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'isogloss\[sentences\]'"):
        open_splitter("sentencex", language="uk")


def test_splitters_have_no_options() -> None:
    with pytest.raises(UsageError, match="lines has no option 'labels'"):
        open_splitter("lines?labels=PER", language="uk")


def test_importing_the_package_imports_no_library_of_a_provider() -> None:
    code = "import sys, isogloss.providers; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert {"sentencex", "spacy", "stanza", "torch", "transformers", "gliner", "pythainlp", "icu"}.isdisjoint(
        done.stdout.split(),
    )


@pytest.mark.extra
@pytest.mark.parametrize("window", [300, 2048])
def test_a_long_text_is_split_into_the_sentences_of_its_parts(window: int, monkeypatch: pytest.MonkeyPatch) -> None:
    library("sentencex")
    monkeypatch.setattr("isogloss.providers.rule_based.WINDOW", window)
    sentences = ["Вона живе у м. Київ.", "Чи так?", "Він сказав: «Так. Ні.» і пішов.", "Це 3.14.\n"]
    parts = random.Random(7).choices(sentences, k=2000)
    text = "\n".join(part if part.endswith("\n") else part + " " for part in parts).replace(" \n", " ")
    (spans,) = open_splitter("sentencex", language="uk").annotate([text])
    assert [text[span.start : span.end] for span in spans] == [part.strip() for part in parts]


@pytest.mark.extra
def test_quotation_marks_do_not_hide_an_end_in_a_long_text() -> None:
    """Sentencex takes quadratic time on such marks if no sentence ends, so a long window has none."""
    words = "`c` слово «слово " * 600
    assert len(words) > rule_based.LONG_WINDOW
    assert len(sentences("sentencex", words)) == 1
    assert len(sentences("sentencex", f"{words}. Так було. Ні.")) == 3


@pytest.mark.extra
def test_the_longest_window_bounds_what_sentencex_gets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentencex takes some 20 bytes for each code point that it gets."""
    monkeypatch.setattr("isogloss.providers.rule_based.LONGEST_WINDOW", rule_based.WINDOW)
    longest = 0

    def cut(_: str, window: str) -> list[str]:
        nonlocal longest
        longest = max(longest, len(window))
        pieces: list[str] = segment("uk", window)
        return pieces

    segment = library("sentencex").segment
    monkeypatch.setattr("sentencex.segment", cut)
    words = "слово " * 5000
    assert sentences("sentencex", f"Так. {words}було. Ні. {words}") == ["Так.", f"{words}було.", "Ні.", words.strip()]
    assert sentences("sentencex", "слово" * 5000) == ["слово" * 5000]
    assert longest == rule_based.WINDOW
