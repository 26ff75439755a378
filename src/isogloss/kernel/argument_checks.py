"""Checks of arguments from Python callers, before isogloss reads any file."""

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
    """Check that a value is one of the allowed ones.

    Args:
        name: name of the argument or option.
        value: the value that the caller gave.
        allowed: the allowed values.
        synonyms: other names of allowed values, for the suggestion.

    Raises:
        UsageError: if it is not; the message suggests the closest allowed value.
    """
    allowed = list(allowed)
    if not any(value is each or (isinstance(value, str) and value == each) for each in allowed):
        known = {**{name: name for name in map(str, allowed)}, **synonyms}
        close = synonyms.get(str(value).casefold()) or known.get(closest(value, known) or "")
        suggestion = "" if close is None else f"; did you mean {close}?"
        stop = "" if suggestion else "."
        raise UsageError(f"Unknown {name} {value!r}{suggestion}{stop} Choose from {', '.join(map(str, allowed))}.")


def resolve_choice(name: str, value: Any, allowed: Iterable[Any], synonyms: Mapping[str, str] = NO_SYNONYMS) -> Any:
    """Return the allowed value that a given value means.

    The given value may be the allowed value itself, the same in another case, or another name of it.

    Args:
        name: name of the argument or option.
        value: the value that the caller gave.
        allowed: the allowed values.
        synonyms: other names of allowed values, lower case.

    Raises:
        UsageError: if it means none of them; the message suggests the closest allowed value.
    """
    allowed = list(allowed)
    if isinstance(value, str) and value not in allowed:
        by_fold = {str(each).casefold(): each for each in allowed}
        folded = value.casefold()
        value = by_fold.get(synonyms.get(folded, folded), value)
    check_choice(name, value, allowed, synonyms)
    return value


def closest(value: Any, allowed: Iterable[Any]) -> str | None:
    """Return the most similar allowed value, ignoring case, or None.

    It is None if no allowed value is close.
    """
    if not isinstance(value, str):
        return None
    by_fold = {str(each).casefold(): str(each) for each in allowed if each is not None}
    folded = value.casefold()
    begun = [each for each in by_fold if folded and each.startswith(folded)]
    return next((by_fold[each] for each in get_close_matches(folded, by_fold, n=1) or begun), None)


def check_whole_number(name: str, value: Any, minimum: int) -> None:
    """Check that a value is a whole number of at least `minimum`.

    Args:
        name: name of the argument or option.
        value: the value that the caller gave.
        minimum: the smallest allowed value.

    Raises:
        UsageError: if it is not.
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < minimum:
        raise UsageError(f"{name} must be a whole number, {minimum} or more; got {value!r}.")


def check_number_between(name: str, value: Any, low: float, high: float, example: str) -> None:
    """Check that a value is a number strictly between two others.

    Args:
        name: name of the argument or option.
        value: the value that the caller gave.
        low: lower bound, not allowed itself.
        high: upper bound, not allowed itself; `math.inf` for none.
        example: an allowed value, for the message.

    Raises:
        UsageError: if it is not.
    """
    if not isinstance(value, Real) or isinstance(value, bool) or not low < float(value) < high:
        upper = "" if math.isinf(high) else f" and below {high:,.12g}"
        raise UsageError(f"{name} must be a number above {low:g}{upper}, such as {example}; got {value!r}.")


def check_beta(beta: Any) -> None:
    """Check the weight of recall in the F-measure.

    Args:
        beta: the value that the caller gave; with `math.inf`, F is recall.

    Raises:
        UsageError: if it is not a number above 0.
    """
    if not isinstance(beta, Real) or isinstance(beta, bool) or not float(beta) > 0:
        raise UsageError(f"beta must be a number above 0, such as 2, or inf for recall; got {beta!r}.")


def check_name(name: str, value: Any) -> str | None:
    """Return a name; None stays None.

    Args:
        name: name of the argument.
        value: the value that the caller gave.

    Raises:
        UsageError: if it is not a string, or empty.
    """
    if value is None or (isinstance(value, str) and value):
        return value
    raise UsageError(f"{name} must be a string that is not empty, such as 'my model'; got {value!r}.")


def check_strings(name: str, values: Any) -> tuple[str, ...] | None:
    """Return strings as a sorted tuple without repetition; None stays None.

    Args:
        name: name of the argument or option.
        values: a collection of strings, or None.

    Raises:
        UsageError: if it is a single string, empty, or has something else in it.
    """
    if values is None:
        return None
    if isinstance(values, str):
        raise UsageError(f"{name} must be a list of strings, such as [{values!r}]; got {values!r}.")
    strings = list(values)
    if not strings or not all(isinstance(value, str) for value in strings):
        raise UsageError(f"{name} must be a list of at least one string; got {strings!r}.")
    return tuple(sorted(set(strings)))


def check_list(name: str, values: Any) -> list[Any]:
    """Return values as a list, and refuse a single string.

    A single string would be read as its letters.

    Args:
        name: name of the argument or option.
        values: an iterable other than a string or path.

    Raises:
        UsageError: if it is a string or path.
    """
    if isinstance(values, str | os.PathLike):
        raise UsageError(f"{name} must be a list, such as [{values!r}]; got {values!r}.")
    return list(values)
