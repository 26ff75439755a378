"""Interleaved rounds: which tool runs when, and which run counts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest


@pytest.fixture
def measure(load: Callable[[str], Any]) -> Any:
    return load("measure")


def test_tools_run_in_turn(measure: Any) -> None:
    order: list[str] = []

    def tool(name: str) -> Callable[[], Any]:
        def run() -> Any:
            order.append(name)
            return measure.Cost(1.0, 1.0, 1.0)

        return run

    measure.interleave({"one": tool("one"), "two": tool("two")})
    assert order == ["one", "two"] * 3


def test_cheapest_run_counts(measure: Any) -> None:
    runs = iter([measure.Cost(seconds, 1.0, 1.0) for seconds in (3.0, 1.0, 1.05)])
    found = measure.interleave({"one": lambda: next(runs)})["one"]
    assert found.seconds == 1.0
    assert found.spread == pytest.approx(0.05)


def test_tool_whose_runs_differ_gets_more_rounds(measure: Any) -> None:
    def runs() -> Iterator[Any]:
        for seconds in (1.0, 2.0, 3.0, 1.0, 5.0):
            yield measure.Cost(seconds, 1.0, 1.0)

    left = runs()
    assert measure.interleave({"one": lambda: next(left)})["one"].spread == 0.0
    assert len(list(left)) == 1


def test_tool_that_is_not_installed_is_not_run(measure: Any) -> None:
    assert measure.interleave({"one": None}) == {"one": None}


def test_failed_program_error_includes_its_output(measure: Any) -> None:
    with pytest.raises(measure.FailedRunError, match="a reason"):
        measure.measure_child([sys.executable, "-c", "raise ValueError('a reason')"])
