"""Charts, confusion matrices and curves as SVG, with all text escaped."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from isogloss.report.report_runs import CurvePoints, LabelCurves
from isogloss.runs.score_tables import format_cell
from isogloss.text.display import make_visible


class Markup(str):
    """Escaped markup, which templates insert without escaping."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return the markup for a template that escapes."""
        return str(self)


def build_element(tag: str, *children: str, **attributes: str | float | None) -> Markup:
    """Build an element of SVG or HTML.

    Args:
        tag: its name.
        *children: markup, and texts, which are escaped.
        **attributes: values by name; `_` stands for `-` and is dropped at the end. None leaves an attribute out.
            Numbers are rounded to two digits.
    """
    given = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items() if value is not None}
    head = "".join(f' {name}="{_format_attribute(value)}"' for name, value in given.items())
    inside = "".join(child if isinstance(child, Markup) else escape_text(child) for child in children)
    return Markup(f"<{tag}{head}>{inside}</{tag}>")


def join_markup(*parts: str) -> Markup:
    """Join markup.

    Args:
        *parts: escaped markup.
    """
    return Markup("".join(parts))


def escape_text(text: str) -> str:
    """Escape a text, and show its control characters.

    Args:
        text: plain text.
    """
    return escape(make_visible(text))


def format_percent(share: float) -> str:
    """Format a share as a percentage, clipped to [0%, 100%].

    Args:
        share: a share of the width.
    """
    return f"{100 * min(max(share, 0.0), 1.0):.2f}%"


def _format_attribute(value: str | float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else escape_text(str(value))


HEIGHT = 24  # pixels of a row
MIDDLE = HEIGHT / 2
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10, 20, 25, 50, 100)
QUARTER = 0.25  # a step that needs one more digit than its size
MIN_STEPS, MAX_TICKS = 2, 6  # of a scale


