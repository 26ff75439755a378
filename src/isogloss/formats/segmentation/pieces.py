"""What the formats have in common that are read a sample at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from isogloss.formats.attributes import Values
from isogloss.formats.segmentation.segmented import Inner, Pieces

SPACE = " "


@dataclass(frozen=True)
class Sample:
    """A text and its words.

    Args:
        line: number of its first line.
        pieces: its words, and the blanks between them where the format tells of them.
        inner: tokens of several words; positions count the characters of the sample that are not whitespace.
        columns: what is wanted of it beside, None where nothing is.
    """

    line: int
    pieces: Pieces
    inner: tuple[Inner, ...] = ()
    columns: Values | None = None


def located(words: Iterable[str], text: str) -> list[str] | None:
    """Words and the blanks between them, as they stand in a text; None where they do not stand there in this order."""
    pieces, at = [], 0
    for word in words:
        begin = text.find(word, at)
        if begin < 0 or text[at:begin].strip():
            return None
        pieces += [text[at:begin], word]
        at = begin + len(word)
    return None if text[at:].strip() else [piece for piece in (*pieces, text[at:]) if piece]


def spaced(words: Iterable[str], after: Iterable[bool]) -> list[str]:
    """Words with a space after those for which it is said."""
    pieces: list[str] = []
    for word, space in zip(words, after, strict=True):
        pieces += [word, SPACE] if space else [word]
    return pieces
