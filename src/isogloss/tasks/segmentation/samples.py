"""Samples: texts with marks where words begin, as all formats produce them.

A *sample* is a line, a sentence, a row or a Python list: a text and its words. Every format turns it into the code
points of the text and a mark at each code point that begins a word (`SampleBlock`).

Whitespace is what Python's `str.isspace` accepts. The whitespace policy is one of

- `ignore`: it is removed and has no meaning: `a |b` and `a| b` are equal, `a b` is one word;
- `separate`: it is removed and ends a word;
- `keep`: it is text like any other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import FormatError
from isogloss.kernel.scores import Ints
from isogloss.records.attributes import NO_VALUES, Values
from isogloss.tasks.segmentation.batches import CodePoints
from isogloss.tasks.segmentation.options import Whitespace

WORD_SPACE = " "


class TextSample(NamedTuple):
    """A text and its words.

    Args:
        line: number of the first line.
        pieces: the words, and the blanks between them if the format has blanks.
        multiword: tokens of several words; positions count the characters of the sample that are not whitespace.
        columns: the requested columns.
    """

    line: int
    pieces: Pieces
    multiword: tuple[MultiwordToken, ...] = ()
    columns: Values = NO_VALUES


def locate_words(words: Iterable[str], text: str) -> list[str] | None:
    """Return words and the blanks between them as pieces of text.

    The result is None if the text has other words.
    """
    pieces, at = [], 0
    for word in words:
        begin = text.find(word, at)
        if begin < 0 or text[at:begin].strip():
            return None
        pieces += [text[at:begin], word]
        at = begin + len(word)
    return None if text[at:].strip() else [piece for piece in (*pieces, text[at:]) if piece]


def add_spaces(words: Iterable[str], after: Iterable[bool]) -> list[str]:
    """Return words with a space after each word that `after` marks."""
    pieces: list[str] = []
    for word, space in zip(words, after, strict=True):
        pieces += [word, WORD_SPACE] if space else [word]
    return pieces


CharFlags = NDArray[np.bool_]

# Ranges of code points to look up; all others below LAST_BLANK, such as most alphabets, are text.
FIRST_BLANKS, MORE_BLANKS, FEW_BLANKS = (0, 0x20), (ord("|"), 0xA0), (0x1680, 0x3000)  # first and last of each
LAST_BLANK = FEW_BLANKS[1]
TEXT_CODE, BLANK_CODE, WORD_CODE, SAMPLE_CODE = range(4)
TABLE_SIZE = 1 << 16  # code points of the table
FIRST_LEAD_BYTE = 0xE0  # the lowest byte that begins a character of three bytes
MOST_ASCII = 0.5  # share of ASCII bytes; with more, decoding first is faster


@dataclass(frozen=True)
class Separators:
    """Characters that separate samples and words and are not text.

    Args:
        sample: the character at the end of each sample.
        word: the character between words; None if only whitespace separates words.
    """

    sample: str
    word: str | None


LINE_SEPARATORS = Separators("\n", "|")
SPACE_SEPARATORS = Separators("\n", None)
CONTROL_SEPARATORS = Separators("\x01", "\x02")  # rare in texts, and encoded faster than the separators below
NONCHARACTER_SEPARATORS = Separators("\ufffe", "\uffff")  # Unicode does not allow noncharacters in texts


class EncodedSamples(NamedTuple):
    """The text of samples without separators.

    Args:
        text: (characters,) code points.
        starts: (characters,) whether a word starts here.
        offsets: (samples + 1,) position of the first character of each sample.
        between: number of separators between words.
    """

    text: CodePoints
    starts: CharFlags
    offsets: Ints
    between: int


def encode_samples(marked: str, marks: Separators, whitespace: Whitespace) -> EncodedSamples:
    """Encode the text of samples, and remove the separators.

    Args:
        marked: samples, each with a separator at its end.
        marks: the separators. Several separators between two words count as one.
        whitespace: the whitespace policy.
    """
    buffer = _to_code_points(marked)  # (marked,)
    suspects = _mark_between(buffer, FIRST_BLANKS)
    suspects |= _mark_between(buffer, MORE_BLANKS)
    if buffer.max(initial=0) >= FEW_BLANKS[0]:
        suspects |= _mark_between(buffer, FEW_BLANKS)
    if marks is NONCHARACTER_SEPARATORS:
        suspects |= _mark_between(buffer, (ord(marks.sample), TABLE_SIZE - 1))
    at = np.flatnonzero(suspects)
    what = _build_code_table(marks, keeps=whitespace == "keep").take(buffer.take(at))  # (suspects,)
    if not what.all():
        suspects[at.take(np.flatnonzero(what == TEXT_CODE))] = False
        no_text = np.flatnonzero(what != TEXT_CODE)
        at, what = at.take(no_text), what.take(no_text)
    text = buffer.take(np.flatnonzero(~suspects))  # a third of the time of a mask
    return _encode_marked(text, at - np.arange(len(at)), what, whitespace)


def encode_three_byte_utf8(data: bytes, marks: Separators, whitespace: Whitespace) -> EncodedSamples | None:
    """Encode UTF-8 whose characters take one or three bytes.

    Most take three, as in Thai, Chinese and Japanese.

    It is faster than decoding first. The result is None for other texts, and for whitespace of three bytes.

    Args:
        data: samples in valid UTF-8, each with a separator at its end.
        marks: the separators, which are ASCII.
        whitespace: the whitespace policy.
    """
    codes = np.frombuffer(data, np.uint8)  # (bytes,)
    ascii_ = codes.view(np.int8) >= 0
    begins = codes >= FIRST_LEAD_BYTE
    alone = np.count_nonzero(ascii_)
    if alone > MOST_ASCII * len(codes) or alone + 3 * np.count_nonzero(begins) != len(codes):
        return None
    at = np.flatnonzero(ascii_)
    table = _build_code_table(marks, keeps=whitespace == "keep")
    what = table.take(codes.take(at))  # (ASCII,)
    after = (at - np.arange(len(at))) // 3  # (ASCII,) characters of three bytes before
    values = _decode_three_bytes(codes)
    if not what.all():
        letters = at.take(np.flatnonzero(what == TEXT_CODE))
        begins[letters], values[letters] = True, codes.take(letters)
        after += np.cumsum(what == TEXT_CODE)
        no_text = np.flatnonzero(what != TEXT_CODE)
        after, what = after.take(no_text), what.take(no_text)
    text = values.take(np.flatnonzero(begins))  # (characters,)
    if text.max(initial=0) >= FEW_BLANKS[0]:
        few = text.take(np.flatnonzero(_mark_between(text, FEW_BLANKS)))
        if table.take(few).any():
            return None
    return _encode_marked(text, after, what, whitespace)


def _decode_three_bytes(codes: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Return the code point that begins at each byte: (bytes,).

    It is valid where the code point has three bytes.
    """
    values = np.left_shift(codes, 12, dtype=np.uint16)
    values[:-2] |= np.left_shift(codes[1:-1] & 0x3F, 6, dtype=np.uint16)
    values[:-2] |= codes[2:] & 0x3F
    return values


