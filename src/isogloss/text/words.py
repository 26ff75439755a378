"""Find word tokens by character class alone.

A token is a run of letters and digits with their marks, including an apostrophe or point between two letters (`п'ять`,
`l·l`) and a point or comma between two digits (`3,14`). In scripts without spaces each character is a token, as scorers
of mixed Chinese and English count; a run of Katakana is one token, and so is a run of flags. Any other character except
a space is a token of its own. Spaces belong to no token.

A token never cuts a cluster, with three exceptions: a mark after a space stands alone; a linker without a letter before
it links nothing; and the few letters that Unicode writes before the letter they belong to join only letters and digits.
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
    Positions,
    list_marked,
    load_character_table,
)

ClassArray = NDArray[np.uint8]
CLASS_BITS, CLASS_MASK = 4, 0x0F  # bits that hold a class
CHARACTERS_AT_ONCE = 1 << 16
HANGUL = "Hang"


def _build_break_table() -> bytes:
    """Return 1 for each pair of classes that begins a token."""
    pairs = np.ones((1 << CLASS_BITS, 1 << CLASS_BITS), np.uint8)
    for word in (LETTER, DIGIT):
        pairs[word, [LETTER, DIGIT]] = 0
    for run in (KATAKANA, REGIONAL, SPACE):
        pairs[run, run] = 0
    return pairs.tobytes()


BREAK_TABLE = _build_break_table()


def find_tokens(classes: ClassArray, forced_starts: Positions | None = None) -> tuple[Positions, Positions]:
    """Return start and end of each token: (tokens,) each, ascending.

    Args:
        classes: (characters,) character classes of a text, in the lowest bits.
        forced_starts: characters at which a token always begins, such as the first of a sentence; None for none.
    """
    if not len(classes):
        return np.zeros(0, np.int32), np.zeros(0, np.int32)
    classes = classes & np.uint8(CLASS_MASK)
    marks = np.flatnonzero((classes == MARK) | (classes == LINKER))  # (marks,)
    kind = _resolve_classes(classes, marks)
    cut = np.ones(len(kind), np.bool_)  # whether a token begins with each character
    for at in range(1, len(kind), CHARACTERS_AT_ONCE):
        some = kind[at : at + CHARACTERS_AT_ONCE]
        pairs = kind[at - 1 : at - 1 + len(some)] << CLASS_BITS | some  # (characters,) each with the one before it
        breaks = pairs.tobytes().translate(BREAK_TABLE)  # faster than indexing the table
        cut[at : at + len(some)] = np.frombuffer(breaks, np.bool_)
    cut[marks] = kind[marks - 1] == SPACE
    cut[_find_linked(classes, kind, marks)] = False
    del classes
    cut[0] = True
    if forced_starts is not None:
        cut[forced_starts] = True
    word = np.not_equal(kind, SPACE, out=kind.view(np.bool_))
    begin = list_marked(cut, word)
    cut[:-1] = cut[1:]  # whether a token ends with each character
    cut[-1] = True
    end = list_marked(cut, word)
    end += 1
    return begin, end


def is_inside_word(text: str, at: int) -> bool:
    """Check whether letters or digits stand on both sides of a position.

    Only scripts that separate words by spaces count. Hangul never counts, because Korean attaches particles to names. A
    position before a mark never counts: it cuts a cluster in any script.

    Args:
        text: any text.
        at: position, from 0 to the length of the text.
    """
    before = at - 1
    while before >= 0 and _look_up_class(text[before]) in {MARK, LINKER}:
        before -= 1
    if before < 0 or at == len(text):
        return False
    return _is_word_character(text[before]) and _is_word_character(text[at])


def _is_word_character(character: str) -> bool:
    if character.isascii():
        return character.isalnum() or character == "_"  # avoids the table, which takes 0.25 s to read
    return _look_up_class(character) in {LETTER, DIGIT} and load_character_table().find_script(character) != HANGUL


def _look_up_class(character: str) -> int:
    return OTHER if character.isascii() else int(load_character_table().classes[ord(character)])


def _resolve_classes(classes: ClassArray, marks: Ints) -> ClassArray:
    """Return classes where marks and inner characters take those of their neighbours."""
    kind = classes.copy()
    if len(marks):
        first = np.diff(marks, prepend=-2) > 1  # (marks,) whether each is the first of a row of marks
        base = marks[first] - 1  # (rows,)
        settled = classes[base]
        settled[(base < 0) | (settled == SPACE)] = OTHER
        kind[marks] = settled[np.cumsum(first) - 1]
    for at in range(1, len(classes) - 1, CHARACTERS_AT_ONCE):
        some = classes[at : min(at + CHARACTERS_AT_ONCE, len(classes) - 1)]
        inner = np.flatnonzero((some == INNER) | (some == SEPARATOR)) + at
        sides = np.where(classes[inner] == INNER, LETTER, DIGIT)
        joined = inner[(kind[inner - 1] == sides) & (classes[inner + 1] == sides)]
        kind[joined] = kind[joined - 1]
    return kind


def _find_linked(classes: ClassArray, kind: ClassArray, marks: Ints) -> Ints:
    """Return characters that a linker joins to one of the same kind."""
    after = marks[classes[marks] == LINKER] + 1
    after = after[after < len(classes)]
    following = classes[after]
    linked: Ints = after[((following == IDEOGRAPH) | (following == SYMBOL)) & (following == kind[after - 1])]
    return linked
