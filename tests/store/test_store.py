from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from example_runs import BETTER, finding, ner_run

import isogloss
from isogloss.errors import StoreError, UsageError
from isogloss.runs.run import Run
from isogloss.store import Store, save_runs


def as_json(value: Any) -> Any:
    """A value as it is after a way through JSON."""
    return json.loads(json.dumps(value))


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    reference, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    reference.write_text("Ada B-PER\nsat O\n\nOslo B-LOC\n", encoding="utf-8")
    system.write_text("Ada B-PER\nsat O\n\nOslo B-PER\n", encoding="utf-8")
    return str(reference), str(system)


def test_a_run_is_what_it_was(store: Store) -> None:
    run = ner_run(confidence=0.9, findings=True)
    assert store.get(store.save(run)).to_dict() == as_json(run.to_dict())


def test_a_run_of_files_keeps_their_digests(store: Store, files: tuple[str, str]) -> None:
    run = isogloss.ner(*files)
    got = store.get(store.save(run))
    assert got.inputs == run.inputs
    assert [summary.id for summary in store.list(reference=run.inputs[0].sha256)] == [got.id]
    assert store.list(reference="0" * 64) == []


def test_what_else_is_known_of_a_run_is_kept(store: Store) -> None:
    before = datetime.now(UTC)
    run = isogloss.ner([["B-PER"]], [["B-PER"]], profile="seqeval")
    summary = store.get(store.save(run, name="first try", corpus="toy", tags=["b", "a", "b"])).summary
    assert (summary.name, summary.corpus, summary.tags) == ("first try", "toy", ("a", "b"))
    assert (summary.task, summary.system, summary.profile) == ("ner", run.system, "seqeval")
    assert (summary.version, summary.documents) == (isogloss.__version__, 1)
    assert summary.signature == str(run.signature)
    assert before <= summary.created <= datetime.now(UTC)
    assert summary.created.utcoffset() == timedelta(0)


def test_undefined_scores_are_kept_as_such(store: Store) -> None:
    run = isogloss.ner([["O"]], [["O"]])
    assert store.get(store.save(run)).to_dict()["scores"]["strict"]["f1"] is None


def test_a_run_is_found_by_id_by_its_beginning_and_by_name(store: Store) -> None:
    identity = store.save(ner_run(), name="baseline")
    store.save(ner_run(), name="other")
    for key in (identity, str(identity), identity.hex, identity.hex[:12].upper(), str(identity)[:11], "baseline"):
        assert store.get(key).id == identity


def test_of_several_runs_of_a_name_the_latest_is_meant(store: Store) -> None:
    first, second = (store.save(ner_run(), name="nightly") for _ in range(2))
    assert store.get("nightly").id == second
    store.delete(second)
    assert store.get("nightly").id == first


def test_a_name_comes_before_the_beginning_of_an_id(store: Store) -> None:
    first = store.save(ner_run())
    second = store.save(ner_run(), name=first.hex[:6])
    assert store.get(first.hex[:6]).id == second


def test_a_run_that_is_not_there_is_told_with_the_place(store: Store) -> None:
    store.save(ner_run())
    for key in ("nothing", "abcd", "abc", "", "%", str(UUID(int=0)), "'; DROP TABLE runs; --"):
        with pytest.raises(
            StoreError,
            match=r"there is no run .*\n`isogloss runs list` shows what there is\.",
        ) as caught:
            store.get(key)
        assert caught.value.where == store.place


