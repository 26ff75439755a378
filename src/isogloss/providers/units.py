"""A text cut into the units by which names are compared: words, and the characters of scripts without spaces.

A word is a run of letters, digits and the marks on them. An apostrophe belongs to a word between two letters that are
not Latin (`п'ять`); after a Latin letter it ends one, so that `Google` is found in `Google's`, `Google'ом`, and
`Amérique` in `l'Amérique`. Where Hangul, Katakana or a script without spaces meets other letters, a word ends:
`Samsung` is found in `Samsung은`. Scripts without spaces give one unit a grapheme cluster; anything else but whitespace
is a unit of its own.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from isogloss.text import KATAKANA, UNSPACED, graphemes

HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff"
LATIN = "A-Za-z\u00aa-\u024f\u1e00-\u1eff"
APOSTROPHE = "['\u2019]"
JOINERS = "\u200c\u200d"
PLANES_WITH_MARKS = (range(0x20000), range(0xE0100, 0xE01F0))


def units(text: str) -> list[tuple[str, int, int]]:
    """The units of a text, each with its start and end; what lies between two is whitespace.

    A unit is given in the composed form (NFC), so that canonically equivalent ones are equal.
    """
    found = []
    for match in _pattern().finditer(text):
        start, end = match.span()
        if match.lastgroup:
            found += [(_composed(text[start + a : start + b]), start + a, start + b) for a, b in graphemes(match[0])]
        else:
            found.append((_composed(match[0]), start, end))
    return found


def _composed(unit: str) -> str:
    return unit if unit.isascii() else unicodedata.normalize("NFC", unit)


@cache
def _pattern() -> re.Pattern[str]:
    """Its class of marks takes some milliseconds to collect."""
    marks = _marks() + JOINERS
    letter = rf"[^\W_{UNSPACED}{KATAKANA}{HANGUL}]"
    foreign = rf"[^\W\d_{LATIN}{UNSPACED}{KATAKANA}{HANGUL}]"
    return re.compile(
        rf"(?P<unspaced>[{UNSPACED}][{UNSPACED}{marks}]*)|[{KATAKANA}][{KATAKANA}{marks}]*|[{HANGUL}][{HANGUL}{marks}]*"
        rf"|{letter}(?:{letter}|[{marks}]|(?<={foreign}){APOSTROPHE}(?={foreign}))*|\S[{marks}]*"
    )


def _marks() -> str:
    """All combining marks, as the inside of a class of a regular expression."""
    codes = {code for plane in PLANES_WITH_MARKS for code in plane if unicodedata.category(chr(code))[0] == "M"}
    starts = sorted(code for code in codes if code - 1 not in codes)
    ends = sorted(code for code in codes if code + 1 not in codes)
    return "".join(f"{chr(start)}-{chr(end)}" for start, end in zip(starts, ends, strict=True))
