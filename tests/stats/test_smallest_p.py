"""Smallest p-values, compared with all exchanges and with the formulas of the tests."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.stats.smallest_p import MAX_TRIALS, SmallestP, plan_trials


@pytest.mark.parametrize("units", range(1, 9))
def test_smallest_p_by_documents_is_that_of_all_exchanges(units: int) -> None:
    signs = itertools.product((1, -1), repeat=units)  # each document is one better for the same system
    extreme = [abs(sum(each)) >= units for each in signs]
    assert SmallestP("randomization", 10**9, units=units).value == pytest.approx(sum(extreme) / len(extreme))


@pytest.mark.parametrize(
    ("least", "value"),
    [
        (SmallestP("randomization", 99), 1 / 100),
        (SmallestP("bootstrap", 1000, 56), 56 / 1001),
        (SmallestP("bootstrap", 1000, units=2), 1 / 2),
        (SmallestP("bootstrap", 1000, units=1), 1),
        (SmallestP("randomization", 10, 20), 1),
        (SmallestP("delong", 0, units=100), 0),
        (SmallestP("randomization", 10_000, 2, 6), 2 / 32),
    ],
)
def test_smallest_p_is_that_of_trials_documents_and_correction(least: SmallestP, value: float) -> None:
    assert least.value == pytest.approx(value)


@given(st.integers(1, 20_000), st.integers(1, 5_000), st.sampled_from([0.05, 0.01, 0.1]))
def test_trials_grow_with_the_family_up_to_a_limit(trials: int, tests: int, alpha: float) -> None:
    planned = plan_trials(trials, tests, alpha)
    assert planned >= trials
    if 1 / (1 + trials) > alpha / 2:
        assert planned == trials  # too few for a single test: kept as given
    elif planned > trials:
        assert tests / (1 + planned) <= alpha / 2 * (1 + 1e-12) or planned == MAX_TRIALS
        assert planned == MAX_TRIALS or tests / planned > alpha / 2 * (1 - 1e-12)  # and no more than that
    else:
        assert tests / (1 + trials) <= alpha / 2 * (1 + 1e-12)


def test_56_comparisons_get_more_than_1000_resamples() -> None:
    assert plan_trials(1000, 56) == 2239
    assert 56 / 2240 == 0.025
    assert plan_trials(10_000, 56) == 10_000
