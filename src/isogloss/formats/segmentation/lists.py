"""Python lists: the words of each sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from isogloss.batches import Side
from isogloss.exceptions import DataError, UsageError
from isogloss.formats.segmentation.reader import MARK, Reading
from isogloss.formats.segmentation.segmented import Segmented, of_pieces

SAMPLES = 1 << 11  # of a block
ARGUMENT: dict[Side, str] = {"reference": "reference", "predicted": "prediction"}


@dataclass(frozen=True)
class Arguments:
    """Places of samples of an argument.

    Args:
        side: which argument.
        first: position of the first sample.
        samples: the samples.
    """

    side: Side
    first: int
    samples: Sequence[Sequence[str]]

    def where(self, row: int) -> str:
        """The sample as Python would name it."""
        return f"{ARGUMENT[self.side]}[{self.first + row}]"

    def text(self, row: int) -> str:
        """Its words without anything between them."""
        return "".join(self.samples[row])

    def value(self, row: int, column: str) -> None:
        """Lists have no columns."""

    def file(self, row: int) -> None:
        """They are from no file."""


def read_lists(value: Any, side: Side, reading: Reading) -> Iterator[Segmented]:
    """The samples of an argument, in blocks.

    Args:
        value: a list of words for each sample.
        side: which argument it is, for messages.
        reading: whitespace, and what is done to a sample first.

    Raises:
        UsageError: it is no list of lists.
        DataError: a word is no string, or holds what is no character.
    """
    if isinstance(value, str | bytes | dict) or not hasattr(value, "__iter__"):
        raise UsageError(
            f"{ARGUMENT[side]} is {type(value).__name__}; give a path, or a list of words for each sample."
        )
    samples = value if isinstance(value, Sequence) else list(value)
    for first in range(0, len(samples), SAMPLES):
        yield _block(samples[first : first + SAMPLES], side, first, reading)


def _block(samples: Sequence[Any], side: Side, first: int, reading: Reading) -> Segmented:
    for number, sample in enumerate(samples):
        if isinstance(sample, str | bytes):
            remedy = "A sample is a list of its words: 'ab|c'.split('|') makes one of a string."
            raise DataError(
                "the sample is a string, not a list of words",
                where=f"{ARGUMENT[side]}[{first + number}]",
                remedy=remedy,
            )
    try:
        pieces = samples
        if reading.clean is not None:
            pieces = [reading.clean(MARK.join(words)).split(MARK) for words in samples]
        return of_pieces(pieces, Arguments(side, first, pieces), reading.whitespace)
    except TypeError as error:
        raise _no_words(samples, side, first) from error


def _no_words(samples: Sequence[Any], side: Side, first: int) -> DataError:
    for number, sample in enumerate(samples):
        where = f"{ARGUMENT[side]}[{first + number}]"
        if not isinstance(sample, Sequence):
            return DataError(f"{type(sample).__name__} is no list of words", where=where, remedy="List its words.")
        for at, word in enumerate(sample):
            if not isinstance(word, str):
                return DataError(f"{word!r} is no word", where=f"{where}[{at}]", remedy="A word is a string.")
    return DataError("a sample is no list of words", where=f"{ARGUMENT[side]}[{first}]", remedy="List its words.")
