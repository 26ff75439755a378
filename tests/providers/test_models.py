from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import MissingExtraError, MissingModelError, UsageError
from isogloss.providers.models import (
    NOT_NAMES,
    ModelProvider,
    Span,
    annotate_in_pieces,
    check_labels,
    find_model_path,
    make_missing_model_error,
    split_pieces,
)


def nothing(_: Any, texts: Sequence[str]) -> list[list[Span]]:
    return [[] for _ in texts]


def test_a_model_is_opened_at_first_use_and_once() -> None:
    models = iter(range(9))
    provider = ModelProvider("x", lambda: next(models), nothing)
    assert provider._model is None
    provider.annotate(["a"])
    provider.annotate(["b"])
    provider.load()
    assert next(models) == 1


def test_threads_that_come_at_once_share_one_model() -> None:
    models = iter(range(9))
    everyone = threading.Barrier(4, timeout=10)
    provider = ModelProvider("x", lambda: next(models), nothing)

    def use() -> None:
        everyone.wait()
        provider.annotate(["a"])

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert next(models) == 1


def test_a_model_that_cannot_be_opened_is_tried_again() -> None:
    answers = iter([MissingModelError("x", "y"), "model"])

    def opened() -> object:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    provider = ModelProvider("x", opened, nothing)
    with pytest.raises(MissingModelError):
        provider.load()
    assert provider.annotate(["a"]) == [[]]


def test_a_missing_model_has_the_exit_code_of_a_missing_extra() -> None:
    assert make_missing_model_error("spacy:x", "x", "python -m spacy download x").exit_code == 4
    assert str(make_missing_model_error("spacy:x", "x", "python -m spacy download x")) == (
        "spacy:x: the model x is not on this machine. Run: python -m spacy download x (or add --download)"
    )


@pytest.mark.parametrize("path", ["./model", "../model", "/models/x", "~/x", "C:\\x"])
def test_a_path_cannot_be_downloaded(path: str) -> None:
    assert "download" not in str(make_missing_model_error("x", path, "hf download"))


def test_labels_that_a_model_lacks_are_refused() -> None:
    with pytest.raises(UsageError, match=r"In 'spacy:x': the model has no label 'PERSON'\. Is it one of: PER"):
        check_labels(["LOC", "PERSON"], ["PER", "LOC", "ORG"], "spacy:x")


def test_labels_of_a_model_without_a_list_are_not_checked() -> None:
    check_labels(["PERSON"], [], "spacy:x")
    check_labels(None, ["PER"], "spacy:x")


@pytest.mark.parametrize("kind", ["spacy", "stanza", "transformers"])
def test_labels_of_times_and_quantities_are_not_names(kind: str) -> None:
    ontonotes = {"CARDINAL", "DATE", "MONEY", "ORDINAL", "PERCENT", "QUANTITY", "TIME"}
    names = {"PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE"}
    assert ontonotes <= NOT_NAMES[kind]
    assert NOT_NAMES[kind].isdisjoint(names | {"PER", "MISC", "persName", "LC", "OG", "PS"})


TEXT = st.text("ab \n.。", max_size=60)


def cut(text: str, longest: int) -> list[str]:
    return [text[start:end] for start, end in split_pieces(text, longest)]


def test_a_short_text_is_one_piece() -> None:
    assert cut("a b\nc", 5) == ["a b\nc"]


def test_a_piece_ends_after_a_newline_before_anything_else() -> None:
    assert cut("aaaa bb\nc. d eeeeeee", 12) == ["aaaa bb\n", "c. d eeeeeee"]


def test_a_piece_ends_after_a_sentence_before_a_word() -> None:
    assert cut("aaaaaa. b ccccccc", 12) == ["aaaaaa. ", "b ccccccc"]
    assert cut("東東東東東東。東東東東東東", 10) == ["東東東東東東。", "東東東東東東"]


def test_a_piece_ends_after_a_word_if_it_can() -> None:
    assert cut("aaaaaaa bbb ccc", 10) == ["aaaaaaa ", "bbb ccc"]
    assert cut("aaaaaaaaaaa", 5) == ["aaaaa", "aaaaa", "a"]


@given(TEXT, st.integers(2, 20))
def test_pieces_are_the_text_and_none_is_too_long(text: str, longest: int) -> None:
    found = cut(text, longest)
    assert "".join(found) == text
    assert all(len(piece) <= longest for piece in found)
    assert len(found) == 1 or all(found)


@given(st.lists(TEXT, max_size=5), st.integers(2, 20))
def test_spans_have_the_offsets_of_the_whole_text(texts: list[str], longest: int) -> None:
    def letters(given_pieces: list[str]) -> list[list[Span]]:
        assert all(piece.strip() for piece in given_pieces)
        return [[Span(at, at + 1, c) for at, c in enumerate(piece) if c in "ab"] for piece in given_pieces]

    expected = [[Span(at, at + 1, c) for at, c in enumerate(text) if c in "ab"] for text in texts]
    assert annotate_in_pieces(texts, longest, letters) == expected


@pytest.mark.parametrize("extra", ["gliner", "transformers"])
def test_an_error_of_a_missing_hub_names_the_extra(extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=rf"isogloss\[{extra}\]"):
        find_model_path(f"{extra}:some/model", "some/model", "config.json", extra, download=False)
