"""Pairing of two texts with different sentences into documents.

A document ends where both sides end a sentence. Both sides are read block by block, as one text each. The text before
the last place where both sides begin a sentence becomes documents; the rest waits for the next block. Documents can be
scored independently: if a multiword token begins at a place on one side and the words before it differ, the place is
not a border of documents, because tools that align the words of such tokens also use the words before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from isogloss.kernel.provenance import Side, TextExcerpt
from isogloss.kernel.scores import Ints
from isogloss.tasks.segmentation.batches import SentencePairs, decode_code_points
from isogloss.tasks.segmentation.pairing import find_column_value, make_text_error
from isogloss.tasks.segmentation.samples import CharFlags, SampleBlock, concatenate_blocks


def pair_sentences(reference: Iterator[SampleBlock], predicted: Iterator[SampleBlock]) -> Iterator[SentencePairs]:
    """Pair the sentences of both sides as documents.

    Args:
        reference: sentences in blocks.
        predicted: sentences in blocks, cut anywhere.

    Raises:
        MismatchError: if the texts differ.
    """
    left, right = _SentenceQueue(reference), _SentenceQueue(predicted)
    number, pending = 0, True
    while pending:
        pending = any([left.read_more(), right.read_more()])
        both = min(len(left.held.text), len(right.held.text))
        if not np.array_equal(left.held.text[:both], right.held.text[:both]):
            raise make_text_error(left.held.merge_samples(), right.held.merge_samples(), 0, number)
        shared = _find_document_borders(left.held, right.held, at_end=not pending)
        if len(shared) > 1:
            yield _build_documents(
                left.take_sentences(int(shared[-1])), right.take_sentences(int(shared[-1])), shared, number
            )
            number += len(shared) - 1
    if len(left.held.text) or len(right.held.text):
        raise make_text_error(left.held.merge_samples(), right.held.merge_samples(), 0, number)


def _find_document_borders(left: SampleBlock, right: SampleBlock, *, at_end: bool) -> Ints:
    """Return the borders of complete documents: (documents + 1,).

    They are where each document begins, and where the last one ends.
    """
    shared = np.intersect1d(left.offsets, right.offsets)
    before = [np.append(-1, np.flatnonzero(side.starts)) for side in (left, right)]
    latest = [starts[np.searchsorted(starts, shared) - 1] for starts in before]  # the words before each
    several = np.isin(shared, [at for side in (left, right) for at, _ in side.multiword])
    known = shared < min(len(left.text), len(right.text))
    alike = latest[0] == latest[1]
    last = at_end & (shared == len(left.text))
    borders: Ints = shared[alike | (known & ~several) | last | (shared == 0)]
    return borders


class _SentenceQueue:
    """The sentences of a side that wait for a document.

    They were read and are not in a document yet.
    """

    def __init__(self, blocks: Iterator[SampleBlock]) -> None:
        self._blocks = blocks
        self.held = SampleBlock.empty()

    def read_more(self) -> bool:
        """Read another block; return False at the end."""
        block = next(self._blocks, None)
        if block is not None:
            self.held = concatenate_blocks([self.held, block])
        return block is not None

    def take_sentences(self, characters: int) -> SampleBlock:
        """Remove and return the sentences before a character.

        A sentence begins at this character.
        """
        stop = int(np.searchsorted(self.held.offsets, characters, side="right")) - 1
        taken, self.held = self.held.select_rows(0, stop), self.held.select_rows(stop, len(self.held))
        return taken


@dataclass(frozen=True, eq=False)
class SentenceProvenance:
    """Names, places and texts of documents that were made of sentences.

    Args:
        first: number of the first document, from 0.
        offsets: (documents + 1,) first character of each document.
        reference: the sentences of the reference.
        predicted: the sentences of the prediction.
    """

    first: int
    offsets: Ints
    reference: SampleBlock
    predicted: SampleBlock

    def name(self, row: int) -> str:
        """Return the number of a document from 1."""
        return str(self.first + row + 1)

    def where(self, row: int, position: int, side: Side) -> str:
        """Return the place of the sentence with a character of the document."""
        sentences = self.reference if side == "reference" else self.predicted
        at = int(self.offsets[row]) + position
        return sentences.where(int(np.searchsorted(sentences.offsets, at, side="right")) - 1)

    def get_excerpt(self, row: int) -> TextExcerpt:
        """Return the text of a document without whitespace."""
        return TextExcerpt(decode_code_points(self.reference.text[self.offsets[row] : self.offsets[row + 1]]))

    def value(self, row: int, column: str) -> str | None:
        """Return the value of a column for a document.

        It is the value of the first sentence of the document.
        """
        begin = int(self.offsets[row])
        at = [int(np.searchsorted(side.offsets, begin, side="right")) - 1 for side in (self.reference, self.predicted)]
        return find_column_value(self.reference, at[0], self.predicted, at[1], column)


def _build_documents(left: SampleBlock, right: SampleBlock, shared: Ints, number: int) -> SentencePairs:
    documents = len(shared) - 1
    return SentencePairs(
        documents=np.arange(number, number + documents),
        offsets=shared,
        text=left.text,
        reference=left.starts,
        predicted=right.starts,
        compared=np.ones(documents, np.bool_),
        uncompared_words=np.zeros(documents, np.int64),
        provenance=SentenceProvenance(number, shared, left, right),
        reference_sentences=_mark_sentence_starts(left),
        predicted_sentences=_mark_sentence_starts(right),
        reference_multiword=left.multiword,
        predicted_multiword=right.multiword,
    )


def _mark_sentence_starts(side: SampleBlock) -> CharFlags:
    """Mark the characters at which sentences begin: (characters,)."""
    begins = np.zeros(len(side.text) + 1, np.bool_)
    begins[side.offsets] = True
    return begins[:-1]
