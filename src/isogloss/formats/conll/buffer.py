"""A text as an array of bytes, and its fields compared many at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isogloss.scores import Ints

WORD = 8  # bytes
PADDING = b"\n" * (2 * WORD)  # so that words may be read beyond the last field
BY_WORDS = 16 * WORD  # bytes up to which fields are compared word by word
_MASKS = np.array([(1 << 8 * used) - 1 for used in range(WORD + 1)], np.uint64)  # (bytes used of a word + 1,)


@dataclass(frozen=True, eq=False)
class Buffer:
    """A text of whole lines.

    Args:
        padded: a newline, so that every field has a separator before it; the text in UTF-8, its last line ended by a
            newline; and `PADDING`.
    """

    padded: bytes

    @classmethod
    def of(cls, pieces: Iterable[bytes | memoryview]) -> Buffer:
        """A text from its pieces."""
        return cls(b"".join([b"\n", *pieces, PADDING]))

    @cached_property
    def everything(self) -> NDArray[np.uint8]:
        """(bytes,) all bytes, with the padding."""
        return np.frombuffer(self.padded, np.uint8)

    @property
    def letters(self) -> NDArray[np.uint8]:
        """(bytes,) the newline in front and the text."""
        return self.everything[: -len(PADDING)]

    @cached_property
    def newlines(self) -> Ints:
        """(lines + 1,) position of the newline before each line, and of that after the last."""
        return np.flatnonzero(self.letters == ord("\n"))

    def line(self, at: int) -> int:
        """The line, from 0, that a position belongs to."""
        return int(np.searchsorted(self.newlines, at)) - 1

    def text(self, first: int, stop: int) -> bytes:
        """The lines from `first` to before `stop`, with their newlines; lines count from 0."""
        return self.padded[self.newlines[first] + 1 : self.newlines[stop] + 1]

    @cached_property
    def _aligned(self) -> NDArray[np.uint64]:
        """The bytes in words at multiples of eight."""
        return np.frombuffer(self.padded, "<u8", len(self.padded) // WORD)

    def words(self, at: Ints) -> NDArray[np.uint64]:
        """The eight bytes from each position on, the first one lowest: put together from two aligned words.

        Reading unaligned words takes numpy four times as long.

        Args:
            at: (positions,) within the text.
        """
        word = at >> 3
        shift = at.view(np.uint64) & np.uint64(7)
        shift <<= np.uint64(3)  # bits
        words = self._aligned.take(word)
        words >>= shift
        rest = self._aligned[1:].take(word)
        shift ^= np.uint64(63)
        rest <<= shift
        rest <<= np.uint64(1)
        words |= rest
        return words


@dataclass(frozen=True, eq=False)
class Column:
    """One field of each row of a text.

    Args:
        buffer: the text.
        before: (rows,) position of the separator before each field.
        ends: (rows,) position of the separator after it.
    """

    buffer: Buffer
    before: Ints
    ends: Ints

    def __len__(self) -> int:
        return len(self.ends)

    def field(self, row: int) -> bytes:
        """The bytes of one field."""
        return self.buffer.padded[self.before[row] + 1 : self.ends[row]]

    def texts(self) -> list[str]:
        """(rows,) the fields."""
        return [self.field(row).decode() for row in range(len(self))]

    def rows(self, start: int, stop: int) -> Column:
        """The rows from `start` to before `stop`."""
        return Column(self.buffer, self.before[start:stop], self.ends[start:stop])

    def take(self, rows: Ints) -> Column:
        """The rows at these positions."""
        return Column(self.buffer, self.before.take(rows), self.ends.take(rows))

    def equals(self, letter: bytes) -> NDArray[np.bool_]:
        """(rows,) whether a field is this one letter."""
        equal: NDArray[np.bool_] = self.buffer.letters[1:].take(self.before) == ord(letter)  # (rows,)
        equal &= self.ends - self.before == len("\tO")
        return equal

    def first_difference(self, other: Column) -> int | None:
        """The first row whose fields have other bytes in another column of as many rows; None where all are equal."""
        lengths = self.ends - self.before - 1  # (rows,)
        even = lengths == other.ends - other.before - 1  # (rows,)
        upto = len(even) if even.all() else int(even.argmin())  # rows of equal length
        rows = np.arange(upto)  # (rows compared,)
        one, two, first = self.rows(0, upto), other.rows(0, upto), upto
        for done in range(0, BY_WORDS, WORD):
            left = one.ends - one.before - (1 + done)  # (rows compared,) bytes
            words = one.buffer.words(one.before + (1 + done)) ^ two.buffer.words(two.before + (1 + done))
            words &= _MASKS.take(left, mode="clip")
            if words.any():
                first = min(first, int(rows[words != 0][0]))
            longer = np.flatnonzero(left > WORD)
            one, two, rows = one.take(longer), two.take(longer), rows.take(longer)
            if not len(rows):
                break
        first = min([first, *(int(row) for at, row in enumerate(rows) if one.field(at) != two.field(at))])
        return None if first == len(even) else first
