from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from saved_runs import finding, ner_run, with_findings

from isogloss.kernel.findings import Finding, Mark
from isogloss.runs.findings import Findings
from isogloss.store import Store
from isogloss.store import findings as stored_findings
from isogloss.store.findings import _decode_chunk, encode_chunk

NUMBER = 400
CONDITIONS: list[dict[str, Any]] = [
    {},
    {"kind": "missed"},
    {"kind": "rare"},
    {"kind": "split"},
    {"kind": "nothing"},
    {"label": "LOC"},
    {"label": "дата"},
    {"label": "nothing"},
    {"kind": "wrong_type", "label": "U.S."},
    {"kind": "split", "label": "PER"},
    {"document": "7"},
    {"document": "7", "kind": "missed"},
    {"document": "nothing"},
    {"slices": {"genre": "news"}},
    {"slices": {"author": "ж3"}},
    {"slices": {"author": "ж3", "genre": "U.S."}},
    {"slices": {"genre": "news"}, "kind": "missed"},
    {"slices": {"genre": "web"}, "kind": "rare"},
    {"slices": {"genre": "web", "author": "ж1"}, "kind": "wrong_type", "label": "дата"},
    {"slices": {"genre": "news"}, "document": "7"},
    {"slices": {"genre": "nothing"}},
    {"slices": {"nothing": "news"}},
    {"slices": {}},
]


@pytest.fixture
def run(store: Store) -> UUID:
    store.save(with_findings(10))  # so that it is not the only one
    return store.save(with_findings(NUMBER))


def naive(condition: dict[str, Any]) -> list[int]:
    """Positions of the findings that are meant, by looking at each."""
    found = []
    for k in range(NUMBER):
        one = finding(k)
        labels = {mark.label for mark in one.marks}
        if (
            condition.get("kind", one.kind) == one.kind
            and condition.get("document", one.document) == one.document
            and ("label" not in condition or condition["label"] in labels)
            and condition.get("slices", {}).items() <= one.extra.get("slices", {}).items()
        ):
            found.append(k)
    return found


def test_pages_of_findings_equal_naive_filter(store: Store, run: UUID) -> None:
    for condition in CONDITIONS:
        seen: list[int] = []
        after = None
        while page := store.findings(run, **condition, after=after, limit=30):
            assert [found.finding for found in page] == [finding(found.position) for found in page]
            seen += [found.position for found in page]
            after = seen[-1]
        assert seen == naive(condition), condition
        assert [found.position for found in store.findings(run, **condition, limit=None)] == seen, condition


def test_finding_counts_by_group_equal_naive_counts(store: Store, run: UUID) -> None:
    counts = store.finding_counts(run)
    assert sum(counts.values()) == NUMBER
    for kind in ("missed", "rare", "split"):
        assert sum(n for (own, *_), n in counts.items() if own == kind) == len(naive({"kind": kind}))
    assert counts["split", None, None] == len(naive({"kind": "split"}))


def test_run_without_findings_has_empty_lists_and_counts(store: Store) -> None:
    run = store.save(ner_run())
    assert store.findings(run) == []
    assert store.finding_counts(run) == {}
    assert store.slice_counts(run) == {}


def test_findings_by_slice_in_several_chunks_are_complete(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.store.findings.CHUNK_ROWS", 37)
    run = store.save(with_findings(NUMBER))
    for condition in (one for one in CONDITIONS if "slices" in one):
        for limit in (7, None):
            expected = naive(condition)
            seen = [found.position for found in store.findings(run, **condition, limit=limit)]
            assert seen == expected[:limit], condition
            later = [found.position for found in store.findings(run, **condition, limit=limit, after=200)]
            assert later == [k for k in expected if k > 200][:limit], condition


def test_finding_counts_by_slice_equal_naive_counts(store: Store, run: UUID) -> None:
    counts = store.slice_counts(run)
    assert {column for column, _ in counts} == {"genre", "author"}
    for (column, value), count in counts.items():
        assert count == len(naive({"slices": {column: value}}))


def test_slices_of_one_run_do_not_affect_another(store: Store, run: UUID) -> None:
    other = store.save(with_findings(3))
    assert [found.position for found in store.findings(other, slices={"genre": "web"})] == [1]
    assert store.findings(other, slices={"author": "ж3"}) == []
    store.delete(other)
    assert len(store.findings(run, slices={"author": "ж3"}, limit=None)) == len(naive({"slices": {"author": "ж3"}}))


def test_stored_finding_json_has_position(store: Store, run: UUID) -> None:
    row = store.findings(run, limit=1)[0].to_dict()
    assert row == {"position": 0} | finding(0).to_dict()


def test_document_texts_are_whole_in_any_size(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text beside the chunks, in a chunk, or none comes back; also after export and import."""
    monkeypatch.setattr(stored_findings, "PIECE_TEXT", 900)  # pieces of one or two long texts
    texts = {"a": "ж" * 401, "b": "short", "c": None, "d": "x\n" * 500, "e": "y" * 400, "f": "z" * 450}
    names = [name for name in texts for _ in range(90)]  # chunks end within documents
    found = tuple(msgspec.structs.replace(finding(k), document=n, document_text=texts[n]) for k, n in enumerate(names))
    saved = store.save(replace(with_findings(1), findings=Findings(found)))
    store.export([saved], tmp_path / "runs.jsonl")
    with Store.open(tmp_path / "other.db") as other:
        other.load_export(tmp_path / "runs.jsonl")
        for each in (store, other):
            opened = each.open_findings(saved)
            assert {name: opened.load_document(number).text for number, name in enumerate(texts)} == texts


mark = st.builds(
    Mark,
    side=st.sampled_from(("reference", "predicted")),
    label=st.none() | st.text(max_size=4),
    start=st.integers(0, 2**40),
    end=st.integers(0, 9),
    text_start=st.none() | st.integers(0, 9),
    text_end=st.none() | st.integers(0, 9),
)
json_value = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=5)
any_finding = st.builds(
    Finding,
    kind=st.text(max_size=5),
    document=st.text(max_size=5),
    where=st.text(max_size=5),
    marks=st.lists(mark, min_size=1, max_size=3).map(tuple),
    text=st.just("abc"),
    before=st.booleans(),
    after=st.booleans(),
    extra=st.dictionaries(st.text(max_size=5), json_value, max_size=3),
)


@given(st.lists(any_finding, min_size=1, max_size=4))
def test_findings_survive_encoding_and_decoding(some: list[Finding]) -> None:
    assert _decode_chunk(encode_chunk(some)) == some
