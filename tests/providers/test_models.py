from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from isogloss.errors import MissingModelError, UsageError
from isogloss.providers.models import NOT_NAMES, ModelProvider, Span, check_labels, make_missing_model_error


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


def test_labels_that_a_model_does_not_have_are_refused() -> None:
    with pytest.raises(UsageError, match=r"In 'spacy:x': the model has no label 'PERSON'\. Is it one of: PER"):
        check_labels(["LOC", "PERSON"], ["PER", "LOC", "ORG"], "spacy:x")


def test_labels_of_a_model_that_does_not_tell_are_taken_on_trust() -> None:
    check_labels(["PERSON"], [], "spacy:x")
    check_labels(None, ["PER"], "spacy:x")


@pytest.mark.parametrize("kind", ["spacy", "stanza", "transformers"])
def test_dates_and_numbers_are_no_names_but_people_and_places_are(kind: str) -> None:
    ontonotes = {"CARDINAL", "DATE", "MONEY", "ORDINAL", "PERCENT", "QUANTITY", "TIME"}
    names = {"PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE"}
    assert ontonotes <= NOT_NAMES[kind]
    assert NOT_NAMES[kind].isdisjoint(names | {"PER", "MISC", "persName", "LC", "OG", "PS"})
