"""Show the progress of reading on a terminal if it takes more than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import timedelta
from types import TracebackType
from typing import Self

MIN_SECONDS = 1.0  # before the first line
MEGABYTE = 1e6


class ProgressLine:
    """A line with the megabytes read so far, redrawn in place and removed at the end.

    Args:
        title: name of the file.
        quiet: whether to show nothing.
    """

    def __init__(self, title: str, *, quiet: bool) -> None:
        self.title = title
        self.is_shown = False
        self._quiet = quiet or not sys.stderr.isatty()
        self._begin = self._last = time.monotonic()

    def __call__(self, read: int) -> None:
        """Report the number of bytes read so far.

        Args:
            read: number of bytes.
        """
        self._draw_line(lambda seconds: f"{read / MEGABYTE:,.0f} MB read, {seconds:,.0f} s")

    def report_texts(self, done: int, share: float | None) -> None:
        """Report the number of texts processed so far.

        Args:
            done: number of texts.
            share: share of the whole input, in (0, 1]; None if unknown.
        """
        self._draw_line(
            lambda seconds: f"{done:,} texts, {done / seconds:,.0f} a second" + _format_time_left(seconds, share)
        )

    def _draw_line(self, format_progress: Callable[[float], str]) -> None:
        """Draw a line, but not in the first second, and at most ten times a second."""
        now = time.monotonic()
        if self._quiet or now - self._begin < MIN_SECONDS or now - self._last < MIN_SECONDS / 10:
            return
        self._last, self.is_shown = now, True
        sys.stderr.write(f"\r\x1b[2K{self.title}: {format_progress(now - self._begin)}")
        sys.stderr.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        place: TracebackType | None,
    ) -> None:
        if self.is_shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


def _format_time_left(seconds: float, share: float | None) -> str:
    """Format the estimated time left, or the time so far if the share is unknown."""
    if not share:
        return f", {seconds:,.0f} s"
    return f", about {timedelta(seconds=round(seconds * (1 - share) / share))} left"
