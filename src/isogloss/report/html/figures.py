"""Elements of SVG and HTML as text, everything in them escaped."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from isogloss.report.run_files import CurvePoints, LabelCurves
from isogloss.runs.tables import format_cell
from isogloss.text.display import make_visible


class Markup(str):
    """Markup that is complete: templates take it as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        """What a template that escapes puts in its place."""
        return str(self)


def build_element(tag: str, *children: str, **attributes: str | float | None) -> Markup:
    """An element.

    Args:
        tag: its name.
        children: drawings, and texts, which are escaped.
        attributes: by name, `_` standing for `-`, and for nothing at its end; None leaves one out. Numbers are rounded
            to two digits.
    """
    given = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items() if value is not None}
    head = "".join(f' {name}="{_format_attribute(value)}"' for name, value in given.items())
    inside = "".join(child if isinstance(child, Markup) else escape_text(child) for child in children)
    return Markup(f"<{tag}{head}>{inside}</{tag}>")


def join_markup(*parts: str) -> Markup:
    """Drawings after each other."""
    return Markup("".join(parts))


def escape_text(text: str) -> str:
    """Text of users: control characters shown, and nothing in it markup."""
    return escape(make_visible(text))


def format_percent(share: float) -> str:
    """A share as a length, cut to what is drawn on."""
    return f"{100 * min(max(share, 0.0), 1.0):.2f}%"


def _format_attribute(value: str | float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else escape_text(str(value))


HEIGHT = 24  # pixels of a row
MIDDLE = HEIGHT / 2
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10, 20, 25, 50, 100)
QUARTER = 0.25  # a step with a digit more than its size
FEWEST, MOST_BARS = 2, 6  # parts of a scale


