"""The stretches of text between the places at which both sides begin a word.

A region with one word on either side is a word that both sides have. Any other region is one error: the smallest
stretch that both sides cut off and cut up in another way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import WordPairs
from isogloss.scores import Ints

KINDS = ("correct", "split", "merge", "shift")
PREDICTED, REFERENCE, BOTH = 1, 2, 3


@dataclass(frozen=True, eq=False)
class Regions:
    """Regions of the documents that are compared, in the order of the text.

    Most words are right, so that only the other regions are written down; what is asked of all is computed when asked.

    Args:
        at: (places,) characters at which a side begins a word, in any document, ascending.
        sides: (places,) which sides do: `PREDICTED`, `REFERENCE` or `BOTH`.
        single: (singles,) positions in `at` of those at which only one side does.
        wrong: (wrong,) positions in `at` at which the regions begin that are errors.
        after: (wrong,) positions in `at` of the place after each, which is none at the end of the text.
        kind: (wrong,) position in `KINDS`: one bit for each side that cuts it up.
    """

    at: Ints
    sides: NDArray[np.uint8]
    single: Ints
    wrong: Ints
    after: Ints
    kind: NDArray[np.uint8]

    @classmethod
    def of(cls, batch: WordPairs) -> Regions:
        """The regions of a batch."""
        marks = PREDICTED * batch.predicted.view(np.uint8) + REFERENCE * batch.reference.view(np.uint8)  # (characters,)
        at = np.flatnonzero(marks != 0)  # of bools: nine times as fast as of integers
        sides = marks.take(at)
        single = inside = np.flatnonzero(sides != BOTH)
        if not batch.compared.all():  # words of documents that are not compared belong to no region
            inside = single[batch.compared[np.searchsorted(batch.offsets, at.take(single), side="right") - 1]]
        apart = inside[1:] - inside[:-1] > 1
        first = np.flatnonzero(np.concatenate(([len(inside) > 0], apart)))  # (wrong,) a document begins with both sides
        last = np.append(first[1:], len(inside))[: len(first)] - 1
        kind = np.bitwise_or.reduceat(sides.take(inside), first) if len(first) else np.zeros(0, np.uint8)
        return cls(at, sides, single, inside.take(first) - 1, inside.take(last) + 1, kind)

    @property
    def begin(self) -> Ints:
        """(wrong,) first character of each region that is an error."""
        return self.at.take(self.wrong)

    @cached_property
    def correct(self) -> Ints:
        """(correct,) first character of each word that both sides have."""
        right = self.sides == BOTH
        right[self.wrong] = False
        return self.at.take(np.flatnonzero(right))

    @cached_property
    def reference_only(self) -> Ints:
        """(places,) characters at which only the reference begins a word, in any document."""
        return self._only(REFERENCE)

    @cached_property
    def predicted_only(self) -> Ints:
        """(places,) characters at which only the prediction does."""
        return self._only(PREDICTED)

    def _only(self, side: int) -> Ints:
        return self.at.take(self.single.take(np.flatnonzero(self.sides.take(self.single) == side)))


def per_document(places: Ints, batch: WordPairs) -> Ints:
    """How many of some ascending characters each document has: (places,) -> (documents,)."""
    before = places.searchsorted(batch.offsets)  # (documents + 1,)
    return before[1:] - before[:-1]  # a third of the time of np.diff, which is felt in small batches


def words(starts: NDArray[np.bool_], offsets: Ints) -> tuple[Ints, Ints]:
    """First character of each word, and the one after its last: (words,) each.

    Args:
        starts: (characters,) whether a word starts here.
        offsets: (documents + 1,) first character of each document.
    """
    begin = np.flatnonzero(starts)
    if not len(begin):
        return begin, begin
    edge = offsets[np.searchsorted(offsets, begin, side="right")]  # where the document of each word ends
    return begin, np.minimum(np.append(begin[1:], len(starts)), edge)


def indicators(batch: WordPairs, regions: Regions) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Of each word of the reference, and of each predicted one, whether the other side has it: (words,) each."""
    right = np.zeros(len(batch.text), np.bool_)
    right[regions.correct] = True
    return right[batch.reference], right[batch.predicted]
