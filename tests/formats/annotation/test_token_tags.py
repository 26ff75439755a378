from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from span_texts import document, read_rows, write

from isogloss.errors import FormatError
from isogloss.formats.tagged_documents import TaggedRow


def rows(*content: Any, **options: Any) -> list[TaggedRow]:
    Path("file").write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")
    return read_rows("file", "token-tags", **options)


def said(info: Any) -> None:
    Path("dataset_info.json").write_text(json.dumps(info), encoding="utf-8")


def tags(*content: Any, **options: Any) -> list[list[str]]:
    return [list(row.tags) for row in rows(*content, **options)]


ADA = {"tokens": ["Ada", "met"], "ner_tags": ["B-PER", "O"]}
NAMES = ["O", "B-PER", "I-PER"]
CLASS = {"names": NAMES, "_type": "ClassLabel"}


def test_tokens_are_joined_by_spaces() -> None:
    (row,) = rows({"id": 7, **ADA, "other": [1]})
    assert (row.id, row.text, row.get_words(), list(row.tags)) == ("7", "Ada met", ["Ada", "met"], ["B-PER", "O"])
    assert (row.joined, row.format_place(1)) == (True, "file:1")


def test_tokens_stand_in_the_text_where_there_is_one() -> None:
    (row,) = rows({**ADA, "text": " Ada\nmet "})
    assert (row.text, [(t.start, t.end) for t in row.tokens], row.joined) == (" Ada\nmet ", [(1, 4), (5, 8)], False)
    (row,) = rows({**ADA, "text": "Ada has met"})
    assert (row.text, row.joined) == ("Ada met", True)


def test_keys_may_have_other_names() -> None:
    for units in ["tokens", "words"]:
        for marks in ["ner_tags", "tags", "labels"]:
            assert tags({units: ["a"], marks: ["B-X"]}) == [["B-X"]]


def test_numbers_are_named_by_the_file_beside() -> None:
    for info in [
        {"features": {"ner_tags": {"feature": CLASS, "_type": "Sequence"}}},
        {"features": {"ner_tags": {"feature": CLASS, "_type": "List"}}},
        {"features": {"ner_tags": [CLASS]}},
        {"label2id": {"O": 0, "B-PER": 1, "I-PER": 2}},
        {"id2label": {"0": "O", "1": "B-PER", "2": "I-PER"}},
        {"features": {"ner_tags": {"dtype": "int64", "_type": "Value"}}, "label2id": {"O": 0, "B-PER": 1, "I-PER": 2}},
    ]:
        said(info)
        assert tags({"tokens": ["a", "b", "c"], "ner_tags": [1, 2, 0]}) == [["B-PER", "I-PER", "O"]]


def test_numbers_of_the_prediction_are_named_by_its_own_feature_or_that_of_the_tags() -> None:
    row = {"tokens": ["a"], "ner_tags": [0], "predictions": [1]}
    said({"features": {"ner_tags": {"feature": CLASS}}})
    assert tags(row, side="predicted") == [["B-PER"]]
    said({"features": {"ner_tags": {"feature": CLASS}, "predictions": {"feature": {"names": ["x", "y"]}}}})
    assert tags(row, side="predicted") == [["y"]]


@pytest.mark.parametrize(
    ("info", "number", "says"),
    [
        (None, 1, "`ner_tags[0]` is 1, and no file names its tag"),
        ({"features": {}}, 1, "no file names its tag"),
        ([], 1, "no file names its tag"),
        ({"label2id": {"O": 0, "B": 1}}, 2, "`ner_tags[0]` is 2, but there are 2 names, numbered from 0"),
        ({"label2id": {"O": 0, "B": 2}}, 1, "`ner_tags[0]` is 1, but there are 3 names"),
        ({"label2id": {"O": 0}}, -1, "is -1, but there are 1 name"),
        ({"label2id": {"O": 0}}, -100, "is -100, which hides a token from training"),
        (None, -100, "is -100, which hides a token from training"),
    ],
)
def test_a_number_without_a_name_is_refused(info: Any, number: int, says: str) -> None:
    if info is not None:
        said(info)
    with pytest.raises(FormatError) as error:
        rows(ADA, {"tokens": ["a"], "ner_tags": [number]})
    assert error.value.where == "file:2"
    assert says in error.value.message


def test_a_file_of_names_that_cannot_be_read_is_an_error() -> None:
    Path("dataset_info.json").write_text("{", encoding="utf-8")
    with pytest.raises(FormatError, match=r"dataset_info\.json: cannot be read"):
        rows(ADA)


def test_a_prediction_that_also_holds_the_reference_gives_its_predicted_tags() -> None:
    both = {"tokens": ["a"], "ner_tags": ["B-X"], "predicted_tags": ["B-Y"]}
    assert tags(both) == tags(both, single_file=True) == [["B-X"]]
    assert tags(both, side="predicted") == tags(both, side="predicted", single_file=True) == [["B-Y"]]
    assert tags(ADA, side="predicted") == [["B-PER", "O"]]


def test_the_keys_of_the_first_row_are_those_of_all() -> None:
    first = {"tokens": ["a"], "ner_tags": ["B-X"], "predicted_tags": ["B-Y"]}
    with pytest.raises(FormatError, match="file:2: the row has no `predicted_tags`"):
        rows(first, {"tokens": ["a"], "ner_tags": ["B-X"]}, side="predicted")


def test_other_keys_can_be_named() -> None:
    row = {"form": ["a"], "gold": ["B-X"], "crf": ["B-Y"], "tokens": 1}
    assert tags(row, columns=("form", "gold")) == [["B-X"]]
    assert tags(row, columns=("form", "gold", "crf")) == [["B-X"]]
    assert tags(row, columns=("form", "gold", "crf"), side="predicted", single_file=True) == [["B-Y"]]


def test_a_file_without_predictions_is_not_both_sides() -> None:
    with pytest.raises(FormatError, match="the row has no `predicted_tags` or `predictions` or `predicted`"):
        rows(ADA, side="predicted", single_file=True)


def test_documents_without_tokens_are_documents() -> None:
    assert tags({"tokens": [], "ner_tags": []}, ADA) == [[], ["B-PER", "O"]]


def test_a_row_is_written_like_this() -> None:
    write([document("Ada met", (0, 3, "PER"), id="s"), document("Hi!")], "token-tags", "out", "bilou")
    assert [json.loads(line) for line in Path("out").read_text(encoding="utf-8").splitlines()] == [
        {"id": "s", "tokens": ["Ada", "met"], "ner_tags": ["U-PER", "O"]},
        {"text": "Hi!", "tokens": ["Hi", "!"], "ner_tags": ["O", "O"]},
    ]
