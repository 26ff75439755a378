from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.stats.paired_tests import mcnemar_test

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
