"""Contrast of all colours of the page, as WCAG 2 computes it, in both schemes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

STYLE = (Path(__file__).parents[3] / "src/isogloss/report/html/templates/style.css").read_text(encoding="utf-8")
TEXT, GRAPHIC = 4.5, 3.0  # level AA: text, and what is needed to understand a picture
BEHIND = ("page", "panel")
MARKS = ("reference", "predicted", "foreign")
SHADES = ("shade-1", "shade-2", "shade-3", "shade-4", "shade-5")
ON_PAGE = ("text", "quiet", "link", "kind", "right")
PAIRS = [
    *((colour, behind, TEXT) for colour in ON_PAGE for behind in BEHIND),
    *(("text", mark, TEXT) for mark in (*MARKS, *SHADES)),
    *((f"{mark}-line", mark, GRAPHIC) for mark in MARKS),
    *((f"{mark}-line", behind, GRAPHIC) for mark in (*MARKS, "excused") for behind in BEHIND),
    *((colour, behind, GRAPHIC) for colour in ("edge", "focus", "warn") for behind in BEHIND),
    *((colour, "page", GRAPHIC) for colour in ("bar", "dot", "whisker")),
    ("dot", "box", GRAPHIC),
    ("edge", "shade-1", GRAPHIC),
]
DECORATION = {"rule", "grid", "box"}  # edges that repeat what stands beside them, or that have an outline


def schemes() -> dict[str, dict[str, str]]:
    light = colours(STYLE[STYLE.index(":root") :])
    return {"light": light, "dark": light | colours(STYLE[STYLE.index("(prefers-color-scheme: dark)") :])}


def colours(rules: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", rules[: rules.index("}")]))


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_black_and_white_is_21() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_contrast_meets_level_aa() -> None:
    for scheme in ["light", "dark"]:
        for front, behind, least in PAIRS:
            own = schemes()[scheme]
            assert contrast(own[front], own[behind]) >= least


def test_every_colour_is_in_both_schemes_and_a_pair() -> None:
    own = schemes()
    dark = colours(STYLE[STYLE.index("(prefers-color-scheme: dark)") :])
    assert set(own["light"]) == set(dark)
    assert set(dark) == {name for front, behind, _ in PAIRS for name in (front, behind)} | DECORATION


def test_style_has_no_colour_outside_the_schemes() -> None:
    rest = re.sub(r":root \{[^}]*\}", "", STYLE)
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\(|hsla?\(", rest) == []


def test_marked_text_has_enough_line_height() -> None:
    heights = [float(height) for height in re.findall(r"\.text \{[^}]*line-height: ([0-9.]+)", STYLE)]
    assert heights
    assert min(heights) >= 1.8
