"""Mean ranks and their tests agree with scipy and published tables."""

from __future__ import annotations

import numpy as np
import pytest

from isogloss.stats.mean_ranks import (
    compare_mean_ranks,
    compute_chi_squared_tail,
    count_replications,
    find_range_quantile,
    rank_row,
)

# Demsar (2006), table 5 (a): quantiles of the studentized range at 0.05 and 0.10, divided by sqrt(2).
DEMSAR = {
    0.05: (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164),
    0.10: (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920),
}
# Demsar (2006), table 6: AUC of C4.5 with four settings on 14 data sets.
AUC = [
    (0.763, 0.768, 0.771, 0.798),
    (0.599, 0.591, 0.590, 0.569),
    (0.954, 0.971, 0.968, 0.967),
    (0.628, 0.661, 0.654, 0.657),
    (0.882, 0.888, 0.886, 0.898),
    (0.936, 0.931, 0.916, 0.931),
    (0.661, 0.668, 0.609, 0.685),
    (0.583, 0.583, 0.563, 0.625),
    (0.775, 0.838, 0.866, 0.875),
    (1.000, 1.000, 1.000, 1.000),
    (0.940, 0.962, 0.965, 0.962),
    (0.619, 0.666, 0.614, 0.669),
    (0.972, 0.981, 0.9751, 0.975),
    (0.957, 0.978, 0.946, 0.970),
]


@pytest.mark.parametrize("alpha", DEMSAR)
def test_quantiles_equal_the_table_of_demsar(alpha: float) -> None:
    found = [find_range_quantile(1 - alpha, number) / 2**0.5 for number in range(2, 11)]
    # The table was rounded, and its last digit is off by up to one.
    assert found == pytest.approx(DEMSAR[alpha], abs=0.0012)


def test_mean_ranks_equal_the_example_of_demsar() -> None:
    found = compare_mean_ranks(np.array(AUC))
    assert found.ranks == pytest.approx((3.143, 2.000, 2.893, 1.964), abs=0.0006)
    assert found.critical_difference == pytest.approx(1.25, abs=0.005)


@pytest.mark.parametrize("number", [2, 3, 7, 20])
def test_quantiles_equal_those_of_scipy(number: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    expected = stats.studentized_range.ppf(0.95, number, np.inf)
    assert find_range_quantile(0.95, number) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 9, 20, 31])
def test_chi_squared_tails_equal_those_of_scipy(freedom: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    values = [0.0, 0.1, 1.0, 3.84, 12.5, 60.0]
    found = [compute_chi_squared_tail(value, freedom) for value in values]
    assert found == pytest.approx(stats.chi2.sf(values, freedom).tolist(), rel=1e-9)


def test_friedman_equals_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(5)
    for systems in (3, 4, 8):
        scores = random.integers(0, 6, (9, systems)) / 10  # with ties
        expected = stats.friedmanchisquare(*scores.T)
        found = compare_mean_ranks(scores)
        assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)
        assert found.ranks == pytest.approx(stats.rankdata(-scores, axis=1).mean(axis=0).tolist())


@pytest.mark.parity
@pytest.mark.parametrize("systems", [2, 4, 20])
def test_pairs_that_differ_are_those_of_scikit_posthocs(systems: int) -> None:
    posthocs = pytest.importorskip("scikit_posthocs", reason="scikit-posthocs is not installed")
    random = np.random.default_rng(7)
    for corpora in (3, 8, 20):
        scores = random.integers(0, 8, (corpora, systems)) / 8 + np.linspace(0, 1, systems)  # with ties
        found = compare_mean_ranks(scores)
        differences = np.abs(np.subtract.outer(found.ranks, found.ranks))
        expected = posthocs.posthoc_nemenyi_friedman(scores).to_numpy() < 0.05
        assert ((differences >= found.critical_difference) == expected).all()


def test_systems_that_always_tie_have_no_statistic() -> None:
    found = compare_mean_ranks(np.ones((3, 2)))
    assert np.isnan(found.statistic)
    assert found.ranks == (1.5, 1.5)


def test_lower_scores_can_be_better() -> None:
    assert compare_mean_ranks(np.array([[1.0, 2.0]]), higher_is_better=False).ranks == (1.0, 2.0)


def test_equal_values_share_their_mean_rank() -> None:
    assert rank_row(np.array([3.0, 1.0, 3.0, 2.0])).tolist() == [3.5, 1.0, 3.5, 2.0]


@pytest.mark.parametrize(
    ("p_values", "expected"),
    [
        ((0.001, 0.002, 0.03), 3),  # 3 x 0.001, 2 x 0.002, 1 x 0.03
        ((0.001, 0.03, 0.03), 1),  # 2 x 0.03 is above 0.05, and so the third is not reached
        ((0.02, 0.02, 0.02), 0),  # 3 x 0.02
        ((0.04,), 1),
        ((), 0),
    ],
)
def test_replications_by_hand(p_values: tuple[float, ...], expected: int) -> None:
    assert count_replications(p_values) == expected
