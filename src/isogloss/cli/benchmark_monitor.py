"""Shows a running benchmark as a live table or lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from isogloss.cli.output import print_message
from isogloss.text.display import make_visible

if TYPE_CHECKING:
    from rich.table import Table

MAX_ROWS = 12
FINISHED = ("done", "failed", "kept")
REFRESH = 4  # times a second


class QuietMonitor:
    """Shows nothing."""

    def show_state(self, corpus: str, system: str, state: str, done: int = 0, total: int = 0) -> None:
        """Ignore the state of a cell."""


class LineMonitor:
    """Prints a line for each cell that begins or ends.

    Args:
        cells: number of cells.
    """

    def __init__(self, cells: int) -> None:
        self._cells = cells
        self._finished = 0

    def show_state(self, corpus: str, system: str, state: str, done: int = 0, total: int = 0) -> None:
        """Print the state of a cell."""
        del total
        if state == "timed" or (done and state not in FINISHED):
            return
        self._finished += state in FINISHED
        count = f" ({self._finished} of {self._cells})" if state in FINISHED else ""
        where = ", ".join(filter(None, (corpus, system)))
        print_message(f"isogloss: {make_visible(where)}: {state}{count}")


class LiveMonitor:
    """Live table of the last cells, with the time left.

    Args:
        cells: number of cells.
        live: the live display of rich.
    """

    def __init__(self, cells: int, live: Any) -> None:
        self._cells = cells
        self._live = live
        self._begin = time.monotonic()
        self._rows: dict[tuple[str, str], str] = {}
        self._finished: set[tuple[str, str]] = set()

    def show_state(self, corpus: str, system: str, state: str, done: int = 0, total: int = 0) -> None:
        """Show the state of a cell in its row."""
        key = (make_visible(corpus), make_visible(system))
        share = f" {done} of {total}" if total and state not in FINISHED else ""
        self._rows.pop(key, None)
        self._rows[key] = f"{state}{share}"
        if state in FINISHED:
            self._finished.add(key)
        self._live.update(self.build_table())

    def build_table(self) -> Table:
        """Build the table of the last cells."""
        from rich.table import Table
        from rich.text import Text

        table = Table("corpus", "system", "state", title=self._write_title())
        for (corpus, system), state in list(self._rows.items())[-MAX_ROWS:]:
            table.add_row(Text(corpus), Text(system), Text(state))
        return table

    def _write_title(self) -> str:
        finished, seconds = len(self._finished), time.monotonic() - self._begin
        left = seconds / finished * (self._cells - finished) if finished else None
        rest = "" if left is None else f", about {left:.0f} s left for predictions"
        return f"{finished} of {self._cells} cells{rest}"


@contextmanager
def make_monitor(cells: int, *, quiet: bool) -> Iterator[QuietMonitor | LineMonitor | LiveMonitor]:
    """Make the monitor for standard error.

    Args:
        cells: number of cells.
        quiet: whether to show nothing.
    """
    if quiet:
        yield QuietMonitor()
    elif not sys.stderr.isatty():
        yield LineMonitor(cells)
    else:
        from rich.console import Console
        from rich.live import Live

        with Live(console=Console(stderr=True), refresh_per_second=REFRESH, transient=True) as live:
            yield LiveMonitor(cells, live)
