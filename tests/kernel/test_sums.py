from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.sums import Sums, compute_weighted_sums


@pytest.fixture
def sums() -> Sums:
    """Two draws of four cells with two columns, and two measures of which the second has no document in draw 1."""
    return Sums(
        parts=("label", "length"),
        columns=("n", "m"),
        cells=(("PER", "1"), ("PER", "2"), ("LOC", "1"), (None, None)),
        values=np.array([[[1, 10], [2, 20], [3, 30], [4, 40]], [[5, 50], [6, 60], [7, 70], [8, 80]]]),
        measures=("comet", "chrf"),
        measured=np.array([[[3.0, 2.0], [5.0, 4.0]], [[4.0, 2.0], [0.0, 0.0]]]),
    )


def test_a_column_has_a_count_per_cell(sums: Sums) -> None:
    assert sums.get_column("m").tolist() == [[10, 20, 30, 40], [50, 60, 70, 80]]


def test_names_are_those_of_one_part(sums: Sums) -> None:
    assert sums.get_names("length") == ("1", "2", "1", None)


def test_measures_are_averaged_over_documents_with_one(sums: Sums) -> None:
    assert sums.average_measure("comet").tolist() == [1.5, 2.0]
    np.testing.assert_array_equal(sums.average_measure("chrf"), [1.25, np.nan])


def test_aligned_sums_have_zeros_for_new_cells(sums: Sums) -> None:
    moved = sums.align_to([("LOC", "1"), ("ORG", "1"), ("PER", "1")])
    assert moved.cells == (("LOC", "1"), ("ORG", "1"), ("PER", "1"))
    assert moved.get_column("n").tolist() == [[3, 0, 1], [7, 0, 5]]


def test_dropping_a_part_sums_its_cells(sums: Sums) -> None:
    whole = sums.drop_part("length")
    assert (whole.parts, whole.cells) == (("label",), (("PER",), ("LOC",), (None,)))
    assert whole.get_column("n").tolist() == [[3, 3, 4], [11, 7, 8]]


def test_sums_split_by_the_names_of_a_part(sums: Sums) -> None:
    split = sums.split("length")
    assert list(split) == [None, "1", "2"]
    assert {part.cells for part in split.values()} == {(("PER",), ("LOC",), (None,))}
    assert {name: part.get_column("n")[0].tolist() for name, part in split.items()} == {
        None: [0, 0, 4],
        "1": [1, 3, 0],
        "2": [2, 0, 0],
    }


def test_split_sums_keep_measures(sums: Sums) -> None:
    for part in sums.split("label").values():
        assert part.average_measure("comet").tolist() == [1.5, 2.0]


def test_an_unknown_part_or_column_is_refused(sums: Sums) -> None:
    with pytest.raises(ValueError, match="not in tuple"):
        sums.split("colour")
    with pytest.raises(ValueError, match="not in tuple"):
        sums.get_column("k")


floats = st.one_of(st.floats(-100, 100), st.floats(-1e300, 1e300), st.floats(-1e-300, 1e-300), st.just(0.0))
weighted = st.lists(st.tuples(floats, st.integers(0, 50)), max_size=8)


def summed(rows: list[tuple[float, int]], documents: int) -> float:
    values = np.array([value for value, _ in rows], np.float64)[:, None]
    weights = np.array([[weight for _, weight in rows]], np.int64)
    return float(compute_weighted_sums(weights, values, documents)[0, 0])


@given(weighted)
def test_weighted_sums_are_right_up_to_rounding(rows: list[tuple[float, int]]) -> None:
    exact = sum((Fraction(value) * weight for value, weight in rows), Fraction(0))
    largest = max((abs(value) for value, _ in rows), default=0.0)
    error = abs(Fraction(summed(rows, 400)) - exact)
    # Half of the last bit of the sum, and for each weight what lies below 2 (53 - 10) - 1 bits of the largest.
    allowed = (
        abs(exact) / 2**52 + sum(weight for _, weight in rows) * Fraction(largest) / 2**84 + Fraction(5e-324) * 400
    )
    assert error <= allowed


@given(weighted, st.randoms(use_true_random=False))
def test_weighted_sums_do_not_depend_on_order(rows: list[tuple[float, int]], random: object) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert summed(rows, 400).hex() == summed(shuffled, 400).hex()


@given(weighted, weighted)
def test_weighted_sums_do_not_depend_on_other_draws(
    rows: list[tuple[float, int]],
    others: list[tuple[float, int]],
) -> None:
    number = min(len(rows), len(others))
    values = np.array([value for value, _ in rows[:number]], np.float64)[:, None]
    weights = np.array([[w for _, w in rows[:number]], [w for _, w in others[:number]]], np.int64).reshape(2, number)
    both = compute_weighted_sums(weights, values, 400)
    assert both[0].tobytes() == compute_weighted_sums(weights[:1], values, 400)[0].tobytes()


def test_small_values_beside_large_ones_are_not_lost() -> None:
    assert summed([(2.0**40, 1), (2.0**-40, 1), (-(2.0**40), 1)], 3) == 2.0**-40


def test_weights_may_exceed_the_documents() -> None:
    assert summed([(0.1, 2**40)], 1) == 0.1 * 2**40


def test_weighted_sums_may_be_empty() -> None:
    assert compute_weighted_sums(np.zeros((2, 3), np.int64), np.zeros((3, 0)), 3).shape == (2, 0)
    assert compute_weighted_sums(np.zeros((2, 0), np.int64), np.zeros((0, 1)), 0).tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize("kind", [np.uint8, np.int64])
def test_weights_may_be_narrow_integers(kind: type) -> None:
    assert compute_weighted_sums(np.array([[255, 255]], kind), np.array([[0.5], [1.0]]), 510).tolist() == [[382.5]]
