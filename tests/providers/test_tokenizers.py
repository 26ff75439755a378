# the texts are in many scripts
from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from libraries import library

from isogloss.errors import DataError, MissingExtraError, UsageError
from isogloss.providers import Span, open_tokenizer
from isogloss.providers.rule_based import locate_tokens


def tokens(spec: str, text: str, language: str = "uk") -> list[str]:
    (spans,) = open_tokenizer(spec, language=language).annotate([text])
    return [text[span.start : span.end] for span in spans]


@given(st.text())
def test_whitespace_splits_as_python_does(text: str) -> None:
    assert tokens("whitespace", text) == text.split()


@pytest.mark.extra
def test_icu_gives_words_of_the_language() -> None:
    library("icu")
    assert tokens("icu:th", "ฉันรักภาษาไทย") == ["ฉัน", "รัก", "ภาษา", "ไทย"]
    assert tokens("icu", "П'ять, так!") == ["П'ять", ",", "так", "!"]


@pytest.mark.extra
def test_icu_counts_code_points_beyond_the_first_plane() -> None:
    library("icu")
    text = "🙂🙂 привіт 𝔄𝔟 світ"
    assert [word for word in tokens("icu", text) if word.isalpha()] == ["привіт", "𝔄𝔟", "світ"]


@pytest.mark.extra
@given(st.text(max_size=20))
def test_icu_leaves_only_whitespace_out(text: str) -> None:
    library("icu")
    assert "".join("".join(tokens("icu", text)).split()) == "".join(text.encode(errors="replace").decode().split())


@pytest.mark.extra
@pytest.mark.parametrize("spec", ["pythainlp", "pythainlp:newmm", "pythainlp:longest"])
def test_pythainlp_gives_thai_words(spec: str) -> None:
    library("pythainlp")
    assert tokens(spec, "🙂 ฉันรัก ภาษาไทย", "th")[-3:] in (["ฉัน", "รัก", "ภาษาไทย"], ["รัก", "ภาษา", "ไทย"])


def test_words_are_located_one_after_the_other() -> None:
    assert list(locate_tokens("a a  b", ["a", " ", "a", "b"], "x")) == [Span(0, 1), Span(2, 3), Span(5, 6)]


@pytest.mark.parametrize("words", [["b"], ["a", "c"], ["A"]])
def test_a_tokenizer_that_changes_the_text_is_refused(words: list[str]) -> None:
    with pytest.raises(DataError, match="x changes the text: its token"):
        list(locate_tokens("a b", words, "x"))


@pytest.mark.parametrize(
    ("kind", "module", "extra"),
    [("icu", "icu", "icu"), ("pythainlp", "pythainlp.tokenize", "thai")],
)
def test_an_error_of_a_missing_library_names_the_extra(
    kind: str,
    module: str,
    extra: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'isogloss\[{extra}\]'"):
        open_tokenizer(kind, language="th")


def test_words_is_not_a_kind_of_tokenizer() -> None:
    with pytest.raises(UsageError, match="In 'words': Unknown tokenizer 'words'"):
        open_tokenizer("words", language="uk")