def _encode_marked(text: CodePoints, after: Ints, what: NDArray[np.uint8], whitespace: Whitespace) -> EncodedSamples:
    """Build encoded samples from text and the characters removed from it.

    Args:
        text: (characters,) the text.
        after: (removed,) position in the text after each removed character.
        what: (removed,) code of each removed character: `BLANK_CODE`, `WORD_CODE` or `SAMPLE_CODE`.
        whitespace: the whitespace policy.
    """
    starts = np.zeros(len(text) + 1, np.bool_)
    starts[after if whitespace == "separate" else after.take(np.flatnonzero(what > BLANK_CODE))] = True
    starts[0] = True
    offsets = np.append(0, after.take(np.flatnonzero(what == SAMPLE_CODE)))
    return EncodedSamples(text, starts[:-1], offsets, int(np.count_nonzero(what == WORD_CODE)))


def _mark_between(codes: CodePoints, ends: tuple[int, int]) -> CharFlags:
    """Mark the code points of a range: (characters,).

    The range has its first and its last code point.
    """
    first, last = ends
    return codes - codes.dtype.type(first) <= last - first if first else codes <= last  # smaller codes wrap around


def _to_code_points(text: str) -> CodePoints:
    """Return the code points of a text: (characters,).

    They are 16-bit integers if all of them fit.
    """
    narrow = text.encode("utf-16-le", "surrogatepass")
    if len(narrow) == 2 * len(text):
        return np.frombuffer(narrow, "<u2")
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


