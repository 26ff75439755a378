"""McNemar's test, beside the binomial test and all exchanges of clusters."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.stats import mcnemar
from isogloss.stats.mcnemar import clustered_mcnemar_test, mcnemar_test

numbers = st.integers(0, 400)


@pytest.mark.extra
@given(numbers, numbers)
def test_it_is_the_binomial_test_of_scipy(one: int, two: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    expected = stats.binomtest(one, one + two).pvalue if one + two else 1.0
    assert mcnemar_test(one, two) == pytest.approx(expected, rel=1e-11, abs=1e-300)


@pytest.mark.extra
@pytest.mark.parametrize(("one", "two"), [(499_000, 501_000), (500_000, 500_000), (10, 3_000), (0, 1_000)])
def test_many_documents_lose_no_precision(one: int, two: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    assert mcnemar_test(one, two) == pytest.approx(stats.binomtest(one, one + two).pvalue, rel=1e-9, abs=1e-300)


@given(numbers, numbers)
def test_swapping_systems_changes_nothing(one: int, two: int) -> None:
    assert mcnemar_test(one, two) == mcnemar_test(two, one)


def test_small_cases_by_hand() -> None:
    for one, two, p in [(0, 0, 1), (0, 1, 1), (0, 5, 1 / 16), (1, 3, 10 / 16), (2, 2, 1)]:
        assert mcnemar_test(one, two) == pytest.approx(p, rel=1e-15)


def test_fewer_than_no_documents_are_refused() -> None:
    with pytest.raises(ValueError, match="not be negative, got -1 and 2"):
        mcnemar_test(-1, 2)


def test_a_p_value_too_small_for_a_float_is_not_0() -> None:
    assert 0 < mcnemar_test(0, 5_000) < 1e-300
    assert 0 < clustered_mcnemar_test(np.array([3, 2] * 2_000)) < 1e-300


differences = st.lists(st.integers(-4, 4), max_size=9)


@given(differences)
def test_clusters_have_the_p_value_of_all_their_exchanges(moved: list[int]) -> None:
    sums = [
        abs(sum(sign * own for sign, own in zip(signs, moved, strict=True)))
        for signs in product((1, -1), repeat=len(moved))
    ]
    expected = sum(each >= abs(sum(moved)) for each in sums) / len(sums)
    assert clustered_mcnemar_test(np.array(moved, np.int64)) == pytest.approx(expected, rel=1e-12)


@given(numbers, numbers)
def test_clusters_of_one_document_are_documents(one: int, two: int) -> None:
    moved = np.array([-1] * one + [1] * two + [0] * 3, np.int64)
    assert clustered_mcnemar_test(moved) == mcnemar_test(one, two)


def test_many_clusters_are_nearly_normal(monkeypatch: pytest.MonkeyPatch) -> None:
    moved = np.random.default_rng(1).integers(-3, 4, 2_000)
    exact = clustered_mcnemar_test(moved[:400])
    monkeypatch.setattr(mcnemar, "MAX_EXACT_STEPS", 0)
    assert clustered_mcnemar_test(moved[:400]) == pytest.approx(exact, rel=0.1)
