"""Export and import runs."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from saved_runs import ner_run, with_findings

import isogloss
from isogloss.errors import DataError, FormatError, StoreError
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


def test_imported_runs_equal_exported_runs(store: Store, tmp_path: Path, exported: Path) -> None:
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


def test_export_after_import_is_byte_equal(store: Store, tmp_path: Path, exported: Path) -> None:
    new = store.load_export(exported)
    store.export(new, tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == exported.read_bytes()


def test_second_import_changes_nothing(store: Store, exported: Path) -> None:
    new = store.load_export(exported)
    store.tag(new[0], "mine")
    before = [store.get(key).summary for key in new]
    assert store.load_export(exported) == []
    assert [store.get(key).summary for key in new] == before
    assert len(store.list()) == 2


def test_import_adds_only_missing_runs(store: Store, exported: Path) -> None:
    first, second = store.load_export(exported)
    store.delete(first)
    assert store.load_export(exported) == [first]
    assert {summary.id for summary in store.list()} == {first, second}


def test_gz_suffix_compresses_the_export(store: Store, tmp_path: Path, exported: Path) -> None:
    with originals(tmp_path) as before:
        before.export([summary.id for summary in before.list()][::1], tmp_path / "runs.jsonl.gz")
    assert gzip.decompress((tmp_path / "runs.jsonl.gz").read_bytes()).startswith(b'{"line":"head"')
    assert len(store.load_export(tmp_path / "runs.jsonl.gz")) == 2


def test_run_requested_twice_is_exported_once(store: Store, tmp_path: Path) -> None:
    identity = store.save(ner_run(), name="one")
    store.export([identity, "one"], tmp_path / "out.jsonl")
    store.delete(identity)
    assert store.load_export(tmp_path / "out.jsonl") == [identity]


def test_existing_file_is_replaced_only_by_complete_export(store: Store, tmp_path: Path) -> None:
    store.save(ner_run())
    (tmp_path / "out.jsonl").write_text("as it was")
    with pytest.raises(StoreError, match="no run"):
        store.export(["nothing"], tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text() == "as it was"
    store.export([store.list()[0].id], tmp_path / "out.jsonl")
    assert sorted(path.name for path in tmp_path.iterdir() if "out" in path.name) == ["out.jsonl"]


def test_export_has_usual_file_permissions(store: Store, tmp_path: Path) -> None:
    store.export([store.save(ner_run())], tmp_path / "out.jsonl")
    (tmp_path / "usual").touch()
    assert (tmp_path / "out.jsonl").stat().st_mode == (tmp_path / "usual").stat().st_mode


def cut(data: bytes, share: float) -> bytes:
    return data[: int(share * len(data))]


def change_byte(data: bytes, share: float) -> bytes:
    at = int(share * len(data))
    return data[:at] + (b"0" if data[at : at + 1] != b"0" else b"1") + data[at + 1 :]


DAMAGES: list[tuple[Callable[[bytes], bytes], str]] = [
    *((partial(cut, share=share), r"runs\.jsonl") for share in (0.0, 0.01, 0.3, 0.7, 0.9999)),
    *((partial(change_byte, share=share), r"runs\.jsonl") for share in (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99)),
    (lambda data: b"".join(data.splitlines(keepends=True)[:-1]), "its last line is missing"),
    (lambda data: data + b'{"line":"end","runs":0,"sha256":""}\n', "goes on after its end"),
    (lambda data: cut(gzip.compress(data), 0.5), "damaged or cut short"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGES)
def test_damaged_file_is_refused_as_a_whole(
    store: Store, exported: Path, damage: Callable[[bytes], bytes], message: str
) -> None:
    exported.write_bytes(damage(exported.read_bytes()))
    with pytest.raises(DataError, match=message):
        store.load_export(exported)
    assert store.list() == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(b'"row":{', b'"row":{"colour":"red",', id="a column that no table has"),
        pytest.param(b'"listed":true', b'"listed":"yes"', id="another type"),
        pytest.param(b'["strict.recall",', b'["strict.recal",', id="a score under another path"),
        pytest.param(b'"corpus":"toy"', b'"corpus":"tov"', id="another corpus"),
        pytest.param(b'"tags":["x",', b'"tags":["y",', id="another tag"),
        pytest.param(b"system.conll:7", b"system.conll:8", id="another place of a finding"),
        pytest.param(b'["strict.recall"', b'["strict.f1"', id="a path of a score twice"),
        pytest.param(b'{"line":"run"', None, id="no runs"),
    ],
)
def test_file_with_valid_digest_and_wrong_rows_is_refused(
    store: Store, exported: Path, old: bytes, new: bytes | None
) -> None:
    lines = exported.read_bytes().splitlines(keepends=True)[:-1]
    kept = [line if new is None else line.replace(old, new) for line in lines if new is not None or old not in line]
    end = {"line": "end", "runs": 2, "sha256": hashlib.sha256(b"".join(kept)).hexdigest()}
    exported.write_bytes(b"".join(kept) + json.dumps(end).encode() + b"\n")
    with pytest.raises(FormatError, match=r"runs\.jsonl:\d+: "):
        store.load_export(exported)
    assert store.list() == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "other:1: is not a file of exported runs"),
        ("gold O\n", "other:1: is not a line of exported runs"),
        ('{"a": 1}\n', "other:1: is not a line of exported runs"),
        ('{"line":"head","format":"other","layout":1}\n', "other:1: is not a file of exported runs"),
        (
            '{"line":"head","format":"isogloss-runs","layout":5}\n',
            "layout 5, and this version of isogloss knows 4\nUpdate isogloss",
        ),
    ],
)
def test_file_that_is_not_an_export_is_refused(store: Store, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "other").write_text(text)
    with pytest.raises(FormatError, match=message):
        store.load_export(tmp_path / "other")


def test_import_is_invisible_until_complete(
    url: str,
    store: Store,
    exported: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[int] = []

    def watched(*arguments: Any) -> bytes:
        with Store.open(url) as other:
            seen.append(len(other.list()))
        return add_findings(*arguments)

    monkeypatch.setattr("isogloss.store.saving.add_findings", watched)
    store.load_export(exported)
    assert seen == [0, 0]
