"""Columns of findings equal what a plain loop over the findings gives."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.findings import Finding, Mark
from isogloss.runs.finding_columns import (
    FindingColumns,
    FindingColumnsBuilder,
    FindingFilter,
    count_groups,
    count_numbers,
    count_slices,
    find_documents,
    select_numbers,
    select_positions,
)

mark = st.builds(
    Mark,
    side=st.sampled_from(("reference", "predicted")),
    label=st.sampled_from((None, "PER", "LOC", "дата")),
    start=st.integers(0, 3),
    end=st.integers(3, 5),
    text_start=st.none() | st.integers(0, 2),
    text_end=st.integers(2, 4),
)
slices = st.dictionaries(st.sampled_from(("genre", "author")), st.sampled_from(("news", "web", 3, None)), max_size=2)
finding = st.builds(
    Finding,
    kind=st.sampled_from(("missed", "spurious", "wrong_type", "correct", "excused")),
    document=st.sampled_from(("1", "2", "ж", "")),
    where=st.just("system.conll:1"),
    marks=st.lists(mark, max_size=3).map(tuple),
    text=st.none() | st.sampled_from(("Zoë!", "Zoe\u0308", "abcd")),
    extra=st.just({}) | st.just({"slices": ["odd"]}) | st.builds(lambda own: {"slices": own}, slices),
)
findings = st.lists(finding, max_size=12)


def get_label_pair(one: Finding) -> tuple[str | None, str | None]:
    """A plain second implementation."""
    labelled = [own for own in one.marks if own.label is not None]
    names = list(dict.fromkeys(own.label for own in labelled))
    if len(names) > 1:
        return names[0], names[1]
    if not names:
        return None, None
    is_reference = one.marks[0].label is not None and one.marks[0].side == "reference"
    return (names[0], None) if is_reference else (None, names[0])


def get_surface(one: Finding) -> str:
    """A plain second implementation."""
    if not one.marks or one.text is None or one.marks[0].text_start is None:
        return ""
    return unicodedata.normalize("NFC", one.text[one.marks[0].text_start : one.marks[0].text_end])


def get_own_slices(one: Finding) -> dict[str, str]:
    own: Any = one.extra.get("slices", {})
    return {} if isinstance(own, list) else {name: value for name, value in own.items() if isinstance(value, str)}


def read(columns: FindingColumns, name: str) -> list[Any]:
    """The value of each finding."""
    return [columns.values[name][number] for number in columns.columns[name].tolist()]


@given(findings)
def test_columns_name_the_values_of_each_finding(some: list[Finding]) -> None:
    columns = FindingColumns.from_findings(some)
    assert columns.count == len(some)
    assert read(columns, "kind") == [one.kind for one in some]
    assert read(columns, "document") == [one.document for one in some]
    assert read(columns, "label") == [get_label_pair(one) for one in some]
    assert read(columns, "surface") == [get_surface(one) for one in some]
    for name in ("genre", "author"):
        own = [get_own_slices(one).get(name) for one in some]
        assert (read(columns, f"slice:{name}") if name in columns.slice_columns else [None] * len(some)) == own


@given(findings)
def test_documents_are_numbered_by_first_finding_and_surfaces_by_count(some: list[Finding]) -> None:
    columns = FindingColumns.from_findings(some)
    assert columns.values["document"] == list(dict.fromkeys(one.document for one in some))
    counts = Counter(map(get_surface, some))
    assert list(map(counts.__getitem__, columns.values["surface"])) == sorted(counts.values(), reverse=True)
    assert count_numbers(columns, "surface").tolist() == sorted(counts.values(), reverse=True)


@given(findings, st.integers(1, 5))
def test_columns_do_not_depend_on_how_findings_arrive(some: list[Finding], size: int) -> None:
    builder = FindingColumnsBuilder()
    for low in range(0, len(some), size):
        builder.add(some[low : low + size])
    found, whole = builder.build(), FindingColumns.from_findings(some)
    for name in ("kind", "label", "document", "surface"):
        assert read(found, name) == read(whole, name)
    assert found.columns["key"].tolist() == whole.columns["key"].tolist()


@given(findings)
def test_keys_are_equal_if_document_and_first_mark_are(some: list[Finding]) -> None:
    keys = FindingColumns.from_findings(some).columns["key"].tolist()
    firsts = [one.marks[0] if one.marks else Mark("reference", None, 0, 0) for one in some]
    places = [(one.document, own.side, own.label, own.start, own.end) for one, own in zip(some, firsts, strict=True)]
    for k, place in enumerate(places):
        assert [key == keys[k] for key in keys] == [other == place for other in places]


@given(
    findings,
    st.sampled_from((None, "missed", "nothing")),
    st.sampled_from((None, "LOC", "nothing")),
    st.sampled_from((None, "ж", "nothing", "\ud800")),
    st.dictionaries(st.sampled_from(("genre", "author", "nothing")), st.just("news"), max_size=2),
    st.integers(-1, 15),
)
def test_filter_equals_a_loop_over_findings(
    some: list[Finding], kind: str | None, label: str | None, document: str | None, own: dict[str, str], after: int
) -> None:
    columns = FindingColumns.from_findings(some)
    expected = [
        k
        for k, one in enumerate(some)
        if k > after
        and kind in (None, one.kind)
        and (label is None or label in get_label_pair(one))
        and document in (None, one.document)
        and own.items() <= get_own_slices(one).items()
    ]
    conditions = FindingFilter(kind, label, document, after, own)
    assert select_positions(columns, conditions).tolist() == expected
    assert select_positions(columns, conditions, 2).tolist() == expected[:2]


@given(findings, st.sets(st.integers(0, 3)), st.sets(st.integers(0, 3)))
def test_several_numbers_of_a_column_are_alternatives(
    some: list[Finding], kinds: set[int], documents: set[int]
) -> None:
    columns = FindingColumns.from_findings(some)
    allowed = {"kind": sorted(kinds), "document": sorted(documents)}
    expected = [k for k in range(len(some)) if all(columns.columns[name][k] in own for name, own in allowed.items())]
    assert select_numbers(columns, allowed).tolist() == expected


@given(findings)
def test_counts_of_groups_and_slices_equal_a_loop(some: list[Finding]) -> None:
    columns = FindingColumns.from_findings(some)
    groups = Counter(
        (one.kind, first, other) if first is not None else (one.kind, other, None)
        for one in some
        for first, other in [get_label_pair(one)]
    )
    assert count_groups(columns) == groups
    assert {one: n for one, n in count_slices(columns).items() if n} == Counter(
        pair for one in some for pair in get_own_slices(one).items()
    )


def test_numbers_take_as_few_bytes_as_they_need() -> None:
    some = [Finding(str(k % 257), str(k), "a:1", (Mark("reference", "PER", 0, 1),)) for k in range(300)]
    columns = FindingColumns.from_findings(some).columns
    assert {name: columns[name].dtype for name in ("kind", "label", "document", "key")} == {
        "kind": np.uint16,
        "label": np.uint8,
        "document": np.uint32,
        "key": np.uint64,
    }


def test_document_is_found_by_its_name() -> None:
    some: Sequence[Finding] = [Finding("missed", name, "a:1", ()) for name in ("1", "ж", "1", "3")]
    columns = FindingColumns.from_findings(some)
    assert [find_documents(columns, name) for name in ("ж", "3", "4")] == [[1], [2], []]
