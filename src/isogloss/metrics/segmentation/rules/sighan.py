"""`score` of the SIGHAN bakeoffs (Sproat and Emerson 2003, 2005): `score DICTIONARY REFERENCE PREDICTION`.

What is reproduced
    1. The words of a line are aligned by GNU `diff`, whatever their place in the text: a longest common subsequence of
       the two lists of words. A word that only looks like another one elsewhere in the line counts as right.
    2. Precision, recall and F of words; with a dictionary the recall of words that it has not (`oov`) and has (`iv`).
       Where `diff` has several alignments to choose from, these depend on the one that it chooses; so it is searched
       for as `diff` searches (Myers 1986, from both ends).
    3. A word that is `|`, `<` or `>` is never right for recall, because it is taken for the sign of a difference; for
       precision it is.
    4. `word.correct` is what recall divides, `word.correct_predicted` what precision divides.

Exceptions
    1. Texts are compared first, without whitespace. There, any two lines are compared.
    2. Words of more than 60 bytes do not fit the columns of `diff -y`, and confuse the counts there; here they do not.
    3. U+3000 at the beginning of a line is no word. There it is an empty one, which is always right.
    4. `diff` leaves some words out of the search that occur more than five times on the other side, when they stand
       among many that do not occur there. It then may miss a word that could be aligned; here none is missed.
    5. A character whose last byte in UTF-8 is A1 before `@`, such as `á@`, is taken for a space of Big5 there.
    6. Ratios are not rounded, and undefined where there they end the run. A missing line is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from isogloss.batches import WordPairs
from isogloss.counts import Counts, Sums
from isogloss.metrics.segmentation.definition import PROPORTIONS, recalls
from isogloss.metrics.segmentation.profiles import Profile
from isogloss.metrics.segmentation.regions import words
from isogloss.metrics.segmentation.rules.difference import shared
from isogloss.scores import Ints, Proportions, Scores, f_measure, proportions_among, ratio

SIGNS = frozenset("|<>")
COLUMNS = ("correct", "correct_predicted", "predicted", "reference")
OF_VOCABULARY = ("oov_total", "oov_correct")


@dataclass(frozen=True)
class SighanWords:
    """Words as `diff` aligns them.

    Args:
        vocabulary: the dictionary, None for none.
    """

    vocabulary: frozenset[str] | None = None

    def count(self, batch: WordPairs) -> Counts:
        """The words of each document and those that are aligned."""
        text = batch.text.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        sides = [
            _by_document(text, *words(starts, batch.offsets), batch.offsets)
            for starts in (batch.reference, batch.predicted)
        ]
        names = COLUMNS if self.vocabulary is None else (*COLUMNS, *OF_VOCABULARY)
        values = [self._counts(reference, predicted) for reference, predicted in zip(*sides, strict=True)]
        table = np.array(values, np.int64).reshape(-1, len(names))  # (documents, columns)
        table[:, COLUMNS.index("predicted")] += batch.lost
        return Counts.build(batch.documents, dict(zip(names, table.T, strict=True)))

    def overall(self, sums: Sums) -> Scores:
        """Group `word`, and with a dictionary `oov` and `iv`."""
        count = {name: sums.column(name).sum(axis=-1) for name in sums.columns}
        right, found, actual, possible = (count[name] for name in COLUMNS)
        scores: Scores = {
            ("word", "precision"): ratio(found, actual),
            ("word", "recall"): ratio(right, possible),
            ("word", "f1"): f_measure(found, actual, right, possible),
        }
        scores |= {("word", name): count[name] for name in COLUMNS}
        return scores | recalls(count, right, possible)

    def score(self, sums: Sums) -> Scores:
        """The overall scores."""
        return self.overall(sums)

    def proportions(self, sums: Sums) -> Proportions:
        """Precision and recall."""
        return proportions_among(self.overall(sums), PROPORTIONS)

    def _counts(self, reference: Sequence[str], predicted: Sequence[str]) -> tuple[int, ...]:
        aligned = range(len(reference)) if reference == predicted else shared(reference, predicted)
        right = [reference[at] for at in aligned if reference[at] not in SIGNS]
        counts = len(right), len(aligned), len(predicted), len(reference)
        if self.vocabulary is None:
            return counts
        return *counts, self._unknown(reference), self._unknown(right)

    def _unknown(self, found: Sequence[str]) -> int:
        assert self.vocabulary is not None  # noqa: S101  asked for only then
        return sum(word not in self.vocabulary for word in found)


def _by_document(text: str, begin: Ints, end: Ints, offsets: Ints) -> list[list[str]]:
    """The words of each document."""
    found = [text[a:b] for a, b in zip(begin.tolist(), end.tolist(), strict=True)]
    edges = np.searchsorted(begin, offsets).tolist()
    return [found[a:b] for a, b in pairwise(edges)]


PROFILE = Profile(name="sighan", metric=SighanWords, takes_vocabulary=True)
