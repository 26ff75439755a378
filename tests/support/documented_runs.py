"""A run of each task with everything that its page documents."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from translations import answer, task, write

import isogloss
from isogloss.demo import files
from isogloss.runs.run import Run

INTERVALS: dict[str, Any] = {"confidence": 0.9, "resamples": 30}


def _ner() -> Run:
    return isogloss.ner(files().reference, files().systems[1], findings=True, **INTERVALS)


def _segmentation() -> Run:
    sides = [["ab", "c"], ["de"], ["f", "gh"], []], [["a", "b", "c"], ["de"], ["fg", "h"], []]
    return isogloss.segmentation(*sides, vocabulary=["c"], findings=True, **INTERVALS)


def _entity_translation() -> Run:
    pytest.importorskip("sacrebleu")
    tasks = [
        task("Q1_0", "Duna", wikidata_id="Q1", entity_types=["Book"], source="Who wrote Dune?"),
        task("Q1_1", "Duna", wikidata_id="Q1", entity_types=["Book"]),
    ]
    with TemporaryDirectory() as name:
        folder = Path(name)
        sides = write(folder / "it_IT.jsonl", tasks), write(folder / "p", [answer("Q1_0", "Duna")])
        comet = write(folder / "comet.json", ['{"it_IT": 0.9}'])
        return isogloss.entity_translation(
            sides[0], sides[1], chrf=True, bleu=True, comet=comet, comet_scale="0-1", hits=True, **INTERVALS
        )


def _code_switching() -> Run:
    texts = ["Це звичайний текст із words у ньому. Він «fine».", "Кiев 日本", "Так і є. Not a word of it."]
    return isogloss.code_switching(
        texts,
        language="uk",
        identifier=lambda lines: ["en" if "Not" in line else "uk" for line in lines],
        window=3,
        findings=True,
        **INTERVALS,
    )


def _code_mixing() -> Run:
    rows = [
        {"tokens": ["so", "gut", "!", "bye"], "languages": ["en", "de", "other", "en"], "text": "so gut! bye"},
        {"tokens": ["ja", "ok", "nein", "gut"], "languages": ["de", "en", "de", "de"]},
    ]
    return isogloss.code_mixing(rows, findings=True, **INTERVALS)


def _classification() -> Run:
    scores = [{"a": 0.9, "b": 0.1}, {"a": 0.2, "b": 0.8}, {"a": 0.6, "b": 0.4}, {"a": 0.7, "b": 0.1}]
    return isogloss.classification(["a", "b", "b", "a"], scores, findings=True, best_threshold=True, **INTERVALS)


RUNS = {
    "ner": _ner,
    "segmentation": _segmentation,
    "entity-translation": _entity_translation,
    "code-switching": _code_switching,
    "classification": _classification,
    "code-mixing": _code_mixing,
}


@cache
def documented_run(name: str) -> Run:
    """The run of a task."""
    run = RUNS[name]()
    run.to_dict()  # while its files are there
    return run
