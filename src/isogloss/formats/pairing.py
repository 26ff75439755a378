"""Reference and predicted tags brought together, from two CoNLL files or from two columns of one.

Two files are read in step. They belong together when they have as many sentences, as many tokens in each, and the same
tokens; the first place where they do not is reported.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from isogloss.batches import Passage, Side, TagPairs
from isogloss.exceptions import UsageError
from isogloss.formats.attributes import FILE
from isogloss.formats.conll.reader import BLOCK, Part, TaggedBlock, read_tagged
from isogloss.formats.mismatch import check_same, prediction_ends, prediction_goes_on
from isogloss.formats.tag_table import TagTable
from isogloss.sources import Source

Progress = Callable[[int], object]
Paired = tuple[Part, list[Part]]


def read_tags(  # noqa: PLR0913  all but the files are options, by name
    reference: Source,
    prediction: Source | None = None,
    *,
    columns: Sequence[int | str] | None = None,
    ignore_tokens: bool = False,
    progress: Progress | None = None,
    block_size: int = BLOCK,
    attributes: Sequence[str] = (),
) -> Iterator[TagPairs]:
    """Reads reference and prediction in batches of about a block.

    Args:
        reference: the file with the reference.
        prediction: the file with the prediction; None where it is another column of the reference's file.
        columns: of two files the columns of the token and the tag, (1, -1) if not given; of one file those of the
            token, the reference and the prediction, (1, -2, -1) if not given. They count from 1, or from -1 at the end.
        ignore_tokens: whether the tokens of two files may differ.
        progress: called after each batch with the bytes read so far, as stored, of both files.
        block_size: bytes of a block, about: a sentence is never cut.
        attributes: what is wanted of the comments of sentences, on either side.

    Returns:
        Batches with one vocabulary, which grows: a tag has the same code on both sides and in all batches.

    Raises:
        UsageError: these columns cannot be read. All others are raised while batches are read.
        SourceError: a file cannot be read, is no text, or holds no token.
        FormatError: a line has not the columns of its file.
        MismatchError: another number of sentences, of tokens in one, or another token.
    """
    table = TagTable()
    if prediction is None:
        used = _checked((1, -2, -1) if columns is None else columns, ("token", "reference tag", "predicted tag"))
        pairs = _columns_of_one(read_tagged(reference, used, table, block_size, attributes=attributes))
    else:
        used = _checked((1, -1) if columns is None else columns, ("token", "tag"))
        both = (reference, prediction)
        sides = (read_tagged(source, used, table, block_size, attributes=attributes) for source in both)
        pairs = _in_step(*sides, ignore_tokens=ignore_tokens)
    return _batches(pairs, table, [source for source in (reference, prediction) if source], progress)


@dataclass(frozen=True, eq=False)
class ConllOrigin:
    """The files a batch was read from.

    Args:
        first: number of the first document, from 0.
        reference: the sentences of the reference.
        predicted: the same sentences in the prediction, in one part or several.
    """

    first: int
    reference: Part
    predicted: Sequence[Part]

    def name(self, row: int) -> str:
        """The sentence's number from 1."""
        return str(self.first + row + 1)

    def where(self, row: int, position: int, side: Side) -> str:
        """File and line of a token."""
        part, row = (self.reference, row) if side == "reference" else self._predicted(row)
        return f"{part.name}:{part.line(row, position)}"

    def passage(self, row: int) -> Passage:
        """The words of the reference."""
        return Passage.of_words(self.reference.tokens(row, row + 1).texts())

    def value(self, row: int, column: str) -> str | None:
        """What comments of the reference say of the sentence, or else those of the prediction; its file."""
        known = self.reference.value(row, column)
        if known is not None:
            return known
        part, at = self._predicted(row)
        known = part.value(at, column)
        return part.name if known is None and column == FILE else known

    def _predicted(self, row: int) -> tuple[Part, int]:
        """The part of the prediction that has a sentence, and its position there."""
        begins = list(accumulate((part.sentences for part in self.predicted), initial=0))
        at = bisect_right(begins, row) - 1
        return self.predicted[at], row - begins[at]


def _checked(columns: Sequence[int | str], names: Sequence[str]) -> list[int]:
    numbers = [column for column in columns if isinstance(column, int) and column]
    if len(numbers) == len(columns) == len(names):
        return numbers
    raise UsageError(
        f"columns {','.join(map(str, columns))} cannot be read: give {len(names)} numbers, "
        f"for {', '.join(names)}; they count from 1, or from -1 at the end"
    )


def _columns_of_one(blocks: Iterable[TaggedBlock]) -> Iterator[Paired]:
    for block in blocks:
        part = Part(block, 0, block.sentences)
        yield part, [Part(block, 0, block.sentences, column=1)]


def _in_step(
    reference: Iterator[TaggedBlock], prediction: Iterator[TaggedBlock], *, ignore_tokens: bool
) -> Iterator[Paired]:
    """Each block of the reference with the parts of the prediction's blocks that hold the same sentences."""
    feed = _Feed(prediction)
    before = 0
    for block in reference:
        parts = []
        missing = Part(block, 0, block.sentences)
        for part in feed.take(block.sentences):
            same, missing = missing.split(part.sentences)
            check_same(same, part, before, ignore_tokens=ignore_tokens)
            before += part.sentences
            parts.append(part)
        if missing.sentences:
            raise prediction_ends(missing, feed.last, before, reference)
        yield Part(block, 0, block.sentences), parts
    extra = next(feed.take(sys.maxsize), None)
    if extra:
        raise prediction_goes_on(Part(block, 0, block.sentences), extra, before, prediction)


class _Feed:
    """Blocks handed out by the number of sentences."""

    last: Part

    def __init__(self, blocks: Iterator[TaggedBlock]) -> None:
        self._blocks = blocks
        self._rest: Part | None = None

    def take(self, sentences: int) -> Iterator[Part]:
        """Parts of so many sentences together, or of all that are left."""
        while sentences:
            if self._rest is None:
                block = next(self._blocks, None)
                if block is None:
                    return
                self._rest = Part(block, 0, block.sentences)
            self.last, rest = self._rest.split(sentences)
            self._rest = rest if rest.sentences else None
            sentences -= self.last.sentences
            yield self.last


def _batches(
    pairs: Iterable[Paired], table: TagTable, sources: Sequence[Source], progress: Progress | None
) -> Iterator[TagPairs]:
    first = 0
    for reference, predicted in pairs:
        yield TagPairs(
            documents=np.arange(first, first + reference.sentences),
            offsets=reference.offsets,
            vocabulary=table.vocabulary,
            reference=reference.tags,
            predicted=predicted[0].tags if len(predicted) == 1 else np.concatenate([part.tags for part in predicted]),
            origin=ConllOrigin(first, reference, predicted),
        )
        first += reference.sentences
        if progress:
            progress(sum(source.bytes_read for source in sources))
