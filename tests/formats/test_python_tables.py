"""Frames, Arrow tables and results of recognisers from Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from libraries import library

import isogloss
from isogloss.errors import DataError, UsageError

TOKENS: list[dict[str, Any]] = [
    {"Sentence #": "s1", "Word": "Ada", "Tag": "B-PER"},
    {"Sentence #": None, "Word": "Lovelace", "Tag": "I-PER"},
    {"Sentence #": "s2", "Word": "Oslo", "Tag": "B-LOC"},
]
LISTS: list[dict[str, Any]] = [{"id": "s1", "tokens": ["Ada", "Lovelace"], "ner_tags": ["B-PER", "I-PER"]}]
TEXTS: list[dict[str, Any]] = [{"id": "s1", "text": "😀 Ada", "spans": [{"start": 2, "end": 5, "label": "PER"}]}]
PIPELINE = [[{"entity_group": "PER", "score": 0.5, "word": "Ada", "start": 2, "end": 5}]]
MAKERS: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "pandas": lambda rows: library("pandas").DataFrame(rows),
    "polars": lambda rows: library("polars").DataFrame(rows),
    "pyarrow": lambda rows: library("pyarrow").Table.from_pylist(rows),  # noqa: PLW0108  pyarrow may be missing
}
every_package = pytest.mark.parametrize("package", [pytest.param(name, marks=pytest.mark.extra) for name in MAKERS])


def count(run: Any) -> list[int]:
    return [run.documents, run.scores["strict"].correct, run.scores["strict"].possible]


@every_package
def test_tables_are_rows_of_tokens_or_texts(package: str) -> None:
    make = MAKERS[package]
    assert count(isogloss.ner(make(LISTS), [["B-PER", "I-PER"]])) == [1, 1, 1]
    assert count(isogloss.ner(make(TEXTS), make(TEXTS))) == [1, 1, 1]
    assert count(isogloss.ner(make(TEXTS), PIPELINE)) == [1, 1, 1]


@every_package
def test_rows_of_one_token_are_joined_to_sentences(package: str) -> None:
    table = MAKERS[package](TOKENS)
    assert count(isogloss.ner(table, [["B-PER", "I-PER"], ["B-LOC"]])) == [2, 2, 2]
    both = MAKERS[package]([{**row, "prediction": "O"} for row in TOKENS])
    assert count(isogloss.ner(both)) == [2, 0, 2]


@pytest.mark.extra
def test_tables_of_tokens_without_sentences_or_with_a_sentence_twice_are_refused() -> None:
    frame = library("pandas").DataFrame
    with pytest.raises(DataError, match="Add a column `sentence_id`; it has 'Word', 'Tag'"):
        isogloss.ner(frame([{"Word": "Ada", "Tag": "O"}]), [["O"]])
    twice = frame([{"sent_id": name, "token": "Ada", "tag": "O"} for name in ("a", "b", "a")])
    with pytest.raises(DataError, match=r"reference\[2\]: the sentence 'a' is in two places"):
        isogloss.ner(twice, twice)
    with pytest.raises(DataError, match="is empty in the first row"):
        isogloss.ner(frame([{"sent_id": None, "token": "Ada", "tag": "O"}]), [["O"]])


@pytest.mark.extra
def test_a_query_that_was_not_run_is_refused() -> None:
    lazy = library("polars").DataFrame(LISTS).lazy()
    with pytest.raises(UsageError, match=r"give reference\.collect\(\)"):
        isogloss.ner(lazy, [["O", "O"]])


def test_several_splits_are_refused_with_their_names() -> None:
    splits = type("DatasetDict", (dict,), {"__module__": "datasets.dataset_dict"})
    with pytest.raises(UsageError, match=r"give one of them, such as reference\['test'\]"):
        isogloss.ner(splits(train=LISTS, test=LISTS), LISTS)


class Recognised:
    """An object as Presidio returns it."""

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end

    def to_dict(self) -> dict[str, Any]:
        return {"entity_type": "PER", "start": self.start, "end": self.end, "score": 0.5}


@pytest.mark.parametrize("results", [PIPELINE, [[Recognised(2, 5)]]])
def test_results_are_compared_with_rows_spans_and_results(results: Any) -> None:
    assert count(isogloss.ner(TEXTS, results)) == [1, 1, 1]
    assert count(isogloss.ner([[(2, 5, "PER")]], results)) == [1, 1, 1]
    assert count(isogloss.ner([[(2, 5, "PER")]], results, texts=["😀 Ada"])) == [1, 1, 1]
    assert count(isogloss.ner(results, results)) == [1, 1, 1]


def test_tokens_of_a_pipeline_beside_spans_need_their_texts() -> None:
    tokens = [[{"entity": "B-PER", "index": 1, "word": "Ada", "start": 2, "end": 5}]]
    with pytest.raises(UsageError, match="needs its text to be read"):
        isogloss.ner([[(2, 5, "PER")]], tokens)
    assert count(isogloss.ner([[(2, 5, "PER")]], tokens, texts=["😀 Ada"])) == [1, 1, 1]
