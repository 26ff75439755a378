from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.sums import compute_weighted_sums

floats = st.one_of(st.floats(-100, 100), st.floats(-1e300, 1e300), st.floats(-1e-300, 1e-300), st.just(0.0))
weighted = st.lists(st.tuples(floats, st.integers(0, 50)), max_size=8)


def summed(rows: list[tuple[float, int]], documents: int) -> float:
    values = np.array([value for value, _ in rows], np.float64)[:, None]
    weights = np.array([[weight for _, weight in rows]], np.int64)
    return float(compute_weighted_sums(weights, values, documents)[0, 0])


@given(weighted)
def test_sums_are_right_to_the_rounding_of_a_sum_of_the_largest(rows: list[tuple[float, int]]) -> None:
    exact = sum((Fraction(value) * weight for value, weight in rows), Fraction(0))
    largest = max((abs(value) for value, _ in rows), default=0.0)
    error = abs(Fraction(summed(rows, 400)) - exact)
    # Half of the last bit of the sum, and for each weight what lies below 2 (53 - 10) - 1 bits of the largest.
    allowed = (
        abs(exact) / 2**52 + sum(weight for _, weight in rows) * Fraction(largest) / 2**84 + Fraction(5e-324) * 400
    )
    assert error <= allowed


@given(weighted, st.randoms(use_true_random=False))
def test_no_order_of_the_values_changes_a_bit(rows: list[tuple[float, int]], random: object) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert summed(rows, 400).hex() == summed(shuffled, 400).hex()


@given(weighted, weighted)
def test_no_draw_beside_another_changes_a_bit_of_it(
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


def test_weights_beyond_the_documents_are_summed_all_the_same() -> None:
    assert summed([(0.1, 2**40)], 1) == 0.1 * 2**40


def test_without_columns_or_values_there_is_nothing_to_sum() -> None:
    assert compute_weighted_sums(np.zeros((2, 3), np.int64), np.zeros((3, 0)), 3).shape == (2, 0)
    assert compute_weighted_sums(np.zeros((2, 0), np.int64), np.zeros((0, 1)), 0).tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize("kind", [np.uint8, np.int64])
def test_weights_of_any_size_of_integer_do(kind: type) -> None:
    assert compute_weighted_sums(np.array([[255, 255]], kind), np.array([[0.5], [1.0]]), 510).tolist() == [[382.5]]