@dataclass(frozen=True)
class Scale:
    """What stands from the left to the right of a picture.

    Args:
        low: value at the left.
        high: value at the right, more than `low`.
        step: from tick to tick.
    """

    low: float
    high: float
    step: float

    @classmethod
    def from_values(cls, values: Iterable[float], *, from_zero: bool = False) -> Scale:
        """The narrowest scale of whole steps that holds the values; nan counts nothing."""
        known = [value for value in values if not math.isnan(value)] or [0.0, 1.0]
        low, high = min(known), max(known)
        if from_zero:
            low, high = min(low, 0.0), max(high, 0.0)
            if low == 0 and high <= 1:
                return cls(0.0, 1.0, QUARTER)
        span = max(high - low, STEPS[0])
        step = next((step for step in STEPS if span / step <= MOST_BARS - 1), span)
        start = math.floor(low / step + 1e-9) * step
        end = max(math.ceil(high / step - 1e-9) * step, start + FEWEST * step)
        return cls(start, end, step)

    def to_share(self, value: float) -> float:
        """Where a value is, in [0, 1]."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    @property
    def ticks(self) -> list[float]:
        """Values of whole steps."""
        return [self.low + k * self.step for k in range(round((self.high - self.low) / self.step) + 1)]


@dataclass(frozen=True)
class ChartLine:
    """A row of a picture, and what stands beside it.

    Args:
        name: what it is about.
        drawing: the row.
        numbers: what it shows, as text.
        href: where its name leads, empty for nowhere.
    """

    name: str
    drawing: Markup
    numbers: tuple[str, ...]
    href: str = ""


def draw_interval_row(scale: Scale, value: float, low: float, high: float) -> Markup:
    """A value as a dot on its interval."""
    parts = [_draw_grid(scale)]
    if not math.isnan(low):
        parts.append(_draw_whisker(scale, low, high))
    if not math.isnan(value):
        parts.append(build_element("circle", cx=format_percent(scale.to_share(value)), cy=MIDDLE, r=5.0, class_="dot"))
    return _draw_row(parts)


def draw_bar_row(scale: Scale, value: float, low: float = math.nan, high: float = math.nan) -> Markup:
    """A value as a bar, with its interval over it."""
    parts = [_draw_grid(scale)]
    if not math.isnan(value):
        begin, end = sorted((scale.to_share(0.0), scale.to_share(value)))
        shape = {"x": format_percent(begin), "width": format_percent(end - begin)}
        parts.append(build_element("rect", y=5.0, height=HEIGHT - 10.0, class_="bar", **shape))
    if not math.isnan(low):
        parts.append(_draw_whisker(scale, low, high))
    return _draw_row(parts)


def draw_spread_row(scale: Scale, mean: float, std: float, least: float, most: float) -> Markup:
    """The least and the most as a line, a standard deviation around the mean as a box, the mean as a dot."""
    parts = [_draw_grid(scale), _draw_whisker(scale, least, most)]
    if not math.isnan(std):
        begin, end = scale.to_share(max(mean - std, least)), scale.to_share(min(mean + std, most))
        parts.append(
            build_element(
                "rect",
                x=format_percent(begin),
                width=format_percent(end - begin),
                y=6.0,
                height=HEIGHT - 12.0,
                class_="box",
            ),
        )
    parts.append(build_element("circle", cx=format_percent(scale.to_share(mean)), cy=MIDDLE, r=4.0, class_="dot"))
    return _draw_row(parts)


def draw_axis(scale: Scale) -> Markup:
    """The numbers under the rows."""
    digits = max(0, -math.floor(math.log10(scale.step) + 1e-9)) + (scale.step == QUARTER)
    ticks = scale.ticks
    texts = [
        build_element(
            "text",
            f"{tick:.{digits}f}",
            x=format_percent(scale.to_share(tick)),
            y=14.0,
            text_anchor=_choose_anchor(k, len(ticks)),
        )
        for k, tick in enumerate(ticks)
    ]
    return build_element("svg", *texts, class_="axis", width="100%", height=18.0, aria_hidden="true")


def _choose_anchor(number: int, count: int) -> str:
    if number == 0:
        return "start"
    return "end" if number == count - 1 else "middle"


def _draw_row(parts: Sequence[Markup]) -> Markup:
    return build_element(
        "svg", join_markup(*parts), class_="row", width="100%", height=float(HEIGHT), aria_hidden="true"
    )


def _draw_grid(scale: Scale) -> Markup:
    places = (format_percent(scale.to_share(tick)) for tick in scale.ticks)
    return join_markup(*(build_element("line", x1=x, x2=x, y1=0.0, y2=float(HEIGHT), class_="grid") for x in places))


def _draw_whisker(scale: Scale, low: float, high: float) -> Markup:
    ends = format_percent(scale.to_share(low)), format_percent(scale.to_share(high))
    caps = (build_element("line", x1=x, x2=x, y1=MIDDLE - 5, y2=MIDDLE + 5, class_="whisker") for x in ends)
    return join_markup(build_element("line", x1=ends[0], x2=ends[1], y1=MIDDLE, y2=MIDDLE, class_="whisker"), *caps)


MOST_LABELS = 20  # labels of a matrix that can be read
SHADES = 5
NO_LABEL = "none"


@dataclass(frozen=True)
class MatrixCell:
    """A count.

    Args:
        count: how often.
        shade: from 0, none, to 5, all of the row.
        agrees: whether both sides have the same label.
    """

    count: int
    shade: int
    agrees: bool


@dataclass(frozen=True)
class ConfusionMatrix:
    """Counts by the label of the reference, a row each, and the predicted one.

    Args:
        labels: of the columns.
        rows: label and cells.
        left_out: how many labels are not shown, because they are rare.
    """

    labels: tuple[str, ...]
    rows: tuple[tuple[str, tuple[MatrixCell, ...]], ...]
    left_out: int


def build_matrix(confusion: Mapping[tuple[str | None, str | None], int]) -> ConfusionMatrix | None:
    """The matrix of the most frequent labels; None where nothing was counted."""
    often: Counter[str] = Counter()
    for pair, count in confusion.items():
        for label in {label for label in pair if label is not None}:
            often[label] += count
    if not often:
        return None
    kept = sorted(label for label, _ in sorted(often.items(), key=lambda item: (-item[1], item[0]))[:MOST_LABELS])
    names: list[str | None] = [*kept, *([None] if any(None in pair for pair in confusion) else [])]
    rows = tuple((_name_label(own), _build_cells(own, names, confusion)) for own in names)
    return ConfusionMatrix(tuple(map(_name_label, names)), rows, len(often) - len(kept))


def _build_cells(
    own: str | None,
    names: list[str | None],
    confusion: Mapping[tuple[str | None, str | None], int],
) -> tuple[MatrixCell, ...]:
    counts = [confusion.get((own, other), 0) for other in names]
    total = sum(counts)
    return tuple(
        MatrixCell(count, -(-SHADES * count // total) if total else 0, own == other and own is not None)
        for other, count in zip(names, counts, strict=True)
    )


def _name_label(label: str | None) -> str:
    return NO_LABEL if label is None else label


SIDE = 100.0  # units of a square
MARGIN = 22.0  # left and below, for numbers and names
TOP = 6.0


@dataclass(frozen=True)
class CurvePair:
    """Both curves of a label.

    Args:
        label: the label.
        areas: under them, as text; empty where the run does not say.
        roc: its ROC curve, None where it is undefined.
        precision_recall: likewise.
    """

    label: str
    areas: str
    roc: Markup | None
    precision_recall: Markup | None


def build_curve_pairs(
    curves: Mapping[str, LabelCurves], by_label: Mapping[str, Mapping[str, Mapping[str, float]]]
) -> list[CurvePair]:
    """Both curves of each label, with the areas that the run has by label."""
    return [
        CurvePair(
            label,
            _format_areas(by_label.get(label, {})),
            _draw_roc(own.roc),
            _draw_precision_recall(own.precision_recall),
        )
        for label, own in curves.items()
    ]


def _format_areas(groups: Mapping[str, Mapping[str, float]]) -> str:
    ranking = groups.get("ranking", {})
    titles = {"roc_auc": "ROC-AUC", "average_precision": "AP"}
    known = ((title, ranking[name]) for name, title in titles.items() if name in ranking)
    return ", ".join(f"{title} {format_cell(value)}" for title, value in known)


def _draw_roc(points: CurvePoints | None) -> Markup | None:
    if points is None or not points.true_positive_rate:
        return None
    places = list(zip(points.false_positive_rate, points.true_positive_rate, strict=False))
    chance = build_element("line", x1=_scale_x(0), y1=_scale_y(0), x2=_scale_x(1), y2=_scale_y(1), class_="chance")
    return _draw_square("ROC", "false positive rate", "true positive rate", chance, _draw_line(places))


def _draw_precision_recall(points: CurvePoints | None) -> Markup | None:
    """In steps: average precision is the area under them, and a straight line between points would promise more."""
    if points is None or not points.precision:
        return None
    places = list(zip(points.recall, points.precision, strict=False))
    steps = [places[0]]
    for (before, _), (recall, precision) in pairwise(places):
        steps += [(before, precision), (recall, precision)]
    return _draw_square("Precision-recall", "recall", "precision", _draw_line(steps))


def _draw_square(name: str, x: str, y: str, *inside: Markup) -> Markup:
    frame = build_element("rect", x=MARGIN, y=TOP, width=SIDE, height=SIDE, class_="frame")
    bottom = SIDE + TOP
    numbers = [
        build_element("text", "0", x=MARGIN, y=bottom + 9, text_anchor="start"),
        build_element("text", "1", x=MARGIN + SIDE, y=bottom + 9, text_anchor="end"),
        build_element("text", "0", x=MARGIN - 3, y=bottom, text_anchor="end"),
        build_element("text", "1", x=MARGIN - 3, y=TOP + 7, text_anchor="end"),
        build_element("text", x, x=MARGIN + SIDE / 2, y=bottom + 18, text_anchor="middle"),
        build_element("text", y, transform=f"translate(9 {TOP + SIDE / 2:g}) rotate(-90)", text_anchor="middle"),
    ]
    size = f"0 0 {MARGIN + SIDE + TOP:g} {bottom + MARGIN:g}"
    return build_element(
        "svg",
        frame,
        *inside,
        *numbers,
        class_="curve",
        viewBox=size,
        role="img",
        aria_label=f"{name} curve",
    )


def _draw_line(places: Sequence[tuple[float, float]]) -> Markup:
    points = " ".join(dict.fromkeys(f"{_scale_x(x):.1f},{_scale_y(y):.1f}" for x, y in places))
    return build_element("polyline", points=points, class_="curve-line")


def _scale_x(share: float) -> float:
    return MARGIN + SIDE * min(max(share, 0.0), 1.0)


def _scale_y(share: float) -> float:
    return TOP + SIDE * (1 - min(max(share, 0.0), 1.0))
