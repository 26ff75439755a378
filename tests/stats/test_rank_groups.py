from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.stats.rank_groups import assign_rank_groups, compute_rank_ranges


def better(*pairs: tuple[int, int], systems: int) -> NDArray[np.bool_]:
    """The matrix of pairs (better place, worse place), from 1."""
    matrix = np.zeros((systems, systems), np.bool_)
    for one, two in pairs:
        matrix[one - 1, two - 1] = True
    return matrix


@pytest.mark.parametrize(
    ("pairs", "ranges", "groups"),
    [
        ([], [(1, 3), (1, 3), (1, 3)], [1, 1, 1]),
        ([(1, 2), (1, 3), (2, 3)], [(1, 1), (2, 2), (3, 3)], [1, 2, 3]),
        ([(1, 3), (2, 3)], [(1, 2), (1, 2), (3, 3)], [1, 1, 2]),
        ([(1, 3)], [(1, 2), (1, 3), (2, 3)], [1, 1, 1]),  # 2 is like both: there is no boundary
        ([(1, 2)], [(1, 2), (2, 3), (1, 3)], [1, 1, 1]),  # 3 differs from neither, so that it may be the best
    ],
)
def test_ranks_and_groups_of_three_systems(
    pairs: list[tuple[int, int]], ranges: list[tuple[int, int]], groups: list[int]
) -> None:
    matrix = better(*pairs, systems=3)
    assert (compute_rank_ranges(matrix), assign_rank_groups(matrix)) == (ranges, groups)


def test_no_system_has_no_rank() -> None:
    none = np.zeros((0, 0), np.bool_)
    assert (compute_rank_ranges(none), assign_rank_groups(none)) == ([], [])


@given(st.integers(1, 7), st.randoms(use_true_random=False))
def test_groups_have_disjoint_ranges_of_ranks(systems: int, random: Random) -> None:
    draw = random.random
    pairs = [(one, two) for one in range(1, systems + 1) for two in range(one + 1, systems + 1) if draw() < 0.7]
    matrix = better(*pairs, systems=systems)
    ranges, groups = compute_rank_ranges(matrix), assign_rank_groups(matrix)
    for place, (first, last) in enumerate(ranges, start=1):
        assert first <= place <= last
    for at in range(1, systems):
        apart = all((one, two) in pairs for one in range(1, at + 1) for two in range(at + 1, systems + 1))
        assert groups[at] - groups[at - 1] == apart
        if apart:
            assert max(last for _, last in ranges[:at]) == at
            assert min(first for first, _ in ranges[at:]) == at + 1
