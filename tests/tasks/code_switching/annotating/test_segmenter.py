from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from libraries import library

import isogloss
from isogloss.kernel.provenance import RunWarning
from isogloss.providers import open_splitter, open_tokenizer
from isogloss.tasks.code_switching.annotator import TextSegmenter
from isogloss.tasks.code_switching.batches import CharSpans, JoinedTexts
from isogloss.tasks.code_switching.rows import TextRow
from isogloss.text.alphabets import flag_characters, load_alphabet

PIECES = ["Так", "Т", "см", ".", "!", " ", "\u3000", "\u2028", "\n", "\n\n", "»", "。", "🙂", "\ud800"]


def cut(
    rows: Sequence[TextRow],
    *,
    by: Any = "terminators",
    words: Any = None,
) -> tuple[list[str], list[str], list[RunWarning]]:
    """Sentences and tokens of rows, as they are spelt."""
    joined = JoinedTexts.from_rows(rows, lambda place, line: f"{place}:{line}")
    found = None if words is None else open_tokenizer(words, language="uk")
    cutter = TextSegmenter(open_splitter(by, language="uk"), found)
    sentences = cutter.split_sentences(joined)
    tokens, notices = cutter.tokenize(joined, sentences, flag_characters(load_alphabet("uk"), joined.code_points))

    def strings(spans: CharSpans) -> list[str]:
        return joined.get_strings(spans.start, spans.end)

    return strings(sentences), strings(tokens), notices


def row(text: str, place: int = 0, **known: Any) -> TextRow:
    return TextRow(text, place, str(place), **known)


@pytest.mark.extra
@given(
    st.lists(st.lists(st.sampled_from(PIECES)).map("".join), min_size=1, max_size=4),
    st.sampled_from(["sentencex", "terminators", "lines"]),
)
def test_sentences_are_those_of_the_splitter(texts: list[str], name: str) -> None:
    library("sentencex")
    splitter = open_splitter(name, language="uk")
    joined = JoinedTexts.from_rows([TextRow(text, at, str(at)) for at, text in enumerate(texts)], lambda *_: "")
    found = TextSegmenter(splitter, None).split_sentences(joined)
    shifts = [0, *accumulate(len(text) + 1 for text in texts)]
    expected = [
        (shift + span.start, shift + span.end)
        for shift, spans in zip(shifts, splitter.annotate(texts), strict=False)
        for span in spans
    ]
    assert list(zip(found.start.tolist(), found.end.tolist(), strict=True)) == expected


def test_texts_are_segmented_separately() -> None:
    sentences, tokens, notices = cut([row("Так. Ні"), row("  "), row(""), row("12,5 км.", 3)])
    assert sentences == ["Так.", "Ні", "12,5 км."]
    assert tokens == ["Так", ".", "Ні", "12,5", "км", "."]
    assert not notices


def test_given_segments_are_used_and_others_found() -> None:
    given = row("a b c", sentences=((0, 5),), tokens=((0, 3), (4, 5)))
    in_sentences = row("Так. Ні", 1, sentences=((0, 7),))
    sentences, tokens, _ = cut([given, row("Ще. Є"), in_sentences, given])
    assert sentences == ["a b c", "Ще.", "Є", "Так. Ні", "a b c"]
    assert tokens == ["a b", "c", "Ще", ".", "Є", "Так", ".", "Ні", "a b", "c"]


def test_a_sentence_ends_a_token() -> None:
    assert cut([row("слово", sentences=((0, 3), (3, 5)))])[1] == ["сло", "во"]


def test_a_tokenizer_is_given_sentences() -> None:
    seen: list[str] = []

    def halves(texts: list[str]) -> list[list[tuple[int, int]]]:
        seen.extend(texts)
        return [[(0, 2), (2, len(text))] for text in texts]

    _, tokens, _ = cut([row("Так. Ні!"), row("Та є")], words=halves)
    assert seen == ["Так.", "Ні!", "Та є"]
    assert tokens == ["Та", "к.", "Ні", "!", "Та", "є"]


def test_a_tokenizer_skips_texts_with_given_tokens() -> None:
    def refuses(texts: list[str]) -> list[list[tuple[int, int]]]:
        raise AssertionError(texts)

    given = row("a b", sentences=((0, 3),), tokens=((0, 3),))
    assert cut([given], words=refuses)[1] == ["a b"]


def test_tokens_outside_sentences_give_a_warning(tmp_path: Path) -> None:
    def first(texts: list[str]) -> list[list[tuple[int, int]]]:
        return [[(0, text.index(".") + 1)] for text in texts]

    sentences, tokens, (notice,) = cut([row("Так. Ні є"), row("Ще.", 1), row("Є.\nНі", 2)], by=first)
    assert (sentences, tokens) == (["Так.", "Ще.", "Є."], ["Так", ".", "Ще", ".", "Є", "."])
    assert (notice.code, notice.count, notice.where) == ("outside-sentences", 3, "0:0")


@pytest.mark.parametrize("profile", [None, "pnacos"])
def test_a_warning_locates_tokens_in_the_original_text(
    tmp_path: Path,
    profile: str | None,
) -> None:
    path = tmp_path / "page"
    path.write_text("<div\nclass='a'>\n\nТак.\nНі", encoding="utf-8")

    def until_full_stop(texts: list[str]) -> list[list[tuple[int, int]]]:
        return [[(0, text.index(".") + 1)] for text in texts]

    options: dict[str, Any] = {"splitter": until_full_stop, "input_format": "whole", "profile": profile}
    (notice,) = isogloss.code_switching(str(path), language="uk", **options).warnings
    assert (notice.code, notice.count, notice.where) == ("outside-sentences", 1, f"{path}:5")


def whole(texts: list[str]) -> list[list[tuple[int, int]]]:
    return [[(0, len(text))] for text in texts]


@pytest.mark.parametrize("by", ["terminators", "lines", whole])
def test_splitters_that_cover_a_text_give_no_warning(by: str | Callable[..., Any]) -> None:
    assert not cut([row(" Так. Ні\n\nЩе! "), row("\u3000є\u2028")], by=by)[2]
