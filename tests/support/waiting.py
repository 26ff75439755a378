"""Waiting for what another process does, for a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

SECONDS = 60.0


def wait_until(said: Callable[[], bool]) -> None:
    """Wait until it is so.

    Raises:
        TimeoutError: it is not, in a minute.
    """
    end = time.monotonic() + SECONDS
    while not said():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.005)


def wait_for(path: Path) -> None:
    """Wait until the file is there."""
    wait_until(path.exists)