@cache
def _build_code_table(marks: Separators, *, keeps: bool) -> NDArray[np.uint8]:
    """Build the table of what each code point below `TABLE_SIZE` is."""
    table = np.full(TABLE_SIZE, TEXT_CODE, np.uint8)
    if not keeps:
        table[[code for code in range(LAST_BLANK + 1) if chr(code).isspace()]] = BLANK_CODE
    if marks.word is not None:
        table[ord(marks.word)] = WORD_CODE
    table[ord(marks.sample)] = SAMPLE_CODE
    return table


def find_kept_positions(text: str, whitespace: Whitespace) -> Sequence[int]:
    """Return the positions of the characters that a whitespace policy keeps."""
    if whitespace == "keep" or not any(map(str.isspace, text)):
        return range(len(text))
    return [at for at, character in enumerate(text) if not character.isspace()]


Pieces = Sequence[str]  # the words of a sample, and the blanks between them if the format has blanks
MultiwordToken = tuple[int, tuple[str, ...]]  # first character of a token, and its words


class SamplePlace(NamedTuple):
    """Where a sample comes from.

    Args:
        where: its place, such as `pred.txt:12`.
        get_text: returns the text as the user gave it, without separators.
        file: its file, None for a list.
        columns: the requested columns.
    """

    where: str
    get_text: Callable[[], str]
    file: str | None = None
    columns: Values = NO_VALUES


LocateSample = Callable[[int], SamplePlace]  # by position in a block; for findings and errors only, so it may be slow


@dataclass(frozen=True, eq=False)
class SampleBlock:
    """Consecutive samples of one side.

    Args:
        text: (characters,) code points that the whitespace policy keeps.
        starts: (characters,) whether a word starts here: so at the first character of each sample that has one.
        offsets: (samples + 1,) position of the first character of each sample.
        locate_sample: returns where a sample comes from.
        whitespace: the whitespace policy.
        first: position of the first sample for `locate_sample`.
        multiword: tokens of several words, ascending; positions count from the beginning of `text`.
    """

    text: CodePoints
    starts: CharFlags
    offsets: Ints
    locate_sample: LocateSample
    whitespace: Whitespace = "ignore"
    first: int = 0
    multiword: tuple[MultiwordToken, ...] = ()

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def select_rows(self, start: int, stop: int) -> SampleBlock:
        """Return the samples from `start` to before `stop`."""
        if start == 0 and stop == len(self):
            return self
        low, high = int(self.offsets[start]), int(self.offsets[stop])
        inner = tuple((at - low, words) for at, words in self.multiword if low <= at < high)
        offsets = self.offsets[start : stop + 1] - low
        parts = self.text[low:high], self.starts[low:high], offsets
        return SampleBlock(*parts, self.locate_sample, self.whitespace, self.first + start, inner)

    @classmethod
    def empty(cls) -> SampleBlock:
        """Return a block without samples."""
        return cls(
            np.zeros(0, np.uint32), np.zeros(0, np.bool_), np.zeros(1, np.int64), lambda _: SamplePlace("the end", str)
        )

    def merge_samples(self) -> SampleBlock:
        """Return all samples as one, at the place of the first."""
        return SampleBlock(
            self.text, self.starts, self.offsets[[0, -1]], self.locate_sample, self.whitespace, self.first
        )

    def count_words(self) -> Ints:
        """Return the number of words of each sample: (samples,)."""
        total = np.append(0, np.cumsum(self.starts))
        return np.diff(total[self.offsets])

    def locate(self, row: int) -> SamplePlace:
        """Return where a sample comes from."""
        return self.locate_sample(self.first + row)

    def where(self, row: int) -> str:
        """Return the place of a sample."""
        return self.locate(row).where

    def get_text(self, row: int) -> CodePoints:
        """Return the code points of a sample: (characters,)."""
        text: CodePoints = self.text[self.offsets[row] : self.offsets[row + 1]]
        return text

    def get_starts(self, row: int) -> CharFlags:
        """Return whether a word starts at each character of a sample: (characters,)."""
        return self.starts[self.offsets[row] : self.offsets[row + 1]]


