"""Functions for `python:language_identifiers:NAME`."""

from __future__ import annotations

from collections.abc import Sequence


def ukrainian(lines: Sequence[str]) -> list[str]:
    """Return Ukrainian for each line."""
    return ["uk"] * len(lines)


def failing(texts: Sequence[str]) -> list[list[tuple[int, int]]]:
    """Fail on any text."""
    raise ValueError("broken")


def cyrillic_or_english(tokens: Sequence[str]) -> list[str]:
    """Return English for tokens in ASCII, Russian for others."""
    return ["en" if token.isascii() else "ru" for token in tokens]
