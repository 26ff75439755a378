from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from corpora import same

from isogloss.kernel.counts import Cell, Counts
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


def test_documents_are_taken_in_any_order_and_renumbered() -> None:
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


def test_built_counts_say_what_each_document_has_in_each_cell() -> None:
    assert table(counts()) == {4: {("PER",): [1, 0], ("LOC",): [2, 5]}, 7: {("LOC",): [3, 0]}}


def test_a_measure_is_a_sum_and_a_number_and_nan_is_no_measure() -> None:
    assert counts().measured.tolist() == [[[0.0, 0.0]], [[0.5, 1.0]]]


def test_an_infinite_measure_stays_infinite() -> None:
    infinite = counts(measures={"comet": np.array([np.inf, -np.inf])})
    assert infinite.measured[:, 0, 0].tolist() == [np.inf, -np.inf]


def test_code_minus_one_is_a_part_that_has_no_name() -> None:
    built = counts(parts={"label": (np.array([-1, 0, -1]), ("LOC", "PER"))})
    assert table(built) == {4: {(None,): [1, 0], ("LOC",): [2, 5]}, 7: {(None,): [3, 0]}}


def test_without_rows_each_document_has_one() -> None:
    built = Counts.build(np.array([3, 1]), {"n": np.array([5, 6])})
    assert table(built) == {3: {(): [5]}, 1: {(): [6]}}


def test_verdicts_count_as_ones() -> None:
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
def test_arrays_that_do_not_belong_together_are_refused(changes: dict[str, Any], message: str) -> None:
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
def test_batches_that_are_not_of_one_metric_are_not_merged(batches: list[Counts]) -> None:
    with pytest.raises(ValueError, match="share parts, columns and measures"):
        Counts.merge(batches)


def test_the_normal_form_is_ordered_and_has_neither_zeros_nor_unused_cells() -> None:
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


def test_rows_that_add_up_to_zero_are_no_rows() -> None:
    cancelled = Counts.build(np.arange(1), {"n": np.array([3, -3])}, row=np.array([0, 0]))
    assert not len(cancelled.normalize().row)


def test_a_normal_form_is_its_own_normal_form() -> None:
    assert same(counts().normalize().normalize(), counts().normalize())


def test_a_selection_has_the_chosen_documents_alone() -> None:
    chosen = counts().select(np.array([False, True]))
    assert table(chosen) == {7: {("LOC",): [3, 0]}}
    assert chosen.measured.tolist() == [[[0.5, 1.0]]]


def test_a_cluster_is_the_sum_of_its_documents() -> None:
    grouped = counts(measures={"comet": np.array([0.25, 0.5])}).group_by_cluster(np.array([1, 1]))
    assert table(grouped) == {1: {("LOC",): [5, 5], ("PER",): [1, 0]}}
    assert grouped.measured.tolist() == [[[0.75, 2.0]]]


def test_halves_of_a_cluster_merge_to_the_whole() -> None:
    whole, clusters = counts(), np.array([1, 1])
    halves = [whole.select(np.array(keep)) for keep in ([True, False], [False, True])]
    assert same(Counts.merge(halves).group_by_cluster(clusters), whole.group_by_cluster(clusters))


def test_without_a_part_its_cells_are_added_and_without_a_column_it_is_gone() -> None:
    given = counts()
    assert table(given.drop_parts({"label"})) == {4: {(): [3, 5]}, 7: {(): [3, 0]}}
    assert table(given.drop_parts({"n"})) == {4: {("LOC",): [5]}, 7: {}}
    assert given.drop_parts({"label", "n"}).measured.tolist() == given.measured.tolist()
    assert given.drop_parts({"what it has not"}) is given


@pytest.mark.parametrize("names", [["it", "de"], ["", "it"]])
def test_a_tag_is_one_more_part_that_its_document_gives(names: list[str]) -> None:
    tagged = counts().add_part("language", names)
    first, second = names
    assert tagged.parts == ("label", "language")
    assert table(tagged) == {4: {("PER", first): [1, 0], ("LOC", first): [2, 5]}, 7: {("LOC", second): [3, 0]}}


def large(number: int) -> tuple[Ints, Counts]:
    documents = np.arange(number)
    return documents, Counts.build(documents, {"n": np.full(number, 2**61)}, row=np.zeros(number, np.int64))


def test_sums_of_rows_are_exact_near_the_largest_integers() -> None:
    _, huge = large(3)
    assert huge.normalize().values.tolist() == [[3 * 2**61]]
