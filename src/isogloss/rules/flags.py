"""What each character of a text is to a language, whether its letters are written in one code point or in several."""

from __future__ import annotations

import unicodedata

import numpy as np
from numpy.typing import NDArray

from isogloss.rules.alphabets import CLASS, FOREIGN, NATIVE, Alphabet
from isogloss.rules.characters import LETTER
from isogloss.rules.words import Classes
from isogloss.scores import Ints

# Marks that make a letter of its own of the one before: й, ё, é, and the Arabic letters with hamza or madda.
COMPOSING = ((0x300, 0x370), (0x653, 0x656))
SIDES = NATIVE | FOREIGN


def flags_of(alphabet: Alphabet, text: NDArray[np.uint32]) -> Classes:
    """The flags of each character: (characters,), see `Alphabet.flags`.

    A letter with a mark that stands for a letter of one code point is what that letter is: `и` with a breve is `й`. If
    there is no such letter, as for a stressed vowel, the mark changes nothing.
    """
    flags = alphabet.flags[text]
    marks = np.zeros(len(text), np.bool_)
    for low, high in COMPOSING:
        marks |= (text >= low) & (text < high)
    at = np.flatnonzero(marks[1:]) + 1
    at = at[(flags[at - 1] & CLASS) == LETTER]
    if len(at):
        pairs = text[at - 1].astype(np.int64) << 32 | text[at]
        known, which = np.unique(pairs, return_inverse=True)
        sides = np.array([_side(alphabet, code >> 32, code & 0xFFFFFFFF) for code in known.tolist()], np.uint8)
        flags[at - 1] = (flags[at - 1] & ~np.uint8(SIDES)) | sides[which]
    return flags


def _side(alphabet: Alphabet, letter: int, mark: int) -> int:
    composed = unicodedata.normalize("NFC", chr(letter) + chr(mark))
    return int(alphabet.flags[ord(composed) if len(composed) == 1 else letter]) & SIDES


def any_of(flags: Classes, start: Ints, end: Ints) -> Classes:
    """All flags that occur within each span: (spans,); spans are not empty, ascending, and end before the last one."""
    if not len(start):
        return np.zeros(0, np.uint8)
    return np.bitwise_or.reduceat(flags, np.stack([start, end], axis=1).ravel())[::2]
