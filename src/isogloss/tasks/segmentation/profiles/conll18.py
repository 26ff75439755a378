"""conll18_ud_eval 1.2: its Tokens, Sentences and Words.

It is reproduced as the CoNLL 2018 shared task and `udtools` use it.

What is reproduced
    1. Both files are one text, without whitespace; sentences may be cut at other places in it. A document is a
       smallest stretch at whose ends both sides begin a sentence (and that can be scored for itself, see 4).
    2. A token or a sentence is right when both its offsets are.
    3. Words are tokens, but for tokens of several words (`1-2`). Around those, the smallest stretch that no token of
       several words of either side sticks out of is taken; words inside it are aligned by their forms in lower case,
       with as many pairs as possible in order (longest common subsequence).
    4. Of the words before such a stretch that are not aligned yet, only one is left out; others are aligned with it,
       even words of the sentence before: `BB` and `Bbab` (of B, b, ab) → `B B` and `Bbab` has one aligned word.
    5. 0/0 is 0.

Exceptions
    1. Heads are not read. There, a sentence without one root or with a cycle ends the run.
    2. All whitespace is left out, not only that of category Zs.
    3. Its tags, lemmas and trees are not compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import Ints, Scores
from isogloss.kernel.sums import Sums
from isogloss.tasks.segmentation.batches import SentencePairs, decode_code_points
from isogloss.tasks.segmentation.metric import (
    compute_prf,
    count_per_document,
    list_word_bounds,
)
from isogloss.tasks.segmentation.profiles import SegmentationProfile


@dataclass(frozen=True)
class SharedTaskToken:
    """A token.

    Args:
        start: first character.
        end: character after the last.
        words: the words of the token, in lower case.
        is_multiword: whether the token is written as a multiword token.
    """

    start: int
    end: int
    words: tuple[str, ...]
    is_multiword: bool

    def is_beyond(self, end: int) -> bool:
        """Return whether the token lies beyond a part.

        The part ends at the character `end`.
        """
        return self.start >= end if self.is_multiword else self.end > end


def count_aligned_words(reference: Sequence[SharedTaskToken], predicted: Sequence[SharedTaskToken]) -> int:
    """Count the aligned words of two lists of tokens."""
    result = g = s = 0
    while g < len(reference) and s < len(predicted):
        mine, theirs = reference[g], predicted[s]
        if mine.is_multiword or theirs.is_multiword:
            if mine.is_multiword:
                s += not theirs.is_multiword and theirs.start < mine.start
            else:
                g += mine.start < theirs.start
            end = (mine if mine.is_multiword else theirs).end
            after = _skip_multiword(reference, predicted, (g, s), end)
            result += measure_lcs(_list_words(reference[g : after[0]]), _list_words(predicted[s : after[1]]))
            g, s = after
        elif (mine.start, mine.end) == (theirs.start, theirs.end):
            result, g, s = result + 1, g + 1, s + 1
        elif mine.start <= theirs.start:
            g += 1
        else:
            s += 1
    return result


def _skip_multiword(
    reference: Sequence[SharedTaskToken],
    predicted: Sequence[SharedTaskToken],
    first: tuple[int, int],
    end: int,
) -> tuple[int, int]:
    """Return the first tokens after a part.

    The part grows with each multiword token that extends beyond it.
    """
    g, s = first
    while True:
        mine = reference[g] if g < len(reference) else None
        theirs = predicted[s] if s < len(predicted) else None
        if (mine is None or mine.is_beyond(end)) and (theirs is None or theirs.is_beyond(end)):
            return g, s
        if mine is not None and (theirs is None or mine.start <= theirs.start):
            token, g = mine, g + 1
        elif theirs is not None:
            token, s = theirs, s + 1
        if token.is_multiword:
            end = max(end, token.end)


def _list_words(tokens: Sequence[SharedTaskToken]) -> list[str]:
    return [word for token in tokens for word in token.words]


def measure_lcs(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the longest common subsequence."""
    row = [0] * (len(second) + 1)
    for item in first:
        diagonal = 0
        for k, other in enumerate(second, 1):
            diagonal, row[k] = row[k], diagonal + 1 if item == other else max(row[k], row[k - 1])
    return row[-1]


