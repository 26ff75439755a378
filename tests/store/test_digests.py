"""Damage of a stored run is reported with the run and the part; it never changes a number silently."""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from bit_flips import SILENT, TRACEBACK, flip_bits, save_two_runs
from saved_runs import ner_run, with_findings
from sqlalchemy import Table, select

import isogloss
from isogloss.cli import run as run_cli
from isogloss.errors import StoreError
from isogloss.store import Store
from isogloss.store import schema as s
from isogloss.store.digests import RUN, digest_parts, load_digests

Read = Callable[[Store], object]


def save_monday(store: Store, folder: Path) -> UUID:
    """Save a run that has rows in every table."""
    for name in ("gold", "system"):
        (folder / name).write_text("Ada B-PER\n")
    run = isogloss.ner(folder / "gold", folder / "system", confidence=0.9, resamples=50)
    return store.save(with_findings(20, run), name="monday", tags=["x"])


def read_json(store: Store) -> object:
    return store.get("monday").to_dict()


def read_page(store: Store) -> object:
    return store.findings("monday", kind="missed", limit=3)


def read_counts(store: Store) -> object:
    return store.get("monday").run()


def change(store: Store, table: Table, **values: object) -> None:
    """Change rows of the only run of a store behind its back."""
    with store._database.begin_writing() as connection:
        connection.execute(table.update().values(values))


@pytest.mark.parametrize(
    ("table", "values", "read", "part"),
    [
        (s.runs, {"system": "other.conll"}, lambda store: store.list(), "row is"),
        (s.runs, {"document": {"task": "ner"}}, read_json, "row is"),
        (s.runs, {"listed": False}, read_json, "row is"),
        (s.inputs, {"path": "other.conll"}, read_json, "inputs are"),
        (s.tags, {"tag": "z"}, lambda store: store.list(), "tags are"),
        (s.scores, {"value": 0.5}, lambda store: store.list(), "scores are"),
        (s.scores, {"low": 0.5}, lambda store: store.list(score="strict.recall"), "scores are"),
        (s.packed, {"data": b"other"}, read_counts, "counts of documents are"),
        (s.packed, {"data": zlib.compress(b"[]")}, read_page, "findings are"),
        (s.packed, {"position": s.packed.c.position + 1}, read_page, "findings are"),
        (s.packed, {"what": s.packed.c.what + "x"}, lambda store: store.finding_counts("monday"), "findings are"),
        (s.digests, {"digest": b"other"}, lambda store: store.list(), "row is"),
    ],
)
def test_change_is_reported_with_run_and_part(
    store: Store, tmp_path: Path, table: Table, values: dict[str, object], read: Read, part: str
) -> None:
    identity = save_monday(store, tmp_path)
    read(store)
    change(store, table, **values)
    short = identity.hex[:8]
    with pytest.raises(StoreError) as caught:
        read(store)
    assert caught.value.message == f"run monday ({short}): its {part} corrupt: not what was saved"
    assert caught.value.remedy == f"Restore it from an export or delete it: isogloss runs delete --yes {short}"
    assert caught.value.where == store.place


@pytest.mark.parametrize(
    ("table", "read"),
    [
        (s.inputs, read_json),
        (s.tags, read_json),
        (s.scores, lambda store: store.list()),
        (s.packed, read_counts),
        (s.packed, lambda store: store.findings("monday")),
        (s.packed, read_page),
        (s.packed, lambda store: store.slice_counts("monday")),
        (s.digests, lambda store: store.list()),
    ],
)
def test_missing_rows_are_reported(store: Store, tmp_path: Path, table: Table, read: Read) -> None:
    save_monday(store, tmp_path)
    read(store)
    with store._database.begin_writing() as connection:
        connection.execute(table.delete())
    with pytest.raises(StoreError, match=r"run monday \([0-9a-f]{8}\): its .* corrupt"):
        read(store)


def test_export_refuses_a_corrupt_run(store: Store, tmp_path: Path) -> None:
    store.save(with_findings(20), name="monday")
    change(store, s.scores, high=1.0)
    with pytest.raises(StoreError, match="its scores are corrupt"):
        store.export(["monday"], tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


def test_exported_and_imported_run_have_the_same_digest(store: Store, tmp_path: Path) -> None:
    identity = store.save(with_findings(20, ner_run(confidence=0.9)), name="monday", tags=["x"])
    store.export([identity], tmp_path / "out.jsonl")
    saved = load_all_digests(store)
    store.delete(identity)
    assert store.load_export(tmp_path / "out.jsonl") == [identity]
    assert load_all_digests(store) == saved


def load_all_digests(store: Store) -> dict[str, bytes]:
    with store._database.begin_reading() as connection:
        return load_digests(connection, connection.execute(select(s.runs.c.number)).scalar_one())


def test_tags_change_their_own_digest_only(store: Store) -> None:
    store.save(ner_run(), name="monday", tags=["x"])
    before = load_all_digests(store)
    store.tag("monday", "y", "x")
    after = load_all_digests(store)
    assert {part for part in before if before[part] != after[part]} == {"tags"}
    store.untag("monday", "y", "nothing")
    assert load_all_digests(store) == before
    assert before[RUN] == digest_parts(before)


def test_corrupt_run_can_be_deleted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "runs.db")
    with Store.open(path) as store:
        identity = store.save(ner_run(), name="monday")
        store.save(ner_run(), name="tuesday")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE runs SET document = replace(document, '0.', '1.') WHERE number = 1")
        connection.execute("UPDATE runs SET documents = 7 WHERE number = 1")
    connection.close()
    assert run_cli(["runs", "list", "--store", path]) == 3
    remedy = f"isogloss runs delete --yes {identity.hex[:8]}"
    assert remedy in capsys.readouterr().err
    assert run_cli([*remedy.split()[1:], "--store", path]) == 0
    assert run_cli(["runs", "list", "--store", path]) == 0
    assert "tuesday" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["text", "json", "csv"])
