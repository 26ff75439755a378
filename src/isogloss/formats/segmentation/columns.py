"""Columns between tabs: a word a line, in the first column, and a blank line after each sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from isogloss.exceptions import FormatError
from isogloss.formats.attributes import Comments
from isogloss.formats.segmentation.pieces import SPACE, Sample
from isogloss.sources import Source

LST20_SPACE = "_"
DOCSTART = "-DOCSTART-"


def samples(source: Source, attributes: Sequence[str] = (), *, lst20: bool) -> Iterator[Sample]:
    """The samples of a file.

    Args:
        source: the file.
        attributes: what is wanted of comments.
        lst20: whether the word `_` is a space.

    Raises:
        FormatError: a line has another number of columns than the first, or no word.
    """
    words: list[str] = []
    comments = Comments(attributes)
    line = columns = first = 0
    for block in source.blocks():
        for number, content in enumerate(block.text.split("\n")[:-1], block.first_line):
            fields = content.rstrip("\r").split("\t")
            if (len(fields) == 1 and (not fields[0] or fields[0].isspace())) or fields[0] == DOCSTART:
                if words:
                    yield Sample(line, words, columns=comments.sentence())
                words = []
                comments.take(fields[0])
                continue
            if content.startswith("#") and len(fields) != columns:
                comments.take(content)
                continue
            columns, first = columns or len(fields), first or number
            if len(fields) != columns or not fields[0]:
                raise _fault(fields, (columns, first), f"{source.name}:{number}")
            line = line if words else number
            words.append(SPACE if lst20 and fields[0] == LST20_SPACE else fields[0])
    if words:
        yield Sample(line, words, columns=comments.sentence())


def _fault(fields: list[str], expected: tuple[int, int], where: str) -> FormatError:
    remedy = "Write a word a line, all lines with the same columns between tabs, and a blank line after each sample."
    if len(fields) == expected[0]:
        return FormatError("column 1 is empty", where=where, remedy=remedy)
    number = f"{len(fields)} column{'' if len(fields) == 1 else 's'}"
    return FormatError(f"{number}, but line {expected[1]} has {expected[0]}", where=where, remedy=remedy)
