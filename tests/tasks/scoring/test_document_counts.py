"""What is kept of single documents, alike for every task: slices, clusters, and the metric made again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import isogloss
from isogloss.errors import UsageError
from isogloss.runs.evidence import MetricSpec
from isogloss.runs.run import Run
from isogloss.tasks.registry import get_task

Call = Callable[..., Run]


def ner(**more: Any) -> Run:
    reference = [["B-PER", "I-PER", "O"], ["B-LOC", "O", "O"], ["O", "B-PER", "O"], ["B-LOC", "O", "B-PER"]]
    prediction = [["B-PER", "O", "O"], ["B-PER", "O", "O"], ["O", "B-PER", "O"], ["B-LOC", "O", "O"]]
    return isogloss.ner(reference, prediction, **more)


def segmentation(**more: Any) -> Run:
    return isogloss.segmentation([["ab", "c"], ["de"], ["f", "gh"]], [["a", "b", "c"], ["de"], ["fg", "h"]], **more)


def translation(**more: Any) -> Run:
    types = (["Book"], ["Film", "Book"], ["Film"])
    references = [{"id": f"Q{k}_0", "entity_types": types[k], "targets": [{"mention": "Duna"}]} for k in range(3)]
    return isogloss.entity_translation(references, ["La Duna", "Dune", None], **more)


def texts(**more: Any) -> Run:
    return isogloss.code_switching(["Це так.", "Ні, yes. Так!", "Кiев є."], language="uk", **more)


def exclusive(**more: Any) -> Run:
    scores = [{"a": 0.9, "b": 0.1}, {"a": 0.6, "b": 0.4}, {"a": 0.2, "b": 0.8}]
    return isogloss.classification(["a", "b", "b"], scores, **more)


def multilabel(**more: Any) -> Run:
    scores = [{"a": 0.9, "b": 0.1}, {"a": 0.6, "b": 0.4}, {"a": 0.2, "b": 0.8}]
    return isogloss.classification([["a"], ["a", "b"], []], scores, **more)


CALLS: list[tuple[Call, dict[str, Any]]] = [
    (ner, {}),
    (ner, {"profile": "seqeval"}),
    (ner, {"profile": "nervaluate"}),
    (ner, {"beta": 2, "zero_division": 1}),
    (segmentation, {}),
    (segmentation, {"vocabulary": ["c"], "zero_division": 0}),
    (segmentation, {"profile": "thai-benchmark"}),
    (translation, {}),
    (translation, {"types": ["Film"], "explain": True}),
    (translation, {"profile": "ea-mt"}),
    (texts, {}),
    (texts, {"neutral": True, "identifier": lambda lines: ["uk"] * len(lines)}),
    (texts, {"profile": "pnacos"}),
    (exclusive, {}),
    (exclusive, {"profile": "spacy"}),
    (multilabel, {"beta": 0.5, "threshold": {"b": 0.3}}),
    (multilabel, {"profile": "spacy", "multi_label": True}),
]


def test_a_metric_made_again_from_json_gives_the_same_scores() -> None:
    for call, options in CALLS:
        run = call(**options).ensure_documents()
        assert run.document_counts is not None
        assert run.document_counts.metric_spec is not None
        arguments = json.loads(json.dumps(dict(run.document_counts.metric_spec.arguments)))
        metric = MetricSpec(
            run.task,
            arguments,
            get_task(run.document_counts.metric_spec.task).make_metric,
        ).make_metric()
        scores = metric.score(run.document_counts.tallied.tally.sum_all())
        again = {key: value.item() for key, value in scores.items()}
        known = {key: run.evidence.numbers[key] for key in again}
        assert again.keys() == known.keys()
        assert all(np.array_equal(again[key], known[key], equal_nan=True) for key in again)


def test_arguments_that_this_version_does_not_know_are_refused() -> None:
    with pytest.raises(UsageError, match="cannot build the metric of a run of ner"):
        MetricSpec("ner", {"command": "true"}, get_task("ner").make_metric).make_metric()


def test_a_slice_is_scored_as_if_it_were_alone() -> None:
    run = translation(by=["entity"])
    assert set(run.slices["entity"]) == {"Q0", "Q1", "Q2"}
    first = run.slices["entity"]["Q0"]
    assert (first["documents"], first["m_eta"].accuracy, first["m_eta"].total) == (1, 1.0, 1)
    assert sum(part["m_eta"].correct for part in run.slices["entity"].values()) == run.scores["m_eta"].correct
    assert run.to_dict()["slices"]["entity"]["Q2"] == {
        "documents": 1,
        "scores": {
            "languages": {"accuracy": 0.0, "number": 1},
            "m_eta": {"accuracy": 0.0, "correct": 0, "total": 1, "missing": 1},
        },
    }


def test_clusters_that_agree_within_have_wider_intervals() -> None:
    references = [{"id": f"Q{k // 20}_{k}", "targets": [{"mention": "Duna"}]} for k in range(200)]
    answers = ["Duna" if (k // 20) % 2 else "Dune" for k in range(200)]
    width = {}
    for unit in ("document", "entity"):
        run = isogloss.entity_translation(references, answers, confidence=0.9, unit=unit)
        width[unit] = run.intervals["m_eta.accuracy"].high - run.intervals["m_eta.accuracy"].low
    assert width["entity"] > 3 * width["document"]


def test_the_digest_depends_on_names() -> None:
    whole, part = (translation(**options).ensure_documents().documents_digest for options in ({}, {"types": ["Film"]}))
    assert whole is not None
    assert whole != part
    assert translation().ensure_documents().documents_digest == whole


def test_without_a_wish_nothing_is_kept_until_it_is_needed() -> None:
    run = ner()
    assert run.document_counts is None
    kept = run.ensure_documents()
    assert kept.document_counts is not None
    assert len(kept.document_counts.documents) == 4
    assert kept.to_dict() == run.to_dict()