def test_list_has_other_runs_and_names_the_corrupt_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    path = str(tmp_path / "runs.db")
    with Store.open(path) as store:
        short = [store.save(ner_run(), name=name).hex[:8] for name in ("monday", "tuesday", "friday")]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE runs SET documents = 7 WHERE number = 1")
        connection.execute("UPDATE runs SET system = CAST(x'ff' AS TEXT) WHERE number = 2")
    connection.close()
    assert run_cli(["runs", "list", "--store", path, "-f", form]) == 3
    printed = capsys.readouterr()
    assert "friday" in printed.out
    assert "monday" not in printed.out
    assert "2 runs are corrupt" in printed.err
    assert all(
        f"run {name} ({short[k]}): its row is corrupt" in printed.err for k, name in enumerate(("monday", "tuesday"))
    )
    assert f"isogloss runs delete --yes {short[1]} {short[0]}" in printed.err


@pytest.mark.parametrize(
    ("index", "columns", "hidden", "read"),
    [
        ("ix_runs_created", "runs (created)", "number = 1", lambda store: store.list()),
        ("ix_runs_name", "runs (name)", "number = 2", lambda store: store.get("monday").id),
        ("ix_runs_name", "runs (name)", "number = 2", lambda store: [run.id for run in store.list(name="monday")]),
        ("ix_scores_path_value", "scores (path, value)", "run = 1", lambda store: store.list(score="strict.f1")),
    ],
)
def test_damaged_index_hides_nothing(tmp_path: Path, index: str, columns: str, hidden: str, read: Read) -> None:
    path = tmp_path / "runs.db"
    with Store.open(path) as store:
        for _ in range(2):
            store.save(with_findings(20), name="monday")
        whole = read(store)
    with (
        closing(sqlite3.connect(path)) as connection,
        connection,
    ):  # an index without an entry, whose definition says that it has all
        connection.execute(f"DROP INDEX {index}")
        connection.execute(f"CREATE INDEX {index} ON {columns} WHERE NOT {hidden}")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET sql = ? WHERE name = ?", (f"CREATE INDEX {index} ON {columns}", index)
        )
    connection.close()
    with Store.open(path) as store:
        try:
            assert read(store) == whole
        except StoreError as error:
            assert "corrupt" in error.message  # noqa: PT017  the right answer is as good


@pytest.mark.parametrize("how", [{}, {"tag": "x"}, {"score": "strict.recall"}])
def test_run_with_a_flipped_number_is_not_left_out(tmp_path: Path, how: dict[str, Any]) -> None:
    """The number is the key of the row, before the header of the record, which ends where the id begins."""
    save_two_runs(tmp_path / "runs.db")
    with Store.open(tmp_path / "runs.db") as store:
        first = store.list()[-1].id.hex.encode()
    data = bytearray((tmp_path / "runs.db").read_bytes())
    places = [found.start() for found in re.finditer(first, data)]
    [key] = [
        at - size - 1
        for at in places
        for size in range(20, 60)
        if data[at - size - 1 : at - size + 1] == bytes([1, size])
    ]
    data[key] = 33
    (tmp_path / "flipped.db").write_bytes(data)
    with Store.open(tmp_path / "flipped.db") as store, pytest.raises(StoreError):
        store.list(**how)


def test_flipped_bits_change_nothing_silently(tmp_path: Path) -> None:
    """More: python tests/support/bit_flips.py 1000 1."""
    outcomes = flip_bits(tmp_path, number=15, seed=11)
    assert [one for one in outcomes if one[0] in (SILENT, TRACEBACK)] == []
    assert len(Counter(outcome for outcome, *_ in outcomes)) == 2  # some are reported, some hit nothing


@pytest.mark.parametrize("read", [lambda store: store.list(), lambda store: store.load_details(store.list())])
@pytest.mark.parametrize("name", [b"exact.f1", b"summary", b"tags"])
def test_index_with_a_flipped_number_of_a_run_is_reported(tmp_path: Path, name: bytes, read: Read) -> None:
    """In the header of an entry (run, name, row) the type of a run 1 is 9, that of a run 0 is 8."""
    save_two_runs(tmp_path / "runs.db")
    with Store.open(tmp_path / "runs.db") as store:
        whole = read(store)
    data = bytearray((tmp_path / "runs.db").read_bytes())
    places = [found.start() for found in re.finditer(b"\x04\t%c[\x01\t]%s" % (13 + 2 * len(name), name), data)]
    assert places
    for at in places:
        data[at + 1] = 8
    (tmp_path / "flipped.db").write_bytes(data)
    with Store.open(tmp_path / "flipped.db") as store:
        try:
            assert read(store) == whole
        except StoreError as error:
            assert "corrupt" in error.message  # noqa: PT017  the right answer is as good
