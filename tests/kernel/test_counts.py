from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from corpora import in_clusters, same
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel import counts as counts_module
from isogloss.kernel.counts import (
    Cell,
    Counts,
    add_in_order,
    find_positions,
    find_run_starts,
    fingerprint_cells,
    pack_codes,
    rank_distinct,
    sum_by_code,
    to_sort_key,
)
from isogloss.kernel.scores import Ints


def counts(**changes: Any) -> Counts:
    """Two documents: one has a person and a place, the other a place and a measure."""
    whole: dict[str, Any] = {
        "documents": np.array([4, 7]),
        "columns": {"n": np.array([1, 2, 3]), "m": np.array([0, 5, 0])},
        "row": np.array([0, 0, 1]),
        "parts": {"label": (np.array([1, 0, 0]), ("LOC", "PER"))},
        "measures": {"comet": np.array([np.nan, 0.5])},
    }
    return Counts.build(**(whole | changes))


def test_taken_documents_are_renumbered() -> None:
    for order in [[0, 1], [1, 0], [1], []]:
        given = counts().normalize()
        found = given.take(np.array(order, np.int64))
        old = list(table(given).values())
        assert table(found) == {new: old[at] for new, at in enumerate(order)}
        assert found.measured.tolist() == given.measured[order].tolist()


def table(given: Counts) -> dict[int, dict[Cell, list[int]]]:
    """Counts as nested dictionaries: document, cell, columns."""
    result: dict[int, dict[Cell, list[int]]] = {document: {} for document in given.documents.tolist()}
    for row, cell, values in zip(given.row.tolist(), given.cell.tolist(), given.values.tolist(), strict=True):
        result[int(given.documents[row])][given.cells[cell]] = values
    return result


def test_counts_are_built_by_document_and_cell() -> None:
    assert table(counts()) == {4: {("PER",): [1, 0], ("LOC",): [2, 5]}, 7: {("LOC",): [3, 0]}}


def test_a_measure_is_a_sum_and_a_count_without_nan() -> None:
    assert counts().measured.tolist() == [[[0.0, 0.0]], [[0.5, 1.0]]]


def test_an_infinite_measure_stays_infinite() -> None:
    infinite = counts(measures={"comet": np.array([np.inf, -np.inf])})
    assert infinite.measured[:, 0, 0].tolist() == [np.inf, -np.inf]


def test_code_minus_one_means_no_name() -> None:
    built = counts(parts={"label": (np.array([-1, 0, -1]), ("LOC", "PER"))})
    assert table(built) == {4: {(None,): [1, 0], ("LOC",): [2, 5]}, 7: {(None,): [3, 0]}}


def test_without_rows_each_document_has_one() -> None:
    built = Counts.build(np.array([3, 1]), {"n": np.array([5, 6])})
    assert table(built) == {3: {(): [5]}, 1: {(): [6]}}


def test_booleans_count_as_ones() -> None:
    assert Counts.build(np.arange(2), {"n": np.array([True, False])}).values.tolist() == [[1], [0]]


def test_a_document_without_rows_is_still_a_document() -> None:
    built = Counts.build(np.arange(3), {"n": np.array([1])}, row=np.array([1]))
    assert built.normalize().documents.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"row": np.array([0, 0, 2])}, "not there"),
        ({"row": np.array([0, 0, -1])}, "start at 0"),
        ({"cell": np.array([0, 1, 2])}, "not there"),
        ({"cell": np.array([0, 1, -1])}, "start at 0"),
        ({"row": np.array([0, 0])}, "3 cells and 3 values"),
        ({"documents": np.array([4, 7, 9])}, "measures for 3 documents"),
        ({"measures": ("comet", "chrf")}, "2 measures"),
        ({"cells": (("LOC",), ("LOC",))}, "each cell is there once"),
        ({"cells": (("LOC",), ("PER", "x"))}, "has the parts"),
        ({"columns": ("n",)}, "in 1 columns"),
        ({"values": np.zeros((3, 2))}, "float64"),
    ],
)
def test_inconsistent_arrays_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(counts(), **changes)


