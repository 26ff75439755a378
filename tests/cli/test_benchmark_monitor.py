"""A running benchmark is shown as lines, or as a live table."""

from __future__ import annotations

import pytest
from rich.console import Console

from isogloss.cli.benchmark_monitor import LineMonitor, LiveMonitor


class Display:
    def update(self, table: object) -> None:
        console = Console(width=80)
        with console.capture() as captured:
            console.print(table)
        self.text = captured.get()


def test_lines_show_beginning_and_end_only(capsys: pytest.CaptureFixture[str]) -> None:
    monitor = LineMonitor(2)
    monitor.show_state("", "a", "building")
    monitor.show_state("toy", "a", "running", 0, 5)
    monitor.show_state("toy", "a", "running", 3, 5)
    monitor.show_state("toy", "a", "done", 5, 5)
    monitor.show_state("toy", "b", "kept")
    monitor.show_state("toy", "a", "timing", 1, 7)
    assert capsys.readouterr().err.splitlines() == [
        "isogloss: a: building",
        "isogloss: toy, a: running",
        "isogloss: toy, a: done (1 of 2)",
        "isogloss: toy, b: kept (2 of 2)",
    ]


def test_the_table_shows_each_cell_once_with_its_share() -> None:
    display = Display()
    monitor = LiveMonitor(2, display)
    monitor.show_state("toy", "a", "running", 0, 5)
    monitor.show_state("toy", "a", "running", 3, 5)
    assert "running 3 of 5" in display.text
    assert display.text.count("toy") == 1
    monitor.show_state("toy", "a", "done", 5, 5)
    assert "1 of 2 cells" in display.text
    assert "left" in display.text
