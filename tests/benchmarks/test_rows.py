"""Rows of the benchmarks: ratios, tools that are not installed, and two runs in one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def rows(load: Callable[[str], Any]) -> Any:
    return load("rows")


@pytest.fixture
def cost(load: Callable[[str], Any]) -> Any:
    return load("measure").Cost


def test_tool_that_ran_once_is_noted(rows: Any, cost: Any) -> None:
    assert rows.make_rows("ner", "lists", {"isogloss": cost(1.0, 1.0, 1.0)})[0].note == "one run"


def test_ratio_is_the_time_of_a_tool_over_ours(rows: Any, cost: Any) -> None:
    found = rows.make_rows("ner", "lists", {"isogloss": cost(0.5, 10.0, 0.5), "peer": cost(2.0, 20.0, 2.0)})
    assert [row.ratio_to_ours for row in found] == [1.0, 4.0]
    assert [row.peak_mb for row in found] == [10.0, 20.0]


def test_ratio_allows_for_different_amounts_of_input(rows: Any, cost: Any) -> None:
    amounts = {"isogloss": rows.Amount(100, "tokens"), "peer": rows.Amount(10, "tokens")}
    found = rows.make_rows(
        "ner", "lists", {"isogloss": cost(1.0, 1.0, 1.0, 0.0), "peer": cost(1.0, 1.0, 1.0, 0.0)}, amounts
    )
    assert found[1].ratio_to_ours == 10.0
    assert found[1].note == "10 tokens; 10 tokens / s"


def test_tool_that_is_not_installed_is_a_row(rows: Any, cost: Any) -> None:
    found = rows.make_rows("ner", "lists", {"isogloss": cost(0.5, 10.0, 0.5), "peer": None})
    assert found[1] == rows.Row("ner", "lists", "peer", None, None, None, "not installed")
    assert "| lists | peer |  |  |  | not installed |" in rows.draw_rows(found)


def test_runs_that_differ_are_called_noisy(rows: Any, cost: Any) -> None:
    found = rows.make_rows("ner", "lists", {"isogloss": cost(1.0, 1.0, 1.0, spread=0.5)})
    assert found[0].note == "noisy: second run 50% slower"


def test_cheapest_of_two_runs_gives_new_ratios(rows: Any) -> None:
    one = [rows.Row("ner", "a", "isogloss", 2.0, 1.0, 1.0), rows.Row("ner", "a", "peer", 6.0, 1.0, 3.0)]
    two = [rows.Row("ner", "a", "isogloss", 1.0, 1.0, 1.0), rows.Row("ner", "a", "peer", 8.0, 1.0, 8.0)]
    kept = rows.keep_cheapest(one, two)
    assert [(row.cpu_seconds, row.ratio_to_ours) for row in kept] == [(1.0, 1.0), (6.0, 6.0)]


def test_cheapest_run_keeps_tools_that_were_not_measured(rows: Any) -> None:
    one = [rows.Row("ner", "a", "isogloss", 2.0, 1.0, 1.0), rows.Row("ner", "a", "peer", note="not installed")]
    assert rows.keep_cheapest(one, one) == one
