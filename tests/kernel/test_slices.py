from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import Ints, Scores
from isogloss.kernel.slices import Attribute, score_by_part, split_by_attribute
from isogloss.kernel.sums import Sums
from isogloss.kernel.tally import Tally

LANGUAGES = Attribute(np.array([7, 3, 5]), np.array(["it", "de", "it"]))


def test_an_attribute_names_documents_in_the_order_asked_for() -> None:
    assert LANGUAGES.look_up(np.array([3, 7, 3])).tolist() == ["de", "it", "de"]


def test_a_document_without_a_value_is_refused() -> None:
    for documents in [[4], [8], [1], [7, 6]]:
        with pytest.raises(ValueError, match="no value of this attribute"):
            LANGUAGES.look_up(np.array(documents))


def test_an_attribute_of_no_document_names_none_and_refuses_any() -> None:
    nothing = Attribute(np.zeros(0, np.int64), np.zeros(0, np.str_))
    assert not len(nothing.look_up(np.zeros(0, np.int64)))
    with pytest.raises(ValueError, match="no value of this attribute"):
        nothing.look_up(np.array([1]))


def test_codes_are_equal_where_names_are() -> None:
    first, second, third = LANGUAGES.number_clusters(np.array([7, 3, 5])).tolist()
    assert first == third != second


@given(st.lists(st.sampled_from(["it", "de", ""]), min_size=1, max_size=8), st.data())
def test_attributes_merge_in_any_order(names: list[str], data: st.DataObject) -> None:
    numbers: Ints = np.arange(len(names)) * 3
    order = data.draw(st.permutations(range(len(names))))
    batches = [Attribute(numbers[k : k + 1], np.array(names[k : k + 1])) for k in order]
    assert Attribute.merge(batches).look_up(numbers).tolist() == names


def counts() -> Counts:
    return Counts.build(
        np.array([7, 3, 5, 3 + 6]),
        {"n": np.array([1, 2, 3, 4])},
        parts={"length": (np.array([0, 1, -1, 1]), ("", "long"))},
    )


def test_the_documents_with_each_value_are_counts_of_their_own() -> None:
    slices = split_by_attribute(counts().select(np.array([True, True, True, False])), LANGUAGES)
    assert {name: chosen.documents.tolist() for name, chosen in slices.items()} == {"de": [3], "it": [7, 5]}
    assert {name: int(chosen.values.sum()) for name, chosen in slices.items()} == {"de": 2, "it": 4}


def score(sums: Sums) -> Scores:
    return {("all", "n"): sums.get_column("n").sum(axis=-1)}


def test_each_name_of_a_part_is_scored_beside_the_whole() -> None:
    scores = score_by_part(score, "length")(Tally.from_counts(counts()).sum_all())
    assert {key: value.item() for key, value in scores.items()} == {
        ("all", "n"): 10,
        ("slices", "length", "none", "all", "n"): 3,
        ("slices", "length", "", "all", "n"): 1,
        ("slices", "length", "long", "all", "n"): 6,
    }


def test_slices_have_the_leading_axes_of_the_sums() -> None:
    tally, kind = Tally.from_counts_with_positions(counts())
    weights = np.zeros((2, len(tally.times)), np.int64)
    weights[0, kind] = 1
    weights[1, kind[counts().normalize().documents == 9]] = 5
    scores = score_by_part(score, "length")(tally.build_summer().sum_documents(weights))
    assert scores["slices", "length", "long", "all", "n"].tolist() == [6, 20]
