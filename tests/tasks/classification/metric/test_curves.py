from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.kernel.score_order import ScoreOrder
from isogloss.kernel.scores import Floats
from isogloss.tasks.classification.ranking import (
    MAX_CURVE_POINTS,
    Curve,
    compute_precision_recall_curve,
    compute_roc_curve,
)

rows = st.lists(st.tuples(st.integers(0, 60).map(float), st.booleans()), min_size=1, max_size=80)
FEW = 12
GRAIN = 1 / 8000  # half the distance of the points on a line that are looked at


def order_of(pairs: list[tuple[float, bool]]) -> ScoreOrder:
    return ScoreOrder.from_scores(np.array([score for score, _ in pairs]), np.array([gold for _, gold in pairs]))


def test_points_of_a_roc_curve_are_those_worked_out_by_hand() -> None:
    curve = compute_roc_curve(order_of([(0.9, True), (0.8, False), (0.8, True), (0.1, False)]))
    assert curve.threshold.tolist() == [math.inf, 0.9, 0.8, 0.1]
    assert (curve.x.tolist(), curve.y.tolist()) == ([0, 0, 0.5, 1], [0, 0.5, 1, 1])


def test_precision_recall_points_match_a_hand_calculation() -> None:
    curve = compute_precision_recall_curve(order_of([(0.9, True), (0.8, False), (0.8, True), (0.1, False)]))
    assert curve.x.tolist() == [0, 0.5, 1, 1]
    assert curve.y.tolist() == pytest.approx([1, 1, 2 / 3, 1 / 2])


def test_rates_of_an_empty_side_are_undefined() -> None:
    only = order_of([(0.1, True), (0.2, True)])
    assert np.isnan(compute_roc_curve(only).x).all()
    assert np.isnan(compute_precision_recall_curve(order_of([(0.1, False)])).x).all()


def distance(curve: Curve, x: float, y: float) -> float:
    """Of a point to the nearest of many points on the lines of the curve, in the coordinate in which it is larger."""
    along = np.linspace(0, 1, 4001)[:, None]  # (steps, 1)
    xs = curve.x[:-1] + along * np.diff(curve.x)  # (steps, lines)
    ys = curve.y[:-1] + along * np.diff(curve.y)
    return float(np.maximum(np.abs(xs - x), np.abs(ys - y)).min())


@settings(max_examples=40)
@given(rows)
def test_thinned_curve_has_few_points_and_its_error_bound_holds(
    pairs: list[tuple[float, bool]],
) -> None:
    order = order_of(pairs)
    for whole in (compute_roc_curve(order), compute_precision_recall_curve(order)):
        if np.isnan([whole.x, whole.y]).any():
            continue
        thin = whole.thin(FEW)
        assert len(thin.x) <= FEW
        points = list(zip(whole.x, whole.y, whole.threshold, strict=True))
        kept = list(zip(thin.x, thin.y, thin.threshold, strict=True))
        assert [point for point in points if point in kept] == kept
        assert (kept[0], kept[-1]) == (points[0], points[-1])
        assert max(distance(thin, x, y) for x, y, _ in points) <= thin.max_distance + GRAIN


def test_a_curve_of_few_points_is_left_as_it_is() -> None:
    curve = compute_roc_curve(order_of([(0.9, True), (0.8, True), (0.7, True), (0.1, False)]))
    assert curve.thin() is curve


def test_thinned_random_curves_move_by_less_than_a_thousandth() -> None:
    for number in [600, 2000, 20_000]:
        for share in [0.5, 0.1, 0.01]:
            for signal in [0.0, 1.5]:
                generator = np.random.default_rng(number)
                gold = generator.random(number) < share
                gold[:2] = True, False
                order = ScoreOrder.from_scores(generator.normal(size=number) + signal * gold, gold)
                for curve in (compute_roc_curve(order).thin(), compute_precision_recall_curve(order).thin()):
                    assert len(curve.x) <= MAX_CURVE_POINTS
                    assert curve.max_distance <= 1e-3


def area(x: Floats, y: Floats) -> float:
    return float((np.diff(x) * (y[1:] + y[:-1])).sum() / 2)


def test_a_thinned_roc_curve_has_the_area_of_the_whole() -> None:
    generator = np.random.default_rng(2)
    gold = generator.random(50_000) < 0.3
    order = ScoreOrder.from_scores(generator.normal(size=50_000) + gold, gold)
    thin = compute_roc_curve(order).thin()
    assert area(thin.x, thin.y) == pytest.approx(order.find_positive_steps().compute_roc_auc(), abs=1e-3)


def test_a_curve_that_turns_too_often_says_how_far_it_was_moved() -> None:
    order = order_of([(float(k), k % 4 < 2) for k in range(1000)])  # 501 corners, 0.004 apart
    thin = compute_roc_curve(order).thin()
    assert len(thin.x) == MAX_CURVE_POINTS
    assert thin.max_distance == pytest.approx(0.002)
