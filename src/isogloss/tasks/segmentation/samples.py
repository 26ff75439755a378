"""What the formats have in common that are read a sample at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Literal, NamedTuple, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import FormatError
from isogloss.kernel.scores import Ints
from isogloss.records.attributes import Values

WORD_SPACE = " "


@dataclass(frozen=True)
class TextSample:
    """A text and its words.

    Args:
        line: number of its first line.
        pieces: its words, and the blanks between them where the format tells of them.
        inner: tokens of several words; positions count the characters of the sample that are not whitespace.
        columns: what is wanted of it beside, None where nothing is.
    """

    line: int
    pieces: Pieces
    multiword: tuple[MultiwordToken, ...] = ()
    columns: Values | None = None


def locate_words(words: Iterable[str], text: str) -> list[str] | None:
    """Words and the blanks between them, as they stand in a text; None where they do not stand there in this order."""
    pieces, at = [], 0
    for word in words:
        begin = text.find(word, at)
        if begin < 0 or text[at:begin].strip():
            return None
        pieces += [text[at:begin], word]
        at = begin + len(word)
    return None if text[at:].strip() else [piece for piece in (*pieces, text[at:]) if piece]


def add_spaces(words: Iterable[str], after: Iterable[bool]) -> list[str]:
    """Words with a space after those for which it is said."""
    pieces: list[str] = []
    for word, space in zip(words, after, strict=True):
        pieces += [word, WORD_SPACE] if space else [word]
    return pieces


WhitespacePolicy = Literal["ignore", "separate", "keep"]
WHITESPACE_POLICIES: tuple[WhitespacePolicy, ...] = get_args(WhitespacePolicy)
CodePoints = NDArray[np.uint16] | NDArray[np.uint32]
CharFlags = NDArray[np.bool_]

# What is looked up: the rest of the code points below LAST_BLANK, such as most alphabets, is known to be text.
FIRST_BLANKS, MORE_BLANKS, FEW_BLANKS = (0, 0x20), (ord("|"), 0xA0), (0x1680, 0x3000)  # each with its last
LAST_BLANK = FEW_BLANKS[1]
TEXT_CODE, BLANK_CODE, WORD_CODE, SAMPLE_CODE = range(4)
TABLE_SIZE = 1 << 16  # code points of the table
FIRST_LEAD_BYTE = 0xE0  # the first of the bytes that begin a character of three
MOST_ASCII = 0.5  # of the bytes; with more of them, decoding is faster


@dataclass(frozen=True)
class Separators:
    """Characters that are no text.

    Args:
        sample: stands at the end of each sample.
        word: stands between words; None where only whitespace does.
    """

    sample: str
    word: str | None


LINE_SEPARATORS = Separators("\n", "|")
SPACE_SEPARATORS = Separators("\n", None)
CONTROL_SEPARATORS = Separators(
    "\x01", "\x02"
)  # few texts hold them; a string without surrogates or what follows is encoded faster
NONCHARACTER_SEPARATORS = Separators("\ufffe", "\uffff")  # noncharacters: no text may hold them


class EncodedSamples(NamedTuple):
    """The text of samples without their marks.

    Args:
        text: (characters,) code points.
        starts: (characters,) whether a word starts here.
        offsets: (samples + 1,) position of each sample's first character.
        between: how many marks between words there were.
    """

    text: CodePoints
    starts: CharFlags
    offsets: Ints
    between: int


def encode_samples(marked: str, marks: Separators, whitespace: WhitespacePolicy) -> EncodedSamples:
    """The text of samples without their marks.

    Args:
        marked: samples, each with a mark at its end.
        marks: the marks. Several between two words are as good as one.
        whitespace: the policy.
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


