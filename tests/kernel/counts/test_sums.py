from __future__ import annotations

import numpy as np
import pytest

from isogloss.kernel.sums import Sums


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


def test_a_mean_is_over_the_documents_that_have_the_measure(sums: Sums) -> None:
    assert sums.average_measure("comet").tolist() == [1.5, 2.0]
    np.testing.assert_array_equal(sums.average_measure("chrf"), [1.25, np.nan])


def test_onto_other_cells_there_are_zeros_for_new_ones_and_nothing_of_dropped_ones(sums: Sums) -> None:
    moved = sums.align_to([("LOC", "1"), ("ORG", "1"), ("PER", "1")])
    assert moved.cells == (("LOC", "1"), ("ORG", "1"), ("PER", "1"))
    assert moved.get_column("n").tolist() == [[3, 0, 1], [7, 0, 5]]


def test_without_a_part_its_cells_are_summed(sums: Sums) -> None:
    whole = sums.drop_part("length")
    assert (whole.parts, whole.cells) == (("label",), (("PER",), ("LOC",), (None,)))
    assert whole.get_column("n").tolist() == [[3, 3, 4], [11, 7, 8]]


def test_the_names_of_a_part_split_sums_over_the_same_cells_none_first(sums: Sums) -> None:
    split = sums.split("length")
    assert list(split) == [None, "1", "2"]
    assert {part.cells for part in split.values()} == {(("PER",), ("LOC",), (None,))}
    assert {name: part.get_column("n")[0].tolist() for name, part in split.items()} == {
        None: [0, 0, 4],
        "1": [1, 3, 0],
        "2": [2, 0, 0],
    }


def test_splits_add_up_to_the_sums_without_the_part(sums: Sums) -> None:
    added = sum(part.values for part in sums.split("length").values())
    assert np.array_equal(added, sums.drop_part("length").values)


def test_measures_stay_with_every_split(sums: Sums) -> None:
    for part in sums.split("label").values():
        assert part.average_measure("comet").tolist() == [1.5, 2.0]


def test_an_unknown_part_or_column_is_refused(sums: Sums) -> None:
    with pytest.raises(ValueError, match="not in tuple"):
        sums.split("colour")
    with pytest.raises(ValueError, match="not in tuple"):
        sums.get_column("k")
