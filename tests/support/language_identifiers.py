"""Functions for `python:language_identifiers:NAME`."""

from __future__ import annotations

from collections.abc import Sequence


def ukrainian(lines: Sequence[str]) -> list[str]:
    """Every line is Ukrainian."""
    return ["uk"] * len(lines)


def failing(texts: Sequence[str]) -> list[list[tuple[int, int]]]:
    """Nothing can be told."""
    raise ValueError("broken")
