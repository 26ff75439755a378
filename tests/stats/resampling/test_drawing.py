from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.scores import Ints
from isogloss.stats.bootstrap import draw_weights

MANY, FEW, MIXED = np.array([400, 80, 20]), np.array([1, 2, 1, 3, 1]), np.array([2, 60, 1, 15, 300, 3])
both_ways = pytest.mark.parametrize("times", [MANY, FEW, MIXED], ids=["multinomial", "indices", "mixed"])


def drawn(times: Ints, resamples: int, seed: int = 1, width: int = 1) -> Ints:
    return np.concatenate(list(draw_weights(times, resamples, seed, width)))


@both_ways
def test_each_draw_has_as_many_documents_as_the_corpus(times: Ints) -> None:
    weights = drawn(times, 50)
    assert weights.shape == (50, len(times))
    assert (weights.sum(axis=1) == times.sum()).all()


@both_ways
def test_draws_have_the_moments_of_the_bootstrap(times: Ints) -> None:
    resamples, total = 40_000, times.sum()
    weights = drawn(times, resamples)
    variance = times * (1 - times / total)
    # Six standard errors of a mean and of a covariance; fourth moments of counts this size are near the normal 3.
    assert (np.abs(weights.mean(axis=0) - times) < 6 * np.sqrt(variance / resamples)).all()
    covariance = np.diag(times) - np.outer(times, times) / total
    assert (np.abs(np.cov(weights.T) - covariance) < 6 * 2 * np.sqrt(np.outer(variance, variance) / resamples)).all()


@both_ways
@pytest.mark.parametrize(("held", "width"), [(1, 1), (7, 1), (12, 3), (2**22, 10**9)])
def test_the_size_of_pieces_changes_no_draw(
    times: Ints,
    held: int,
    width: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = drawn(times, 23)
    monkeypatch.setattr("isogloss.stats.bootstrap.MAX_HELD_NUMBERS", held)
    pieces = list(draw_weights(times, 23, seed=1, width=width))
    assert len(pieces) > 1
    assert np.concatenate(pieces).tolist() == whole.tolist()


@both_ways
def test_a_seed_gives_its_own_draws(times: Ints) -> None:
    assert drawn(times, 5, seed=1).tolist() == drawn(times, 5, seed=1).tolist()
    assert drawn(times, 5, seed=1).tolist() != drawn(times, 5, seed=2).tolist()


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(0, 99))
def test_every_draw_is_of_all_documents_whatever_their_multiplicities(times: list[int], seed: int) -> None:
    weights = drawn(np.array(times), 7, seed)
    assert weights.min() >= 0
    assert weights.sum(axis=1).tolist() == [sum(times)] * 7
