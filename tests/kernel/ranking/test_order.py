from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.ranking_order import PositiveSteps, ScoreOrder, sort_scores
from isogloss.kernel.scores import Floats

BITS = 18  # of a score that do not fit beside the positions of a million documents, about

any_float = st.floats(allow_nan=False, allow_infinity=True, allow_subnormal=True)
neighbours = st.integers(-3, 3).map(lambda k: float(np.int64(np.float64(1.0).view(np.int64) + k).view(np.float64)))
scores = st.lists(st.one_of(any_float, neighbours, st.sampled_from((0.0, -0.0, 1.0, -1.0))), max_size=40)


def naive_order(values: Floats) -> list[int]:
    return sorted(range(len(values)), key=lambda k: values[k])  # Python's sort is stable


@given(scores)
def test_positions_are_in_the_order_of_their_scores_equal_ones_as_they_came(values: list[float]) -> None:
    array = np.array(values, np.float64)
    order, ordered = sort_scores(array)
    assert order.tolist() == naive_order(array)
    assert ordered.tobytes() == array[order].tobytes()


@pytest.mark.parametrize("seed", range(3))
def test_scores_that_differ_in_their_last_bits_only_are_told_apart(seed: int) -> None:
    generator = np.random.default_rng(seed)
    ends = np.array([1e-300, 1e300])  # so that the keys need all 64 bits
    close = np.float64(1.0).view(np.int64) + generator.integers(0, 2**BITS, 3000)
    values = np.concatenate([close.view(np.float64), ends, generator.normal(size=500)])
    values = values[generator.permutation(len(values))]
    assert sort_scores(values)[0].tolist() == np.argsort(values, kind="stable").tolist()


def test_scores_far_apart_are_ordered_like_those_close_together() -> None:
    generator = np.random.default_rng(4)
    values = np.repeat(generator.normal(size=2000), 2) * 10.0 ** generator.integers(-200, 200, 4000)
    assert sort_scores(values)[0].tolist() == np.argsort(values, kind="stable").tolist()


def test_nothing_is_in_order() -> None:
    order, ordered = sort_scores(np.zeros(0))
    assert (order.tolist(), ordered.tolist()) == ([], [])


pairs = st.lists(st.tuples(st.integers(0, 4).map(float), st.booleans()), min_size=1, max_size=25)


@given(pairs)
def test_steps_count_documents_and_positives_of_lower_scores(rows: list[tuple[float, bool]]) -> None:
    order = ScoreOrder.from_scores(np.array([score for score, _ in rows]), np.array([gold for _, gold in rows]))
    below, hits = order.count_below_steps()
    for k, score in enumerate(sorted({score for score, _ in rows})):
        assert below[k] == sum(other < score for other, _ in rows)
        assert hits[k] == sum(gold for other, gold in rows if other < score)
    assert (below[-1], hits[-1]) == (len(rows), sum(gold for _, gold in rows))


@given(pairs)
def test_rises_are_the_steps_with_a_positive(rows: list[tuple[float, bool]]) -> None:
    order = ScoreOrder.from_scores(np.array([score for score, _ in rows]), np.array([gold for _, gold in rows]))
    expected = []
    for score in sorted({score for score, gold in rows if gold}):
        lower = [gold for other, gold in rows if other < score]
        equal = [gold for other, gold in rows if other == score]
        expected.append((len(lower), len(lower) + len(equal), sum(lower), sum(lower) + sum(equal)))
    found = order.find_positive_steps()
    assert list(zip(*(a.tolist() for a in (found.low, found.high, found.hits_low, found.hits_high)), strict=True)) == (
        expected
    )


def naive_average_precision(rows: list[tuple[float, bool]]) -> float:
    precisions = []
    for score, gold in rows:
        if gold:
            taken = [other for value, other in rows if value >= score]
            precisions.append(sum(taken) / len(taken))
    return sum(precisions) / len(precisions) if precisions else float("nan")


def naive_roc_auc(rows: list[tuple[float, bool]]) -> float:
    ours = [score for score, gold in rows if gold]
    theirs = [score for score, gold in rows if not gold]
    wins = sum((own > other) + 0.5 * (own == other) for own in ours for other in theirs)
    return wins / (len(ours) * len(theirs)) if ours and theirs else float("nan")


@given(pairs)
def test_areas_are_those_of_all_pairs_and_of_all_positives(rows: list[tuple[float, bool]]) -> None:
    rises = ScoreOrder.from_scores(
        np.array([score for score, _ in rows]), np.array([gold for _, gold in rows])
    ).find_positive_steps()
    assert rises.compute_roc_auc() == pytest.approx(naive_roc_auc(rows), rel=1e-14, nan_ok=True)
    assert rises.compute_average_precision() == pytest.approx(naive_average_precision(rows), rel=1e-14, nan_ok=True)


def test_areas_of_millions_of_pairs_are_counted_exactly() -> None:
    half = 3_000_000  # 2 * half * half is beyond what a float32 or an int32 holds
    one = np.array([half])
    rises = PositiveSteps(one, 2 * one, 0 * one, one, documents=2 * half, positives=half)
    assert rises.count_wins() == 2 * half * half
    assert rises.compute_roc_auc() == 1.0
