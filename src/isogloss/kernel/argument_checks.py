"""Checks of what Python callers give: a wrong value is refused by name, before anything is read."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any

from isogloss.errors import UsageError

NO_SYNONYMS: Mapping[str, str] = MappingProxyType({})


def check_choice(name: str, value: Any, allowed: Iterable[Any], synonyms: Mapping[str, str] = NO_SYNONYMS) -> None:
    """Refuse a value that is not among the allowed ones.

    Args:
        name: of the argument or option.
        value: what was given.
        allowed: the values that can be given.
        synonyms: what others call allowed values, for the suggestion.

    Raises:
        UsageError: if it is not; the message suggests the closest allowed value.
    """
    allowed = list(allowed)
    if not any(value is each or (isinstance(value, str) and value == each) for each in allowed):
        close = synonyms.get(str(value).casefold()) or closest(value, allowed)
        suggestion = "" if close is None else f"; did you mean {close}?"
        stop = "" if suggestion else "."
        raise UsageError(f"Unknown {name} {value!r}{suggestion}{stop} Choose from {', '.join(map(str, allowed))}.")


def closest(value: Any, allowed: Iterable[Any]) -> str | None:
    """Return the allowed value that a misspelt one resembles most, whatever its case; None where none is close."""
    if not isinstance(value, str):
        return None
    by_fold = {str(each).casefold(): str(each) for each in allowed if each is not None}
    folded = value.casefold()
    begun = [each for each in by_fold if folded and each.startswith(folded)]
    return next((by_fold[each] for each in get_close_matches(folded, by_fold, n=1) or begun), None)


def check_whole_number(name: str, value: Any, minimum: int) -> None:
    """Refuse what is no whole number from `least` on.

    Raises:
        UsageError: it is none.
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < minimum:
        raise UsageError(f"{name} is {value!r}, but it is a whole number, {minimum} or more.")


def check_number_between(name: str, value: Any, low: float, high: float, example: str) -> None:
    """Refuse what is no number strictly between two others.

    Raises:
        UsageError: it is none.
    """
    if not isinstance(value, Real) or isinstance(value, bool) or not low < float(value) < high:
        upper = "" if math.isinf(high) else f" and below {high:g}"
        raise UsageError(f"{name} is {value!r}, but it is a number above {low:g}{upper}, such as {example}.")


def check_strings(name: str, values: Any) -> tuple[str, ...] | None:
    """Several strings as a tuple without repetition, ascending; None stays None.

    Raises:
        UsageError: it is a single string, empty, or holds something else.
    """
    if values is None:
        return None
    if isinstance(values, str):
        raise UsageError(f"{name} is {values!r}, but it is a list of strings: [{values!r}].")
    found = list(values)
    if not found or not all(isinstance(value, str) for value in found):
        raise UsageError(f"{name} is {found!r}, but it is a list of at least one string.")
    return tuple(sorted(set(found)))


def check_list(name: str, values: Any) -> list[Any]:
    """Several values as a list. A single string or path is a slip: it would be taken for its letters.

    Raises:
        UsageError: it is one.
    """
    if isinstance(values, str | os.PathLike):
        raise UsageError(f"{name} is {values!r}, but it is a list: [{values!r}].")
    return list(values)