def concatenate_blocks(blocks: Iterable[SampleBlock]) -> SampleBlock:
    """Concatenate several blocks to one."""
    some = [block for block in blocks if len(block)]
    if len(some) < 2:  # noqa: PLR2004  nothing to join
        return some[0] if some else SampleBlock.empty()
    before = [0, *accumulate(len(block.text) for block in some)]  # characters before each
    moved = [block.offsets[1:] + characters for block, characters in zip(some, before, strict=False)]

    def locate_sample(row: int) -> SamplePlace:
        ends = [*accumulate(map(len, some))]
        at = bisect_right(ends, row)
        return some[at].locate(row - ends[at] + len(some[at]))

    return SampleBlock(
        text=np.concatenate([block.text for block in some]),
        starts=np.concatenate([block.starts for block in some]),
        offsets=np.concatenate([some[0].offsets[:1], *moved]),
        locate_sample=locate_sample,
        whitespace=some[0].whitespace,
        multiword=tuple(
            (at + low, words) for block, low in zip(some, before, strict=False) for at, words in block.multiword
        ),
    )


def encode_pieces(
    samples: Sequence[Pieces],
    whitespace: Whitespace,
    where: Callable[[int], str],
    files: Sequence[str] = (),
    columns: Sequence[Values] = (),
) -> SampleBlock:
    """Encode samples from their pieces.

    A piece of removed characters is not a word.

    Args:
        samples: per sample its words, and the blanks between them.
        whitespace: the whitespace policy.
        where: returns the place of a sample.
        files: the file of each sample; empty for lists.
        columns: the requested columns of each sample; empty if none are requested.

    Raises:
        FormatError: if pieces have noncharacters together with control characters.
        TypeError: if a piece is not a string.
    """

    def locate_sample(row: int) -> SamplePlace:
        file, values = files[row] if files else None, columns[row] if columns else NO_VALUES
        return SamplePlace(where(row), partial("".join, samples[row]), file, values)

    between = sum(map(len, samples)) - sum(map(bool, samples))
    for marks in (CONTROL_SEPARATORS, NONCHARACTER_SEPARATORS):
        word, end = marks.word or "", marks.sample
        marked = end.join([word.join(pieces) for pieces in samples]) + end if samples else ""
        encoded = encode_samples(marked, marks, whitespace)
        if encoded.between == between and len(encoded.offsets) == len(samples) + 1:  # the text has no separators
            return SampleBlock(encoded.text, encoded.starts, encoded.offsets, locate_sample, whitespace)
    raise _make_noncharacter_error(samples, where)


def _make_noncharacter_error(samples: Sequence[Pieces], where: Callable[[int], str]) -> FormatError:
    forbidden = f"{NONCHARACTER_SEPARATORS.sample}{NONCHARACTER_SEPARATORS.word}"  # allowed unless both marks are taken
    row, code = next(
        (row, ord(c)) for row, pieces in enumerate(samples) for piece in pieces for c in piece if c in forbidden
    )
    message = f"U+{code:04X} is not a character"
    return FormatError(message, where=where(row), remedy="Unicode does not allow it in texts; remove it.")