def encode_three_byte_utf8(data: bytes, marks: Separators, whitespace: WhitespacePolicy) -> EncodedSamples | None:
    """The same from UTF-8 in which most characters take three bytes and none two or four: Thai, Chinese, Japanese.

    Decoding it first takes longer. None for any other text, and for one with whitespace of three bytes.

    Args:
        data: samples in sound UTF-8, each with a mark at its end.
        marks: the marks, which are ASCII.
        whitespace: the policy.
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
    """The code point that each byte begins, if a character of three bytes begins there: (bytes,)."""
    values = np.left_shift(codes, 12, dtype=np.uint16)
    values[:-2] |= np.left_shift(codes[1:-1] & 0x3F, 6, dtype=np.uint16)
    values[:-2] |= codes[2:] & 0x3F
    return values


def _encode_marked(
    text: CodePoints, after: Ints, what: NDArray[np.uint8], whitespace: WhitespacePolicy
) -> EncodedSamples:
    """Text with its marks.

    Args:
        text: (characters,) what stays.
        after: (dropped,) position in the text of what follows each character that is no text.
        what: (dropped,) what it is.
        whitespace: the policy.
    """
    starts = np.zeros(len(text) + 1, np.bool_)
    starts[after if whitespace == "separate" else after.take(np.flatnonzero(what > BLANK_CODE))] = True
    starts[0] = True
    offsets = np.append(0, after.take(np.flatnonzero(what == SAMPLE_CODE)))
    return EncodedSamples(text, starts[:-1], offsets, int(np.count_nonzero(what == WORD_CODE)))


def _mark_between(codes: CodePoints, ends: tuple[int, int]) -> CharFlags:
    """Which code points are the first, the last, or between them: (characters,)."""
    first, last = ends
    return codes - codes.dtype.type(first) <= last - first if first else codes <= last  # what is smaller wraps around


def _to_code_points(text: str) -> CodePoints:
    """The code points of a text (characters,), in half the space where all of them fit: less to pass over."""
    narrow = text.encode("utf-16-le", "surrogatepass")
    if len(narrow) == 2 * len(text):
        return np.frombuffer(narrow, "<u2")
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


@cache
def _build_code_table(marks: Separators, *, keeps: bool) -> NDArray[np.uint8]:
    """What each code point below `KNOWN` is."""
    table = np.full(TABLE_SIZE, TEXT_CODE, np.uint8)
    if not keeps:
        table[[code for code in range(LAST_BLANK + 1) if chr(code).isspace()]] = BLANK_CODE
    if marks.word is not None:
        table[ord(marks.word)] = WORD_CODE
    table[ord(marks.sample)] = SAMPLE_CODE
    return table


def find_kept_positions(text: str, whitespace: WhitespacePolicy) -> list[int]:
    """Positions of the characters of a text that the policy keeps."""
    if whitespace == "keep":
        return list(range(len(text)))
    return [at for at, character in enumerate(text) if not character.isspace()]


Pieces = Sequence[str]  # the words of a sample, and the blanks between them where the format tells of them
MultiwordToken = tuple[int, tuple[str, ...]]  # first character of a token, and the words that it is made of


class SamplePlaces(Protocol):
    """Where the samples of a block come from. Asked only for findings and errors, so it may be slow."""

    def where(self, row: int) -> str:
        """Place of the sample at this position of the block: `pred.txt:12`."""

    def text(self, row: int) -> str:
        """The text of the sample as the user gave it, without the marks of the format."""

    def value(self, row: int, column: str) -> str | None:
        """What a column has for the sample, as far as columns were asked for."""

    def file(self, row: int) -> str | None:
        """The file of the sample, None of a list."""


@dataclass(frozen=True, eq=False)
class SampleBlock:
    """Consecutive samples of one side.

    Args:
        text: (characters,) code points that the whitespace policy keeps.
        starts: (characters,) whether a word starts here: so at the first character of each sample that has one.
        offsets: (samples + 1,) position of each sample's first character.
        places: where they come from.
        whitespace: the policy by which characters were kept.
        first: position in `places` of the first sample.
        inner: tokens of several words, ascending; positions count from the beginning of `text`.
    """

    text: CodePoints
    starts: CharFlags
    offsets: Ints
    places: SamplePlaces
    whitespace: WhitespacePolicy = "ignore"
    first: int = 0
    multiword: tuple[MultiwordToken, ...] = ()

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def select_rows(self, start: int, stop: int) -> SampleBlock:
        """The samples from `start` to before `stop`."""
        if start == 0 and stop == len(self):
            return self
        low, high = int(self.offsets[start]), int(self.offsets[stop])
        inner = tuple((at - low, words) for at, words in self.multiword if low <= at < high)
        offsets = self.offsets[start : stop + 1] - low
        parts = self.text[low:high], self.starts[low:high], offsets
        return SampleBlock(*parts, self.places, self.whitespace, self.first + start, inner)

    @classmethod
    def empty(cls) -> SampleBlock:
        """No sample."""
        return cls(np.zeros(0, np.uint32), np.zeros(0, np.bool_), np.zeros(1, np.int64), ChainedPlaces(()))

    def merge_samples(self) -> SampleBlock:
        """All samples as one, at the place of the first."""
        return SampleBlock(self.text, self.starts, self.offsets[[0, -1]], self.places, self.whitespace, self.first)

    def count_words(self) -> Ints:
        """(samples,) number of words of each."""
        total = np.append(0, np.cumsum(self.starts))
        return np.diff(total[self.offsets])

    def where(self, row: int) -> str:
        """Place of a sample."""
        return self.places.where(self.first + row)

    def get_original_text(self, row: int) -> str:
        """The text of a sample as the user gave it."""
        return self.places.text(self.first + row)

    def value(self, row: int, column: str) -> str | None:
        """What a column has for a sample."""
        return self.places.value(self.first + row, column)

    def file(self, row: int) -> str | None:
        """The file of a sample, None of a list."""
        return self.places.file(self.first + row)


@dataclass(frozen=True)
class PiecePlaces:
    """Places of samples that were read as pieces.

    Args:
        names: place of each sample.
        pieces: the samples.
        source: the file that they are from.
        columns: what is wanted of each sample beside, None where nothing is.
    """

    names: Sequence[str]
    pieces: Sequence[Pieces]
    source: str
    columns: Sequence[Values | None]

    def where(self, row: int) -> str:
        """Place of a sample."""
        return self.names[row]

    def text(self, row: int) -> str:
        """The text of a sample."""
        return "".join(self.pieces[row])

    def value(self, row: int, column: str) -> str | None:
        """What a column has for a sample."""
        return (self.columns[row] or {}).get(column)

    def file(self, row: int) -> str:  # noqa: ARG002  all lines are from one
        """The file."""
        return self.source


@dataclass(frozen=True)
class ChainedPlaces:
    """Places of samples of several blocks.

    Args:
        blocks: the blocks, each with as many samples as are meant.
    """

    blocks: tuple[SampleBlock, ...]

    def where(self, row: int) -> str:
        """Place of a sample."""
        block, row = self._find_block(row)
        return block.where(row)

    def text(self, row: int) -> str:
        """The text of a sample."""
        block, row = self._find_block(row)
        return block.get_original_text(row)

    def value(self, row: int, column: str) -> str | None:
        """What a column has for a sample."""
        block, row = self._find_block(row)
        return block.value(row, column)

    def file(self, row: int) -> str | None:
        """The file of a sample, None of a list."""
        block, row = self._find_block(row)
        return block.file(row)

    def _find_block(self, row: int) -> tuple[SampleBlock, int]:
        for block in self.blocks:
            if row < len(block):
                return block, row
            row -= len(block)
        raise IndexError(row)


def concatenate_blocks(blocks: Iterable[SampleBlock]) -> SampleBlock:
    """The samples of several blocks as one."""
    some = [block for block in blocks if len(block)]
    if len(some) < 2:  # noqa: PLR2004  nothing to join
        return some[0] if some else SampleBlock.empty()
    before = [0, *accumulate(len(block.text) for block in some)]  # characters before each
    moved = [block.offsets[1:] + characters for block, characters in zip(some, before, strict=False)]
    return SampleBlock(
        text=np.concatenate([block.text for block in some]),
        starts=np.concatenate([block.starts for block in some]),
        offsets=np.concatenate([some[0].offsets[:1], *moved]),
        places=ChainedPlaces(tuple(some)),
        whitespace=some[0].whitespace,
        multiword=tuple(
            (at + low, words) for block, low in zip(some, before, strict=False) for at, words in block.multiword
        ),
    )


def encode_pieces(samples: Sequence[Pieces], places: SamplePlaces, whitespace: WhitespacePolicy) -> SampleBlock:
    """Samples from their pieces. A piece without a character that is kept is no word.

    Args:
        samples: per sample its words, and the blanks between them.
        places: where they come from.
        whitespace: the policy.

    Raises:
        FormatError: pieces hold code points that are no characters, beside control characters.
        TypeError: a piece is no string.
    """
    between = sum(map(len, samples)) - sum(map(bool, samples))
    for marks in (CONTROL_SEPARATORS, NONCHARACTER_SEPARATORS):
        word, end = marks.word or "", marks.sample
        marked = end.join([word.join(pieces) for pieces in samples]) + end if samples else ""
        found = encode_samples(marked, marks, whitespace)
        if found.between == between and len(found.offsets) == len(samples) + 1:  # the text holds no mark
            return SampleBlock(found.text, found.starts, found.offsets, places, whitespace)
    raise _noncharacter_error(samples, places)


def _noncharacter_error(samples: Sequence[Pieces], places: SamplePlaces) -> FormatError:
    forbidden = f"{NONCHARACTER_SEPARATORS.sample}{NONCHARACTER_SEPARATORS.word}"  # refused only where the other marks cannot be used either
    row, code = next(
        (row, ord(c)) for row, pieces in enumerate(samples) for piece in pieces for c in piece if c in forbidden
    )
    message = f"U+{code:04X} is no character"
    return FormatError(message, where=places.where(row), remedy="Unicode keeps it out of texts; remove it.")
