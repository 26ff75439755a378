"""Marked text to code points and marks: one buffer of UTF-32 per block, and numpy over it.

Whitespace is what Python's `str.isspace` says. Its policy is one of

- `ignore`: it is left out, and means nothing: `a |b` and `a| b` are equal, `a b` is one word;
- `separate`: it is left out, and ends a word;
- `keep`: it is text like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from isogloss.scores import Ints

Whitespace = Literal["ignore", "separate", "keep"]
POLICIES: tuple[Whitespace, ...] = get_args(Whitespace)
CodePoints = NDArray[np.uint32]
Bools = NDArray[np.bool_]

# What is looked up: the rest of the code points below LAST_BLANK, such as most alphabets, is known to be text.
FIRST_LETTER, FIRST_RARE, LAST_BLANK = 0xA1, 0x1680, 0x3000
TEXT, BLANK, WORD, SAMPLE = range(4)
KNOWN = 1 << 16  # code points of the table


@dataclass(frozen=True)
class Marks:
    """Characters that are no text.

    Args:
        sample: stands at the end of each sample.
        word: stands between words; None where only whitespace does.
    """

    sample: str
    word: str | None


LINES = Marks("\n", "|")
SPACED = Marks("\n", None)
JOINED = Marks("\ufffe", "\uffff")  # noncharacters: no text may hold them


class Encoded(NamedTuple):
    """The text of samples without their marks.

    Args:
        text: (characters,) code points.
        starts: (characters,) whether a word starts here.
        offsets: (samples + 1,) position of each sample's first character.
        between: how many marks between words there were.
    """

    text: CodePoints
    starts: Bools
    offsets: Ints
    between: int


def encode(marked: str, marks: Marks, whitespace: Whitespace) -> Encoded:
    """The text of samples without their marks.

    Args:
        marked: samples, each with a mark at its end.
        marks: the marks. Several between two words are as good as one.
        whitespace: the policy.
    """
    buffer = _code_points(marked)  # (marked,)
    suspects = buffer < FIRST_LETTER
    if buffer.max(initial=0) >= FIRST_RARE:
        suspects |= buffer - FIRST_RARE <= LAST_BLANK - FIRST_RARE  # unsigned subtraction wraps around
    if marks is JOINED:
        suspects |= buffer - ord(marks.sample) <= 1
    at = np.flatnonzero(suspects)
    what = _table(marks, keeps=whitespace == "keep").take(buffer.take(at))  # (suspects,)
    if not what.all():
        no_text = np.flatnonzero(what)
        at, what = at.take(no_text), what.take(no_text)
    after = at - np.arange(len(at))  # (dropped,) position in the text of what follows
    stays = np.ones(len(buffer), np.bool_)
    stays[at] = False
    text = buffer.take(np.flatnonzero(stays)).astype(np.uint32)  # a third of the time of a mask
    starts = np.zeros(len(text) + 1, np.bool_)
    starts[after if whitespace == "separate" else after.take(np.flatnonzero(what > BLANK))] = True
    starts[0] = True
    offsets = np.append(0, after.take(np.flatnonzero(what == SAMPLE)))
    return Encoded(text, starts[:-1], offsets, int(np.count_nonzero(what == WORD)))


def _code_points(text: str) -> NDArray[np.uint16] | NDArray[np.uint32]:
    """The code points of a text (characters,), in half the space where all of them fit: less to pass over."""
    narrow = text.encode("utf-16-le", "surrogatepass")
    if len(narrow) == 2 * len(text):
        return np.frombuffer(narrow, "<u2")
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


@cache
def _table(marks: Marks, *, keeps: bool) -> NDArray[np.uint8]:
    """What each code point below `KNOWN` is."""
    table = np.full(KNOWN, TEXT, np.uint8)
    if not keeps:
        table[[code for code in range(LAST_BLANK + 1) if chr(code).isspace()]] = BLANK
    if marks.word is not None:
        table[ord(marks.word)] = WORD
    table[ord(marks.sample)] = SAMPLE
    return table


def kept(text: str, whitespace: Whitespace) -> list[int]:
    """Positions of the characters of a text that the policy keeps."""
    if whitespace == "keep":
        return list(range(len(text)))
    return [at for at, character in enumerate(text) if not character.isspace()]
