from __future__ import annotations

import pytest

from isogloss.stats.student_t import compute_t_tails, find_t_quantile


@pytest.mark.parametrize(
    ("freedom", "value"),
    [(1, 12.7062), (2, 4.3027), (4, 2.7764), (5, 2.5706), (30, 2.0423), (120, 1.9799), (None, 1.9600)],
)
def test_quantiles_are_those_of_the_printed_tables(freedom: int | None, value: float) -> None:
    assert find_t_quantile(0.95, freedom) == pytest.approx(value, abs=5e-5)


@pytest.mark.extra
@pytest.mark.parametrize("freedom", [1, 2, 3, 7, 10, 99, 1000])
@pytest.mark.parametrize("t", [0.0, 0.3, -1.2, 2.5, 6.0])
def test_tails_are_those_of_scipy(t: float, freedom: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    expected = 2 * stats.t.sf(abs(t), freedom)
    assert compute_t_tails(t, freedom) == pytest.approx(expected, rel=1e-6, abs=1e-14)


def test_a_tail_is_never_0() -> None:
    assert 0 < compute_t_tails(1e9, 50) < 1e-14
