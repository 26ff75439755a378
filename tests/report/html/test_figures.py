from __future__ import annotations

import math
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.report.html.figures import (
    MOST_LABELS,
    Markup,
    MatrixCell,
    Scale,
    build_curve_pairs,
    build_element,
    build_matrix,
    draw_axis,
    draw_bar_row,
    draw_interval_row,
    draw_spread_row,
    format_percent,
    join_markup,
)
from isogloss.report.report_runs import CurvePoints, LabelCurves
from isogloss.text.display import make_visible

UNIT = Scale(0.0, 1.0, 0.25)
NUMBERS = st.floats(-1000, 1000, allow_nan=False)


@given(st.lists(st.one_of(NUMBERS, st.just(math.nan)), max_size=20), st.booleans())
def test_scale_contains_all_its_values(values: list[float], from_zero: bool) -> None:  # noqa: FBT001
    scale = Scale.from_values(values, from_zero=from_zero)
    known = [value for value in values if not math.isnan(value)]
    assert scale.low < scale.high
    assert all(scale.low - 1e-6 <= value <= scale.high + 1e-6 for value in known)
    assert not from_zero or scale.low <= 0
    assert 3 <= len(scale.ticks) <= 9 or scale.high - scale.low > 500


def test_scale_of_shares_goes_from_zero_to_one() -> None:
    assert Scale.from_values([0.4, 0.6], from_zero=True) == UNIT


def test_scale_of_intervals_has_whole_steps() -> None:
    scale = Scale.from_values([0.49, 0.57, 0.9])
    assert [scale.low, scale.high, scale.step] == pytest.approx([0.4, 0.9, 0.1])


def test_interval_row_has_dot_and_whisker() -> None:
    row = draw_interval_row(UNIT, 0.5, 0.25, 0.75)
    assert '<circle cx="50.00%"' in row
    assert '<line x1="25.00%" x2="75.00%"' in row


def test_row_without_interval_has_no_whisker() -> None:
    assert "whisker" not in draw_interval_row(UNIT, 0.5, math.nan, math.nan)
    assert "whisker" not in draw_bar_row(UNIT, 0.5)


def test_undefined_value_is_not_drawn() -> None:
    assert "circle" not in draw_interval_row(UNIT, math.nan, math.nan, math.nan)
    assert "rect" not in draw_bar_row(UNIT, math.nan)


def test_bar_begins_at_zero() -> None:
    assert 'x="0.00%" width="40.00%"' in draw_bar_row(UNIT, 0.4)
    assert 'x="25.00%" width="25.00%"' in draw_bar_row(Scale(-1.0, 1.0, 0.5), -0.5)


def test_spread_box_is_clipped_to_the_values() -> None:
    assert 'x="50.00%" width="50.00%"' in draw_spread_row(UNIT, 0.8, 0.3, 0.1, 1.0)
    assert "rect" not in draw_spread_row(UNIT, 0.8, math.nan, 0.8, 0.8)


def test_axis_has_a_number_per_tick() -> None:
    assert re.findall(r">([^<]+)</text>", draw_axis(UNIT)) == ["0.00", "0.25", "0.50", "0.75", "1.00"]
    assert re.findall(r">([^<]+)</text>", draw_axis(Scale(0.0, 20.0, 10.0))) == ["0", "10", "20"]


class One(HTMLParser):
    """The attributes and the text of one element."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: dict[str, str | None] = {}
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes = dict(attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


@given(st.text(), st.text())
def test_element_escapes_any_text(text: str, value: str) -> None:
    found = One(build_element("text", text, label=value))
    assert found.tags == ["text"]
    assert found.text == make_visible(text)
    assert found.attributes == {"label": make_visible(value)}


def test_element_does_not_escape_markup_again() -> None:
    assert (
        build_element("g", build_element("line"), join_markup(build_element("a"), build_element("b")))
        == "<g><line></line><a></a><b></b></g>"
    )


def test_attribute_names_lose_their_underscores() -> None:
    assert build_element("text", class_="x", text_anchor="end", id=None) == '<text class="x" text-anchor="end"></text>'


def test_attribute_numbers_are_rounded() -> None:
    assert build_element("rect", x=1.0, y=2.346, width=10.5) == '<rect x="1" y="2.35" width="10.5"></rect>'


def test_markup_is_not_escaped_by_templates() -> None:
    assert Markup("<b>").__html__() == "<b>"


def test_percent_is_clipped_to_0_and_100() -> None:
    assert [format_percent(share) for share in (-1, 0, 0.12345, 1, 2)] == [
        "0.00%",
        "0.00%",
        "12.35%",
        "100.00%",
        "100.00%",
    ]


ROC = CurvePoints(false_positive_rate=[0.0, 0.5, 1.0], true_positive_rate=[0.0, 1.0, 1.0])
STEPS = CurvePoints(recall=[0.0, 0.5, 1.0], precision=[1.0, 1.0, 0.5])


def points(drawing: str) -> list[tuple[float, float]]:
    found = re.search(r'points="([^"]*)"', drawing)
    assert found is not None
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in found[1].split())]


def test_roc_curve_goes_through_its_points() -> None:
    drawing = build_curve_pairs({"a": LabelCurves(roc=ROC)}, {})[0].roc
    assert drawing is not None
    (x0, y0), (x1, y1), (x2, y2) = points(drawing)
    assert (x1 - x0) * 2 == x2 - x0
    assert y0 - y1 == x2 - x0
    assert y1 == y2


def test_precision_recall_curve_goes_in_steps() -> None:
    drawing = build_curve_pairs({"a": LabelCurves(precision_recall=STEPS)}, {})[0].precision_recall
    assert drawing is not None
    places = points(drawing)
    assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(places))


def test_undefined_curve_is_not_drawn() -> None:
    assert build_curve_pairs({"a": LabelCurves()}, {})[0].roc is None
    assert (
        build_curve_pairs({"a": LabelCurves(roc=CurvePoints(), precision_recall=CurvePoints())}, {})[0].precision_recall
        is None
    )


def test_areas_of_a_label_are_listed() -> None:
    by_label = {"a": {"ranking": {"roc_auc": 0.5, "average_precision": 0.25}}}
    assert build_curve_pairs({"a": LabelCurves(roc=ROC)}, by_label)[0].areas == "ROC-AUC 0.5000, AP 0.2500"


def test_matrix_rows_are_reference_labels_with_shades() -> None:
    found = build_matrix({("a", "a"): 9, ("a", "b"): 1, ("b", "b"): 5, ("b", None): 5})
    assert found is not None
    assert found.labels == ("a", "b", "none")
    assert found.rows[0] == (
        "a",
        (MatrixCell(9, 5, agrees=True), MatrixCell(1, 1, agrees=False), MatrixCell(0, 0, agrees=False)),
    )
    assert found.rows[2] == ("none", (MatrixCell(0, 0, agrees=False),) * 3)


def test_label_named_none_differs_from_no_label() -> None:
    found = build_matrix({("none", "none"): 1, (None, "none"): 1})
    assert found is not None
    assert [cells[-1].agrees for _, cells in found.rows] == [False, False]
    assert found.rows[0][1][0].agrees


def test_matrix_counts_rare_labels_it_leaves_out() -> None:
    found = build_matrix({(f"l{k:02}", f"l{k:02}"): k + 1 for k in range(MOST_LABELS + 3)})
    assert found is not None
    assert len(found.labels) == MOST_LABELS
    assert found.labels[0] == "l03"
    assert found.left_out == 3


def test_matrix_without_counts_is_none() -> None:
    assert build_matrix({}) is None
