"""What each character of a text is to a language, whether its letters are written in one code point or in several."""

from __future__ import annotations

import unicodedata

import numpy as np
from numpy.typing import NDArray

from isogloss.rules.alphabets import COMPOSES, FOREIGN, NATIVE, Alphabet
from isogloss.rules.words import Classes
from isogloss.scores import Ints

SIDES = NATIVE | FOREIGN
MOST_MARKS = 4  # on a letter that are looked at; letters of one code point have three at most


def flags_of(alphabet: Alphabet, text: NDArray[np.uint32]) -> Classes:
    """The flags of each character: (characters,), see `Alphabet.flags`.

    A letter with marks that stand for a letter of one code point is what that letter is: `и` with a breve is `й`. If
    there is no such letter, as for a stressed vowel, the mark changes nothing.
    """
    flags = alphabet.flags[text]
    composes = np.flatnonzero(flags & COMPOSES)
    letter = composes[composes > 0] - 1  # (letters,) those before a mark
    letter = letter[(flags[letter] & SIDES) > 0]
    composed = text[letter]
    for mark in range(1, MOST_MARKS + 1):
        if not len(letter):
            break
        composed = _composed(composed, text[letter + mark])
        flags[letter] = (flags[letter] & ~np.uint8(SIDES)) | (alphabet.flags[composed] & SIDES)
        more = letter + mark + 1 < len(text)
        more[more] = (flags[letter[more] + mark + 1] & COMPOSES) > 0
        letter, composed = letter[more], composed[more]
    return flags


def _composed(letters: NDArray[np.uint32], marks: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The letters with their marks, where that is one code point, else the letters as they are: (letters,)."""
    known, which = np.unique(letters.astype(np.int64) << 32 | marks, return_inverse=True)
    return np.array([_one(chr(pair >> 32), chr(pair & 0xFFFFFFFF)) for pair in known.tolist()], np.uint32)[which]


def _one(letter: str, mark: str) -> int:
    composed = unicodedata.normalize("NFC", letter + mark)
    return ord(composed if len(composed) == 1 else letter)


def any_of(flags: Classes, start: Ints, end: Ints) -> Classes:
    """All flags that occur within each span: (spans,).

    Args:
        flags: (characters,) of a text.
        start: (spans,) ascending first characters.
        end: (spans,) characters after the last, each past its start, and each a character of the text.
    """
    if not len(start):
        return np.zeros(0, np.uint8)
    return np.bitwise_or.reduceat(flags, np.stack([start, end], axis=1).ravel())[::2]
