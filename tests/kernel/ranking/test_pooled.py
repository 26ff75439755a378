from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel import ranking_order
from isogloss.kernel.ranking import ClassColumn, Ranking, WeightedOrder
from isogloss.kernel.ranking_order import ScoreOrder
from isogloss.kernel.scores import Floats

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
def test_areas_of_the_pool_are_those_of_all_pairs_sorted_at_once(piece: int, rows: Classes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking_order, "PAIRS_PER_PIECE", piece)
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
def test_a_document_contributes_the_sum_of_its_pairs(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking_order, "PAIRS_PER_PIECE", piece)
    generator = np.random.default_rng(piece)
    rows: Classes = [
        [(int(generator.integers(5)), bool(generator.random() < 0.4)) for _ in range(15)] for _ in range(3)
    ]
    found = ranking_of(rows).pool.compute_influence()
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
def test_areas_of_a_resample_are_those_of_its_documents_written_out(seed: int) -> None:
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


def test_the_error_of_the_pooled_area_is_that_of_the_bootstrap_over_documents() -> None:
    ranking, _, _ = random_ranking(7, 300)
    weights = np.random.default_rng(1).multinomial(300, np.full(300, 1 / 300), size=1500)
    drawn = WeightedOrder.from_pool(ranking.pool).compute_areas(weights)[0]
    error = math.sqrt(np.square(ranking.pool.compute_influence()).sum())
    # A standard deviation of 1500 draws is itself known to 1 / sqrt(3000) = 1.8%; three such errors.
    assert error == pytest.approx(float(np.std(drawn, ddof=1)), rel=0.055)