def test_merging_aligns_cells_by_name_and_not_by_code() -> None:
    other = Counts.build(
        np.array([9]),
        {"n": np.array([8]), "m": np.array([9])},
        row=np.array([0]),
        parts={"label": (np.array([0]), ("PER",))},
        measures={"comet": np.array([0.25])},
    )
    assert table(Counts.merge([other, counts()])) == table(counts()) | {9: {("PER",): [8, 9]}}


@pytest.mark.parametrize("batches", [[], [counts(), counts(measures={})]], ids=["none", "other measures"])
def test_batches_of_different_metrics_are_not_merged(batches: list[Counts]) -> None:
    with pytest.raises(ValueError, match="share parts, columns and measures"):
        Counts.merge(batches)


def test_normal_counts_are_sorted_without_zeros() -> None:
    loose = Counts(
        parts=("label",),
        columns=("n",),
        cells=(("b",), ("unused",), ("a",), (None,), ("zero",)),
        documents=np.array([5, 2]),
        row=np.array([0, 1, 0, 0, 1, 1]),
        cell=np.array([0, 0, 0, 2, 3, 4]),
        values=np.array([[1], [2], [3], [4], [5], [0]]),
        measures=(),
        measured=np.zeros((2, 0, 2)),
    )
    normal = loose.normalize()
    assert (normal.cells, normal.documents.tolist()) == (((None,), ("a",), ("b",)), [2, 5])
    assert (normal.row.tolist(), normal.cell.tolist()) == ([0, 0, 1, 1], [0, 2, 1, 2])
    assert normal.values.tolist() == [[5], [2], [4], [4]]


def test_rows_that_cancel_are_dropped() -> None:
    cancelled = Counts.build(np.arange(1), {"n": np.array([3, -3])}, row=np.array([0, 0]))
    assert not len(cancelled.normalize().row)


def test_normalizing_twice_changes_nothing() -> None:
    assert same(counts().normalize().normalize(), counts().normalize())


def test_a_selection_has_only_the_chosen_documents() -> None:
    chosen = counts().select(np.array([False, True]))
    assert table(chosen) == {7: {("LOC",): [3, 0]}}
    assert chosen.measured.tolist() == [[[0.5, 1.0]]]


def test_a_cluster_is_the_sum_of_its_documents() -> None:
    grouped = in_clusters(counts(measures={"comet": np.array([0.25, 0.5])}), np.array([1, 1]))
    assert table(grouped) == {1: {("LOC",): [5, 5], ("PER",): [1, 0]}}
    assert grouped.measured.tolist() == [[[0.75, 2.0]]]


def test_halves_of_a_cluster_merge_to_the_whole() -> None:
    whole, clusters = counts(), np.array([1, 1])
    halves = [whole.select(np.array(keep)) for keep in ([True, False], [False, True])]
    assert same(in_clusters(Counts.merge(halves), clusters), in_clusters(whole, clusters))


def test_dropping_parts_sums_their_cells() -> None:
    given = counts()
    assert table(given.drop_parts({"label"})) == {4: {(): [3, 5]}, 7: {(): [3, 0]}}
    assert table(given.drop_parts({"n"})) == {4: {("LOC",): [5]}, 7: {}}
    assert given.drop_parts({"label", "n"}).measured.tolist() == given.measured.tolist()
    assert given.drop_parts({"what it has not"}) is given


def large(number: int) -> tuple[Ints, Counts]:
    documents = np.arange(number)
    return documents, Counts.build(documents, {"n": np.full(number, 2**61)}, row=np.zeros(number, np.int64))


def test_sums_of_rows_are_exact_near_the_largest_integers() -> None:
    _, huge = large(3)
    assert huge.normalize().values.tolist() == [[3 * 2**61]]


def test_none_sorts_before_every_name() -> None:
    assert sorted([("b",), ("",), (None,), ("a",)], key=to_sort_key) == [(None,), ("",), ("a",), ("b",)]


def test_positions_map_old_cells_to_new_ones() -> None:
    assert find_positions([("a",), ("b",)], [("b",), ("x",), ("a",)]).tolist() == [2, 0]


