"""Limits on the work of one input, which the environment can raise."""

from __future__ import annotations

import os

from isogloss.errors import UsageError


def read_limit(name: str, default: int) -> int:
    """Read a limit from the environment.

    Args:
        name: name of the variable, such as `ISOGLOSS_MAX_CELLS`.
        default: the limit if the variable is not set.

    Raises:
        UsageError: if the variable is not a whole number.
    """
    given = os.environ.get(name, "")
    if not given:
        return default
    if not given.isdecimal():
        raise UsageError(f"{name} must be a whole number, got {given!r}.")
    return int(given)
