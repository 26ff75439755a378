"""Where tokens begin and end, from the classes of characters alone.

A token is a run of letters and digits with the marks on them, and with an apostrophe or point between two letters
(`п'ять`, `l·l`) or a point or comma between two digits (`3,14`). Scripts that do not write words apart give one token
a character, as scorers of mixed Chinese and English count; Katakana gives a run, and so do flags in a row. All else
but space is a token of one character. Spaces belong to no token.

A token does not cut a cluster, with three exceptions: a mark after a space stands by itself, a linker without a letter
before it links nothing, and the few letters that Unicode writes before what they belong to are held by letters and
digits only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isogloss.text.scripts import (
    DIGIT,
    IDEOGRAPH,
    INNER,
    KATAKANA,
    LETTER,
    LINKER,
    MARK,
    OTHER,
    REGIONAL,
    SEPARATOR,
    SPACE,
    SYMBOL,
    Ints,
    characters,
)

Classes = NDArray[np.uint8]
BITS = 4  # of a class
HANGUL = "Hang"


def _apart() -> bytes:
    """Whether characters of two classes that follow each other are apart: one byte a pair, `first << BITS | second`."""
    pairs = np.ones((1 << BITS, 1 << BITS), np.uint8)
    for word in (LETTER, DIGIT):
        pairs[word, [LETTER, DIGIT]] = 0
    for run in (KATAKANA, REGIONAL, SPACE):
        pairs[run, run] = 0
    return pairs.tobytes()


APART = _apart()


def tokens(classes: Classes, edges: Ints | None = None) -> tuple[Ints, Ints]:
    """First character of each token, and the character after its last: (tokens,) each, ascending.

    Args:
        classes: (characters,) classes of a text.
        edges: characters at which a token begins in any case, such as the first of a sentence.
    """
    if not len(classes):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    marks = np.flatnonzero((classes == MARK) | (classes == LINKER))  # (marks,)
    kind = _kinds(classes, marks)
    pairs = np.zeros(len(kind), np.uint8)  # (characters,) each with the one before it; a text begins as after OTHER
    np.left_shift(kind[:-1], BITS, out=pairs[1:])
    pairs |= kind
    cut = np.frombuffer(bytearray(pairs.data).translate(APART), np.bool_)  # faster than an index of the table
    cut[marks] = kind[marks - 1] == SPACE
    cut[_linked(classes, kind, marks)] = False
    cut[0] = True
    if edges is not None:
        cut[edges] = True
    begin = np.flatnonzero(cut)
    end = np.append(begin[1:], len(classes))
    word = kind[begin] != SPACE
    return begin[word], end[word]


def goes_on(text: str, at: int) -> bool:
    """Whether a word goes on over a position: letters or digits on both sides, of scripts that write words apart.

    Never at a Hangul letter, because Korean writes particles to names, and never at a mark: a position before one cuts
    a cluster, whatever the script.

    Args:
        text: any text.
        at: from 0 to its length.
    """
    before = at - 1
    while before >= 0 and _class_of(text[before]) in {MARK, LINKER}:
        before -= 1
    if before < 0 or at == len(text):
        return False
    return _is_of_word(text[before]) and _is_of_word(text[at])


def _is_of_word(character: str) -> bool:
    if character.isascii():
        return character.isalnum() or character == "_"  # without the table, which takes a quarter of a second to read
    return _class_of(character) in {LETTER, DIGIT} and characters().script(character) != HANGUL


def _class_of(character: str) -> int:
    return OTHER if character.isascii() else int(characters().classes[ord(character)])


def _kinds(classes: Classes, marks: Ints) -> Classes:
    """Classes, but of marks that of what they settle on, and of inner characters that of their neighbours."""
    kind = classes.copy()
    if len(marks):
        first = np.diff(marks, prepend=-2) > 1  # (marks,) whether each is the first of a row of marks
        base = marks[first] - 1  # (rows,)
        settled = classes[base]
        settled[(base < 0) | (settled == SPACE)] = OTHER
        kind[marks] = settled[np.cumsum(first) - 1]
    inner = np.flatnonzero((classes[1:-1] == INNER) | (classes[1:-1] == SEPARATOR)) + 1
    sides = np.where(classes[inner] == INNER, LETTER, DIGIT)
    joined = inner[(kind[inner - 1] == sides) & (classes[inner + 1] == sides)]
    kind[joined] = kind[joined - 1]
    return kind


def _linked(classes: Classes, kind: Classes, marks: Ints) -> Ints:
    """Characters that a linker joins to one of the same kind before it."""
    after = marks[classes[marks] == LINKER] + 1
    after = after[after < len(classes)]
    following = classes[after]
    linked: Ints = after[((following == IDEOGRAPH) | (following == SYMBOL)) & (following == kind[after - 1])]
    return linked
