"""The stretches of text between the places at which both sides begin a word.

A region with one word on either side is a word that both sides have. Any other region is one error: the smallest
stretch that both sides cut off and cut up in another way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import WordPairs
from isogloss.scores import Ints

KINDS = ("correct", "split", "merge", "shift")


@dataclass(frozen=True, eq=False)
class Regions:
    """Regions of the documents that are compared, in the order of the text.

    Args:
        begin: (regions,) first character.
        kind: (regions,) position in `KINDS`: one bit for each side that cuts it up.
        reference_only: (places,) characters at which only the reference begins a word, in any document.
        predicted_only: (places,) characters at which only the prediction does.
    """

    begin: Ints
    kind: NDArray[np.uint8]
    reference_only: Ints
    predicted_only: Ints

    @classmethod
    def of(cls, batch: WordPairs) -> Regions:
        """The regions of a batch."""
        at = np.flatnonzero(batch.reference | batch.predicted)  # (places,)
        ours, theirs = batch.reference.take(at), batch.predicted.take(at)
        reference_only, predicted_only = np.flatnonzero(~theirs), np.flatnonzero(~ours)  # positions in `at`
        sides = at.take(reference_only), at.take(predicted_only)
        both = ours & theirs
        begin = at.take(np.flatnonzero(both))
        region = np.cumsum(both, dtype=np.int32) - 1  # (places,) the region that each belongs to
        kind = np.zeros((2, len(begin)), np.uint8)
        kind[0, region.take(predicted_only)] = 1
        if not batch.compared.all():  # words of documents that are not compared belong to no region
            known = batch.compared[np.searchsorted(batch.offsets, sides[0], side="right") - 1]
            reference_only = reference_only[known]
        kind[1, region.take(reference_only)] = 2
        return cls(begin, kind[0] | kind[1], *sides)


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
    right[regions.begin[regions.kind == 0]] = True
    return right[batch.reference], right[batch.predicted]
