from __future__ import annotations

import numpy as np

from isogloss.kernel.counts import find_positions, fingerprint_cells, to_sort_key


def test_none_comes_before_every_name_and_is_not_the_empty_name() -> None:
    assert sorted([("b",), ("",), (None,), ("a",)], key=to_sort_key) == [(None,), ("",), ("a",), ("b",)]


def test_positions_say_where_old_cells_stand_among_new_ones() -> None:
    assert find_positions([("a",), ("b",)], [("b",), ("x",), ("a",)]).tolist() == [2, 0]


def test_fingerprints_are_given_by_the_names_alone() -> None:
    cells = [("PER", None), (None, "PER"), ("", "PER"), ("None", "PER"), ("\ud800", "é")]
    one, two = fingerprint_cells(cells, 3), fingerprint_cells(cells[::-1], 3)
    np.testing.assert_array_equal(one, two[::-1])
    assert len(set(one.ravel().tolist())) == 15
    assert (one & np.uint64(1)).all()
