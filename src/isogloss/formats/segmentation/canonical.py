"""Texts that differ only in how the same thing is written, brought to one form without losing a word's start.

`nfc`   canonically equivalent texts, such as a letter with an accent as one code point or as two (UAX #15).
`thai`  beside these what Thai texts differ in: sara am as one vowel or as nikhahit and sara aa, on either side of the
        tone mark; sara ae as two sara e; and zero-width spaces, joiners and byte order marks inside the text.

The one form is the longest: everything is decomposed, so that a word that starts inside a composed character still has
a place to start at.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, get_args

import numpy as np

from isogloss.formats.segmentation.encoding import Bools, CodePoints

Align = Literal["none", "nfc", "thai"]
ALIGNMENTS: tuple[Align, ...] = get_args(Align)

NIKHAHIT, SARA_AA, SARA_AM, SARA_E, SARA_AE = "\u0e4d", "\u0e32", "\u0e33", "\u0e40", "\u0e41"
INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufeff")
SPELT_OUT = {SARA_AM: NIKHAHIT + SARA_AA, SARA_AE: SARA_E + SARA_E}
TONE_BEFORE_NIKHAHIT = re.compile(f"[\u0e48-\u0e4b]+{NIKHAHIT}")


@dataclass(frozen=True, eq=False)
class Canonical:
    """A text in the one form.

    Args:
        text: (characters,) its code points.
        starts: (characters,) whether a word starts here.
        source: (characters,) which character of the text as it was each stands for.
    """

    text: CodePoints
    starts: Bools
    source: tuple[int, ...]


def canonical(text: CodePoints, starts: Bools, align: Align) -> Canonical:
    """A text in the one form.

    Args:
        text: (characters,) its code points.
        starts: (characters,) whether a word starts here.
        align: which texts have the same form.
    """
    written = text.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    pairs = [(part, at) for at, character in enumerate(written) for part in _parts(character, align)]
    pairs = _ordered(pairs)
    if align == "thai":
        pairs = _tones_last(pairs)
    source = tuple(at for _, at in pairs)
    return Canonical(np.array([ord(part) for part, _ in pairs], np.uint32), _moved(starts, source), source)


def _parts(character: str, align: Align) -> str:
    if align == "thai":
        if character in INVISIBLE:
            return ""
        if character in SPELT_OUT:
            return SPELT_OUT[character]
    return unicodedata.normalize("NFD", character)


def _ordered(pairs: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Runs of combining marks in canonical order."""
    result: list[tuple[str, int]] = []
    for combining, run in groupby(pairs, key=lambda pair: unicodedata.combining(pair[0]) > 0):
        marks = list(run)
        result += sorted(marks, key=lambda pair: unicodedata.combining(pair[0])) if combining else marks
    return result


def _tones_last(pairs: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Nikhahit before the tone marks that stand before it."""
    result = list(pairs)
    for found in TONE_BEFORE_NIKHAHIT.finditer("".join(part for part, _ in pairs)):
        first, last = found.start(), found.end() - 1
        result[first : last + 1] = [pairs[last], *pairs[first:last]]
    return result


def _moved(starts: Bools, source: tuple[int, ...]) -> Bools:
    """Where words start: at the first place that stands for a character at which one started, or for a later one."""
    moved = np.zeros(len(source), np.bool_)
    wanted = np.flatnonzero(starts).tolist()
    at = 0
    for start in wanted:
        while at < len(source) and source[at] < start:
            at += 1
        if at < len(source):
            moved[at] = True
    return moved
