from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from saved_runs import ner_run, with_findings

from isogloss.errors import StoreError, UsageError
from isogloss.store import Store
from isogloss.store import schema as s

KEY, OTHER = "0123456789abcdef", "f" * 16


def test_note_stays_when_its_run_is_deleted(store: Store) -> None:
    identity = store.save(ner_run())
    before = datetime.now(UTC)
    note = store.save_note("corpus", KEY, "gold error", "Łódź is\na place")
    store.delete(identity)
    assert store.list_notes() == [note]
    assert (note.corpus_key, note.key, note.verdict, note.text) == ("corpus", KEY, "gold error", "Łódź is\na place")
    assert before <= note.created <= before + timedelta(minutes=5)


def test_second_note_about_a_finding_replaces_the_first(store: Store) -> None:
    store.save_note("corpus", KEY, "gold error")
    second = store.save_note("corpus", KEY, "ambiguous")
    other = store.save_note("other corpus", KEY, "real error")
    assert store.list_notes() == [second, other]
    assert store.list_notes("other corpus") == [other]
    assert store.list_notes("no corpus") == []


def test_deleted_note_is_gone(store: Store) -> None:
    store.save_note("corpus", KEY, "gold error")
    kept = store.save_note("corpus", OTHER, "gold error")
    assert [store.delete_note("corpus", KEY) for _ in range(2)] == [True, False]
    assert store.list_notes() == [kept]


@pytest.mark.parametrize(
    ("key", "verdict", "text", "message"),
    [
        ("12", "gold error", "", "must be 16 hexadecimal digits, got '12'"),
        ("Z" * 16, "gold error", "", "must be 16 hexadecimal digits"),
        (KEY, "wrong", "", "Unknown verdict 'wrong'. Choose from gold error, ambiguous, real error"),
        (KEY, "ambiguous", "x" * 10_001, "at most 10,000 characters, got 10,001"),
    ],
)
def test_invalid_note_is_refused(store: Store, key: str, verdict: str, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        store.save_note("corpus", key, verdict, text)
    assert store.list_notes() == []


@pytest.mark.parametrize("values", [{"verdict": "real error"}, {"verdict": "x"}, {"text": "y"}, {"key": OTHER}])
def test_changed_note_is_reported(store: Store, values: dict[str, str]) -> None:
    store.save_note("corpus", KEY, "gold error", "text")
    with store._database.begin_writing() as connection:
        connection.execute(s.notes.update().values(values))
    with pytest.raises(StoreError, match="a note is corrupt"):
        store.list_notes()


def test_notes_are_exported_with_runs_on_their_corpus(store: Store, tmp_path: Path) -> None:
    run = with_findings(3)
    identity = store.save(run, name="one")
    (details,) = store.load_details(store.list())
    assert details.corpus_key == run.ensure_documents().corpus_key
    note = store.save_note(details.corpus_key, KEY, "gold error")
    other = store.save_note("other corpus", KEY, "gold error")
    store.export([identity], tmp_path / "out.jsonl")
    store.delete(identity)
    store.delete_note(details.corpus_key, KEY)
    store.load_export(tmp_path / "out.jsonl")
    assert store.list_notes() == [note, other] == sorted([note, other], key=lambda each: each.created)


def test_import_keeps_the_notes_that_are_here(store: Store, tmp_path: Path) -> None:
    identity = store.save(ner_run())
    corpus_key = store.load_details(store.list())[0].corpus_key
    store.save_note(corpus_key, KEY, "gold error")
    store.export([identity], tmp_path / "out.jsonl")
    later = store.save_note(corpus_key, KEY, "ambiguous")
    store.load_export(tmp_path / "out.jsonl")
    assert store.list_notes() == [later]
