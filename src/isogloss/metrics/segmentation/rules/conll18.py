"""conll18_ud_eval 1.2, as the CoNLL 2018 shared task and `udtools` use it: its Tokens, Sentences and Words.

What is reproduced
    1. Both files are one text, without whitespace; sentences may be cut at other places in it. A document is a
       smallest stretch at whose ends both sides begin a sentence (and that can be scored for itself, see 4).
    2. A token is right when both its offsets are; a sentence likewise.
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

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import SentencePairs
from isogloss.counts import Counts, Sums
from isogloss.metrics.segmentation.definition import PROPORTIONS, prf
from isogloss.metrics.segmentation.profiles import Profile
from isogloss.metrics.segmentation.regions import per_document, words
from isogloss.metrics.segmentation.rules.several_words import Token, aligned
from isogloss.scores import Ints, Proportions, Scores, proportions_among

GROUPS = ("tokens", "sentences", "words")
SIDES = ("correct", "predicted", "reference")


@dataclass(frozen=True)
class SharedTask:
    """Tokens, sentences and words of the shared task."""

    def count(self, batch: SentencePairs) -> Counts:
        """The spans of each document."""
        pairs = batch.words
        columns: dict[str, Ints] = {}
        sides = (pairs.reference, pairs.predicted), (batch.reference_sentences, batch.predicted_sentences)
        for group, (reference, predicted) in zip(GROUPS, sides, strict=False):
            begin, same = _shared(reference, predicted, pairs.offsets)
            spans = begin[same], np.flatnonzero(predicted), np.flatnonzero(reference)
            columns |= {f"{group}_{name}": per_document(at, pairs) for name, at in zip(SIDES, spans, strict=True)}
        columns |= {f"words_{name}": columns[f"tokens_{name}"].copy() for name in SIDES}
        for row, counts in _with_several(batch).items():
            for name, count in zip(SIDES, counts, strict=True):
                columns[f"words_{name}"][row] = count
        return Counts.build(pairs.documents, columns)

    def overall(self, sums: Sums) -> Scores:
        """Groups `tokens`, `sentences` and `words`."""
        scores: Scores = {}
        for group in GROUPS:
            count = {name: sums.column(f"{group}_{name}").sum(axis=-1) for name in SIDES}
            scores |= {
                (group, name): value for name, value in (prf(*count.values(), zero_division=0.0) | count).items()
            }
        return scores

    def score(self, sums: Sums) -> Scores:
        """The overall scores."""
        return self.overall(sums)

    def proportions(self, sums: Sums) -> Proportions:
        """Precision and recall."""
        return proportions_among(self.overall(sums), PROPORTIONS)


def _shared(
    reference: NDArray[np.bool_], predicted: NDArray[np.bool_], offsets: Ints
) -> tuple[Ints, NDArray[np.bool_]]:
    """The predicted spans, and whether the reference has them: (spans,) each."""
    begin, end = words(predicted, offsets)
    first, last = words(reference, offsets)
    until = np.full(len(reference) + 1, -1, np.int64)
    until[first] = last
    return begin, until[begin] == end


def _with_several(batch: SentencePairs) -> dict[int, tuple[int, int, int]]:
    """Per document with a token of several words: its aligned, predicted and reference words."""
    offsets = batch.words.offsets
    reference_inner, predicted_inner = dict(batch.reference_inner), dict(batch.predicted_inner)
    at = np.array([*reference_inner, *predicted_inner], np.int64)
    result = {}
    for row in sorted(set((np.searchsorted(offsets, at, side="right") - 1).tolist())):
        low, high = int(offsets[row]), int(offsets[row + 1])
        text = batch.words.text[low:high].astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        reference = _tokens(batch.words.reference[low:high], text, reference_inner, low)
        predicted = _tokens(batch.words.predicted[low:high], text, predicted_inner, low)
        actual, possible = (sum(len(token.words) for token in side) for side in (predicted, reference))
        result[row] = aligned(reference, predicted), actual, possible
    return result


def _tokens(starts: NDArray[np.bool_], text: str, inner: Mapping[int, tuple[str, ...]], low: int) -> list[Token]:
    """The tokens of one side of a document that begins at character `low`."""
    edges = [*np.flatnonzero(starts).tolist(), len(starts)]
    tokens = []
    for a, b in pairwise(edges):
        several = inner.get(low + a)
        words = (text[a:b],) if several is None else several
        tokens.append(Token(a, b, tuple(word.lower() for word in words), several is not None))
    return tokens


PROFILE = Profile(name="conll18", metric=lambda _: SharedTask(), batches="sentences")
