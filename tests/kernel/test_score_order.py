from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel import score_order
from isogloss.kernel.ranking import ClassColumn, Ranking, WeightedOrder
from isogloss.kernel.score_order import PositiveSteps, ScoreOrder, sort_scores
from isogloss.kernel.scores import Floats

BITS = 18  # of a score that do not fit beside the positions of a million documents, about

any_float = st.floats(allow_nan=False, allow_infinity=True, allow_subnormal=True)
neighbours = st.integers(-3, 3).map(lambda k: float(np.int64(np.float64(1.0).view(np.int64) + k).view(np.float64)))
scores = st.lists(st.one_of(any_float, neighbours, st.sampled_from((0.0, -0.0, 1.0, -1.0))), max_size=40)


def naive_order(values: Floats) -> list[int]:
    return sorted(range(len(values)), key=lambda k: values[k])  # Python's sort is stable


@given(scores)
def test_sorting_scores_is_stable(values: list[float]) -> None:
    array = np.array(values, np.float64)
    order, ordered = sort_scores(array)
    assert order.tolist() == naive_order(array)
    assert ordered.tobytes() == array[order].tobytes()


@pytest.mark.parametrize("seed", range(3))
def test_scores_that_differ_in_their_last_bits_are_ordered(seed: int) -> None:
    generator = np.random.default_rng(seed)
    ends = np.array([1e-300, 1e300])  # so that the keys need all 64 bits
    close = np.float64(1.0).view(np.int64) + generator.integers(0, 2**BITS, 3000)
    values = np.concatenate([close.view(np.float64), ends, generator.normal(size=500)])
    values = values[generator.permutation(len(values))]
    assert sort_scores(values)[0].tolist() == np.argsort(values, kind="stable").tolist()


def test_scores_of_different_magnitude_are_ordered() -> None:
    generator = np.random.default_rng(4)
    values = np.repeat(generator.normal(size=2000), 2) * 10.0 ** generator.integers(-200, 200, 4000)
    assert sort_scores(values)[0].tolist() == np.argsort(values, kind="stable").tolist()


@pytest.mark.parametrize("widest", [0, 65535, 65536])
@pytest.mark.parametrize("last", [0.5, -0.0, float("inf"), 1 / 3])
def test_scores_of_few_decimals_are_ordered(widest: int, last: float) -> None:
    units = np.random.default_rng(5).integers(-20_000, widest - 19_999, 3000)
    values = np.array([*(units / 10_000), -2.0, widest / 10_000 - 2.0, 0.0, last])
    assert sort_scores(values)[0].tolist() == np.argsort(values, kind="stable").tolist()


def test_sorting_no_scores_gives_nothing() -> None:
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
def test_positive_steps_are_those_of_naive_counting(rows: list[tuple[float, bool]]) -> None:
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
def test_areas_are_those_of_naive_counting(rows: list[tuple[float, bool]]) -> None:
    rises = ScoreOrder.from_scores(
        np.array([score for score, _ in rows]), np.array([gold for _, gold in rows])
    ).find_positive_steps()
    assert rises.compute_roc_auc() == pytest.approx(naive_roc_auc(rows), rel=1e-14, nan_ok=True)
    assert rises.compute_average_precision() == pytest.approx(naive_average_precision(rows), rel=1e-14, nan_ok=True)


def test_areas_of_millions_of_pairs_are_exact() -> None:
    half = 3_000_000  # 2 * half * half is beyond what a float32 or an int32 holds
    one = np.array([half])
    rises = PositiveSteps(one, 2 * one, 0 * one, one, documents=2 * half, positives=half)
    assert rises.count_wins() == 2 * half * half
    assert rises.compute_roc_auc() == 1.0


Classes = list[list[tuple[int, bool]]]
classes = st.lists(st.lists(st.tuples(st.integers(0, 6), st.booleans()), max_size=12), min_size=1, max_size=4)


def ranking_of(rows: Classes) -> Ranking:
    columns = [
        ClassColumn(
            np.arange(len(column)),
            np.array([score for score, _ in column], np.float64),
            np.array([gold for _, gold in column], np.bool_),
        )
        for column in rows
    ]
    return Ranking(tuple("abcd"[: len(rows)]), tuple(columns))


def all_pairs(rows: Classes) -> ScoreOrder:
    flat = [pair for column in rows for pair in column]
    return ScoreOrder.from_scores(np.array([s for s, _ in flat], np.float64), np.array([g for _, g in flat], np.bool_))


