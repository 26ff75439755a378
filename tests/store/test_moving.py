"""Export and import."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from example_runs import ner_run, with_findings

import isogloss
from isogloss.errors import DataError, FormatError, SourceError, StoreError
from isogloss.store import Store
from isogloss.store.findings import add_findings


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """Two runs in a file."""
    with Store.open(tmp_path / "from.db") as store:
        first = store.save(with_findings(1500, ner_run(confidence=0.9)), name="first", corpus="toy", tags=["x", "ü"])
        second = store.save(isogloss.classification(["a", "b"], [{"a": 0.9, "b": 0.2}, {"a": 0.4, "b": 0.3}]))
        store.export([second, first], tmp_path / "runs.jsonl")
    return tmp_path / "runs.jsonl"


def originals(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "from.db")


def relined(path: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    """Change the lines of a file and have its digest say that all is well."""
    *lines, end = change(path.read_bytes().splitlines(keepends=True))
    stated = json.loads(end)
    stated["sha256"] = hashlib.sha256(b"".join(lines)).hexdigest()
    path.write_bytes(b"".join(lines) + json.dumps(stated).encode() + b"\n")


def test_runs_arrive_as_they_were(store: Store, tmp_path: Path, exported: Path) -> None:
    new = store.load_export(exported)
    with originals(tmp_path) as before:
        assert {summary.id for summary in before.list()} == set(new)
        for key in new:
            assert store.get(key).summary == before.get(key).summary
            assert store.get(key).to_dict() == before.get(key).to_dict()
            assert store.get(key).run(findings=None).to_dict() == before.get(key).run(findings=None).to_dict()
            assert store.finding_counts(key) == before.finding_counts(key)
            assert store.slice_counts(key) == before.slice_counts(key)
            assert store.list(score="by_label.PER.strict.f1") == before.list(score="by_label.PER.strict.f1")


def test_what_both_kinds_of_store_write_is_the_same(store: Store, tmp_path: Path, exported: Path) -> None:
    new = store.load_export(exported)
    store.export(new, tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == exported.read_bytes()


def test_importing_twice_changes_nothing(store: Store, exported: Path) -> None:
    new = store.load_export(exported)
    store.tag(new[0], "mine")
    before = [store.get(key).summary for key in new]
    assert store.load_export(exported) == []
    assert [store.get(key).summary for key in new] == before
    assert len(store.list()) == 2


def test_runs_that_are_missing_are_added_beside_those_that_are_there(store: Store, exported: Path) -> None:
    first, second = store.load_export(exported)
    store.delete(first)
    assert store.load_export(exported) == [first]
    assert {summary.id for summary in store.list()} == {first, second}


def test_a_name_that_ends_with_gz_is_compressed(store: Store, tmp_path: Path, exported: Path) -> None:
    with originals(tmp_path) as before:
        before.export([summary.id for summary in before.list()][::1], tmp_path / "runs.jsonl.gz")
    assert gzip.decompress((tmp_path / "runs.jsonl.gz").read_bytes()).startswith(b'{"line":"head"')
    assert len(store.load_export(tmp_path / "runs.jsonl.gz")) == 2


def test_a_run_that_is_asked_for_twice_is_written_once(store: Store, tmp_path: Path) -> None:
    identity = store.save(ner_run(), name="one")
    store.export([identity, "one"], tmp_path / "out.jsonl")
    store.delete(identity)
    assert store.load_export(tmp_path / "out.jsonl") == [identity]


def test_a_file_that_exists_is_replaced_only_by_a_complete_one(store: Store, tmp_path: Path) -> None:
    store.save(ner_run())
    (tmp_path / "out.jsonl").write_text("as it was")
    with pytest.raises(StoreError, match="no run"):
        store.export(["nothing"], tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text() == "as it was"
    store.export([store.list()[0].id], tmp_path / "out.jsonl")
    assert sorted(path.name for path in tmp_path.iterdir() if "out" in path.name) == ["out.jsonl"]


def test_a_new_file_has_the_usual_permissions(store: Store, tmp_path: Path) -> None:
    store.export([store.save(ner_run())], tmp_path / "out.jsonl")
    (tmp_path / "usual").touch()
    assert (tmp_path / "out.jsonl").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_folder_that_is_not_there_is_told(store: Store, tmp_path: Path) -> None:
    identity = store.save(ner_run())
    with pytest.raises(SourceError, match="cannot be written"):
        store.export([identity], tmp_path / "nowhere" / "out.jsonl")


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.7, 0.99, 0.9999])
def test_of_a_file_that_is_cut_short_nothing_is_taken_in(store: Store, exported: Path, share: float) -> None:
    data = exported.read_bytes()
    exported.write_bytes(data[: int(share * len(data))])
    with pytest.raises(DataError, match=r"runs\.jsonl"):
        store.load_export(exported)
    assert store.list() == []


def test_of_a_file_that_lacks_its_last_line_nothing_is_taken_in(store: Store, exported: Path) -> None:
    exported.write_bytes(b"".join(exported.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(FormatError, match="its last line is missing"):
        store.load_export(exported)
    assert store.list() == []


def test_of_a_file_in_which_a_byte_changed_nothing_is_taken_in(store: Store, exported: Path) -> None:
    data = bytearray(exported.read_bytes())
    for at in range(50, len(data), len(data) // 12):
        changed = bytearray(data)
        changed[at] = ord("0") if changed[at] != ord("0") else ord("1")
        exported.write_bytes(changed)
        with pytest.raises(DataError, match=r"runs\.jsonl"):
            store.load_export(exported)
        assert store.list() == []


def without(lines: list[bytes]) -> list[bytes]:
    return [line for line in lines if not line.startswith(b'{"line":"run"')]


def more(lines: list[bytes]) -> list[bytes]:
    """A column that no table has."""
    return [line.replace(b'"row":{', b'"row":{"colour":"red",') for line in lines]


def other_type(lines: list[bytes]) -> list[bytes]:
    return [line.replace(b'"listed":true', b'"listed":"yes"') for line in lines]


def twice(lines: list[bytes]) -> list[bytes]:
    """A path of a score twice."""
    return [line.replace(b'["strict.recall"', b'["strict.f1"') for line in lines]


@pytest.mark.parametrize("change", [without, more, other_type, twice])
def test_a_file_that_was_made_up_is_refused(
    store: Store,
    exported: Path,
    change: Callable[[list[bytes]], list[bytes]],
) -> None:
    relined(exported, change)
    with pytest.raises(FormatError, match=r"runs\.jsonl:\d+: "):
        store.load_export(exported)
    assert store.list() == []


def test_lines_after_the_end_are_refused(store: Store, exported: Path) -> None:
    exported.write_bytes(exported.read_bytes() + b'{"line":"end","runs":0,"sha256":""}\n')
    with pytest.raises(FormatError, match="goes on after its end"):
        store.load_export(exported)


@pytest.mark.parametrize("text", ["", "gold O\n", '{"a": 1}\n', '{"line":"head","format":"other","layout":1}\n'])
def test_something_else_is_refused(store: Store, tmp_path: Path, text: str) -> None:
    (tmp_path / "other").write_text(text)
    with pytest.raises(FormatError, match=r"other:1: (is not a line of|is not a file of)"):
        store.load_export(tmp_path / "other")


def test_a_later_layout_asks_for_an_update(store: Store, tmp_path: Path) -> None:
    (tmp_path / "later").write_text('{"line":"head","format":"isogloss-runs","layout":2}\n')
    with pytest.raises(FormatError, match="layout 2, and this version of isogloss knows 1\nUpdate isogloss"):
        store.load_export(tmp_path / "later")


def test_a_damaged_compressed_file_is_told(store: Store, exported: Path) -> None:
    packed = gzip.compress(exported.read_bytes())
    exported.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(SourceError, match="damaged or cut short"):
        store.load_export(exported)
    assert store.list() == []


def test_a_file_that_is_not_there_is_told(store: Store, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"):
        store.load_export(tmp_path / "nothing")


def test_nobody_else_sees_half_of_what_is_taken_in(
    url: str,
    store: Store,
    exported: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[int] = []

    def watched(*arguments: Any) -> None:
        with Store.open(url) as other:
            seen.append(len(other.list()))
        add_findings(*arguments)

    monkeypatch.setattr("isogloss.store.saving.add_findings", watched)
    store.load_export(exported)
    assert seen == [0, 0]
