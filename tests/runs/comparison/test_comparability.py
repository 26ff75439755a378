"""Runs that differ in more than the system cannot be compared."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import isogloss
from isogloss.errors import MismatchError, UsageError
from isogloss.runs.comparison import compare
from isogloss.runs.run import Run
from isogloss.tasks.ner.options import PROFILES

TAGS = [["B-PER", "O"], ["O", "B-LOC"]]
OTHER = [["B-PER", "O"], ["B-LOC", "O"]]


def entities(prediction: Any, reference: Any = TAGS, **more: Any) -> Run:
    return isogloss.ner(reference, prediction, **more)


def translated(mention: str) -> Run:
    tasks = [{"id": f"Q1_{k}", "targets": [{"mention": mention}]} for k in range(2)]
    return isogloss.entity_translation(tasks, ["x", "y"])


RUNS: dict[str, Callable[[int, int], Run]] = {  # two references that are lists, and two systems
    "ner": lambda reference, system: entities((TAGS, OTHER)[system], (TAGS, OTHER)[reference]),
    "spans": lambda reference, system: entities([[(0, 1, "A")]], [[(0, 1, "AB"[reference])]]),
    "segmentation": lambda reference, system: isogloss.segmentation(
        [(["ab", "c"], ["a", "bc"])[reference]],
        [(["abc"], ["a", "b", "c"])[system]],
    ),
    "classification": lambda reference, system: isogloss.classification(
        [["a", "b"], ["b", "a"]][reference],
        [{"a": 0.9, "b": 0.1}, {"a": 0.2, "b": 0.8}][:: 1 - 2 * system],
    ),
    "entity-translation": lambda reference, system: translated("xy"[reference]),
}


@pytest.mark.parametrize("task", RUNS)
def test_different_reference_lists_are_refused(task: str) -> None:
    make = RUNS[task]
    assert compare(make(0, 0), make(0, 1)).pairs
    with pytest.raises(MismatchError, match="were scored on different documents"):
        compare(make(0, 0), make(1, 0))


def test_references_in_files_with_both_sides_are_compared(tmp_path: Path) -> None:
    def run(name: str, label: str) -> Run:
        region = {"id": "1", "from_name": "label", "to_name": "text", "type": "labels"}
        value = {"start": 0, "end": 3, "text": "Ada"}
        gold, predicted = ([{"result": [region | {"value": value | {"labels": [own]}}]}] for own in (label, "PER"))
        task = {"data": {"text": "Ada met Bob"}, "annotations": gold, "predictions": predicted}
        path = tmp_path / name
        path.write_text(json.dumps([task]), encoding="utf-8")
        return isogloss.ner(path)

    assert compare(run("a.json", "PER"), run("b.json", "PER")).pairs
    with pytest.raises(MismatchError, match="were scored on different documents"):
        compare(run("a.json", "PER"), run("c.json", "LOC"))


SCORED_FILES: dict[str, tuple[Callable[[Path, Path], Run], str, str]] = {  # content of the reference, and of a system
    "ner": (isogloss.ner, "Ada\tB-PER\n\nBob\tB-PER\n", "Ada\tB-PER\n\nBob\tO\n"),
    "segmentation": (isogloss.segmentation, "ab c\nd e\n", "ab c\nde\n"),
    "classification": (isogloss.classification, "pos\nneg\n", "pos\npos\n"),
    "classification of gold": (
        isogloss.classification,
        '{"id": 1, "gold": "pos"}\n{"id": 2, "gold": "neg"}\n',
        '{"id": 1, "label": "pos"}\n{"id": 2, "label": "pos"}\n',
    ),
    "entity translation": (
        isogloss.entity_translation,
        '{"id": 1, "targets": [{"mention": "Po", "translation": "Il Po"}]}\n{"id": 2, "targets": [{"mention": "P"}]}\n',
        '{"id": 1, "prediction": "Il Tevere"}\n{"id": 2, "prediction": "P"}\n',
    ),
}


def score_files(task: str, folder: Path) -> tuple[Run, Run]:
    """Score the reference as a system, and a system, against the reference."""
    score, *contents = SCORED_FILES[task]
    folder.mkdir()
    gold, system = folder / "gold.txt", folder / "system.txt"
    for path, content in zip((gold, system), contents, strict=True):
        path.write_text(content, encoding="utf-8")
    return score(gold, gold), score(gold, system)


@pytest.mark.parametrize("task", SCORED_FILES)
def test_a_reference_given_as_a_system_is_compared(task: str, tmp_path: Path) -> None:
    oracle, system = score_files(task, tmp_path / "files")
    assert [entry.role for entry in oracle.inputs] == ["reference", "oracle"]
    assert oracle.reference_digests == system.reference_digests
    name = next(name for name in oracle.catalogue.main if name in compare(oracle, system).pairs[0].scores)
    assert compare(oracle, system).pairs[0].scores[name].difference < 0
    assert compare(system, oracle).pairs[0].scores[name].difference > 0


def test_references_given_as_systems_are_refused_if_they_differ(tmp_path: Path) -> None:
    first, _ = score_files("ner", tmp_path / "first")
    (tmp_path / "second.txt").write_text("Ada\tO\n\nBob\tB-PER\n", encoding="utf-8")
    second = isogloss.ner(tmp_path / "second.txt", tmp_path / "second.txt")
    with pytest.raises(MismatchError, match="different references"):
        compare(first, second)


def test_a_file_with_both_sides_is_named_if_refused(tmp_path: Path) -> None:
    both = tmp_path / "both.txt"
    both.write_text("Ada\tB-PER\tB-PER\n\nBob\tB-PER\tO\n", encoding="utf-8")
    oracle, _ = score_files("ner", tmp_path / "files")
    with pytest.raises(MismatchError, match="with the prediction in the same file"):
        compare(isogloss.ner(both), oracle)


@given(st.lists(st.lists(st.sampled_from(["O", "B-A", "I-A", "B-B"]), max_size=4), min_size=1, max_size=6), st.data())
def test_documents_digest_does_not_depend_on_predictions(reference: list[list[str]], data: st.DataObject) -> None:
    tag = st.sampled_from(["O", "B-A", "B-C"])
    predictions = [[[data.draw(tag) for _ in tags] for tags in reference] for _ in range(2)]
    runs = [entities(prediction, reference, scheme="iob2").ensure_documents() for prediction in predictions]
    assert runs[0].documents_digest == runs[1].documents_digest


def test_different_clusters_are_refused() -> None:
    runs = [entities(TAGS, by={"author": names}) for names in (["a", "b"], ["a", "a"], ["a", "b"])]
    assert compare(runs[0], runs[2], unit="author").pairs
    with pytest.raises(
        MismatchError, match=r"different values in the column 'author'\n *1 documents; the first is 2: 'b'"
    ):
        compare(runs[0], runs[1], unit="author")


def test_slices_by_differing_columns_are_left_out() -> None:
    runs = [entities(system, by={"a": a, "b": ["x", "y"]}) for system, a in ((TAGS, ["p", "q"]), (OTHER, ["q", "p"]))]
    scores = compare(*runs).pairs[0].scores
    assert {name.split(".")[1] for name in scores if name.startswith("slices.")} == {"b"}


@pytest.mark.parametrize("options", [*({"profile": name} for name in PROFILES.list_names()), {"zero_division": 1}, {}])
def test_difference_equals_difference_of_run_scores(options: dict[str, Any]) -> None:
    system = [["B-PER", "B-ORG"], ["O", "B-LOC"]]  # a label that the others never have
    runs = [entities(prediction, **options) for prediction in (TAGS, system)]
    for name, found in compare(*runs).pairs[0].scores.items():
        stated = [run.score(name) if name in _paths(run) else math.nan for run in runs]
        assert [found.baseline, found.system] == pytest.approx(stated, nan_ok=True), name
        assert found.difference == pytest.approx(stated[1] - stated[0], nan_ok=True), name
        assert math.isnan(found.p) == math.isnan(found.difference), name


def _paths(run: Run) -> set[str]:
    return {row["score"] for row in run.to_rows()}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"confidence": 1.0}, "confidence must be a number above 0 and below 1, such as 0.95; got 1.0"),
        ({"resamples": "5"}, "resamples must be a whole number, 1 or more; got '5'"),
        ({"method": "t-test"}, "Unknown method 't-test'"),
        ({"unit": "author"}, "The run has no column 'author'"),
        ({"resamples": 0}, "resamples must be a whole number, 1 or more; got 0"),
        ({"trials": 1.5}, "trials must be a whole number, 1 or more; got 1.5"),
        ({"seed": -1}, "seed must be a whole number, 0 or more; got -1"),
    ],
)
def test_invalid_options_are_refused_by_name(options: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=f"^{says}"):
        compare(entities(TAGS), entities(OTHER), **options)


def test_different_span_columns_are_refused_with_remedy() -> None:
    one, two = entities(TAGS), entities(TAGS, by=["entity_length"])
    with pytest.raises(UsageError, match="Score both with the same --by"):
        compare(one, two)