@dataclass(frozen=True)
class Scale:
    """Scale of a chart from left to right.

    Args:
        low: value at the left.
        high: value at the right, more than `low`.
        step: distance between ticks.
    """

    low: float
    high: float
    step: float

    @classmethod
    def from_values(cls, values: Iterable[float], *, from_zero: bool = False) -> Scale:
        """Build the narrowest scale of whole steps that includes the values.

        Args:
            values: nan is skipped.
            from_zero: whether the scale includes 0.
        """
        known = [value for value in values if not math.isnan(value)] or [0.0, 1.0]
        low, high = min(known), max(known)
        if from_zero:
            low, high = min(low, 0.0), max(high, 0.0)
            if low == 0 and high <= 1:
                return cls(0.0, 1.0, QUARTER)
        span = max(high - low, STEPS[0])
        step = next((step for step in STEPS if span / step <= MAX_TICKS - 1), span)
        start = math.floor(low / step + 1e-9) * step
        end = max(math.ceil(high / step - 1e-9) * step, start + MIN_STEPS * step)
        return cls(start, end, step)

    def to_share(self, value: float) -> float:
        """Return the position of a value, in [0, 1]."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    @property
    def ticks(self) -> list[float]:
        """Values of the ticks."""
        return [self.low + k * self.step for k in range(round((self.high - self.low) / self.step) + 1)]


@dataclass(frozen=True)
class ChartLine:
    """A row of a chart with its name and numbers.

    Args:
        name: its name.
        drawing: the row as SVG.
        numbers: the numbers it shows, as text.
        href: address that its name links to; empty for no link.
    """

    name: str
    drawing: Markup
    numbers: tuple[str, ...]
    href: str = ""


def draw_interval_row(scale: Scale, value: float, low: float, high: float) -> Markup:
    """Draw a value as a dot on its interval.

    Args:
        scale: scale of the chart.
        value: nan for no dot.
        low: lower end of the interval; nan for no interval.
        high: upper end of the interval.
    """
    parts = [_draw_grid(scale)]
    if not math.isnan(low):
        parts.append(_draw_whisker(scale, low, high))
    if not math.isnan(value):
        parts.append(build_element("circle", cx=format_percent(scale.to_share(value)), cy=MIDDLE, r=5.0, class_="dot"))
    return _draw_row(parts)


def draw_bar_row(scale: Scale, value: float, low: float = math.nan, high: float = math.nan) -> Markup:
    """Draw a value as a bar, with its interval over it.

    Args:
        scale: scale of the chart.
        value: nan for no bar.
        low: lower end of the interval; nan for no interval.
        high: upper end of the interval.
    """
    parts = [_draw_grid(scale)]
    if not math.isnan(value):
        begin, end = sorted((scale.to_share(0.0), scale.to_share(value)))
        shape = {"x": format_percent(begin), "width": format_percent(end - begin)}
        parts.append(build_element("rect", y=5.0, height=HEIGHT - 10.0, class_="bar", **shape))
    if not math.isnan(low):
        parts.append(_draw_whisker(scale, low, high))
    return _draw_row(parts)


def draw_spread_row(scale: Scale, mean: float, std: float, least: float, most: float) -> Markup:
    """Draw the range, the standard deviation and the mean.

    The range is a line, one standard deviation around the mean is a box, and the mean is a dot.

    Args:
        scale: scale of the chart.
        mean: the mean.
        std: the standard deviation; nan for no box.
        least: the lowest value.
        most: the highest value.
    """
    parts = [_draw_grid(scale), _draw_whisker(scale, least, most)]
    if not math.isnan(std):
        begin, end = scale.to_share(max(mean - std, least)), scale.to_share(min(mean + std, most))
        shape = {"x": format_percent(begin), "width": format_percent(end - begin)}
        parts.append(build_element("rect", **shape, y=6.0, height=HEIGHT - 12.0, class_="box"))
    parts.append(build_element("circle", cx=format_percent(scale.to_share(mean)), cy=MIDDLE, r=4.0, class_="dot"))
    return _draw_row(parts)


def draw_axis(scale: Scale) -> Markup:
    """Draw the numbers under the rows.

    Args:
        scale: scale of the chart.
    """
    digits = max(0, -math.floor(math.log10(scale.step) + 1e-9)) + (scale.step == QUARTER)
    ticks = scale.ticks
    texts = [
        build_element(
            "text",
            f"{tick:.{digits}f}",
            x=format_percent(scale.to_share(tick)),
            y=14.0,
            text_anchor="start" if k == 0 else "end" if k == len(ticks) - 1 else "middle",
        )
        for k, tick in enumerate(ticks)
    ]
    return build_element("svg", *texts, class_="axis", width="100%", height=18.0, aria_hidden="true")


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


MOST_LABELS = 20  # labels of a matrix
SHADES = 5
NO_LABEL = "none"


@dataclass(frozen=True)
class MatrixCell:
    """A cell of a confusion matrix.

    Args:
        count: number of pairs.
        shade: share of the row, from 0 for none to 5 for all.
        agrees: whether both sides have the same label.
    """

    count: int
    shade: int
    agrees: bool


@dataclass(frozen=True)
class ConfusionMatrix:
    """Counts by reference label (rows) and predicted label (columns).

    Args:
        labels: labels of the columns.
        rows: label and cells of each row.
        left_out: number of rare labels that are not shown.
    """

    labels: tuple[str, ...]
    rows: tuple[tuple[str, tuple[MatrixCell, ...]], ...]
    left_out: int


def build_matrix(confusion: Mapping[tuple[str | None, str | None], int]) -> ConfusionMatrix | None:
    """Build the matrix of the most frequent labels; None without counts.

    Args:
        confusion: count of each pair of labels; None is no label.
    """
    totals: Counter[str] = Counter()
    for pair, count in confusion.items():
        for label in {label for label in pair if label is not None}:
            totals[label] += count
    if not totals:
        return None
    kept = sorted(label for label, _ in sorted(totals.items(), key=lambda item: (-item[1], item[0]))[:MOST_LABELS])
    names: list[str | None] = [*kept, *([None] if any(None in pair for pair in confusion) else [])]
    titles = [NO_LABEL if name is None else name for name in names]
    rows = []
    for own, title in zip(names, titles, strict=True):
        counts = [confusion.get((own, other), 0) for other in names]
        total = max(sum(counts), 1)
        cells = (
            MatrixCell(count, -(-SHADES * count // total), own == other and own is not None)
            for other, count in zip(names, counts, strict=True)
        )
        rows.append((title, tuple(cells)))
    return ConfusionMatrix(tuple(titles), tuple(rows), len(totals) - len(kept))


SIDE = 100.0  # units of a square
MARGIN = 22.0  # for numbers and names on the left and below
TOP = 6.0


@dataclass(frozen=True)
class CurvePair:
    """Both curves of a label as SVG.

    Args:
        label: the label.
        areas: areas under the curves as text; empty if unknown.
        roc: its ROC curve; None if undefined.
        precision_recall: its precision-recall curve; None if undefined.
    """

    label: str
    areas: str
    roc: Markup | None
    precision_recall: Markup | None


def build_curve_pairs(
    curves: Mapping[str, LabelCurves], by_label: Mapping[str, Mapping[str, Mapping[str, float]]]
) -> list[CurvePair]:
    """Build both curves of each label, with the areas under them.

    Args:
        curves: points by label.
        by_label: scores of the run by label.
    """
    pairs = []
    for label, own in curves.items():
        ranking = by_label.get(label, {}).get("ranking", {})
        titles = {"roc_auc": "ROC-AUC", "average_precision": "AP"}
        areas = ", ".join(f"{title} {format_cell(ranking[name])}" for name, title in titles.items() if name in ranking)
        pairs.append(CurvePair(label, areas, _draw_roc(own.roc), _draw_precision_recall(own.precision_recall)))
    return pairs


def _draw_roc(points: CurvePoints | None) -> Markup | None:
    if points is None or not points.true_positive_rate:
        return None
    places = list(zip(points.false_positive_rate, points.true_positive_rate, strict=False))
    chance = build_element("line", x1=_scale_x(0), y1=_scale_y(0), x2=_scale_x(1), y2=_scale_y(1), class_="chance")
    return _draw_square("ROC", "false positive rate", "true positive rate", chance, _draw_line(places))


def _draw_precision_recall(points: CurvePoints | None) -> Markup | None:
    """Draw the precision-recall curve as steps.

    The area of the steps is the average precision; straight lines between points would show a larger area.
    """
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
    label = f"{name} curve"
    return build_element("svg", frame, *inside, *numbers, class_="curve", viewBox=size, role="img", aria_label=label)


def _draw_line(places: Sequence[tuple[float, float]]) -> Markup:
    points = " ".join(dict.fromkeys(f"{_scale_x(x):.1f},{_scale_y(y):.1f}" for x, y in places))
    return build_element("polyline", points=points, class_="curve-line")


def _scale_x(share: float) -> float:
    return MARGIN + SIDE * min(max(share, 0.0), 1.0)


def _scale_y(share: float) -> float:
    return TOP + SIDE * (1 - min(max(share, 0.0), 1.0))
