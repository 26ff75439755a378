"""Figures of a benchmark as SVG: critical differences, and quality against speed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from isogloss.benchmark.ranking import find_cliques
from isogloss.report.markup import Markup, build_element

WIDTH, MARGIN, LINE = 760.0, 40.0, 22.0  # pixels
NAME_WIDTH = 210.0
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

    def place(rank: float) -> float:
        inner = WIDTH - 2 * NAME_WIDTH
        return NAME_WIDTH + inner * (rank - 1) / max(number - 1, 1)

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
    for at, (name, rank) in enumerate(zip(systems, mean_ranks, strict=True)):
        left = at < half
        height = top + LINE * (at if left else number - 1 - at)
        end = NAME_WIDTH - 8 if left else WIDTH - NAME_WIDTH + 8
        parts += [_draw_line(place(rank), axis, place(rank), height), _draw_line(place(rank), height, end, height)]
        text = f"{name} ({rank:.2f})"
        parts.append(_draw_text(end - 4 if left else end + 4, height + 4, text, "end" if left else "start"))
    return _wrap(
        parts, top + LINE * half, "Critical-difference diagram of mean ranks; a bar joins systems that do not differ"
    )


def draw_pareto_plot(points: Sequence[tuple[str, float, float]], front: Sequence[int]) -> Markup:
    """Draw quality against speed.

    A line joins the systems that no other beats in both.

    Args:
        points: name, score and characters a second of each system.
        front: places of the systems on the Pareto front.
    """
    height = 360.0
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
    for at, (name, score, speed) in enumerate(points):
        x, y = place(score, speed)
        color = FRONT if at in front else GREY
        parts.append(build_element("circle", cx=x, cy=y, r=5.0, fill=color))
        parts.append(_draw_text(x + 9, y + 4, name, "start", color))
    return _wrap(parts, height, "Score against speed; a line joins the systems that none beats in both")


def _wrap(parts: Sequence[Markup], height: float, label: str) -> Markup:
    title = build_element("title", label)
    return build_element(
        "svg",
        title,
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH:.0f} {height:.0f}",
        width=WIDTH,
        height=height,
        role="img",
        aria_label=label,
    )


def _draw_line(x: float, y: float, to_x: float, to_y: float, width: float = 1, color: str = INK) -> Markup:
    return build_element("line", x1=x, y1=y, x2=to_x, y2=to_y, stroke=color, stroke_width=width)


def _draw_text(x: float, y: float, text: str, anchor: str = "middle", color: str = INK) -> Markup:
    return build_element("text", text, x=x, y=y, text_anchor=anchor, fill=color, font_size=13.0, font_family=FONT)