def test_a_beginning_that_several_ids_share_is_ambiguous(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = iter([UUID("aaaa0000000000000000000000000001"), UUID("aaaa0000000000000000000000000002")])
    monkeypatch.setattr("isogloss.store.store.uuid4", lambda: next(ids))
    store.save(ner_run())
    store.save(ner_run())
    with pytest.raises(StoreError, match="the ids of 2 runs begin with aaaa"):
        store.get("aaaa")


def test_lists_have_the_latest_first_in_pages(store: Store) -> None:
    ids = [store.save(ner_run()) for _ in range(5)]
    seen, after = [], None
    while page := store.list(limit=2, after=after):
        seen += [summary.id for summary in page]
        after = page[-1].id
    assert seen == ids[::-1]


def test_lists_are_narrowed(store: Store) -> None:
    store.save(ner_run(), corpus="toy")
    store.save(ner_run(), tags=["x", "y"])
    store.save(ner_run())
    store.save(isogloss.segmentation([["a", "b"]], [["ab"]]), tags=["x"])
    assert len(store.list(task="ner")) == len(store.list(system="prediction", task="ner")) == 3
    assert (
        len(store.list(task="segmentation")) == len(store.list(corpus="toy")) == len(store.list(score="word.f1")) == 1
    )
    assert (len(store.list(tag="x")), len(store.list(tag="x", task="segmentation"))) == (2, 1)
    assert store.list(tag="'") == []


def test_lists_by_a_score_have_the_highest_first_in_pages_and_leave_undefined_out(store: Store) -> None:
    worse, better = ner_run(), ner_run(BETTER)
    empty = isogloss.ner([["O"]], [["O"]])
    ids = [store.save(run) for run in (worse, better, empty, worse)]
    wanted = [ids[1], ids[3], ids[0]]
    assert [summary.id for summary in store.list(score="strict.f1")] == wanted
    pages = [store.list(score="strict.f1", limit=1, after=key) for key in (None, *wanted)]
    assert [[summary.id for summary in page] for page in pages] == [[key] for key in wanted] + [[]]
    figure = store.list(score="by_label.PER.strict.recall")[0].score
    assert figure is not None
    assert (figure.path, figure.value) == ("by_label.PER.strict.recall", 1.0)


@pytest.mark.parametrize(("path", "gold"), [("by_label.XX.strict.f1", "B-PER"), ("strict.f1", "O")])
def test_nothing_comes_after_a_run_without_the_score(store: Store, path: str, gold: str) -> None:
    identity = store.save(isogloss.ner([[gold]], [[gold]]))
    with pytest.raises(StoreError, match=f"run {identity.hex[:8]} does not have the score {path}, so nothing comes"):
        store.list(score=path, after=identity)


def test_a_list_shows_the_main_score_with_its_interval(store: Store) -> None:
    run = ner_run(confidence=0.9)
    store.save(run)
    figure = store.list()[0].score
    assert figure is not None
    interval = run.intervals["strict.f1"]
    assert (figure.path, figure.value) == ("strict.f1", run.scores["strict"].f1)
    assert (figure.low, figure.high) == (interval.low, interval.high)


def test_tags_come_and_go(store: Store) -> None:
    identity = store.save(ner_run(), tags=["a"])
    store.tag(identity, "b", "a", "c")
    store.untag(identity, "a", "nothing")
    assert store.get(identity).summary.tags == ("b", "c")


def test_names_and_tags_may_be_in_any_script(store: Store) -> None:
    for name in ("ن\u200cب", "क\u094d\u200dष", "東京\u3000版", "5\u00a0%", "a b"):
        identity = store.save(ner_run(), name=name, corpus=name, tags=[name])
        assert store.get(name).id == identity
        assert store.list(tag=name, corpus=name)[0].tags == (name,)


def test_the_character_that_no_name_may_have_is_told(store: Store) -> None:
    for character in ("\n", "\x1b", "\u2028", "\u2029", "\ud800"):
        with pytest.raises(UsageError, match=re.escape(f"such as {character!r}.")):
            store.save(ner_run(), name=f"a{character}b")


def test_a_tag_is_one_line(store: Store) -> None:
    identity = store.save(ner_run())
    for tag in ("", "  ", "a\nb", "x" * 201, "a\0b"):
        with pytest.raises(UsageError, match="A tag is"):
            store.tag(identity, tag)
        with pytest.raises(UsageError, match="A name is"):
            store.save(ner_run(), name=tag)


def test_one_text_is_no_list_of_tags(store: Store) -> None:
    with pytest.raises(UsageError, match=r"Give a list: \['abc'\]"):
        store.save(ner_run(), tags="abc")


def test_deleting_takes_all_that_hangs_on_a_run_and_nothing_else(store: Store) -> None:
    kept = store.save(ner_run(findings=True), tags=["a"])
    gone = store.save(ner_run(findings=True), tags=["a"])
    store.delete(gone)
    assert [summary.id for summary in store.list(tag="a")] == [kept]
    assert len(store.findings(kept)) == len(ner_run(findings=True).findings)
    with store._database.begin_reading() as connection:
        for table in ("inputs", "tags", "scores", "packed", "findings", "finding_groups"):
            rows = connection.exec_driver_sql(f"SELECT DISTINCT run FROM {table}").scalars().all()
            assert len(rows) <= 1, table


def test_deleting_is_all_or_nothing(store: Store) -> None:
    identity = store.save(ner_run())
    with pytest.raises(StoreError, match="no run"):
        store.delete(identity, uuid4())
    assert len(store.list()) == 1


def test_a_text_that_is_no_unicode_is_refused_and_nothing_is_saved(store: Store) -> None:
    half = replace(finding(0), extra={"token": "\ud800"})
    with pytest.raises(StoreError, match="a text cannot be saved"):
        store.save(replace(ner_run(), findings=(finding(0), half)))
    assert store.list() == []


@pytest.mark.extra
def test_a_nul_cannot_be_kept_by_a_server(server: str) -> None:
    with Store.open(server) as store, pytest.raises(StoreError, match="a text holds a NUL character"):
        store.save(isogloss.ner([["B-a\0b"]], [["B-a\0b"]]))


def test_a_nul_is_kept_by_a_file(tmp_path: Path) -> None:
    run = isogloss.ner([["B-a\0b"]], [["B-a\0b"]])
    with Store.open(tmp_path / "runs.db") as store:
        assert store.get(store.save(run)).to_dict() == as_json(run.to_dict())


def test_the_runs_of_one_call_are_saved_in_their_order(url: str) -> None:
    ids = save_runs([ner_run(), ner_run(BETTER)], store=url, name="try", corpus="toy", tags=["t"])
    alone = save_runs([ner_run()], store=url, name="alone")
    with Store.open(url) as store:
        assert [store.get(f"try-{k}").id for k in (1, 2)] == ids
        assert store.get("alone").id == alone[0]
        assert len(store.list(corpus="toy", tag="t")) == 2


def test_runs_of_one_call_need_no_name(url: str) -> None:
    assert len(save_runs([ner_run(), ner_run()], store=url)) == 2


def test_a_store_that_is_not_to_be_made_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store of runs"):
        Store.open(tmp_path / "runs.db", create=False)
    assert list(tmp_path.iterdir()) == []


def test_folders_on_the_way_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ISOGLOSS_STORE", raising=False)
    with Store.open() as store:
        store.save(ner_run())
        assert store.place == ".isogloss/runs.db"
    assert (tmp_path / ".isogloss" / "runs.db").exists()


def test_a_file_is_complete_when_nobody_uses_it(tmp_path: Path) -> None:
    with Store.open(tmp_path / "runs.db") as store:
        store.save(ner_run())
    (tmp_path / "runs.db").rename(tmp_path / "moved.db")
    assert [path.name for path in tmp_path.iterdir()] == ["moved.db"]
    with Store.open(tmp_path / "moved.db") as store:
        assert len(store.list()) == 1


def test_any_run_can_be_saved_whatever_its_evidence(store: Store) -> None:
    run: Run = store.get(store.save(ner_run(findings=True))).as_saved()
    again = store.get(store.save(run))
    assert again.to_dict() == as_json(run.to_dict())


def test_a_system_is_meant_by_the_name_of_its_file_too(store: Store) -> None:
    for system in ("a/b_c.conll", "b_c.conll", "a/bxc.conll", "a/b_c.conll.gz"):
        store.save(replace(ner_run(), system=system))
    assert {summary.system for summary in store.list(system="b_c.conll")} == {"a/b_c.conll", "b_c.conll"}
    assert {summary.system for summary in store.list(system="a/b_c.conll")} == {"a/b_c.conll"}
