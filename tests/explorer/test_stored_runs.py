"""Runs of a store answer as the same runs in memory; notes stay when runs are saved or deleted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from explored import Place, build_run, explore

from isogloss.errors import StoreError, UsageError
from isogloss.explorer import stored_runs
from isogloss.explorer.explorer import Explorer
from isogloss.explorer.payloads import NoteBody
from isogloss.explorer.queries import UnknownError
from isogloss.explorer.routes import answer_url
from isogloss.explorer.stored_runs import StoredNotes, StoredRuns, find_ids, load_explorer
from isogloss.runs.run import Run
from isogloss.store import Store
from isogloss.tasks.classification.scoring import classification
from isogloss.tasks.ner.scoring import ner

FIRST: list[Place] = [(k // 3, k % 5, 1 + k % 3, ("missed", "wrong_type")[k % 2], "PER", "news") for k in range(700)]
SECOND: list[Place] = [(k // 2, k % 4, 1 + k % 2, ("spurious", "excused")[k % 2], "LOC", None) for k in range(40)]
PARTS = (
    "/facets",
    "/surfaces",
    "/surfaces?from=2&limit=3",
    "/columns/kind",
    "/columns/label",
    "/columns/slice:genre",
    "/columns/document",
    "/columns/surface",
    "/columns/key",
    "/rows/0",
    "/rows/1",
    "/findings?positions=600,3,3,251",
    "/findings?kind=missed&label=PER&limit=7&after=300",
    "/search?q=STRASSE",
    "/search?q=d17",
    "/documents/5",
)


@pytest.fixture
def runs() -> list[Run]:
    return [build_run(places, name).ensure_documents() for places, name in ((FIRST, "a"), (SECOND, "b"))]


@pytest.fixture
def store(runs: list[Run], url: str) -> str:
    with Store.open(url) as opened:
        for run in runs:
            opened.save(run, name=run.system)
    return url


def open_store(path: str) -> Explorer:
    return Explorer(StoredRuns(lambda: path), StoredNotes(path))


def ask(explorer: Explorer, url: str) -> Any:
    return json.loads(answer_url(explorer, url).body)


def test_stored_findings_answer_as_those_in_memory(runs: list[Run], store: str) -> None:
    memory, stored = explore(*runs), open_store(store)
    ids = find_ids(["a", "b"], store)
    for part in PARTS:
        assert answer_url(stored, f"/v1/runs/{ids[0]}{part}").body == answer_url(memory, f"/v1/runs/run-1{part}").body
    for part in ("columns", "matrix"):
        url = f"/v1/compare/{part}?runs="
        assert answer_url(stored, url + ",".join(ids)).body == answer_url(memory, f"{url}run-1,run-2").body


def test_stored_runs_are_listed_in_pages(store: str) -> None:
    explorer = open_store(store)
    first = ask(explorer, "/v1/runs?limit=1")
    second = ask(explorer, f"/v1/runs?limit=1&after={first['next']}")
    assert [one["name"] for one in (*first["runs"], *second["runs"])] == ["b", "a"]
    assert second["next"] is None
    assert [one["name"] for one in ask(explorer, "/v1/runs?name=a")["runs"]] == ["a"]


def test_page_after_an_unknown_run_is_refused(store: str) -> None:
    with pytest.raises(UsageError, match="after must be the id of a run"):
        answer_url(open_store(store), "/v1/runs?after=zz")


def test_new_tags_are_shown(store: str) -> None:
    explorer = open_store(store)
    assert ask(explorer, "/v1/runs?name=a")["runs"][0]["tags"] == []
    with Store.open(store) as opened:
        opened.tag("a", "released")
    assert ask(explorer, "/v1/runs?tag=released")["runs"][0]["tags"] == ["released"]


def test_notes_survive_new_and_deleted_runs(runs: list[Run], store: str) -> None:
    explorer = open_store(store)
    (run,) = ask(explorer, "/v1/runs?name=a")["runs"]
    row = ask(explorer, f"/v1/runs/{run['id']}/rows/0")["findings"][0]
    explorer.write_note(run["corpus_key"], row["key"], NoteBody("gold error", "A river."))
    with Store.open(store) as opened:
        opened.delete("a")
        opened.save(runs[0], name="again")
    fresh = open_store(store)
    (again,) = ask(fresh, "/v1/runs?name=again")["runs"]
    (note,) = ask(fresh, "/v1/notes")["notes"]
    assert (note["corpus_key"], note["key"]) == (again["corpus_key"], row["key"])
    assert ask(fresh, f"/v1/runs/{again['id']}/rows/0")["findings"][0]["key"] == note["key"]
    fresh.delete_note(note["corpus_key"], note["key"])
    assert ask(fresh, "/v1/notes") == {"notes": [], "findings": []}


def test_columns_of_many_findings_leave_memory(monkeypatch: pytest.MonkeyPatch, runs: list[Run], store: str) -> None:
    with Store.open(store) as opened:
        opened.save(runs[1], name="c")
    monkeypatch.setattr(stored_runs, "MAX_FINDINGS", 700)
    opened_runs = StoredRuns(lambda: store)
    first, second, third = (opened_runs.open_run(each) for each in find_ids(["a", "b", "c"], store))
    assert first is not None
    assert second is not None
    assert third is not None
    sources = [run.source for run in (first, second)]
    assert [run.source for run in (first, second)] == sources
    assert third.source.count == second.source.count  # the third lets the first go
    assert second.source is sources[1]
    assert first.source is not sources[0]


def test_runs_without_single_documents_are_not_ranked(runs: list[Run], tmp_path: Path) -> None:
    path = str(tmp_path / "runs.db")
    with Store.open(path) as opened:
        for run in runs:
            opened.save(replace(run, document_counts=None, rescore=None), name=run.system)
    explorer = open_store(path)
    pair = ",".join(find_ids(["a", "b"], path))
    with pytest.raises(UsageError, match="score them with --save"):
        answer_url(explorer, f"/v1/compare/ranking?runs={pair}")
    assert "single documents" in ask(explorer, f"/v1/compare?runs={pair}")["note"]


def test_missing_store_has_no_runs(tmp_path: Path) -> None:
    path = tmp_path / "none.db"
    explorer = load_explorer(str(path), lambda: None)
    assert ask(explorer, "/v1/runs") == {"runs": [], "next": None}
    assert ask(explorer, "/v1/notes") == {"notes": [], "findings": []}
    assert not path.exists()


@pytest.mark.parametrize("identity", ["zz", "8394f04a-7a88-4e51-a059-114f265b794d"])
def test_unknown_stored_run_is_named(store: str, identity: str) -> None:
    with pytest.raises(UnknownError, match=identity):
        answer_url(open_store(store), f"/v1/runs/{identity}")


def test_deleted_run_is_a_problem_of_the_store(store: str) -> None:
    explorer = open_store(store)
    (run,) = ask(explorer, "/v1/runs?name=a")["runs"]
    with Store.open(store) as opened:
        opened.delete("a")
    with pytest.raises(StoreError, match="deleted"):
        answer_url(explorer, f"/v1/runs/{run['id']}/rows/0")


@pytest.mark.parametrize("sentences", [1, 20])  # a short text in its chunk, and a long one in a piece of its own
def test_spans_of_a_document_lie_on_its_text(sentences: int, tmp_path: Path) -> None:
    words = [
        "Ada",
        "Lovelace",
        "met",
        "Charles",
        "Babbage",
        "in",
        "London",
        "and",
        "wrote",
        "to",
        "him",
        "from",
        "Rome",
    ] * sentences
    gold = ["B-PER", "I-PER", "O", "B-PER", "I-PER", "O", "B-LOC", "O", "O", "O", "O", "O", "B-LOC"] * sentences
    predicted = ["O", "O", "O", "B-PER", "I-PER", "O", "B-ORG", "O", "O", "O", "O", "O", "B-LOC"] * sentences
    run = ner([gold], [predicted], tokens=[words], findings=True).ensure_documents()
    path = str(tmp_path / "runs.db")
    with Store.open(path) as opened:
        opened.save(run, name="a")
    expected = {
        "reference": {("missed", "Ada Lovelace", "PER"), ("wrong_type", "London", "LOC")},
        "predicted": {("wrong_type", "London", "ORG")},
    }
    correct = {("correct", "Charles Babbage", "PER"), ("correct", "Rome", "LOC")}
    (identity,) = find_ids(["a"], path)
    for explorer, own in ((explore(run), "run-1"), (open_store(path), identity)):
        document = ask(explorer, f"/v1/runs/{own}/documents/0")
        text = document["text"]
        found = {
            lane["side"]: [(span["kind"], text[span["start"] : span["end"]], span["label"]) for span in lane["spans"]]
            for lane in document["lanes"]
        }
        assert {side: set(spans) for side, spans in found.items()} == {
            side: spans | correct for side, spans in expected.items()
        }
        assert len(found["predicted"]) == 3 * sentences
        is_without_finding = {span["kind"] for span in document["lanes"][0]["spans"] if span["position"] is None}
        assert is_without_finding == {"correct"}


def test_curves_of_a_stored_run_come_from_its_ranking(tmp_path: Path) -> None:
    """Both curves follow by hand from the order of the scores: right, wrong, right, wrong."""
    scored = classification([["a"], [], ["a"], []], [{"a": score} for score in (0.9, 0.8, 0.7, 0.1)])
    path = str(tmp_path / "runs.db")
    with Store.open(path) as opened:
        identity = opened.save(scored, name="scored")
    curves = json.loads(answer_url(open_store(path), f"/v1/runs/{identity}").body)["curves"]["a"]
    roc, steps = curves["roc"], curves["precision_recall"]
    points = set(zip(roc["false_positive_rate"], roc["true_positive_rate"], strict=True))
    assert points == {(0, 0), (0, 0.5), (0.5, 0.5), (0.5, 1), (1, 1)}
    by_threshold = dict(zip(steps["threshold"], zip(steps["precision"], steps["recall"], strict=True), strict=True))
    assert by_threshold[0.8] == (0.5, 0.5)
    assert by_threshold[0.7] == (pytest.approx(2 / 3), 1)
