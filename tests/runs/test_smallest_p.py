"""Sentences about smallest p-values."""

from __future__ import annotations

import itertools

import pytest

from isogloss.runs.smallest_p import explain_smallest_p, recommend_smaller_p
from isogloss.stats.smallest_p import SmallestP


@pytest.mark.parametrize("tests", [1, 2, 3, 7, 56, 600])
@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.01, 1 / 3])
def test_recommended_trials_are_the_fewest_that_suffice(tests: int, alpha: float) -> None:
    needed = next(trials for trials in itertools.count(1) if tests / (1 + trials) < alpha)
    if needed > 1:
        assert (
            recommend_smaller_p(SmallestP("bootstrap", needed - 1, tests), alpha) == f"use --resamples {needed} or more"
        )
    assert not recommend_smaller_p(SmallestP("bootstrap", needed, tests), alpha)


def test_few_documents_are_explained() -> None:
    least = SmallestP("randomization", 10_000, units=5)
    assert explain_smallest_p(least, 0.05) == "with 5 documents the smallest p-value is about 0.0625"
    assert recommend_smaller_p(least, 0.05) == "score 6 documents or more"
    assert not explain_smallest_p(least, 0.1)
    assert not recommend_smaller_p(least, 0.1)


def test_few_clusters_and_trials_are_explained() -> None:
    least = SmallestP("randomization", 10, 2, 4, "entity")
    assert explain_smallest_p(least, 0.05) == (
        "with 4 clusters and 10 trials the smallest p-value after Holm's correction for 2 tests is about 0.2500"
    )
    assert recommend_smaller_p(least, 0.05) == "score 7 clusters or more and use --trials 40 or more"


def test_exact_tests_are_explained_without_about() -> None:
    least = SmallestP("randomization", 0, 56, 8)
    assert explain_smallest_p(least, 0.05) == (
        "with 8 documents the smallest p-value after Holm's correction for 56 tests is 0.4375"
    )


def test_ranks_need_resamples() -> None:
    assert recommend_smaller_p(SmallestP("rank_randomization", 10), 0.05) == "use --resamples 20 or more"
