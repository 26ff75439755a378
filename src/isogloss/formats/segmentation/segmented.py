"""The samples of one side: what readers hand to the pairing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

import numpy as np

from isogloss.exceptions import FormatError
from isogloss.formats.attributes import Values
from isogloss.formats.segmentation.encoding import CONTROLS, JOINED, Bools, CodePoints, Whitespace, encode
from isogloss.scores import Ints

Pieces = Sequence[str]  # the words of a sample, and the blanks between them where the format tells of them
Inner = tuple[int, tuple[str, ...]]  # first character of a token, and the words that it is made of


class Places(Protocol):
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
class Segmented:
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
    starts: Bools
    offsets: Ints
    places: Places
    whitespace: Whitespace = "ignore"
    first: int = 0
    inner: tuple[Inner, ...] = ()

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def rows(self, start: int, stop: int) -> Segmented:
        """The samples from `start` to before `stop`."""
        if start == 0 and stop == len(self):
            return self
        low, high = int(self.offsets[start]), int(self.offsets[stop])
        inner = tuple((at - low, words) for at, words in self.inner if low <= at < high)
        offsets = self.offsets[start : stop + 1] - low
        parts = self.text[low:high], self.starts[low:high], offsets
        return Segmented(*parts, self.places, self.whitespace, self.first + start, inner)

    @classmethod
    def empty(cls) -> Segmented:
        """No sample."""
        return cls(np.zeros(0, np.uint32), np.zeros(0, np.bool_), np.zeros(1, np.int64), Chained(()))

    def whole(self) -> Segmented:
        """All samples as one, at the place of the first."""
        return Segmented(self.text, self.starts, self.offsets[[0, -1]], self.places, self.whitespace, self.first)

    def words(self) -> Ints:
        """(samples,) number of words of each."""
        total = np.append(0, np.cumsum(self.starts))
        return np.diff(total[self.offsets])

    def where(self, row: int) -> str:
        """Place of a sample."""
        return self.places.where(self.first + row)

    def given(self, row: int) -> str:
        """The text of a sample as the user gave it."""
        return self.places.text(self.first + row)

    def value(self, row: int, column: str) -> str | None:
        """What a column has for a sample."""
        return self.places.value(self.first + row, column)

    def file(self, row: int) -> str | None:
        """The file of a sample, None of a list."""
        return self.places.file(self.first + row)


@dataclass(frozen=True)
class Listed:
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

    def file(self, row: int) -> str:  # noqa: ARG002  all are from one
        """The file."""
        return self.source


@dataclass(frozen=True)
class Chained:
    """Places of samples of several blocks.

    Args:
        blocks: the blocks, each with as many samples as are meant.
    """

    blocks: tuple[Segmented, ...]

    def where(self, row: int) -> str:
        """Place of a sample."""
        block, row = self._found(row)
        return block.where(row)

    def text(self, row: int) -> str:
        """The text of a sample."""
        block, row = self._found(row)
        return block.given(row)

    def value(self, row: int, column: str) -> str | None:
        """What a column has for a sample."""
        block, row = self._found(row)
        return block.value(row, column)

    def file(self, row: int) -> str | None:
        """The file of a sample, None of a list."""
        block, row = self._found(row)
        return block.file(row)

    def _found(self, row: int) -> tuple[Segmented, int]:
        for block in self.blocks:
            if row < len(block):
                return block, row
            row -= len(block)
        raise IndexError(row)


def joined(blocks: Iterable[Segmented]) -> Segmented:
    """The samples of several blocks as one."""
    some = [block for block in blocks if len(block)]
    if len(some) < 2:  # noqa: PLR2004  nothing to join
        return some[0] if some else Segmented.empty()
    before = [0, *accumulate(len(block.text) for block in some)]  # characters before each
    moved = [block.offsets[1:] + characters for block, characters in zip(some, before, strict=False)]
    return Segmented(
        text=np.concatenate([block.text for block in some]),
        starts=np.concatenate([block.starts for block in some]),
        offsets=np.concatenate([some[0].offsets[:1], *moved]),
        places=Chained(tuple(some)),
        whitespace=some[0].whitespace,
        inner=tuple((at + low, words) for block, low in zip(some, before, strict=False) for at, words in block.inner),
    )


def of_pieces(samples: Sequence[Pieces], places: Places, whitespace: Whitespace) -> Segmented:
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
    for marks in (CONTROLS, JOINED):
        word, end = marks.word or "", marks.sample
        marked = end.join([word.join(pieces) for pieces in samples]) + end if samples else ""
        found = encode(marked, marks, whitespace)
        if found.between == between and len(found.offsets) == len(samples) + 1:  # the text holds no mark
            return Segmented(found.text, found.starts, found.offsets, places, whitespace)
    raise _no_character(samples, places)


def _no_character(samples: Sequence[Pieces], places: Places) -> FormatError:
    forbidden = f"{JOINED.sample}{JOINED.word}"  # refused only where the other marks cannot be used either
    row, code = next(
        (row, ord(c)) for row, pieces in enumerate(samples) for piece in pieces for c in piece if c in forbidden
    )
    message = f"U+{code:04X} is no character"
    return FormatError(message, where=places.where(row), remedy="Unicode keeps it out of texts; remove it.")
