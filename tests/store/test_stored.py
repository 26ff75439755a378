"""What a run that was read from a store can still do."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import pytest
from example_runs import ner_run, with_findings
from sqlalchemy import Connection, select

import isogloss
from isogloss.errors import StoreError, UsageError
from isogloss.runs.evidence import Resampling, TallyEvidence
from isogloss.runs.run import Run
from isogloss.store import Store
from isogloss.store.tables import packed, runs
from isogloss.tasks.code_switching.scoring import code_switching
from isogloss.tasks.registry import get_task

make_metric = get_task("ner").make_metric
SENTENCES = {"gold": [["ab", "c"], ["a", "bc", "d"], ["abc"]], "system": [["a", "bc"], ["a", "bc", "d"], ["ab", "c"]]}
ENTITIES = {
    "gold": ["a", "b", "a", "b"],
    "scores": [{"a": 0.9, "b": 0.1}, {"a": 0.6, "b": 0.4}, {"a": 0.7, "b": 0.3}, {"a": 0.2, "b": 0.8}],
}
HOW: dict[str, Any] = {"confidence": 0.9, "resamples": 30}
TASKS: dict[str, Callable[[], Run]] = {
    "ner": lambda: ner_run(confidence=0.9, findings=True),
    "ner as spacy": lambda: isogloss.ner([["B-PER", "O"]], [["B-PER", "B-LOC"]], profile="spacy"),
    "segmentation": lambda: isogloss.segmentation(*SENTENCES.values(), findings=True, **HOW),
    "classification": lambda: isogloss.classification(*ENTITIES.values(), findings=True, **HOW),
    "classification without scores": lambda: isogloss.classification(["a", "b"], ["a", "a"], **HOW),
    "code-switching": lambda: code_switching(["це text про Rust", "добре"], language="uk", findings=True, **HOW),
    "code-switching as pnacos": lambda: code_switching(["це text", "добре"], language="uk", profile="pnacos"),
}


@pytest.fixture(params=TASKS)
def run(request: pytest.FixtureRequest) -> Run:
    return TASKS[request.param]()


def test_a_run_of_every_task_is_what_it_was(store: Store, run: Run) -> None:
    assert store.get(store.save(run)).to_dict() == run.to_dict()


def test_its_figures_are_shown_as_they_were(store: Store, run: Run) -> None:
    shown = store.get(store.save(run)).as_saved()
    assert shown.to_dict() == run.to_dict()
    assert str(shown.signature) == str(run.signature)
    assert {row["score"]: row for row in shown.to_rows()} == {row["score"]: row for row in run.to_rows()}
    assert shown.findings == run.findings
    assert shown.warnings == run.warnings


def test_scored_again_from_its_counts_it_is_what_it_was(store: Store, run: Run) -> None:
    again = store.get(store.save(run)).run(findings=None)
    assert not hasattr(again.evidence, "document")
    assert again.to_dict() == run.to_dict()


def test_other_intervals_can_be_made_of_it(store: Store) -> None:
    again = store.get(store.save(ner_run())).run()
    assert isinstance(again.evidence, TallyEvidence)
    with_intervals = replace(again.evidence, resampling=Resampling(0.9, 50, 12345))
    assert with_intervals.intervals == ner_run(confidence=0.9).intervals


def test_its_single_documents_are_those_that_were_scored(store: Store) -> None:
    every = ner_run().ensure_documents().document_counts
    again = store.get(store.save(ner_run())).run()
    assert every is not None
    assert again.document_counts is not None
    assert again.document_counts.counts.values.tolist() == every.counts.values.tolist()
    assert again.documents_digest == ner_run().ensure_documents().documents_digest
    assert again.documents_digest


def test_its_order_is_shown_as_it_was(store: Store) -> None:
    run = ner_run(confidence=0.9)
    assert list(store.get(store.save(run)).as_saved().scores) == list(run.scores)


def test_some_of_many_findings_are_shown(store: Store) -> None:
    stored = store.get(store.save(with_findings(20)))
    assert [finding.document for finding in stored.as_saved(4).findings] == ["1", "1", "1", "2"]
    assert stored.run().findings == ()


def name_metric(store: Store, **recipe: Any) -> None:
    """Change how the only run of a store names its metric."""
    with store._database.begin_writing() as connection:
        rebuilding = connection.execute(select(runs.c.rebuilding)).scalar_one()
        changed = rebuilding | {"recipe": {"arguments": {}} | recipe}
        connection.execute(runs.update().values(rebuilding=changed))


def test_without_documents_it_is_shown_and_not_scored_again(store: Store) -> None:
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
def test_a_store_from_elsewhere_cannot_have_any_code_called(store: Store, place: str) -> None:
    identity = store.save(ner_run())
    name_metric(store, place=place)
    with pytest.raises(StoreError, match=f"was scored by {place}, which is not a task of isogloss"):
        store.get(identity).run()
    name_metric(store, task=place)
    with pytest.raises(UsageError, match=f"was scored in the task '{place}', which this isogloss does not have"):
        store.get(identity).run()


def test_a_run_whose_metric_is_named_by_its_old_place_is_scored_again(store: Store) -> None:
    run = ner_run().ensure_documents()
    assert run.document_counts is not None
    assert run.document_counts.metric_spec is not None
    identity = store.save(run)
    name_metric(store, place="isogloss.evaluate.ner:measure", arguments=dict(run.document_counts.metric_spec.arguments))
    assert store.get(identity).run().to_dict() == run.to_dict()


def test_a_measure_that_this_version_does_not_have_is_told(store: Store) -> None:
    identity = store.save(ner_run())
    name_metric(store, place="isogloss.evaluate.parsing:measure")
    with pytest.raises(UsageError, match="the task 'parsing', which this isogloss does not have"):
        store.get(identity).run()


def test_damaged_counts_are_told_and_the_figures_are_shown_all_the_same(store: Store) -> None:
    identity = store.save(ner_run())
    with store._database.begin_writing() as connection:
        connection.execute(packed.update().values(data=b"\x01nonsense").where(packed.c.what == "counts"))
    stored = store.get(identity)
    with pytest.raises(StoreError, match="the counts of this run are damaged") as caught:
        stored.run()
    assert caught.value.where == store.place
    assert stored.as_saved().scores["strict"].f1 == ner_run().scores["strict"].f1


def test_a_run_that_was_deleted_is_not_read_from_the_one_that_came_after_it(store: Store) -> None:
    held = store.get(store.save(ner_run(findings=True)))
    store.delete(held.id)
    store.save(with_findings(3))
    for read in (held.run, held.as_saved):
        with pytest.raises(StoreError, match=f"run {held.id} was deleted"):
            read()


def test_intervals_are_made_before_others_have_to_wait(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run, made = ner_run(confidence=0.9), []
    writing = store._database.begin_writing

    def begun() -> AbstractContextManager[Connection]:
        made.append("intervals" in vars(run.evidence))
        return writing()

    monkeypatch.setattr(store._database, "begin_writing", begun)
    store.save(run)
    assert made == [True]
