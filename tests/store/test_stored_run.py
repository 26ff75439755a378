"""Show and rescore runs that were loaded from a store."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from corpora import same
from saved_runs import ner_run, renew_digests, with_findings
from sqlalchemy import Connection, select

import isogloss
from isogloss.errors import StoreError, UsageError
from isogloss.runs.evidence import Resampling, TallyEvidence
from isogloss.runs.run import Run
from isogloss.store import Store
from isogloss.store.schema import packed, runs
from isogloss.tasks.code_switching.scoring import code_switching
from isogloss.tasks.registry import TASKS as REGISTRY
from isogloss.tasks.registry import get_task
from isogloss.tasks.task import Definition

make_metric = get_task("ner").make_metric
SENTENCES = {"gold": [["ab", "c"], ["a", "bc", "d"], ["abc"]], "system": [["a", "bc"], ["a", "bc", "d"], ["ab", "c"]]}
ENTITIES = {
    "gold": ["a", "b", "a", "b"],
    "scores": [{"a": 0.9, "b": 0.1}, {"a": 0.6, "b": 0.4}, {"a": 0.7, "b": 0.3}, {"a": 0.2, "b": 0.8}],
}
HOW: dict[str, Any] = {"confidence": 0.9, "resamples": 30}
TASKS: dict[str, Callable[[], Run]] = {
    "ner": lambda: ner_run(confidence=0.9, findings=True),
    "ner without entities": lambda: isogloss.ner([["O"]], [["O"]]),
    "ner with an infinite beta": lambda: isogloss.ner([["B-PER", "O"]], [["B-PER", "B-LOC"]], beta=math.inf),
    "ner as spacy": lambda: isogloss.ner([["B-PER", "O"]], [["B-PER", "B-LOC"]], profile="spacy"),
    "segmentation": lambda: isogloss.segmentation(*SENTENCES.values(), findings=True, **HOW),
    "classification": lambda: isogloss.classification(*ENTITIES.values(), findings=True, **HOW),
    "classification without scores": lambda: isogloss.classification(["a", "b"], ["a", "a"], **HOW),
    "classification with an infinite beta": lambda: isogloss.classification(
        ["a", "b"], ["a", "a"], beta=math.inf, **HOW
    ),
    "code-switching": lambda: code_switching(["це text про Rust", "добре"], language="uk", findings=True, **HOW),
    "code-switching as pnacos": lambda: code_switching(["це text", "добре"], language="uk", profile="pnacos"),
}


@pytest.fixture(params=TASKS)
def run(request: pytest.FixtureRequest) -> Run:
    return TASKS[request.param]()


def test_stored_run_of_every_task_equals_saved_run(store: Store, run: Run) -> None:
    stored = store.get(store.save(run))
    shown, again = stored.as_saved(), stored.run(findings=None)
    assert stored.to_dict() == shown.to_dict() == again.to_dict() == run.to_dict()
    assert str(shown.signature) == str(run.signature)
    assert list(shown.scores) == list(run.scores)
    assert {row["score"]: row for row in shown.to_rows()} == {row["score"]: row for row in run.to_rows()}
    assert (shown.findings, shown.warnings) == (run.findings, run.warnings)


@pytest.mark.parametrize("task", ["segmentation", "classification"])  # counts; a ranking
def test_rescored_run_keeps_its_measurements(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: str
) -> None:
    identity = store.save(replace(TASKS[task](), measurements={("speed", "ratio"): 0.25}))
    with Store.open(tmp_path / "copy.db") as copy:
        store.export([identity], tmp_path / "runs.jsonl")
        copy.load_export(tmp_path / "runs.jsonl")
        assert copy.get(identity).run().scores["speed"].ratio == 0.25
    definition = Definition(get_task(task).definition.version + 1)
    monkeypatch.setitem(REGISTRY.registered, task, replace(get_task(task), definition=definition))
    again = store.get(identity).run()
    assert again.warnings[-1].code == "scored-again"
    assert again.scores["speed"].ratio == 0.25


def test_new_intervals_can_be_computed_from_stored_run(store: Store) -> None:
    again = store.get(store.save(ner_run())).run()
    assert isinstance(again.evidence, TallyEvidence)
    with_intervals = replace(again.evidence, resampling=Resampling(0.9, 50, 12345))
    assert repr(with_intervals.intervals) == repr(ner_run(confidence=0.9).intervals)  # nan is not equal to itself


def test_stored_run_keeps_single_documents(store: Store) -> None:
    every = ner_run().ensure_documents().document_counts
    again = store.get(store.save(ner_run())).run()
    assert every is not None
    assert again.document_counts is not None
    assert same(again.document_counts.tallied.expand(), every.tallied.expand())
    assert again.documents_digest == ner_run().ensure_documents().documents_digest
    assert again.documents_digest


def test_findings_of_stored_run_can_be_limited(store: Store) -> None:
    stored = store.get(store.save(with_findings(20)))
    assert [finding.document for finding in stored.as_saved(4).findings] == ["1", "1", "1", "2"]
    assert stored.run().findings == ()


def name_metric(store: Store, **recipe: Any) -> None:
    """Change how the only run of a store names its metric."""
    with store._database.begin_writing() as connection:
        rebuilding = connection.execute(select(runs.c.rebuilding)).scalar_one()
        changed = rebuilding | {"recipe": {"arguments": {}} | recipe}
        connection.execute(runs.update().values(rebuilding=changed))
        renew_digests(connection)


def test_run_without_documents_is_shown_but_not_rescored(store: Store) -> None:
    alone = replace(ner_run(), rescore=None)
    stored = store.get(store.save(alone))
    assert stored.to_dict() == alone.to_dict()
    with pytest.raises(StoreError, match="was saved without its single documents") as caught:
        stored.run()
    assert caught.value.where == store.place


@pytest.mark.parametrize(
    "place",
    ["os:system", "isogloss.cli:run", "isogloss.tasks.ner.scoring:ner", "isogloss.evaluate.x:y"],
)
def test_stored_recipe_cannot_call_code(store: Store, place: str) -> None:
    identity = store.save(ner_run())
    name_metric(store, place=place)
    with pytest.raises(StoreError, match=f"was scored by {place}, which is not a task of isogloss"):
        store.get(identity).run()
    name_metric(store, task=place)
    with pytest.raises(UsageError, match=f"was scored in the task '{place}', which this isogloss does not have"):
        store.get(identity).run()


def test_recipe_of_version_010_is_rescored(store: Store) -> None:
    run = ner_run().ensure_documents()
    assert run.document_counts is not None
    assert run.document_counts.metric_spec is not None
    identity = store.save(run)
    name_metric(store, place="isogloss.evaluate.ner:measure", arguments=dict(run.document_counts.metric_spec.arguments))
    assert store.get(identity).run().to_dict() == run.to_dict()


def test_recipe_of_unknown_task_is_reported(store: Store) -> None:
    identity = store.save(ner_run())
    name_metric(store, place="isogloss.evaluate.parsing:measure")
    with pytest.raises(UsageError, match="the task 'parsing', which this isogloss does not have"):
        store.get(identity).run()


def test_damaged_counts_are_reported_but_scores_are_shown(store: Store) -> None:
    identity = store.save(ner_run())
    with store._database.begin_writing() as connection:
        connection.execute(packed.update().values(data=b"\x01nonsense").where(packed.c.what == "counts"))
    stored = store.get(identity)
    with pytest.raises(StoreError, match="its counts of documents are corrupt") as caught:
        stored.run()
    assert caught.value.where == store.place
    assert stored.as_saved().scores["strict"].f1 == ner_run().scores["strict"].f1


def test_deleted_run_is_not_replaced_by_a_later_one(store: Store) -> None:
    held = store.get(store.save(ner_run(findings=True)))
    store.delete(held.id)
    store.save(with_findings(3))
    for read in (held.run, held.as_saved):
        with pytest.raises(StoreError, match=f"run {held.id} was deleted"):
            read()


def test_intervals_are_computed_before_the_write_lock(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run, made = ner_run(confidence=0.9), []
    writing = store._database.begin_writing

    def begun() -> AbstractContextManager[Connection]:
        made.append("intervals" in vars(run.evidence))
        return writing()

    monkeypatch.setattr(store._database, "begin_writing", begun)
    store.save(run)
    assert made == [True]
