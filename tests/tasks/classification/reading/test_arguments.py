from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from isogloss.errors import DataError, MismatchError, UsageError
from isogloss.tasks.classification.reading import read_lists

SCORES = [{"a": 0.9, "b": 0.1}, {"a": 0.2, "b": 0.8}]
TABLE = [[0.9, 0.1], [0.2, 0.8]]


def scores_of(gold: Any, scores: Any, labels: Any = None) -> Any:
    table = read_lists(gold, scores, labels).documents
    assert table.scores is not None
    assert table.labels == ("a", "b")
    return table.scores.tolist()


def test_scores_may_be_mappings_arrays_lists_or_data_frames() -> None:
    pandas = pytest.importorskip("pandas")
    gold = ["a", "b"]
    assert scores_of(gold, SCORES) == TABLE
    assert scores_of(gold, np.array(TABLE), ["a", "b"]) == TABLE
    assert scores_of(gold, np.array(TABLE, np.float32), ["a", "b"]) == np.array(TABLE, np.float32).tolist()
    assert scores_of(gold, TABLE, ("a", "b")) == TABLE
    assert scores_of(gold, pandas.DataFrame(SCORES)) == TABLE
    assert scores_of(pandas.Series(gold), tuple(SCORES)) == TABLE


def test_gold_is_a_label_a_collection_or_a_mapping() -> None:
    for gold, kind, expected in [
        (["a", "b"], "label", [[1, 0], [0, 1]]),
        (np.array(["a", "b"]), "label", [[1, 0], [0, 1]]),
        ([["a", "b"], []], "labels", [[1, 1], [0, 0]]),
        ([{"a", "b"}, {"b"}], "labels", [[1, 1], [0, 1]]),
        ([{"a": 1, "b": None}, {"b": 0.0}], "values", [[1, -1], [-1, 0]]),
    ]:
        read = read_lists(gold, SCORES)
        assert (read.kind, read.documents.gold.tolist()) == (kind, expected)


def test_gold_can_be_an_array_of_zeros_and_ones() -> None:
    read = read_lists(np.array([[1, 0], [1, 1]]), np.array(TABLE), ["a", "b"])
    assert (read.kind, read.documents.gold.tolist()) == ("values", [[1, 0], [1, 1]])
    assert read_lists(np.array([[True, False], [True, True]]), SCORES, ["a", "b"]).documents.gold.tolist() == [
        [1, 0],
        [1, 1],
    ]


def test_labels_can_be_named_in_place_of_scores() -> None:
    one = read_lists(["a", "b"], ["b", "b"]).documents
    assert (one.scores, one.labels) == (None, ("b", "a"))
    assert one.chosen is not None
    assert one.chosen.tolist() == [[True, False], [True, False]]
    several = read_lists([["a"], []], [["a", "b"], []]).documents
    assert several.chosen is not None
    assert several.chosen.tolist() == [[True, True], [False, False]]


def test_an_empty_mapping_is_a_document_without_scores() -> None:
    assert scores_of(["a", "b"], [{"a": 0.9, "b": 0.1}, {}]) == [[0.9, 0.1], [-math.inf, -math.inf]]


def test_places_are_indices() -> None:
    provenance = read_lists(["a", "b"], SCORES).documents.provenance
    assert [provenance.where(1, 0, side) for side in ("reference", "predicted")] == ["gold[1]", "scores[1]"]
    assert (provenance.name(1), provenance.get_excerpt(1)) == ("2", None)


def test_values_that_are_not_what_they_should_be_are_located() -> None:
    for gold, scores, where in [
        (["a", 3], SCORES, "gold[1]"),
        ([0, 1], SCORES, "gold[0]"),
        (["a", ["b"]], SCORES, "gold[1]"),
        ([["a"], ["b", 1]], SCORES, "gold[1]"),
        (["a", None], SCORES, "gold[1]"),
        ([{"a": 2}, {}], SCORES, "gold[0]"),
        (["a", "b"], [{"a": 0.1}, {"a": "0.5"}], "scores[1]"),
        (["a", "b"], [{"a": 0.1}, {"a": None}], "scores[1]"),
        (["a", "b"], [{"a": 0.1}, {"a": math.nan}], "scores[1]"),
        (["a", "b"], [{"a": 0.1}, "a"], "scores[1]"),
        (["a", "b"], ["a", ["b"]], "scores[1]"),
        (["a", "b"], [["a"], "b"], "scores[1]"),
    ]:
        with pytest.raises(DataError) as raised:
            read_lists(gold, scores)
        assert raised.value.where == where
        assert raised.value.remedy


def test_a_score_that_is_not_a_number_is_located_in_an_array() -> None:
    with pytest.raises(DataError, match=r"^scores\[1\]: the score of 'b' is not a number"):
        read_lists(["a", "b"], np.array([[0.1, 0.2], [0.3, np.nan]]), ["a", "b"])


def test_as_many_documents_are_on_both_sides() -> None:
    with pytest.raises(MismatchError, match=r"^scores\[1\]: gold has 1 documents, scores has 2"):
        read_lists(["a"], SCORES)


def test_arguments_that_cannot_be_meant_are_refused() -> None:
    for gold, scores, labels, message in [
        (["a", "b"], TABLE, None, "needs labels"),
        (["a", "b"], TABLE, ["a"], "2 different names, not 1"),
        (["a", "b"], TABLE, ["a", "a"], "2 different names"),
        (["a", "b"], [[0.1, 0.2], [0.3]], ["a", "b"], "not an array of numbers"),
        (["a", "b"], SCORES, ["a", "b"], "neither side is an array"),
        ("ab", SCORES, None, "gold is of type str"),
        (["a", "b"], 5, None, "scores is of type int"),
    ]:
        with pytest.raises(UsageError, match=message):
            read_lists(gold, scores, labels)
