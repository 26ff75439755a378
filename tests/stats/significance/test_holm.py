from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.stats.paired_tests import apply_holm_correction

p_values = st.one_of(st.sampled_from([0.0, 0.01, 0.04, 1.0]), st.floats(0, 1))
families = st.lists(p_values, max_size=6)


def closed(ps: list[float]) -> list[float]:
    """The closed test of Bonferroni: of every part of the family with this test, the largest corrected p-value."""
    result = []
    for k in range(len(ps)):
        parts = [part for size in range(1, len(ps) + 1) for part in combinations(range(len(ps)), size) if k in part]
        result.append(max(min(1.0, len(part) * min(ps[j] for j in part)) for part in parts))
    return result


@given(families)
def test_it_is_the_closed_test_of_bonferroni(ps: list[float]) -> None:
    assert list(apply_holm_correction(dict(enumerate(ps))).values()) == closed(ps)


@given(families, st.randoms(use_true_random=False))
def test_the_order_of_the_tests_does_not_matter(ps: list[float], random: object) -> None:
    shuffled = list(enumerate(ps))
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert apply_holm_correction(dict(shuffled)) == apply_holm_correction(dict(enumerate(ps)))


def test_tests_without_a_p_value_are_no_part_of_the_family() -> None:
    found = apply_holm_correction({"a": 0.02, "b": math.nan, "c": 0.03})
    assert list(found) == ["a", "b", "c"]
    assert math.isnan(found["b"])
    assert (found["a"], found["c"]) == pytest.approx((0.04, 0.04))


def test_an_example_by_hand() -> None:
    found = apply_holm_correction({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})
    assert found == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02})


def test_a_family_without_tests_stays_empty() -> None:
    assert apply_holm_correction({}) == {}
