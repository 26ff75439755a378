from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest
from saved_runs import ner_run, with_findings
from sqlalchemy import Table, literal_column

import isogloss
from isogloss.store import CorruptRunsError, Store
from isogloss.store import schema as s


def test_details_have_scores_reference_and_number_of_findings(store: Store, tmp_path: Path) -> None:
    for name in ("gold", "system"):
        (tmp_path / name).write_text("Ada B-PER\n\nRome B-LOC\n")
    store.save(isogloss.ner(tmp_path / "gold", tmp_path / "system", confidence=0.9, resamples=50), name="files")
    run = with_findings(70, ner_run(confidence=0.9))
    store.save(run, name="lists")
    store.save(isogloss.code_switching(["це текст про Rust"], language="uk", findings=True), name="words")
    found = {details.summary.name: details for details in store.load_details(store.list())}
    assert list(found) == ["words", "lists", "files"]
    assert found["files"].corpus_key == hashlib.sha256((tmp_path / "gold").read_bytes()).hexdigest()
    assert {name: details.findings for name, details in found.items()} == {"files": 0, "lists": 70, "words": 1}
    assert {name: details.language for name, details in found.items()} == {"files": None, "lists": None, "words": "uk"}
    score, interval = found["lists"].scores["strict.f1"], run.intervals["strict.f1"]
    assert (score.value, score.low, score.high) == (run.scores["strict"].f1, interval.low, interval.high)
    assert {name: details.definition for name, details in found.items()} == {"files": 1, "lists": 1, "words": 2}


@pytest.mark.parametrize(
    ("table", "values"),
    [
        (s.scores, {"low": 0.5}),
        (s.inputs, {"sha256": "other"}),
        (s.packed, {"data": b"other"}),
        (s.runs, {"documents_digest": "other"}),
        (s.digests, {"digest": b"other"}),
    ],
)
def test_corrupt_run_is_named_and_others_are_returned(
    store: Store, tmp_path: Path, table: Table, values: Mapping[str, object]
) -> None:
    for name in ("gold", "system"):
        (tmp_path / name).write_text("Ada B-PER\n")
    store.save(isogloss.ner(tmp_path / "gold", tmp_path / "system"), name="damaged")
    store.save(ner_run(), name="whole")
    summaries = store.list()
    number = table.c.number if table is s.runs else table.c.run
    with store._database.begin_writing() as connection:
        connection.execute(table.update().where(number == 1).values(values))
    with pytest.raises(CorruptRunsError, match=r"run damaged .* corrupt: not what was saved") as caught:
        store.load_details(summaries)
    assert [summary.name for summary in caught.value.summaries] == ["whole"]


def test_score_of_a_wrong_type_is_corrupt(tmp_path: Path) -> None:
    with Store.open(tmp_path / "runs.db") as store:
        store.save(ner_run())
        with store._database.begin_writing() as connection:
            connection.execute(s.scores.update().values(low=literal_column("'text'")))  # SQLite keeps it
        with pytest.raises(CorruptRunsError, match="its scores are corrupt"):
            store.load_details(store.list())
