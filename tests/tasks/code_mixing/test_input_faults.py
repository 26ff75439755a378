"""Faults of utterances and of the functions that identify their languages."""

from __future__ import annotations

from pathlib import Path

import pytest

import isogloss
from isogloss.errors import DataError, FormatError, UsageError


def refuse(tokens: list[str]) -> list[str]:
    raise DataError(f"no model for {tokens}")


def answer_english(tokens: list[str]) -> list[str]:
    return ["en"] * len(tokens)


def test_a_row_without_tokens_and_text_is_located() -> None:
    with pytest.raises(FormatError, match=r"texts\[0\]: the row has neither `tokens` nor `text`"):
        isogloss.code_mixing([{"id": "1"}], languages_from="scripts")


def test_an_utterance_without_tokens_is_not_asked_about() -> None:
    run = isogloss.code_mixing([{"tokens": []}, ["a", "b"]], identifier=answer_english)
    assert (run.documents, run.scores["utterances"].total) == (2, 2)


def test_an_error_of_the_identifier_that_is_ours_stays() -> None:
    with pytest.raises(DataError, match=r"no model for \['a'\]"):
        isogloss.code_mixing([["a"]], identifier=refuse)


@pytest.mark.parametrize("texts", [b"a", {"tokens": ["a"]}, 5])
def test_something_else_than_a_list_is_refused(texts: object) -> None:
    with pytest.raises(UsageError, match="give a path, or a list of utterances"):
        isogloss.code_mixing(texts)


def test_lines_without_languages_say_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "answers.txt"
    path.write_text("Добрый day\n", encoding="utf-8")
    with pytest.raises(FormatError) as raised:
        isogloss.code_mixing(path, input_format="lines")
    assert "--languages-from scripts" in str(raised.value)
    assert isogloss.code_mixing(path, input_format="lines", languages_from="scripts").documents == 1


def test_conll_columns_without_tags_take_their_scripts(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text("Добрый\nday\n\n", encoding="utf-8")
    run = isogloss.code_mixing(path, input_format="conll", languages_from="scripts")
    assert run.scores["utterances"].mixed_count == 1
