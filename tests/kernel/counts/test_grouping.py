from __future__ import annotations

import math
from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel import counts
from isogloss.kernel.counts import add_in_order, find_run_starts, pack_codes, rank_distinct, sum_by_code

small = st.integers(0, 3)
integers = st.lists(st.integers(-(2**62), 2**62) | small, max_size=20) | st.lists(small, max_size=20)
tuples_of_codes = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 1)), max_size=20)


@given(integers)
def test_distinct_values_ascend_and_give_back_the_values(values: list[int]) -> None:
    names, place = rank_distinct(np.array(values, np.int64))
    assert names.tolist() == sorted(set(values))
    assert names[place].tolist() == values


@given(integers)
def test_a_run_starts_where_the_value_before_is_another(values: list[int]) -> None:
    expected = [k for k, value in enumerate(values) if k == 0 or values[k - 1] != value]
    assert find_run_starts(np.array(values, np.int64)).tolist() == expected


def pack(tuples: list[tuple[int, int, int]]) -> list[int]:
    columns = np.array(tuples, np.int64).reshape(-1, 3).T
    codes: list[int] = pack_codes(zip(columns, (5, 3, 2), strict=True), len(tuples)).tolist()
    return codes


@pytest.mark.parametrize("largest", [2**62, 1], ids=["wide", "compressed at every step"])
@given(tuples=tuples_of_codes)
def test_packed_integers_are_equal_and_ordered_as_their_tuples(
    largest: int,
    tuples: list[tuple[int, int, int]],
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "MAX_CODE", largest)
        numbers = pack(tuples)
    for (a, one), (b, two) in pairwise(sorted(zip(tuples, numbers, strict=True))):
        assert (one == two) == (a == b)
        assert one <= two


def test_packing_does_not_overflow_where_the_sizes_multiply_to_more_than_an_integer_holds() -> None:
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
def test_floats_are_added_to_the_same_bits_in_every_order(seed: int) -> None:
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
