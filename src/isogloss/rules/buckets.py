"""Names for parts of a corpus that documents have in common: lengths in classes, and scripts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from isogloss.rules.characters import characters, code_points

LENGTHS = (10, 20, 50, 100, 500)
UNKNOWN = "Zyyy"  # ISO 15924: undetermined script


def bucket(number: int, highest: Sequence[int], lowest: int = 1) -> str:
    """The class that a number falls into, such as `1-10`, `5` or `>500`.

    Args:
        number: 0 or more. 0 is a class of its own where classes begin at 1.
        highest: the highest number of each class, ascending.
        lowest: the lowest number of the first class.
    """
    if number < lowest:
        return str(number)
    at = bisect_left(highest, number)
    if at == len(highest):
        return f">{highest[-1]}"
    first = highest[at - 1] + 1 if at else lowest
    return str(first) if first == highest[at] else f"{first}-{highest[at]}"


def dominant_script(text: str) -> str:
    """The script that most letters of a text are of, by its four-letter code; `Zyyy` without letters.

    Of scripts with as many letters, the first by its code.
    """
    table = characters()
    times = np.bincount(table.used[code_points(text)], minlength=len(table.scripts))  # (sets of scripts,)
    found: dict[str, int] = {}
    for at in np.flatnonzero(times).tolist():
        for script in table.scripts[at][:1]:
            found[script] = found.get(script, 0) + int(times[at])
    return min(found, key=lambda script: (-found[script], script), default=UNKNOWN)
