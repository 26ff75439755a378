"""ROC and precision-recall curves, small and square, a pair for each label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from isogloss.report.html.svg import Drawing, element
from isogloss.report.tables import shown
from isogloss.report.written import Curves, Points

SIDE = 100.0  # units of a square
MARGIN = 22.0  # left and below, for numbers and names
TOP = 6.0


@dataclass(frozen=True)
class Pair:
    """Both curves of a label.

    Args:
        label: the label.
        areas: under them, as text; empty where the run does not say.
        roc: its ROC curve, None where it is undefined.
        precision_recall: likewise.
    """

    label: str
    areas: str
    roc: Drawing | None
    precision_recall: Drawing | None


def pairs(curves: Mapping[str, Curves], by_label: Mapping[str, Mapping[str, Mapping[str, float]]]) -> list[Pair]:
    """Both curves of each label, with the areas that the run has by label."""
    return [
        Pair(label, _areas(by_label.get(label, {})), _roc(own.roc), _precision_recall(own.precision_recall))
        for label, own in curves.items()
    ]


def _areas(groups: Mapping[str, Mapping[str, float]]) -> str:
    ranking = groups.get("ranking", {})
    titles = {"roc_auc": "ROC-AUC", "average_precision": "AP"}
    known = ((title, ranking[name]) for name, title in titles.items() if name in ranking)
    return ", ".join(f"{title} {shown(value)}" for title, value in known)


def _roc(points: Points | None) -> Drawing | None:
    if points is None or not points.true_positive_rate:
        return None
    places = list(zip(points.false_positive_rate, points.true_positive_rate, strict=False))
    chance = element("line", x1=_x(0), y1=_y(0), x2=_x(1), y2=_y(1), class_="chance")
    return _square("ROC", "false positive rate", "true positive rate", chance, _line(places))


def _precision_recall(points: Points | None) -> Drawing | None:
    """In steps: average precision is the area under them, and a straight line between points would promise more."""
    if points is None or not points.precision:
        return None
    places = list(zip(points.recall, points.precision, strict=False))
    steps = [places[0]]
    for (before, _), (recall, precision) in pairwise(places):
        steps += [(before, precision), (recall, precision)]
    return _square("Precision-recall", "recall", "precision", _line(steps))


def _square(name: str, x: str, y: str, *inside: Drawing) -> Drawing:
    frame = element("rect", x=MARGIN, y=TOP, width=SIDE, height=SIDE, class_="frame")
    bottom = SIDE + TOP
    numbers = [
        element("text", "0", x=MARGIN, y=bottom + 9, text_anchor="start"),
        element("text", "1", x=MARGIN + SIDE, y=bottom + 9, text_anchor="end"),
        element("text", "0", x=MARGIN - 3, y=bottom, text_anchor="end"),
        element("text", "1", x=MARGIN - 3, y=TOP + 7, text_anchor="end"),
        element("text", x, x=MARGIN + SIDE / 2, y=bottom + 18, text_anchor="middle"),
        element("text", y, transform=f"translate(9 {TOP + SIDE / 2:g}) rotate(-90)", text_anchor="middle"),
    ]
    size = f"0 0 {MARGIN + SIDE + TOP:g} {bottom + MARGIN:g}"
    return element(
        "svg", frame, *inside, *numbers, class_="curve", viewBox=size, role="img", aria_label=f"{name} curve"
    )


def _line(places: Sequence[tuple[float, float]]) -> Drawing:
    points = " ".join(dict.fromkeys(f"{_x(x):.1f},{_y(y):.1f}" for x, y in places))
    return element("polyline", points=points, class_="curve-line")


def _x(share: float) -> float:
    return MARGIN + SIDE * min(max(share, 0.0), 1.0)


def _y(share: float) -> float:
    return TOP + SIDE * (1 - min(max(share, 0.0), 1.0))
