"""Pictures of scores: intervals, bars, and the spread over documents. A row a score; lengths are shares of the width.

A picture has no text but the ends of its scale. Names and numbers stand in HTML beside it, where they wrap, are read
aloud, and run in their own direction.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from isogloss.report.html.svg import Drawing, element, joined, percent

HEIGHT = 24  # pixels of a row
MIDDLE = HEIGHT / 2
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10, 20, 25, 50, 100)
QUARTER = 0.25  # a step with a digit more than its size
FEWEST, MOST = 2, 6  # parts of a scale


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
    def around(cls, values: Iterable[float], *, from_zero: bool = False) -> Scale:
        """The narrowest scale of whole steps that holds the values; nan counts nothing."""
        known = [value for value in values if not math.isnan(value)] or [0.0, 1.0]
        low, high = min(known), max(known)
        if from_zero:
            low, high = min(low, 0.0), max(high, 0.0)
            if low == 0 and high <= 1:
                return cls(0.0, 1.0, QUARTER)
        span = max(high - low, STEPS[0])
        step = next((step for step in STEPS if span / step <= MOST - 1), span)
        start = math.floor(low / step + 1e-9) * step
        end = max(math.ceil(high / step - 1e-9) * step, start + FEWEST * step)
        return cls(start, end, step)

    def share(self, value: float) -> float:
        """Where a value is, in [0, 1]."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    @property
    def ticks(self) -> list[float]:
        """Values of whole steps."""
        return [self.low + k * self.step for k in range(round((self.high - self.low) / self.step) + 1)]


@dataclass(frozen=True)
class Line:
    """A row of a picture, and what stands beside it.

    Args:
        name: what it is about.
        drawing: the row.
        numbers: what it shows, as text.
        href: where its name leads, empty for nowhere.
    """

    name: str
    drawing: Drawing
    numbers: tuple[str, ...]
    href: str = ""


def interval_row(scale: Scale, value: float, low: float, high: float) -> Drawing:
    """A value as a dot on its interval."""
    parts = [_grid(scale)]
    if not math.isnan(low):
        parts.append(_whisker(scale, low, high))
    if not math.isnan(value):
        parts.append(element("circle", cx=percent(scale.share(value)), cy=MIDDLE, r=5.0, class_="dot"))
    return _row(parts)


def bar_row(scale: Scale, value: float, low: float = math.nan, high: float = math.nan) -> Drawing:
    """A value as a bar, with its interval over it."""
    parts = [_grid(scale)]
    if not math.isnan(value):
        begin, end = sorted((scale.share(0.0), scale.share(value)))
        shape = {"x": percent(begin), "width": percent(end - begin)}
        parts.append(element("rect", y=5.0, height=HEIGHT - 10.0, class_="bar", **shape))
    if not math.isnan(low):
        parts.append(_whisker(scale, low, high))
    return _row(parts)


def spread_row(scale: Scale, mean: float, std: float, least: float, most: float) -> Drawing:
    """The least and the most as a line, a standard deviation around the mean as a box, the mean as a dot."""
    parts = [_grid(scale), _whisker(scale, least, most)]
    if not math.isnan(std):
        begin, end = scale.share(max(mean - std, least)), scale.share(min(mean + std, most))
        parts.append(
            element("rect", x=percent(begin), width=percent(end - begin), y=6.0, height=HEIGHT - 12.0, class_="box")
        )
    parts.append(element("circle", cx=percent(scale.share(mean)), cy=MIDDLE, r=4.0, class_="dot"))
    return _row(parts)


def axis(scale: Scale) -> Drawing:
    """The numbers under the rows."""
    digits = max(0, -math.floor(math.log10(scale.step) + 1e-9)) + (scale.step == QUARTER)
    ticks = scale.ticks
    texts = [
        element("text", f"{tick:.{digits}f}", x=percent(scale.share(tick)), y=14.0, text_anchor=_anchor(k, len(ticks)))
        for k, tick in enumerate(ticks)
    ]
    return element("svg", *texts, class_="axis", width="100%", height=18.0, aria_hidden="true")


def _anchor(number: int, of: int) -> str:
    if number == 0:
        return "start"
    return "end" if number == of - 1 else "middle"


def _row(parts: Sequence[Drawing]) -> Drawing:
    return element("svg", joined(*parts), class_="row", width="100%", height=float(HEIGHT), aria_hidden="true")


def _grid(scale: Scale) -> Drawing:
    places = (percent(scale.share(tick)) for tick in scale.ticks)
    return joined(*(element("line", x1=x, x2=x, y1=0.0, y2=float(HEIGHT), class_="grid") for x in places))


def _whisker(scale: Scale, low: float, high: float) -> Drawing:
    ends = percent(scale.share(low)), percent(scale.share(high))
    caps = (element("line", x1=x, x2=x, y1=MIDDLE - 5, y2=MIDDLE + 5, class_="whisker") for x in ends)
    return joined(element("line", x1=ends[0], x2=ends[1], y1=MIDDLE, y2=MIDDLE, class_="whisker"), *caps)
