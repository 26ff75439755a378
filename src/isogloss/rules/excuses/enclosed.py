"""What stands between marks: quotations and code.

A quotation opens and closes within a line. Marks that look alike at both ends close a quotation that is open, and open
one where no letter or digit stands before them, or one of a script that is written without spaces. Between two letters
`'` and `’` are apostrophes and `"` is a Hebrew sign of abbreviation; not so before Chinese, Japanese or Korean, where
particles follow a quotation at once. Code stands between backticks of the same number, over lines where there are three
or more. What does not close is no quotation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from isogloss.rules.characters import PAIRS
from isogloss.rules.excuses.addresses import Found

ALIKE = "\"'"
FENCE = 3  # backticks that enclose lines
DEPTH = 8  # quotations within quotations that are followed
EAST_ASIAN = "\u1100-\u11ff\u3005-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
HEBREW = "\u05d0-\u05ea"
_INSIDE = re.compile(rf"(?<=[^\W\d_])['’](?=(?![{EAST_ASIAN}])[^\W\d_])|(?<=[{HEBREW}])\"(?=[{HEBREW}])")
_NOT_OPENING = re.compile(rf"(?![{EAST_ASIAN}])\w")


def enclosed(text: str, places: Sequence[int]) -> Iterator[Found]:
    """Code, and quotations, with their marks; the widest too where one holds another.

    Args:
        text: a text.
        places: ascending places in it of all that may enclose.
    """
    yield from _code(text, [at for at in places if text[at] == "`"])
    yield from _quotations(text, places)


def _code(text: str, ticks: Sequence[int]) -> Iterator[Found]:
    opened: tuple[int, int] | None = None
    for start, end in _runs(ticks):
        if opened is None or end - start != opened[1] - opened[0]:
            opened = opened or (start, end)
        elif end - start >= FENCE or "\n" not in text[opened[1] : start]:
            yield opened[0], end, "code"
            opened = None
        else:
            opened = start, end


def _runs(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Places that follow each other, as spans."""
    breaks = [k for k, (one, two) in enumerate(pairwise(places), 1) if two != one + 1]
    for first, last in pairwise([0, *breaks, len(places)]):
        if last > first:
            yield places[first], places[last - 1] + 1


def _quotations(text: str, places: Sequence[int]) -> Iterator[Found]:
    opened: list[tuple[int, str]] = []  # where, and what closes it
    for at in places:
        mark = text[at]
        if mark == "\n":
            opened = []
        elif mark == "`" or _INSIDE.match(text, at):
            continue
        elif (depth := _closes(mark, opened)) is not None:
            yield opened[depth][0], at + 1, "quotation"
            del opened[depth:]
        elif _opens(text, at, mark):
            opened = [*opened[1 - DEPTH :], (at, PAIRS.get(mark, mark))]


def _closes(mark: str, opened: list[tuple[int, str]]) -> int | None:
    """Which open quotation a mark closes: the innermost that it can; None if it closes none."""
    return next((depth for depth in range(len(opened) - 1, -1, -1) if mark in opened[depth][1]), None)


def _opens(text: str, at: int, mark: str) -> bool:
    if mark in PAIRS:
        return True
    return mark in ALIKE and (at == 0 or not _NOT_OPENING.match(text, at - 1))
