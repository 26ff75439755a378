from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from saved_runs import BETTER, finding, ner_run

import isogloss
from isogloss.errors import StoreError, UsageError
from isogloss.runs.findings import Findings
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


def test_input_digests_are_saved_and_filter_lists(store: Store, files: tuple[str, str]) -> None:
    run = isogloss.ner(*files)
    got = store.get(store.save(run))
    assert got.inputs == run.inputs
    assert [summary.id for summary in store.list(reference=run.inputs[0].sha256)] == [got.id]
    assert store.list(reference="0" * 64) == []


def test_summary_has_name_corpus_tags_and_signature(store: Store) -> None:
    before = datetime.now(UTC)
    run = isogloss.ner([["B-PER"]], [["B-PER"]], profile="seqeval")
    summary = store.get(store.save(run, name="first try", corpus="toy", tags=["b", "a", "b"])).summary
    assert (summary.name, summary.corpus, summary.tags) == ("first try", "toy", ("a", "b"))
    assert (summary.task, summary.system, summary.profile) == ("ner", run.system, "seqeval")
    assert (summary.version, summary.documents) == (isogloss.__version__, 1)
    assert summary.signature == str(run.signature)
    assert before <= summary.created <= datetime.now(UTC)
    assert summary.created.utcoffset() == timedelta(0)


def test_run_is_found_by_id_prefix_and_name(store: Store) -> None:
    identity = store.save(ner_run(), name="baseline")
    store.save(ner_run(), name="other")
    for key in (identity, str(identity), identity.hex, identity.hex[:12].upper(), str(identity)[:11], "baseline"):
        assert store.get(key).id == identity


def test_latest_of_equal_names_is_found(store: Store) -> None:
    first, second = (store.save(ner_run(), name="nightly") for _ in range(2))
    assert store.get("nightly").id == second
    store.delete(second)
    assert store.get("nightly").id == first


def test_name_takes_precedence_over_id_prefix(store: Store) -> None:
    first = store.save(ner_run())
    second = store.save(ner_run(), name=first.hex[:6])
    assert store.get(first.hex[:6]).id == second


def test_missing_run_is_reported_with_store_location(store: Store) -> None:
    store.save(ner_run())
    for key in ("nothing", "abcd", "abc", "", "%", str(UUID(int=0)), "'; DROP TABLE runs; --"):
        with pytest.raises(
            StoreError,
            match=r"there is no run .*\n`isogloss runs list` shows what there is\.",
        ) as caught:
            store.get(key)
        assert caught.value.where == store.place


def test_ambiguous_id_prefix_is_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = iter([UUID("aaaa0000000000000000000000000001"), UUID("aaaa0000000000000000000000000002")])
    monkeypatch.setattr("isogloss.store.saving.uuid4", lambda: next(ids))
    store.save(ner_run())
    store.save(ner_run())
    with pytest.raises(StoreError, match="the ids of 2 runs begin with aaaa"):
        store.get("aaaa")


def test_list_pages_have_latest_run_first(store: Store) -> None:
    ids = [store.save(ner_run()) for _ in range(5)]
    seen, after = [], None
    while page := store.list(limit=2, after=after):
        seen += [summary.id for summary in page]
        after = page[-1].id
    assert seen == ids[::-1]


def test_list_filters_by_each_condition(store: Store) -> None:
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


def test_list_filters_by_name(store: Store) -> None:
    store.save(ner_run(), name="nightly")
    twice = store.save(ner_run(), name="nightly")
    store.save(ner_run(), name="nightly-1")
    assert [len(store.list(name=name)) for name in ("nightly", "nightly-1", "night", "%")] == [2, 1, 0, 0]
    assert store.list(name="nightly", limit=1)[0].id == twice


def test_list_filters_by_reference_digest_or_path(store: Store, files: tuple[str, str]) -> None:
    run = isogloss.ner(*files)
    identity = store.save(run)
    store.save(ner_run())
    digest = run.inputs[0].sha256
    for reference in (digest, digest.upper(), digest[:4], files[0], Path(files[0]), "gold.conll"):
        assert [summary.id for summary in store.list(reference=reference)] == [identity]
    for reference in (digest[:3], run.inputs[1].sha256, files[1], "old.conll", "%", "", "0" * 64):
        assert store.list(reference=reference) == []


def test_list_filters_by_texts_of_code_switching(store: Store, tmp_path: Path) -> None:
    (tmp_path / "texts.jsonl").write_text('{"text": "a"}\n', encoding="utf-8")
    identity = store.save(isogloss.code_switching(str(tmp_path / "texts.jsonl"), language="en"))
    assert [summary.id for summary in store.list(reference="texts.jsonl")] == [identity]