SHARED_TASK_GROUPS = ("tokens", "sentences", "words")
SIDE_COUNTS = ("correct", "predicted", "reference")


@dataclass(frozen=True)
class SharedTaskMetric:
    """The metric of the shared task: tokens, sentences and words."""

    def count(self, batch: SentencePairs) -> Counts:
        """Count tokens, sentences and words of each document."""
        columns: dict[str, Ints] = {}
        sides = (batch.reference, batch.predicted), (batch.reference_sentences, batch.predicted_sentences)
        for group, (reference, predicted) in zip(SHARED_TASK_GROUPS, sides, strict=False):
            begin, same = _match_spans(reference, predicted, batch.offsets)
            spans = begin[same], np.flatnonzero(predicted), np.flatnonzero(reference)
            columns |= {
                f"{group}_{name}": count_per_document(at, batch) for name, at in zip(SIDE_COUNTS, spans, strict=True)
            }
        columns |= {f"words_{name}": columns[f"tokens_{name}"].copy() for name in SIDE_COUNTS}
        for row, counts in _count_multiword(batch).items():
            for name, count in zip(SIDE_COUNTS, counts, strict=True):
                columns[f"words_{name}"][row] = count
        return Counts.build(batch.documents, columns)

    def overall(self, sums: Sums) -> Scores:
        """Return the groups `tokens`, `sentences` and `words`."""
        scores: Scores = {}
        for group in SHARED_TASK_GROUPS:
            count = {name: sums.get_column(f"{group}_{name}").sum(axis=-1) for name in SIDE_COUNTS}
            scores |= {
                (group, name): value
                for name, value in (compute_prf(*count.values(), zero_division=0.0) | count).items()
            }
        return scores

    def score(self, sums: Sums) -> Scores:
        """Return the overall scores."""
        return self.overall(sums)


def _match_spans(
    reference: NDArray[np.bool_],
    predicted: NDArray[np.bool_],
    offsets: Ints,
) -> tuple[Ints, NDArray[np.bool_]]:
    """Return the predicted spans, and whether the reference has them: (spans,) each."""
    begin, end = list_word_bounds(predicted, offsets)
    first, last = list_word_bounds(reference, offsets)
    until = np.full(len(reference) + 1, -1, np.int64)
    until[first] = last
    return begin, until[begin] == end


def _count_multiword(batch: SentencePairs) -> dict[int, tuple[int, int, int]]:
    """Count the words of each document with a multiword token.

    Aligned, predicted and reference words are counted.
    """
    offsets = batch.offsets
    reference_inner, predicted_inner = dict(batch.reference_multiword), dict(batch.predicted_multiword)
    at = np.array([*reference_inner, *predicted_inner], np.int64)
    result = {}
    for row in sorted(set((np.searchsorted(offsets, at, side="right") - 1).tolist())):
        low, high = int(offsets[row]), int(offsets[row + 1])
        text = decode_code_points(batch.text[low:high])
        reference = _build_tokens(batch.reference[low:high], text, reference_inner, low)
        predicted = _build_tokens(batch.predicted[low:high], text, predicted_inner, low)
        actual, possible = (sum(len(token.words) for token in side) for side in (predicted, reference))
        result[row] = count_aligned_words(reference, predicted), actual, possible
    return result


def _build_tokens(
    starts: NDArray[np.bool_], text: str, inner: Mapping[int, tuple[str, ...]], low: int
) -> list[SharedTaskToken]:
    """Return the tokens of one side of a document.

    The document begins at character `low`.
    """
    edges = [*np.flatnonzero(starts).tolist(), len(starts)]
    tokens = []
    for a, b in pairwise(edges):
        several = inner.get(low + a)
        words = (text[a:b],) if several is None else several
        tokens.append(SharedTaskToken(a, b, tuple(word.lower() for word in words), several is not None))
    return tokens


PROFILE = SegmentationProfile(name="conll18", make_metric=lambda _: SharedTaskMetric(), batches="sentences")
