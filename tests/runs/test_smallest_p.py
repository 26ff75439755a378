"""Smallest p-values, compared with all exchanges and with the formulas of the tests."""

from __future__ import annotations

import itertools

import pytest

from isogloss.runs.smallest_p import SmallestP


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
        (SmallestP("bootstrap", 1000, units=2), 1 / 1001),
        (SmallestP("bootstrap", 1000, units=1), 1),
        (SmallestP("randomization", 10, 20), 1),
        (SmallestP("delong", 0, units=100), 0),
        (SmallestP("randomization", 10_000, 2, 6), 2 / 32),
    ],
)
def test_smallest_p_is_that_of_trials_documents_and_correction(least: SmallestP, value: float) -> None:
    assert least.value == pytest.approx(value)


@pytest.mark.parametrize("tests", [1, 2, 3, 7, 56, 600])
@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.01, 1 / 3])
def test_recommended_trials_are_the_fewest_that_suffice(tests: int, alpha: float) -> None:
    needed = next(trials for trials in itertools.count(1) if tests / (1 + trials) < alpha)
    if needed > 1:
        assert SmallestP("bootstrap", needed - 1, tests).recommend(alpha) == f"use --resamples {needed} or more"
    assert not SmallestP("bootstrap", needed, tests).recommend(alpha)


def test_few_documents_are_explained() -> None:
    least = SmallestP("randomization", 10_000, units=5)
    assert least.explain(0.05) == "with 5 documents the smallest p-value is about 0.0625"
    assert least.recommend(0.05) == "score 6 documents or more"
    assert not least.explain(0.1)
    assert not least.recommend(0.1)


def test_few_clusters_and_trials_are_explained() -> None:
    least = SmallestP("randomization", 10, 2, 4, "entity")
    assert least.explain(0.05) == (
        "with 4 clusters and 10 trials the smallest p-value after Holm's correction for 2 tests is about 0.2500"
    )
    assert least.recommend(0.05) == "score 7 clusters or more and use --trials 40 or more"
