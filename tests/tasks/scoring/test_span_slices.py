"""Slices of spans from files to a run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isogloss
from isogloss.errors import UsageError
from isogloss.runs.comparability import check_comparable

TRAINING = "Ada B-PER\nLovelace I-PER\n\nParis B-LOC\n\nBob B-PER\n"
REFERENCE = "Ada B-PER\nLovelace I-PER\nsaw O\nBob B-PER\n\nParis B-PER\nand O\nEve B-PER\n"
PREDICTION = "Ada B-PER\nLovelace I-PER\nsaw O\nBob B-LOC\n\nParis B-LOC\nand O\nEve O\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    paths = tmp_path / "train", tmp_path / "ref", tmp_path / "pred"
    for path, text in zip(paths, (TRAINING, REFERENCE, PREDICTION), strict=True):
        path.write_text(text)
    return paths


def jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_seen_slices_separate_seen_and_unseen_names(files: tuple[Path, Path, Path]) -> None:
    run = isogloss.ner(*files[1:], by=["seen"], training=files[0])
    slices = run.slices["seen"]
    assert list(slices) == ["seen", "other_label", "unseen"]
    # reference: Ada Lovelace and Bob are seen, Paris is seen as LOC, Eve is not; Bob is predicted as LOC
    recalls = {value: (part["strict"].correct_reference, part["strict"].possible) for value, part in slices.items()}
    assert recalls == {"seen": (1, 2), "other_label": (0, 1), "unseen": (0, 1)}
    precisions = {value: (part["strict"].correct_predicted, part["strict"].actual) for value, part in slices.items()}
    assert precisions == {"seen": (1, 2), "other_label": (0, 1), "unseen": (0, 0)}
    assert {value: part["documents"] for value, part in slices.items()} == {"seen": 2, "other_label": 2, "unseen": 1}


def test_training_data_may_be_in_another_format(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    rows = [
        {"text": "Ada  Lovelace", "entities": [[0, 13, "PER"]]},
        {"text": "In Paris", "entities": [[3, 8, "LOC"]]},
        {"text": "Bob", "entities": [[0, 3, "PER"]]},
    ]
    other = jsonl(tmp_path / "train.jsonl", rows)
    one, two = (isogloss.ner(*files[1:], by=["seen"], training=path) for path in (files[0], other))
    assert one.to_dict() == two.to_dict()


def test_lengths_count_tokens_or_characters(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    run = isogloss.ner(*files[1:], by=["entity_length"])
    assert list(run.slices["entity_length"]) == ["1", "2"]
    rows = [{"text": "Ada Lovelace", "entities": [[0, 3, "PER"], [4, 12, "PER"]]}]
    path = jsonl(tmp_path / "r.jsonl", rows)
    assert list(isogloss.ner(path, path, by=["entity_length"]).slices["entity_length"]) == ["1-5", "6-10"]
    spans = [[(0, 3, "PER"), (3, 4, "PER")]]
    assert list(isogloss.ner(spans, spans, by=["entity_length"]).slices["entity_length"]) == ["1", "3"]


def test_findings_say_to_which_slices_their_span_belongs(files: tuple[Path, Path, Path]) -> None:
    by = ["seen", "entity_length", "label_frequency", "document_length"]
    run = isogloss.ner(*files[1:], by=by, training=files[0], findings=True)
    told = [finding.to_dict()["slices"] for finding in run.findings]
    alike = {"entity_length": "1", "label_frequency": "1-10", "document_length": "1-10"}
    assert told == [{**alike, "seen": value} for value in ("seen", "other_label", "unseen")]


def test_slices_of_spans_and_of_documents_go_together(files: tuple[Path, Path, Path]) -> None:
    run = isogloss.ner(*files[1:], by=["entity_length", "file", "script"], confidence=0.9, resamples=20)
    assert list(run.slices) == ["entity_length", "file", "script"]
    assert run.slices["script"]["Latn"]["strict"].f1 == run.scores["strict"].f1
    assert "slices.entity_length.2.strict.f1" in run.intervals
    assert "slices.script.Latn.strict.f1" in run.intervals


def test_clusters_resample_slices_of_spans(files: tuple[Path, Path, Path]) -> None:
    run = isogloss.ner(*files[1:], by=["entity_length"], unit="file", confidence=0.9, resamples=20)
    interval = run.intervals["slices.entity_length.1.strict.f1"]
    assert interval.is_degenerate  # there is one cluster


def test_without_slices_of_spans_single_documents_are_not_kept(files: tuple[Path, Path, Path]) -> None:
    assert isogloss.ner(*files[1:], by=["entity_length"]).document_counts is None
    assert isogloss.ner(*files[1:], by=["script"]).document_counts is not None


def test_the_metric_is_made_again_with_its_slices(files: tuple[Path, Path, Path]) -> None:
    by = ["seen", "entity_length", "label_frequency"]
    run = isogloss.ner(*files[1:], by=by, training=files[0]).ensure_documents()
    assert run.document_counts is not None
    assert run.document_counts.metric_spec is not None
    recipe = run.document_counts.metric_spec
    metric = replace(recipe, arguments=json.loads(json.dumps(dict(recipe.arguments)))).make_metric()
    again = metric.score(run.document_counts.tallied.tally.sum_all())
    assert any(key[0] == "slices" for key in again)
    for key, value in again.items():
        assert np.array_equal(value, run.evidence.numbers[key], equal_nan=True)


def test_runs_with_other_slices_of_spans_are_not_compared(files: tuple[Path, Path, Path]) -> None:
    one, two = (isogloss.ner(*files[1:], by=by).ensure_documents() for by in ([], ["entity_length"]))
    with pytest.raises(UsageError, match="spans-by"):
        check_comparable(one, two)


def test_a_column_of_the_data_comes_before_a_property_of_spans(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "r.jsonl", [{"text": "Ada", "entities": [[0, 3, "PER"]], "seen": "twice"}])
    assert list(isogloss.ner(path, path, by=["seen"]).slices["seen"]) == ["twice"]
    given = {"entity_length": ["mine"]}
    assert list(isogloss.ner(path, path, by=given).slices["entity_length"]) == ["mine"]


def test_invalid_slice_options_are_refused(files: tuple[Path, Path, Path]) -> None:
    with pytest.raises(UsageError, match=r"--training FILE"):
        isogloss.ner(*files[1:], by=["seen"])
    with pytest.raises(UsageError, match=r"--by seen"):
        isogloss.ner(*files[1:], training=files[0])
    with pytest.raises(UsageError, match="texts"):
        isogloss.ner([["B-PER"]], [["B-PER"]], by=["seen"], training=files[0])
    with pytest.raises(UsageError, match="--by entity_length cannot be combined with --profile"):
        isogloss.ner(*files[1:], by=["entity_length"], profile="seqeval")


def test_a_profile_is_sliced_by_documents(files: tuple[Path, Path, Path]) -> None:
    run = isogloss.ner(*files[1:], by=["document_length"], profile="seqeval")
    assert run.slices["document_length"]["1-10"]["strict"].f1 == run.scores["strict"].f1
