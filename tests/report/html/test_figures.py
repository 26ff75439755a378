from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.report.html.figures import Scale, draw_axis, draw_bar_row, draw_interval_row, draw_spread_row

UNIT = Scale(0.0, 1.0, 0.25)
NUMBERS = st.floats(-1000, 1000, allow_nan=False)


@given(st.lists(st.one_of(NUMBERS, st.just(math.nan)), max_size=20), st.booleans())
def test_a_scale_holds_all_its_values(values: list[float], from_zero: bool) -> None:  # noqa: FBT001
    scale = Scale.from_values(values, from_zero=from_zero)
    known = [value for value in values if not math.isnan(value)]
    assert scale.low < scale.high
    assert all(scale.low - 1e-6 <= value <= scale.high + 1e-6 for value in known)
    assert not from_zero or scale.low <= 0
    assert 3 <= len(scale.ticks) <= 9 or scale.high - scale.low > 500


def test_shares_of_a_whole_are_drawn_from_zero_to_one() -> None:
    assert Scale.from_values([0.4, 0.6], from_zero=True) == UNIT


def test_intervals_are_drawn_on_whole_steps_around_them() -> None:
    scale = Scale.from_values([0.49, 0.57, 0.9])
    assert [scale.low, scale.high, scale.step] == pytest.approx([0.4, 0.9, 0.1])


def test_a_dot_stands_at_its_value_on_its_interval() -> None:
    row = draw_interval_row(UNIT, 0.5, 0.25, 0.75)
    assert '<circle cx="50.00%"' in row
    assert '<line x1="25.00%" x2="75.00%"' in row


def test_without_an_interval_there_is_no_whisker() -> None:
    assert "whisker" not in draw_interval_row(UNIT, 0.5, math.nan, math.nan)
    assert "whisker" not in draw_bar_row(UNIT, 0.5)


def test_an_undefined_value_is_not_drawn() -> None:
    assert "circle" not in draw_interval_row(UNIT, math.nan, math.nan, math.nan)
    assert "rect" not in draw_bar_row(UNIT, math.nan)


def test_a_bar_begins_at_zero() -> None:
    assert 'x="0.00%" width="40.00%"' in draw_bar_row(UNIT, 0.4)
    assert 'x="25.00%" width="25.00%"' in draw_bar_row(Scale(-1.0, 1.0, 0.5), -0.5)


def test_the_box_of_a_spread_ends_with_the_values() -> None:
    assert 'x="50.00%" width="50.00%"' in draw_spread_row(UNIT, 0.8, 0.3, 0.1, 1.0)
    assert "rect" not in draw_spread_row(UNIT, 0.8, math.nan, 0.8, 0.8)


def test_an_axis_has_the_numbers_of_its_steps() -> None:
    assert re.findall(r">([^<]+)</text>", draw_axis(UNIT)) == ["0.00", "0.25", "0.50", "0.75", "1.00"]
    assert re.findall(r">([^<]+)</text>", draw_axis(Scale(0.0, 20.0, 10.0))) == ["0", "10", "20"]
