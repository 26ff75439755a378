"""Errors of providers say what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.errors import DataError, MissingModelError, UsageError
from isogloss.providers import open_recogniser, open_splitter
from isogloss.providers.functions import CheckedProvider
from isogloss.providers.models import ModelProvider, Span, make_missing_model_error


def provide(open_model: Callable[[], Any]) -> ModelProvider:
    return ModelProvider("stanza:uk", open_model, lambda model, texts: [[] for _ in texts])


@pytest.mark.parametrize(
    "error",
    [
        ConnectionError("refused"),
        OSError("We couldn't connect to the hub to load the files"),
        OSError("HTTPSConnectionPool(host='x'): Max retries exceeded"),
        TimeoutError("timed out"),
    ],
)
def test_without_a_network_the_error_says_how_to_get_the_model(error: Exception) -> None:
    def fail() -> Any:
        raise error

    with pytest.raises(MissingModelError, match="network cannot be reached") as caught:
        provide(fail).load()
    assert "copy the model here and name its folder" in str(caught.value)
    with pytest.raises(MissingModelError):
        CheckedProvider(provide(fail), "recogniser", 1).annotate(["text"])


def test_a_model_that_cannot_be_loaded_is_not_a_bug() -> None:
    def fail() -> Any:
        raise KeyError("weights")

    with pytest.raises(DataError, match="cannot be loaded: KeyError") as caught:
        provide(fail).load()
    assert "Name the folder" in caught.value.remedy


def test_a_path_that_is_not_there_names_the_nearest_folder(tmp_path: Path) -> None:
    error = make_missing_model_error("spacy:x", str(tmp_path / "a" / "b"), "")
    assert str(error).endswith(f"Run: ls {tmp_path}")


def test_a_python_file_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"there is no file 'names.py' in .*Check the path"):
        open_recogniser("python:names.py:find", language="uk").annotate(["text"])


def test_a_python_file_that_fails_is_an_error_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "names.py").write_text("1 / 0\n")
    with pytest.raises(DataError, match="cannot be imported: ZeroDivisionError") as caught:
        open_recogniser(f"python:{tmp_path / 'names.py'}:find", language="uk").annotate(["text"])
    assert caught.value.exit_code == 3


class Answers:
    """A provider that answers anything."""

    name = "mine"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def annotate(self, texts: Any) -> Any:
        return self.answer


@pytest.mark.parametrize("answer", [None, [None], [5], [[5]], [[(1, "x")]]])
def test_a_wrong_answer_of_a_provider_is_an_error_of_the_user(answer: Any) -> None:
    with pytest.raises(DataError):
        open_recogniser(Answers(answer), language="uk").annotate(["text"])


def test_a_provider_may_answer_in_any_form_of_spans() -> None:
    answer = [[(0, 2), {"start": 2, "end": 4, "label": "PER"}]]
    assert open_recogniser(Answers(answer), language="uk").annotate(["text"]) == [[Span(0, 2), Span(2, 4, "PER")]]


def test_an_unknown_locale_is_refused() -> None:
    pytest.importorskip("sentencex", reason="sentencex is not installed")
    with pytest.raises(UsageError, match="sentencex:uk"):
        open_splitter("sentencex:ukrainian", language="uk")
