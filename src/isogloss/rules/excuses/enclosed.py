"""What stands between marks: quotations and code.

A quotation opens and closes within a line. Marks that look alike at both ends close a quotation that is open, and open
one where no letter or digit stands before them, or one of a script that is written without spaces. The marks of a pair
open and close in either order (`«…»`, `»…«`): after a letter and before none, a mark does not open. Between two letters
`'`, `’` and `‘` are apostrophes and `"` is a Hebrew sign of abbreviation; not so before Chinese, Japanese or Korean,
where particles follow a quotation at once. Code stands between backticks of the same number, over lines where there are
three or more. What does not close is no quotation.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

from isogloss.rules.characters import PAIRS
from isogloss.rules.excuses.found import EAST_ASIAN, WORD, Found

ALIKE = "\"'”"  # `”` at both ends is Swedish and Finnish
REVERSED = {"»": "«", "›": "‹"}
FENCE = 3  # backticks that enclose lines
DEPTH = 8  # quotations within quotations that are followed
HEBREW = "\u05d0-\u05ea"
_INSIDE = re.compile(rf"(?<=[^\W\d_])['’‘](?=(?![{EAST_ASIAN}])[^\W\d_])|(?<=[{HEBREW}])\"(?=[{HEBREW}])")
_WORD = re.compile(WORD)
_ANY_WORD = re.compile(r"\w")


def enclosed(text: str, places: Sequence[int]) -> Iterator[Found]:
    """Code, and quotations, with their marks; the widest too where one holds another.

    Args:
        text: a text.
        places: ascending places in it of all that may enclose.
    """
    yield from _code(text, places)
    yield from _quotations(text, places)


def _code(text: str, places: Sequence[int]) -> Iterator[Found]:
    """Each run of backticks that does not lie in code opens it if a run of the same length follows, as in Markdown."""
    runs = list(_runs([at for at in places if text[at] == "`"]))
    breaks = [at for at in places if text[at] == "\n"]
    following: dict[int, int] = {}  # length: the next run of it
    closing: list[int | None] = [None] * len(runs)
    for at in range(len(runs) - 1, -1, -1):
        start, end = runs[at]
        closing[at] = following.get(end - start)
        following[end - start] = at
    free = 0  # the first run that does not lie in code
    for at, (start, end) in enumerate(runs):
        last = closing[at]
        if at < free or last is None:
            continue
        if end - start >= FENCE or bisect_left(breaks, end) == bisect_left(breaks, runs[last][0]):
            yield start, runs[last][1], "code"
            free = last + 1


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
        elif (closing := _opens(text, at, mark)) is not None:
            opened = [*opened[1 - DEPTH :], (at, closing)]


def _closes(mark: str, opened: list[tuple[int, str]]) -> int | None:
    """Which open quotation a mark closes: the innermost that it can; None if it closes none."""
    return next((depth for depth in range(len(opened) - 1, -1, -1) if mark in opened[depth][1]), None)


def _opens(text: str, at: int, mark: str) -> str | None:
    """What closes the quotation that a mark opens; None if it opens none."""
    after_word = at > 0 and _WORD.match(text, at - 1) is not None
    before_word = _ANY_WORD.match(text, at + 1) is not None
    if mark in PAIRS:
        return PAIRS[mark] if before_word or not after_word else None
    if mark in REVERSED:
        return REVERSED[mark] if before_word and not after_word else None
    return mark if mark in ALIKE and not after_word else None
