"""How far a long reading has come, on standard error, when a person is looking and it takes more than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import timedelta
from types import TracebackType
from typing import Self

MIN_SECONDS = 1.0  # seconds
MEGABYTE = 1e6


class ProgressLine:
    """A line that tells the megabytes read so far, drawn in place and removed at the end.

    Args:
        title: what is being read.
        quiet: draw nothing.
    """

    def __init__(self, title: str, *, quiet: bool) -> None:
        self.title = title
        self.is_shown = False
        self._quiet = quiet or not sys.stderr.isatty()
        self._begin = self._last = time.monotonic()

    def __call__(self, read: int) -> None:
        """Note that so many bytes have been read."""
        self._draw_line(lambda seconds: f"{read / MEGABYTE:,.0f} MB read, {seconds:,.0f} s")

    def report_texts(self, done: int, share: float | None) -> None:
        """Note that so many texts are done.

        Args:
            done: number of texts.
            share: of the whole input, in (0, 1]; None where that is not known.
        """
        self._draw_line(
            lambda seconds: f"{done:,} texts, {done / seconds:,.0f} a second" + _format_time_left(seconds, share)
        )

    def _draw_line(self, what: Callable[[float], str]) -> None:
        """Draw a line, unless it is too early or too soon after the last one."""
        now = time.monotonic()
        if self._quiet or now - self._begin < MIN_SECONDS or now - self._last < MIN_SECONDS / 10:
            return
        self._last, self.is_shown = now, True
        sys.stderr.write(f"\r\x1b[2K{self.title}: {what(now - self._begin)}")
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
    """About how long the rest will take."""
    if not share:
        return f", {seconds:,.0f} s"
    return f", about {timedelta(seconds=round(seconds * (1 - share) / share))} left"