@pytest.mark.parametrize("piece", [1, 3, 2**18])
@given(rows=classes)
def test_pooled_areas_are_those_of_all_pairs(piece: int, rows: Classes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(score_order, "PAIRS_PER_PIECE", piece)
        found = ranking_of(rows).pool.areas
    expected = all_pairs(rows).find_positive_steps()
    assert found[0] == pytest.approx(expected.compute_roc_auc(), rel=1e-14, nan_ok=True)
    assert found[1] == pytest.approx(expected.compute_average_precision(), rel=1e-13, nan_ok=True)


def naive_influence(rows: Classes, number: int) -> list[float]:
    """Placement of each pair against all pairs of the other side, added up by document."""
    flat = [(document, score, gold) for column in rows for document, (score, gold) in enumerate(column)]
    total = [0.0] * number
    sides = {side: sum(gold == side for _, _, gold in flat) for side in (False, True)}
    placed = []
    for _, score, gold in flat:
        others = [other for _, other, verdict in flat if verdict != gold]
        right = sum(((score > other) if gold else (score < other)) + 0.5 * (score == other) for other in others)
        placed.append(right / len(others))
    area = sum(p for p, (_, _, gold) in zip(placed, flat, strict=True) if gold) / sides[True]
    for p, (document, _, gold) in zip(placed, flat, strict=True):
        total[document] += (p - area) / math.sqrt(sides[gold] * (sides[gold] - 1))
    return total


@pytest.mark.parametrize("piece", [2, 2**18])
def test_pooled_influence_is_the_sum_over_pairs(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_order, "PAIRS_PER_PIECE", piece)
    generator = np.random.default_rng(piece)
    rows: Classes = [
        [(int(generator.integers(5)), bool(generator.random() < 0.4)) for _ in range(15)] for _ in range(3)
    ]
    found, variance = ranking_of(rows).pool.compute_influence()
    assert 0 < variance < 1
    assert found.tolist() == pytest.approx(naive_influence(rows, 15), abs=1e-14)


def random_ranking(
    seed: int,
    number: int = 60,
) -> tuple[Ranking, Floats, np.ndarray[tuple[int, int], np.dtype[np.bool_]]]:
    generator = np.random.default_rng(seed)
    gold = generator.random((number, 3)) < (0.2, 0.5, 0.7)
    score = np.round(generator.normal(size=(number, 3)) + gold, 1)
    documents = np.arange(number)
    columns = tuple(ClassColumn(documents, score[:, k], gold[:, k]) for k in range(3))
    return Ranking(("a", "b", "c"), columns), score, gold


@pytest.mark.parametrize("seed", range(3))
def test_weighted_areas_are_those_of_repeated_documents(seed: int) -> None:
    ranking, score, gold = random_ranking(seed)
    weights = np.random.default_rng(seed).multinomial(60, np.full(60, 1 / 60), size=5)
    of_class, of_all = (
        WeightedOrder.from_class(ranking, "b").compute_areas(weights),
        WeightedOrder.from_pool(ranking.pool).compute_areas(weights),
    )
    for draw, times in enumerate(weights):
        at = np.repeat(np.arange(60), times)
        one = ScoreOrder.from_scores(score[at, 1], gold[at, 1]).find_positive_steps()
        assert of_class[0][draw] == pytest.approx(one.compute_roc_auc(), rel=1e-13)
        assert of_class[1][draw] == pytest.approx(one.compute_average_precision(), rel=1e-13)
        assert of_class[2][draw] == gold[at, 1].sum()
        every = ScoreOrder.from_scores(score[at].reshape(-1), gold[at].reshape(-1)).find_positive_steps()
        assert of_all[0][draw] == pytest.approx(every.compute_roc_auc(), rel=1e-13)
        assert of_all[1][draw] == pytest.approx(every.compute_average_precision(), rel=1e-13)


def test_the_pooled_error_is_that_of_the_bootstrap() -> None:
    ranking, _, _ = random_ranking(7, 300)
    weights = np.random.default_rng(1).multinomial(300, np.full(300, 1 / 300), size=1500)
    drawn = WeightedOrder.from_pool(ranking.pool).compute_areas(weights)[0]
    error = math.sqrt(np.square(ranking.pool.compute_influence()[0]).sum())
    # A standard deviation of 1500 draws is itself known to 1 / sqrt(3000) = 1.8%; three such errors.
    assert error == pytest.approx(float(np.std(drawn, ddof=1)), rel=0.055)
