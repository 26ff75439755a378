"""Runs of another release are compared; runs of another definition are scored again or refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from saved_runs import BETTER, GOLD, SYSTEM, ner_run

import isogloss
from isogloss.cli import run as run_cli
from isogloss.errors import StoreError, UsageError
from isogloss.kernel.metric import Metric
from isogloss.runs.run import Run
from isogloss.store import Store
from isogloss.tasks import run_building
from isogloss.tasks.registry import TASKS, get_task
from isogloss.tasks.task import Definition

GOLDEN = Path(__file__).parents[1] / "golden" / "store"
CAUTIOUS = [["B-PER", "I-PER", "O", "O"], ["O", "O"], ["O", "O", "O"], ["B-PER", "O"]]  # precision 1, recall 2 of 5


def define(monkeypatch: pytest.MonkeyPatch, definition: Definition, beta: float = 1) -> None:
    """Give the task of named entities another definition, with another beta."""
    task = get_task("ner")

    def make_metric(profile: str | None, options: dict[str, object], **more: object) -> Metric[object]:
        metric: Metric[object] = task.make_metric(profile, options | {"beta": beta}, **more)
        return metric

    monkeypatch.setitem(TASKS.registered, "ner", replace(task, definition=definition, make_metric=make_metric))


def save_defined(store: Store, version: int, name: str, system: list[list[str]] = SYSTEM) -> None:
    """Save a run of a version of the definition."""
    run = ner_run(system).ensure_documents()
    store.save(replace(run, rescore=None, signature=replace(run.signature, definition=version)), name=name)


def open_golden(folder: Path, source: str) -> Store:
    """Open the runs that the version before saved or exported."""
    if source.endswith(".sql"):
        with closing(sqlite3.connect(folder / "runs.db")) as connection, connection:
            connection.executescript((GOLDEN / source).read_text(encoding="utf-8"))
        connection.close()
        return Store.open(folder / "runs.db")
    store = Store.open(folder / "runs.db")
    store.load_export(GOLDEN / source)
    return store


@pytest.mark.parametrize("source", ["0004.sql", "0004.jsonl", "0005.sql"])
def test_runs_of_an_earlier_release_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], source: str
) -> None:
    monkeypatch.setattr(run_building, "__version__", "9.0.0")
    probabilities = [{"a": 0.9, "b": 0.2}, {"a": 0.4, "b": 0.3}, {"a": 0.7, "b": 0.8}]
    with open_golden(tmp_path, source) as store:
        store.save(ner_run(BETTER), name="tuesday")
        store.save(isogloss.classification(["a", "b", "b"], probabilities), name="ranked again")
        assert {run.version for run in store.list()} == {"0.1.0", "9.0.0"}
    for old, new in (("monday", "tuesday"), ("ranked", "ranked again")):
        assert run_cli(["compare", old, new, "--trials", "9", "--store", str(tmp_path / "runs.db")]) == 0
        printed = capsys.readouterr()
        assert "definition" not in printed.out + printed.err


def test_findings_in_an_older_layout_are_exported_and_imported(tmp_path: Path) -> None:
    def read(store: Store) -> list[object]:
        runs = [store.get(name) for name in ("monday", "ranked")]
        return [(run.to_dict(), run.run(findings=None).to_dict()) for run in runs]

    with open_golden(tmp_path, "0005.sql") as store:
        store.export(["monday", "ranked"], tmp_path / "runs.jsonl")
        saved = read(store)
    with Store.open(tmp_path / "other.db") as store:
        store.load_export(tmp_path / "runs.jsonl")
        assert read(store) == saved


def test_run_of_an_older_definition_is_scored_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "runs.db")
    with Store.open(path) as store:
        save_defined(store, 1, "old", CAUTIOUS)
        define(monkeypatch, Definition(2), beta=2)
        save_defined(store, 2, "new", BETTER)
        run = store.get("old").run()
        assert run.scores["strict"].f == pytest.approx(5 * 1 * 0.4 / (4 * 1 + 0.4))
        assert "f1" not in run.scores["strict"]
        assert run.signature.definition == 2
        assert run.warnings[-1].code == "scored-again"
        assert store.get("old").as_saved().warnings[-1].code == "other-definition"
        assert store.get("old").as_saved().to_dict()["scores"] == ner_run(CAUTIOUS).to_dict()["scores"]
        assert store.get("new").run().warnings == store.get("new").as_saved().warnings
    assert run_cli(["compare", "old", "new", "--trials", "9", "--store", path]) == 0
    assert "was scored again" not in (shown := capsys.readouterr().out)
    assert "were scored again by the present definition" in shown


@pytest.mark.parametrize(
    ("saved", "present", "message"),
    [
        (1, Definition(3, counts_since=2), "definition 1 of ner: .*cannot give the scores of definition 3\nScore its"),
        (4, Definition(3), "definition 4 of ner, and this isogloss knows 3\nUpdate isogloss"),
    ],
)
def test_run_that_cannot_be_scored_again_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saved: int, present: Definition, message: str
) -> None:
    with Store.open(tmp_path / "runs.db") as store:
        save_defined(store, saved, "old")
        define(monkeypatch, present)
        with pytest.raises(StoreError, match=message):
            store.get("old").run()


def test_definition_is_in_exports_and_in_json_unless_it_is_the_first(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as store:
        save_defined(store, 1, "one")
        save_defined(store, 2, "two")
        store.export(["one", "two"], tmp_path / "out.jsonl")
    with Store.open(tmp_path / "b.db") as store:
        store.load_export(tmp_path / "out.jsonl")
        assert [store.get(name).to_dict().get("definition") for name in ("one", "two")] == [None, 2]


def test_runs_of_two_definitions_are_not_compared() -> None:
    def define_run(version: int, system: list[list[str]]) -> Run:
        run = isogloss.ner(GOLD, system)
        return replace(run, signature=replace(run.signature, definition=version))

    with pytest.raises(UsageError, match=r"different definitions: definition \(1 and 2\)"):
        isogloss.compare(define_run(1, SYSTEM), define_run(2, BETTER))


@pytest.mark.parametrize("counts_since", [0, 3])
def test_counts_are_of_an_earlier_definition(counts_since: int) -> None:
    with pytest.raises(ValueError, match="counts_since must be in 1 to 2"):
        partial(Definition, 2)(counts_since)
