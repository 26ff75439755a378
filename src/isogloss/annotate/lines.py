"""Whether every line of a text is in its language, by a language identifier that the user passes in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.annotate.joined import Joined
from isogloss.exceptions import DataError, UsageError
from isogloss.providers.functions import function_of
from isogloss.providers.specs import parsed
from isogloss.scores import Ints

Identify = Callable[[list[str]], Sequence[str | None]]
SHORTEST = 5  # words of a line, as in the Language Confusion Benchmark: shorter ones tell too little


@dataclass(frozen=True)
class Identifier:
    """Tells the language of lines.

    Args:
        name: as the user wrote it.
        identify: lines to codes of languages such as `uk`; None where it cannot tell.
    """

    name: str
    identify: Identify

    def pass_(self, joined: Joined, words: Ints, language: str) -> Ints:
        """Whether each text passes: (texts,) 1, 0, or -1 for a text without a line of at least five words.

        Args:
            joined: texts.
            words: first character of each token that has letters, ascending.
            language: of the texts.

        Raises:
            DataError: the identifier does not give an answer for each line.
        """
        text, lines = _lines(joined, words)
        answers = list(self.identify(lines)) if lines else []
        if len(answers) != len(lines):
            raise DataError(
                f"{self.name} gives {len(answers)} languages for {len(lines)} lines",
                remedy="It must give one for each line, in their order.",
            )
        right = np.array([_base(answer) == _base(language) for answer in answers], np.bool_)
        told = np.full(len(joined.rows), -1)
        told[text] = 1
        told[text[~right]] = 0
        return told


def identifier(wanted: str | Identify) -> Identifier:
    """An identifier from what a user gives.

    Args:
        wanted: `python:module:function`, or a callable.

    Raises:
        UsageError: it is neither, or the function cannot be found.
    """
    if isinstance(wanted, str):
        spec = parsed(wanted)
        if spec.kind != "python":
            raise UsageError(f"identifier is {wanted!r}, but it is python:module:function, or a callable.")
        return Identifier(wanted, function_of(spec))
    if not callable(wanted):
        raise UsageError(f"identifier is {wanted!r}, but it is python:module:function, or a callable.")
    return Identifier(_called(wanted), wanted)


def _called(function: Any) -> str:
    return f"{function.__module__}:{getattr(function, '__qualname__', type(function).__qualname__)}"


def _base(code: str | None) -> str | None:
    """A language without script and region."""
    return None if code is None else code.replace("-", "_").split("_")[0].lower()


def _lines(joined: Joined, words: Ints) -> tuple[Ints, list[str]]:
    """The lines with enough words, and the text that each is of."""
    breaks = np.flatnonzero(joined.points == ord("\n")) + 1
    start = np.union1d(joined.offsets[:-1], breaks)
    end = np.append(start[1:], len(joined.points))
    some = np.searchsorted(words, end) - np.searchsorted(words, start) >= SHORTEST
    start, end = start[some], end[some]
    lines = [line.strip() for line in joined.strings(start, end)]
    return np.searchsorted(joined.offsets, start, side="right") - 1, lines
