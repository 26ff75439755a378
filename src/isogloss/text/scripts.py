"""What every code point is: its class, by which texts fall into words, and the scripts whose letter it is.

Classes, after the word boundaries of Unicode Standard Annex #29:

    O other      punctuation and symbols, each a token of its own
    L letter     of scripts that write words apart
    I ideograph  letters of scripts that do not: Han, Hiragana, Thai, Lao, Khmer, Burmese; each is a token
    K katakana   a run of it is a token
    M mark       settles on the character before it: combining marks, format characters, sound marks, skin tones
    V linker     a mark after which the next letter belongs to the same cluster: viramas, the zero width joiner
    D digit      numbers of all kinds, the signs that Arabic writes before them, and `_`
    Z space      parts tokens, and belongs to none
    J inner      an apostrophe or point that is part of a word between two letters
    N separator  a point or comma that is part of a number between two digits
    S symbol     pictures, which a joiner may link
    R regional   the letters that flags are made of; a row of them is a token

A letter that any script may use, such as a modifier letter, belongs to none. The table is made by
`tools/make_characters.py` from the Unicode Character Database.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
CLASSES = "OLIKMVDZJNSR"
OTHER, LETTER, IDEOGRAPH, KATAKANA, MARK, LINKER, DIGIT, SPACE, INNER, SEPARATOR, SYMBOL, REGIONAL = range(len(CLASSES))
CODES = sys.maxunicode + 1
PAIRS = {"«": "»", "“": "”", "„": "“”", "‹": "›", "‘": "’", "‚": "‘’", "「": "」", "『": "』", "《": "》", "〈": "〉"}
ENCLOSING = frozenset("`\n\"'" + "".join(PAIRS) + "".join(PAIRS.values()))  # what quotations and code depend on


@dataclass(frozen=True, eq=False)
class Characters:
    """Properties of all code points.

    Args:
        classes: (code points,) position in `CLASSES`.
        used: (code points,) position in `scripts`.
        scripts: sets of scripts by their four-letter codes; the first set is empty.
    """

    classes: NDArray[np.uint8]
    used: NDArray[np.uint8]
    scripts: tuple[tuple[str, ...], ...]

    def script(self, character: str) -> str | None:
        """The script of a letter, None for what is no letter of a script."""
        return next(iter(self.used_by(character)), None)

    def used_by(self, character: str) -> tuple[str, ...]:
        """The scripts that use a letter, none for what is no letter of a script."""
        return self.scripts[self.used[ord(character)]]

    def letters(self, scripts: frozenset[str]) -> NDArray[np.bool_]:
        """(code points,) whether each is a letter of one of these scripts."""
        return np.array([not scripts.isdisjoint(used) for used in self.scripts])[self.used]


@cache
def characters() -> Characters:
    """The table, read once."""
    classes, used = np.zeros(CODES, np.uint8), np.zeros(CODES, np.uint8)
    scripts: dict[tuple[str, ...], int] = {(): 0}
    for line in data("characters.txt").splitlines()[1:]:
        first, last, name, members = line.split()
        codes = slice(int(first, 16), int(last, 16) + 1)
        classes[codes] = CLASSES.index(name)
        key = () if members == "-" else tuple(members.split(","))
        used[codes] = scripts.setdefault(key, len(scripts))
    return Characters(classes, used, tuple(scripts))


def data(name: str) -> str:
    """A file of the package's tables."""
    return (files("isogloss.text") / "data" / name).read_text(encoding="utf-8")


def code_points(text: str) -> NDArray[np.uint32]:
    """The code points of a text, lone surrogates included: (characters,)."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint32, copy=False)