def test_fingerprints_depend_on_names_alone() -> None:
    cells = [("PER", None), (None, "PER"), ("", "PER"), ("None", "PER"), ("\ud800", "é")]
    one, two = fingerprint_cells(cells, 3), fingerprint_cells(cells[::-1], 3)
    np.testing.assert_array_equal(one, two[::-1])
    assert len(set(one.ravel().tolist())) == 15
    assert (one & np.uint64(1)).all()


small = st.integers(0, 3)
integers = st.lists(st.integers(-(2**62), 2**62) | small, max_size=20) | st.lists(small, max_size=20)
tuples_of_codes = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 1)), max_size=20)


@given(integers)
def test_distinct_values_ascend_and_give_back_the_values(values: list[int]) -> None:
    names, place = rank_distinct(np.array(values, np.int64))
    assert names.tolist() == sorted(set(values))
    assert names[place].tolist() == values


@given(integers)
def test_runs_start_where_the_value_changes(values: list[int]) -> None:
    expected = [k for k, value in enumerate(values) if k == 0 or values[k - 1] != value]
    assert find_run_starts(np.array(values, np.int64)).tolist() == expected


def pack(tuples: list[tuple[int, int, int]]) -> list[int]:
    columns = np.array(tuples, np.int64).reshape(-1, 3).T
    codes: list[int] = pack_codes(zip(columns, (5, 3, 2), strict=True), len(tuples)).tolist()
    return codes


@pytest.mark.parametrize("largest", [2**62, 1], ids=["wide", "compressed at every step"])
@given(tuples=tuples_of_codes)
def test_packed_codes_are_ordered_like_their_tuples(
    largest: int,
    tuples: list[tuple[int, int, int]],
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts_module, "MAX_CODE", largest)
        numbers = pack(tuples)
    for (a, one), (b, two) in pairwise(sorted(zip(tuples, numbers, strict=True))):
        assert (one == two) == (a == b)
        assert one <= two


def test_packing_large_sizes_does_not_overflow() -> None:
    large = 2**40
    columns = [np.array([0, large - 1, large - 1, 0]), np.array([large - 1, 0, large - 1, large - 1])]
    assert pack_codes([(column, large) for column in columns], 4).argsort(kind="stable").tolist() == [0, 3, 1, 2]


def test_codes_of_any_size_are_packed() -> None:
    far = 2**62
    columns = [np.array([0, 1, 1, 0]), np.array([5, far, far, far]), np.array([far, 7, far, far])]
    codes = pack_codes([(column, int(column.max()) + 1) for column in columns], 4)
    assert codes.argsort(kind="stable").tolist() == [0, 3, 1, 2]


rows = st.lists(st.tuples(st.integers(0, 5), st.integers(-(2**58), 2**58), st.integers(0, 9)), max_size=15)


@given(rows)
def test_rows_are_summed_by_code_exactly(table: list[tuple[int, int, int]]) -> None:
    expected: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for code, *values in table:
        expected[code] = [total + value for total, value in zip(expected[code], values, strict=True)]
    columns = np.array(table, np.int64).reshape(-1, 3)
    found, sums = sum_by_code(columns[:, 0], columns[:, 1:])
    assert dict(zip(found.tolist(), sums.tolist(), strict=True)) == expected
    assert found.tolist() == sorted(expected)


@given(st.integers(0, 2**32 - 1))
def test_float_sums_are_equal_in_any_order(seed: int) -> None:
    generator = np.random.default_rng(seed)
    place = np.concatenate([np.arange(4), generator.integers(0, 4, 20)])
    values = generator.normal(size=(24, 2)) * 10.0 ** generator.integers(-8, 8, (24, 2))
    order = generator.permutation(24)
    one, two = add_in_order(place, values, 4), add_in_order(place[order], values[order], 4)
    assert one.tobytes() == two.tobytes()
    rounding = 24 * np.finfo(np.float64).eps * np.abs(values).sum()  # no sum of 24 floats is further off
    for k in range(4):
        exact = [math.fsum(column) for column in values[place == k].T]
        assert one[k].tolist() == pytest.approx(exact, rel=0, abs=rounding)