def test_list_filters_by_signature_or_its_choices(store: Store) -> None:
    begin, discard = (isogloss.ner([["B-P"]], [["I-P"]], repair=repair) for repair in ("begin", "discard"))
    first, second = store.save(begin), store.save(discard)
    part = "scheme:iob2|repair:discard"
    assert part in str(discard.signature)
    for signature, wanted in {
        str(begin.signature): [first],
        "repair:begin": [first],
        "ner": [second, first],
        part: [second],
        "repair:discard|scheme:iob2": [second],
        "repair:DISCARD": [],
        "repair:dis": [],
        "repair:%": [],
        f"ner|version:{isogloss.__version__}": [],
        "": [],
    }.items():
        assert [summary.id for summary in store.list(signature=signature)] == wanted, signature


@pytest.fixture
def daily(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A store with a run at half past ten in UTC of each of four days; local time is two hours ahead."""
    for day in range(1, 5):
        moment = datetime(2026, 3, day, 10, 30, tzinfo=UTC)
        with monkeypatch.context() as patch:
            patch.setattr("isogloss.store.store.datetime", SimpleNamespace(now=lambda _, moment=moment: moment))
            store.save(ner_run(), name=str(day))
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "XXX-2")
        time.tzset()
        yield store
    time.tzset()


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the time zone cannot be set")
@pytest.mark.parametrize(
    ("since", "until", "names"),
    [
        ("2026-03-02", "2026-03-03", "32"),
        ("2026-03-03", None, "43"),
        (None, "20260301", "1"),
        ("2026-03-02T12:30", "2026-03-03 12:30", "32"),
        ("2026-W10-2", "2026-W10-2", "3"),
        ("2026-03-02T12:30:00.000001", "2026-03-03T12:29", ""),
        ("2026-03-02T12:30+02:00", "2026-03-02T10:30Z", "2"),
        (date(2026, 3, 4), None, "4"),
        (None, datetime(2026, 3, 2, 10, 30, tzinfo=UTC), "21"),
        ("2026-03-05", "2026-03-01", ""),
    ],
)
def test_list_filters_by_date(daily: Store, since: str | date | None, until: str | date | None, names: str) -> None:
    assert [summary.name for summary in daily.list(since=since, until=until)] == list(names)


@pytest.mark.parametrize("value", ["yesterday", "2026-13-01", "", "2026", "9999-12-31", 5])
def test_list_refuses_what_is_not_a_date(store: Store, value: Any) -> None:
    with pytest.raises(UsageError, match=r"^until must be a date such as 2026-11-22, or a time such as .*; got "):
        store.list(until=value)


def test_list_conditions_are_combined_and_paged(store: Store) -> None:
    ids = [store.save(ner_run(), name=name, tags=["x"]) for name in ("a", "b", "a", "a")]
    pages = [store.list(name="a", tag="x", signature="ner", limit=2, after=key) for key in (None, ids[2])]
    assert [[summary.id for summary in page] for page in pages] == [[ids[3], ids[2]], [ids[0]]]


def test_list_by_score_sorts_and_skips_undefined(store: Store) -> None:
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
def test_list_after_run_without_the_score_is_refused(store: Store, path: str, gold: str) -> None:
    identity = store.save(isogloss.ner([[gold]], [[gold]]))
    with pytest.raises(StoreError, match=f"run {identity.hex[:8]} does not have the score {path}, so nothing comes"):
        store.list(score=path, after=identity)


def test_list_shows_main_score_with_interval(store: Store) -> None:
    run = ner_run(confidence=0.9)
    store.save(run)
    figure = store.list()[0].score
    assert figure is not None
    interval = run.intervals["strict.f1"]
    assert (figure.path, figure.value) == ("strict.f1", run.scores["strict"].f1)
    assert (figure.low, figure.high) == (interval.low, interval.high)


def test_tags_can_be_added_and_removed(store: Store) -> None:
    identity = store.save(ner_run(), tags=["a"])
    store.tag(identity, "b", "a", "c")
    store.untag(identity, "a", "nothing")
    assert store.get(identity).summary.tags == ("b", "c")


def test_names_and_tags_can_be_in_any_script(store: Store) -> None:
    for name in ("ن\u200cب", "क\u094d\u200dष", "東京\u3000版", "5\u00a0%", "a b"):
        identity = store.save(ner_run(), name=name, corpus=name, tags=[name])
        assert store.get(name).id == identity
        assert store.list(tag=name, corpus=name)[0].tags == (name,)


def test_control_character_in_name_is_named_in_error(store: Store) -> None:
    for character in ("\n", "\x1b", "\u2028", "\u2029", "\ud800"):
        with pytest.raises(UsageError, match=re.escape(f"such as {character!r}.")):
            store.save(ner_run(), name=f"a{character}b")


def test_invalid_tags_and_names_are_refused(store: Store) -> None:
    identity = store.save(ner_run())
    for tag in ("", "  ", "a\nb", "x" * 201, "a\0b"):
        with pytest.raises(UsageError, match="A tag is"):
            store.tag(identity, tag)
        with pytest.raises(UsageError, match="A name is"):
            store.save(ner_run(), name=tag)


def test_single_string_as_tags_is_refused(store: Store) -> None:
    with pytest.raises(UsageError, match=r"tags must be a list, such as \['abc'\]"):
        store.save(ner_run(), tags="abc")


def test_delete_removes_all_rows_of_the_run_only(store: Store) -> None:
    kept = store.save(ner_run(findings=True), tags=["a"])
    gone = store.save(ner_run(findings=True), tags=["a"])
    store.delete(gone)
    assert [summary.id for summary in store.list(tag="a")] == [kept]
    assert len(store.findings(kept)) == len(ner_run(findings=True).findings)
    with store._database.begin_reading() as connection:
        for table in ("inputs", "tags", "scores", "packed", "digests"):
            rows = connection.exec_driver_sql(f"SELECT DISTINCT run FROM {table}").scalars().all()
            assert len(rows) <= 1, table


def test_delete_of_missing_run_deletes_nothing(store: Store) -> None:
    identity = store.save(ner_run())
    with pytest.raises(StoreError, match="no run"):
        store.delete(identity, uuid4())
    assert len(store.list()) == 1


def test_lone_surrogate_is_refused_and_nothing_is_saved(store: Store) -> None:
    half = msgspec.structs.replace(finding(0), extra={"token": "\ud800"})
    with pytest.raises(StoreError, match="a text cannot be saved"):
        store.save(replace(ner_run(), findings=Findings([finding(0), half])))
    assert store.list() == []


@pytest.mark.extra
def test_nul_is_refused_by_postgresql(server: str) -> None:
    with Store.open(server) as store, pytest.raises(StoreError, match="a text holds a NUL character"):
        store.save(isogloss.ner([["B-a\0b"]], [["B-a\0b"]]))


def test_nul_is_saved_by_sqlite(tmp_path: Path) -> None:
    run = isogloss.ner([["B-a\0b"]], [["B-a\0b"]])
    with Store.open(tmp_path / "runs.db") as store:
        assert store.get(store.save(run)).to_dict() == as_json(run.to_dict())


def test_save_runs_keeps_order_and_numbers_names(url: str) -> None:
    ids = save_runs([ner_run(), ner_run(BETTER)], store=url, name="try", corpus="toy", tags=["t"])
    (alone,) = save_runs([ner_run()], store=url, name="alone")
    assert len(save_runs([ner_run(), ner_run()], store=url)) == 2
    with Store.open(url) as store:
        assert [store.get(f"try-{k}").id for k in (1, 2)] == ids
        assert store.get("alone").id == alone
        assert len(store.list(corpus="toy", tag="t")) == 2


def test_missing_store_is_not_created_if_create_is_false(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store of runs"):
        Store.open(tmp_path / "runs.db", create=False)
    assert list(tmp_path.iterdir()) == []


def test_missing_folders_are_created(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ISOGLOSS_STORE", raising=False)
    with Store.open() as store:
        store.save(ner_run())
        assert store.place == ".isogloss/runs.db"
    assert (tmp_path / ".isogloss" / "runs.db").exists()


def test_closed_store_is_one_file_that_can_be_moved(tmp_path: Path) -> None:
    with Store.open(tmp_path / "runs.db") as store:
        store.save(ner_run())
    (tmp_path / "runs.db").rename(tmp_path / "moved.db")
    assert [path.name for path in tmp_path.iterdir()] == ["moved.db"]
    with Store.open(tmp_path / "moved.db") as store:
        assert len(store.list()) == 1


def test_loaded_run_can_be_saved_again(store: Store) -> None:
    run: Run = store.get(store.save(ner_run(findings=True))).as_saved()
    again = store.get(store.save(run))
    assert again.to_dict() == as_json(run.to_dict())


def test_system_filter_matches_file_name_in_any_folder(store: Store) -> None:
    for system in ("a/b_c.conll", "b_c.conll", "a/bxc.conll", "a/b_c.conll.gz"):
        store.save(replace(ner_run(), system=system))
    assert {summary.system for summary in store.list(system="b_c.conll")} == {"a/b_c.conll", "b_c.conll"}
    assert {summary.system for summary in store.list(system="a/b_c.conll")} == {"a/b_c.conll"}
