"""A text as an array of bytes, and its fields compared many at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import Ints

WORD = 8  # bytes
PADDING = b"\n" * (2 * WORD)  # so that words may be read beyond the last field
BY_WORDS = 16 * WORD  # bytes up to which fields are compared word by word
_MASKS = np.array([(1 << 8 * used) - 1 for used in range(WORD + 1)], np.uint64)  # (bytes used of a word + 1,)


@dataclass(frozen=True, eq=False)
class Buffer:
    """A text of whole lines.

    Args:
        padded: a newline, so that every field has a separator before it; the text in UTF-8, ended by a newline; `PADDING`.
    """

    padded: bytes

    @classmethod
    def of(cls, pieces: Iterable[bytes | memoryview]) -> Buffer:
        """A text from its pieces."""
        return cls(b"".join([b"\n", *pieces, PADDING]))

    @cached_property
    def bytes(self) -> NDArray[np.uint8]:
        """(bytes,) all bytes, with the padding."""
        return np.frombuffer(self.padded, np.uint8)

    @property
    def letters(self) -> NDArray[np.uint8]:
        """(bytes,) the newline in front and the text."""
        return self.bytes[: -len(PADDING)]

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
        shift = ((at & 7) << 3).astype(np.uint64)  # bits
        low = self._aligned.take(word) >> shift
        return low | ((self._aligned.take(word + 1) << (shift ^ np.uint64(63))) << np.uint64(1))


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

    def equals(self, letter: bytes) -> NDArray[np.bool_]:
        """(rows,) whether a field is this one letter."""
        return (self.buffer.letters[1:].take(self.before) == ord(letter)) & (self.ends - self.before == len("\tO"))

    def first_difference(self, other: Column) -> int | None:
        """The first row whose fields have other bytes in another column of as many rows; None where all are equal."""
        lengths = self.ends - self.before - 1  # (rows,)
        different = lengths != other.ends - other.before - 1  # (rows,)
        rows = np.flatnonzero(~different)
        done = 0
        while len(rows) and done < BY_WORDS:
            words = self.buffer.words(self.before[rows] + 1 + done) ^ other.buffer.words(other.before[rows] + 1 + done)
            left = np.minimum(lengths[rows] - done, WORD)  # (rows left,)
            different[rows[(words & _MASKS.take(left)) != 0]] = True
            done += WORD
            rows = rows[lengths[rows] > done]
        for row in rows.tolist():
            different[row] |= self.field(row) != other.field(row)
        return int(different.argmax()) if different.any() else None
