from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from span_texts import content, document, read, write

import isogloss
from isogloss.formats.detection import detect_format
from isogloss.records.sources import Source

# A row of `ner.manual`, with the keys that Prodigy 1.11 writes.
ROW: dict[str, Any] = {
    "text": "Ada met Bob",
    "meta": {"source": "news"},
    "_input_hash": 1886699658,
    "_task_hash": -1952856502,
    "tokens": [
        {"text": "Ada", "start": 0, "end": 3, "id": 0, "ws": True},
        {"text": "met", "start": 4, "end": 7, "id": 1, "ws": True},
        {"text": "Bob", "start": 8, "end": 11, "id": 2, "ws": False},
    ],
    "_session_id": None,
    "_view_id": "ner_manual",
    "spans": [{"start": 0, "end": 3, "token_start": 0, "token_end": 0, "label": "PER"}],
    "answer": "accept",
}


def file(folder: Path, *rows: Any, name: str = "f.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_spans_tokens_and_metadata_are_read(tmp_path: Path) -> None:
    path = file(tmp_path, ROW)
    assert detect_format(Source(path)) == "prodigy"
    (found,) = read(path, attributes=("source",))
    assert content(found) == (None, "Ada met Bob", [(0, 3, "PER")])
    assert (found.tokens, found.columns, found.warnings) == ([(0, 3), (4, 7), (8, 11)], {"source": "news"}, ())


@pytest.mark.parametrize("change", [{"spans": None}, {"spans": []}, {"answer": None}, {"id": "a"}])
def test_without_spans_there_are_none_and_without_an_answer_it_counts(tmp_path: Path, change: dict[str, Any]) -> None:
    (found,) = read(file(tmp_path, ROW | change))
    assert (list(found.spans), found.left_out) == ([] if "spans" in change else [(0, 3, "PER")], False)
    assert found.id == change.get("id")


@pytest.mark.parametrize(("answer", "word"), [("reject", "rejected"), ("ignore", "ignored")])
def test_rejected_and_ignored_rows_are_left_out_and_counted(tmp_path: Path, answer: str, word: str) -> None:
    (found,) = read(file(tmp_path, ROW | {"answer": answer}))
    assert (found.spans, found.left_out) == ((), True)
    (warning,) = found.warnings
    assert (warning.code, word in warning.message) == ("documents-left-out", True)


def test_they_are_left_out_of_the_prediction_too(tmp_path: Path) -> None:
    gold = file(tmp_path, ROW, ROW | {"answer": "reject"}, ROW | {"answer": "ignore"}, ROW, name="gold.jsonl")
    entity = {"text": "Ada met Bob", "entities": [{"start": 8, "end": 11, "label": "PER"}]}
    run = isogloss.ner(gold, file(tmp_path, entity, entity, entity, entity, name="pred.jsonl"))
    assert (run.documents, run.score("strict.missed"), run.score("strict.spurious")) == (2, 2, 2)
    assert [(each.code, each.count, each.where) for each in run.warnings] == [
        ("documents-left-out", 1, f"{gold}:2"),
        ("documents-left-out", 1, f"{gold}:3"),
    ]


def test_spans_with_an_answer_of_their_own_are_judged_by_it(tmp_path: Path) -> None:
    spans = [
        {"start": 0, "end": 3, "text": "Ada", "label": "PER", "score": 0.9, "answer": "accept"},
        {"start": 4, "end": 7, "text": "met", "label": "PER", "answer": "reject"},
    ]
    (found,) = read(file(tmp_path, ROW | {"spans": spans}))
    assert found.spans == [(0, 3, "PER")]
    assert [(each.code, each.count) for each in found.warnings] == [("spans-left-out", 1)]


def test_rows_of_a_binary_view_give_a_warning(tmp_path: Path) -> None:
    (found,) = read(file(tmp_path, ROW | {"_is_binary": True}))
    assert [each.code for each in found.warnings] == ["annotations-incomplete"]


def test_a_span_without_a_label_has_that_of_its_row(tmp_path: Path) -> None:
    (found,) = read(file(tmp_path, ROW | {"spans": [{"start": 0, "end": 3}], "label": "PER"}))
    assert found.spans == [(0, 3, "PER")]


def test_tokens_are_written(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    tokens = [(0, 3), (4, 7), (8, 11)]
    one = document("Ada met Bob", (0, 7, "A"), (1, 3, "B"), tokens=tokens)
    write([one], "prodigy", path)
    assert json.loads(path.read_text(encoding="utf-8"))["spans"] == [
        {"start": 0, "end": 7, "label": "A", "token_start": 0, "token_end": 1},
        {"start": 1, "end": 3, "label": "B"},
    ]
    (back,) = read(path)
    assert (back.tokens, list(back.spans)) == (tokens, list(one.spans))
