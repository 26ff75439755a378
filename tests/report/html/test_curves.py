from __future__ import annotations

import re
from itertools import pairwise

from isogloss.report.html.figures import build_curve_pairs
from isogloss.report.report_runs import CurvePoints, LabelCurves

ROC = CurvePoints(false_positive_rate=[0.0, 0.5, 1.0], true_positive_rate=[0.0, 1.0, 1.0])
STEPS = CurvePoints(recall=[0.0, 0.5, 1.0], precision=[1.0, 1.0, 0.5])


def points(drawing: str) -> list[tuple[float, float]]:
    found = re.search(r'points="([^"]*)"', drawing)
    assert found is not None
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in found[1].split())]


def test_a_roc_curve_goes_through_its_points() -> None:
    drawing = build_curve_pairs({"a": LabelCurves(roc=ROC)}, {})[0].roc
    assert drawing is not None
    (x0, y0), (x1, y1), (x2, y2) = points(drawing)
    assert (x1 - x0) * 2 == x2 - x0
    assert y0 - y1 == x2 - x0
    assert y1 == y2


def test_precision_against_recall_goes_in_steps() -> None:
    drawing = build_curve_pairs({"a": LabelCurves(precision_recall=STEPS)}, {})[0].precision_recall
    assert drawing is not None
    places = points(drawing)
    assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(places))


def test_a_curve_that_is_undefined_is_not_drawn() -> None:
    assert build_curve_pairs({"a": LabelCurves()}, {})[0].roc is None
    assert (
        build_curve_pairs({"a": LabelCurves(roc=CurvePoints(), precision_recall=CurvePoints())}, {})[0].precision_recall
        is None
    )


def test_the_areas_of_a_label_stand_beside_it() -> None:
    by_label = {"a": {"ranking": {"roc_auc": 0.5, "average_precision": 0.25}}}
    assert build_curve_pairs({"a": LabelCurves(roc=ROC)}, by_label)[0].areas == "ROC-AUC 0.5000, AP 0.2500"
