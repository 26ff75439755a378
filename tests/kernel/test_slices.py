from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import Ints
from isogloss.kernel.slices import (
    Attribute,
    AttributeBuilder,
    count_cell_documents,
    split_by_attribute,
    sum_by_attribute,
)
from isogloss.kernel.tallied_documents import TalliedDocuments
from isogloss.kernel.tally import Tally

LANGUAGES = Attribute.build(np.array([7, 3, 5]), ["it", "de", "it"])


def test_attribute_values_come_in_the_requested_order() -> None:
    assert LANGUAGES.look_up(np.array([3, 7, 3])).tolist() == ["de", "it", "de"]


def test_a_document_without_an_attribute_is_refused() -> None:
    for documents in [[4], [8], [1], [7, 6]]:
        with pytest.raises(ValueError, match="no value of this attribute"):
            LANGUAGES.look_up(np.array(documents))


def test_an_empty_attribute_has_no_values() -> None:
    nothing = Attribute.build(np.zeros(0, np.int64), [])
    assert not len(nothing.look_up(np.zeros(0, np.int64)))
    with pytest.raises(ValueError, match="no value of this attribute"):
        nothing.look_up(np.array([1]))


def test_equal_attribute_values_have_equal_cluster_numbers() -> None:
    first, second, third = LANGUAGES.number_clusters(np.array([7, 3, 5])).tolist()
    assert first == third != second


@given(st.lists(st.lists(st.sampled_from(["it", "de", "", "de\0"]), max_size=3), min_size=1, max_size=4))
def test_joined_batches_have_the_values_of_each(batches: list[list[str]]) -> None:
    names = [name for batch in batches for name in batch]
    numbers: Ints = np.arange(len(names))[::-1] * 3
    builder = AttributeBuilder()
    for batch in batches:
        builder.add(batch)
    joined = Attribute(numbers, *builder.list_values())
    assert joined.look_up(numbers).tolist() == names
    assert joined.list_values(1, 3) == names[1:3]
    ranked, place = joined.rank(numbers)
    assert ranked == sorted({*names})
    assert [ranked[k] for k in place.tolist()] == names


def test_a_long_value_takes_its_own_length_only() -> None:
    names = ["x" * 2**20, *map(str, range(2000))]
    tracemalloc.start()
    Attribute.build(np.arange(len(names)), names).rank(np.arange(len(names)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


def counts() -> Counts:
    return Counts.build(
        np.array([7, 3, 5, 3 + 6]),
        {"n": np.array([1, 2, 3, 4])},
        parts={"length": (np.array([0, 1, -1, 1]), ("", "long"))},
    )


def test_counts_are_split_by_attribute_value() -> None:
    chosen = TalliedDocuments.from_counts(counts().select(np.array([True, True, True, False])))
    slices = split_by_attribute(chosen, LANGUAGES)
    assert {name: part.documents.tolist() for name, part in slices.items()} == {"de": [3], "it": [5, 7]}
    assert {name: int(part.tally.sum_all().values.sum()) for name, part in slices.items()} == {"de": 2, "it": 4}


@pytest.mark.parametrize("most", [1, 7, 1000])
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 9)), max_size=12),
    st.lists(st.sampled_from(["10", "9", "x"]), min_size=4, max_size=4),
)
def test_sums_of_values_are_those_of_each_value_in_pieces_of_any_size(
    most: int, rows: list[tuple[int, int, int]], values: list[str]
) -> None:
    numbers = np.array([5, 9, 2, 7])
    whole = Counts.build(
        numbers,
        {"n": np.array([count for _, _, count in rows], np.int64)},
        row=np.array([row for row, _, _ in rows], np.int64),
        parts={"name": (np.array([cell for _, cell, _ in rows], np.int64), [*"abcde"])},
        measures={"comet": np.array([0.1, np.nan, 0.7, 1 / 3])},
    )
    attribute = Attribute.build(numbers, values)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("isogloss.kernel.slices.MAX_SUMMED_NUMBERS", most)
        patch.setattr("isogloss.kernel.tallied_documents.PAIRS_AT_ONCE", 1 + most % 4)
        pieces = list(sum_by_attribute(TalliedDocuments.from_counts(whole), attribute))
    assert [name for names, _, _ in pieces for name in names] == [n for n in ("9", "10", "x") if n in values]
    for names, documents, sums in pieces:
        for k, name in enumerate(names):
            chosen = [at for at, value in enumerate(values) if value == name]
            assert documents[k] == len(chosen)
            expected: dict[str, int] = {}
            for row, cell, count in rows:
                if row in chosen:
                    expected["abcde"[cell]] = expected.get("abcde"[cell], 0) + count
            found = {str(cell[0]): int(n) for cell, n in zip(sums.cells, sums.values[k, :, 0], strict=True) if n}
            assert found == {cell: n for cell, n in expected.items() if n}
            tally = Tally.from_counts(whole.select(np.isin(np.arange(4), chosen)))
            assert np.array_equal(sums.measured[k], tally.sum_all().measured)


def test_documents_with_a_count_in_the_cells_are_counted_once() -> None:
    tally = Tally.from_counts(counts())
    chosen = np.array([cell == ("long",) for cell in tally.rows.cells])
    assert count_cell_documents(tally, chosen) == 2
