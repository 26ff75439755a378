"""Figures of a benchmark as SVG: critical differences, and quality against speed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from isogloss.benchmark.ranking import find_cliques
from isogloss.report.markup import Markup, build_element
from isogloss.text.display import measure_width

WIDTH, MARGIN, LINE, NAME_LINE = 760.0, 40.0, 22.0, 16.0  # pixels
NAME_WIDTH = 210.0  # at least
LETTER = 7.5  # width of a column of text
INK, FRONT, GREY = "#1d2129", "#14509c", "#6b7280"
FONT = "system-ui, sans-serif"


def draw_critical_difference(systems: Sequence[str], mean_ranks: Sequence[float], critical_difference: float) -> Markup:
    """Draw mean ranks on an axis.

    A bar joins systems that do not differ significantly.

    Args:
        systems: names, best mean rank first.
        mean_ranks: their mean ranks, ascending.
        critical_difference: smallest significant difference.
    """
    number = len(systems)
    texts = [f"{name} ({rank:.2f})" for name, rank in zip(systems, mean_ranks, strict=True)]
    side = _measure_names(texts)
    width = WIDTH + 2 * (side - NAME_WIDTH)

    def place(rank: float) -> float:
        return side + (width - 2 * side) * (rank - 1) / max(number - 1, 1)

    cliques = find_cliques(mean_ranks, critical_difference)
    axis = 2 * MARGIN
    parts = [_draw_line(place(1), axis, place(number), axis)]
    for tick in range(1, number + 1):
        parts += [_draw_line(place(tick), axis - 6, place(tick), axis), _draw_text(place(tick), axis - 10, str(tick))]
    length = place(1 + min(critical_difference, max(number - 1, 1))) - place(1)
    parts.append(_draw_line(place(1), MARGIN, place(1) + length, MARGIN, 2))
    parts.append(_draw_text(place(1) + length / 2, MARGIN - 6, f"critical difference {critical_difference:.2f}"))
    for at, (first, last) in enumerate(cliques):
        height = axis + 10 + 8 * at
        parts.append(_draw_line(place(mean_ranks[first]) - 4, height, place(mean_ranks[last]) + 4, height, 4, FRONT))
    top = axis + 8 * len(cliques) + LINE
    half = (number + 1) // 2
    for at, (text, rank) in enumerate(zip(texts, mean_ranks, strict=True)):
        left = at < half
        height = top + LINE * (at if left else number - 1 - at)
        end = side - 8 if left else width - side + 8
        parts += [_draw_line(place(rank), axis, place(rank), height), _draw_line(place(rank), height, end, height)]
        parts.append(_draw_text(end - 4 if left else end + 4, height + 4, text, "end" if left else "start"))
    label = "Critical-difference diagram of mean ranks; a bar joins systems that do not differ"
    return _wrap(parts, width, top + LINE * half, label)


def draw_pareto_plot(points: Sequence[tuple[str, float, float]], front: Sequence[int]) -> Markup:
    """Draw quality against speed.

    A line joins the systems that no other beats in both. Names stand in a column, so that none covers another.

    Args:
        points: name, score and characters a second of each system.
        front: places of the systems on the Pareto front.
    """
    height = max(360.0, NAME_LINE * len(points) + 3 * MARGIN)
    scores, speeds = [score for _, score, _ in points], [math.log10(speed) for _, _, speed in points]
    low, high = min(scores), max(scores)
    slow, fast = math.floor(min(speeds)), math.ceil(max(speeds) + 1e-9)

    def place(score: float, speed: float) -> tuple[float, float]:
        across = (math.log10(speed) - slow) / max(fast - slow, 1)
        up = (score - low) / (high - low) if high > low else 0.5
        return 2 * MARGIN + across * (WIDTH - 2 * MARGIN - NAME_WIDTH), height - 2 * MARGIN - up * (height - 3 * MARGIN)

    parts = [_draw_line(2 * MARGIN, height - MARGIN, WIDTH - NAME_WIDTH, height - MARGIN)]
    parts.append(_draw_line(2 * MARGIN - 10, MARGIN, 2 * MARGIN - 10, height - MARGIN))
    for power in range(slow, fast + 1):
        at, _ = place(low, 10.0**power)
        parts.append(_draw_text(at, height - MARGIN + 16, f"{10**power:,}" if power >= 0 else f"{10.0**power:g}"))
    parts.append(_draw_text((WIDTH - NAME_WIDTH) / 2 + MARGIN, height - 6, "characters a second"))
    ends = (low, high) if low < high else (low,)
    parts += [_draw_text(2 * MARGIN - 16, place(each, 10.0**slow)[1] + 4, f"{each:.3f}", "end") for each in ends]
    joined = sorted(place(points[at][1], points[at][2]) for at in front)
    for (x, y), (to_x, to_y) in pairwise(joined):
        parts.append(_draw_line(x, y, to_x, to_y, 2, FRONT))
    places = [place(score, speed) for _, score, speed in points]
    column = WIDTH - NAME_WIDTH + 2 * LETTER
    order = sorted(range(len(points)), key=lambda at: places[at][1])
    for at, line in zip(order, _spread([places[at][1] for at in order], height - 2 * MARGIN), strict=True):
        color = FRONT if at in front else GREY
        x, y = places[at]
        parts.append(_draw_line(x, y, column - 6, line, 0.5, GREY))
        parts.append(build_element("circle", cx=x, cy=y, r=5.0, fill=color))
        parts.append(_draw_text(column, line + 4, points[at][0], "start", color))
    width = column + _measure_names([name for name, _, _ in points])
    return _wrap(parts, width, height, "Score against speed; a line joins the systems that none beats in both")


def _measure_names(names: Sequence[str]) -> float:
    """Return the width of a column of names."""
    return max([NAME_WIDTH, *(LETTER * measure_width(name) + 16 for name in names)])


def _spread(heights: Sequence[float], last: float) -> list[float]:
    """Move ascending heights apart by `NAME_LINE`, the last not below `last`."""
    lines: list[float] = []
    for height in heights:
        lines.append(max(height, lines[-1] + NAME_LINE) if lines else height)
    for at in reversed(range(len(lines))):
        lines[at] = min(lines[at], last - NAME_LINE * (len(lines) - 1 - at))
    return lines


def _wrap(parts: Sequence[Markup], width: float, height: float, label: str) -> Markup:
    title = build_element("title", label)
    return build_element(
        "svg",
        title,
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=width,
        height=height,
        role="img",
        aria_label=label,
    )


def _draw_line(x: float, y: float, to_x: float, to_y: float, width: float = 1, color: str = INK) -> Markup:
    return build_element("line", x1=x, y1=y, x2=to_x, y2=to_y, stroke=color, stroke_width=width)


def _draw_text(x: float, y: float, text: str, anchor: str = "middle", color: str = INK) -> Markup:
    return build_element("text", text, x=x, y=y, text_anchor=anchor, fill=color, font_size=13.0, font_family=FONT)
