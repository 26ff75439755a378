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
CodePoints = NDArray[np.uint16] | NDArray[np.uint32]
Bools = NDArray[np.bool_]

# What is looked up: the rest of the code points below LAST_BLANK, such as most alphabets, is known to be text.
FIRST_BLANKS, MORE_BLANKS, FEW_BLANKS = (0, 0x20), (ord("|"), 0xA0), (0x1680, 0x3000)  # each with its last
LAST_BLANK = FEW_BLANKS[1]
TEXT, BLANK, WORD, SAMPLE = range(4)
KNOWN = 1 << 16  # code points of the table
LEAD = 0xE0  # the first of the bytes that begin a character of three
MOST_ASCII = 0.5  # of the bytes; with more of them, decoding is faster


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
CONTROLS = Marks("\x01", "\x02")  # few texts hold them; a string without surrogates or what follows is encoded faster
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
    suspects = _between(buffer, FIRST_BLANKS)
    suspects |= _between(buffer, MORE_BLANKS)
    if buffer.max(initial=0) >= FEW_BLANKS[0]:
        suspects |= _between(buffer, FEW_BLANKS)
    if marks is JOINED:
        suspects |= _between(buffer, (ord(marks.sample), KNOWN - 1))
    at = np.flatnonzero(suspects)
    what = _table(marks, keeps=whitespace == "keep").take(buffer.take(at))  # (suspects,)
    if not what.all():
        suspects[at.take(np.flatnonzero(what == TEXT))] = False
        no_text = np.flatnonzero(what != TEXT)
        at, what = at.take(no_text), what.take(no_text)
    text = buffer.take(np.flatnonzero(~suspects))  # a third of the time of a mask
    return _encoded(text, at - np.arange(len(at)), what, whitespace)


def encode_threes(data: bytes, marks: Marks, whitespace: Whitespace) -> Encoded | None:
    """The same from UTF-8 in which most characters take three bytes and none two or four: Thai, Chinese, Japanese.

    Decoding it first takes longer. None for any other text, and for one with whitespace of three bytes.

    Args:
        data: samples in sound UTF-8, each with a mark at its end.
        marks: the marks, which are ASCII.
        whitespace: the policy.
    """
    codes = np.frombuffer(data, np.uint8)  # (bytes,)
    ascii_ = codes.view(np.int8) >= 0
    begins = codes >= LEAD
    alone = np.count_nonzero(ascii_)
    if alone > MOST_ASCII * len(codes) or alone + 3 * np.count_nonzero(begins) != len(codes):
        return None
    at = np.flatnonzero(ascii_)
    table = _table(marks, keeps=whitespace == "keep")
    what = table.take(codes.take(at))  # (ASCII,)
    after = (at - np.arange(len(at))) // 3  # (ASCII,) characters of three bytes before
    values = _values_of_threes(codes)
    if not what.all():
        letters = at.take(np.flatnonzero(what == TEXT))
        begins[letters], values[letters] = True, codes.take(letters)
        after += np.cumsum(what == TEXT)
        no_text = np.flatnonzero(what != TEXT)
        after, what = after.take(no_text), what.take(no_text)
    text = values.take(np.flatnonzero(begins))  # (characters,)
    if text.max(initial=0) >= FEW_BLANKS[0]:
        few = text.take(np.flatnonzero(_between(text, FEW_BLANKS)))
        if table.take(few).any():
            return None
    return _encoded(text, after, what, whitespace)


def _values_of_threes(codes: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """The code point that each byte begins, if a character of three bytes begins there: (bytes,)."""
    values = np.left_shift(codes, 12, dtype=np.uint16)
    values[:-2] |= np.left_shift(codes[1:-1] & 0x3F, 6, dtype=np.uint16)
    values[:-2] |= codes[2:] & 0x3F
    return values


def _encoded(text: CodePoints, after: Ints, what: NDArray[np.uint8], whitespace: Whitespace) -> Encoded:
    """Text with its marks.

    Args:
        text: (characters,) what stays.
        after: (dropped,) position in the text of what follows each character that is no text.
        what: (dropped,) what it is.
        whitespace: the policy.
    """
    starts = np.zeros(len(text) + 1, np.bool_)
    starts[after if whitespace == "separate" else after.take(np.flatnonzero(what > BLANK))] = True
    starts[0] = True
    offsets = np.append(0, after.take(np.flatnonzero(what == SAMPLE)))
    return Encoded(text, starts[:-1], offsets, int(np.count_nonzero(what == WORD)))


def _between(codes: CodePoints, ends: tuple[int, int]) -> Bools:
    """Which code points are the first, the last, or between them: (characters,)."""
    first, last = ends
    return codes - codes.dtype.type(first) <= last - first if first else codes <= last  # what is smaller wraps around


def _code_points(text: str) -> CodePoints:
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
