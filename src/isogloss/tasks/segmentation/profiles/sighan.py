"""`score` of the SIGHAN bakeoffs (Sproat and Emerson 2003, 2005).

Its call is `score DICTIONARY REFERENCE PREDICTION`.

What is reproduced
    1. The words of a line are aligned by GNU `diff`, whatever their place in the text: a longest common subsequence of
       the two lists of words. A word that only looks like another one elsewhere in the line counts as right.
    2. Precision, recall and F of words; with a dictionary the recall of words that it has not (`oov`) and has (`iv`).
       Where `diff` has several alignments to choose from, these depend on the one that it chooses; so it is searched
       for as `diff` searches (Myers 1986, from both ends).
    3. A word that is `|`, `<` or `>` is never right for recall, because it is taken for the sign of a difference; for
       precision it is.
    4. `word.correct` is what recall divides, `word.correct_predicted` what precision divides.

Algorithm: Myers (1986), "An O(ND) difference algorithm and its variations". The search goes from both ends at once
until the paths meet, and continues on both sides of that place. Before it begins, equal items at both ends and items of
one side only are removed.

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

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import Ints, Scores, compute_f_measure, divide
from isogloss.kernel.sums import Sums
from isogloss.tasks.segmentation.batches import WordPairs, decode_code_points
from isogloss.tasks.segmentation.metric import list_word_bounds, score_vocabulary_recall
from isogloss.tasks.segmentation.profiles import SegmentationProfile

DiffItem = Hashable


def find_lcs(first: Sequence[DiffItem], second: Sequence[DiffItem]) -> list[int]:
    """Find a longest common subsequence: ascending positions in `first` of its items."""
    low = 0
    while low < min(len(first), len(second)) and first[low] == second[low]:
        low += 1
    high = 0
    while high < min(len(first), len(second)) - low and first[-1 - high] == second[-1 - high]:
        high += 1
    in_first, in_second = set(first[low : len(first) - high]), set(second[low : len(second) - high])
    rows = [at for at in range(low, len(first) - high) if first[at] in in_second]
    columns = [at for at in range(low, len(second) - high) if second[at] in in_first]
    search = _DiffSearch([first[at] for at in rows], [second[at] for at in columns])
    search.compare(0, len(rows), 0, len(columns))
    middle = [at for k, at in enumerate(rows) if k not in search.unmatched]
    return [*range(low), *middle, *range(len(first) - high, len(first))]


@dataclass
class _DiffSearch:
    """A comparison of two sequences.

    It also holds the items of the first sequence without a partner.
    """

    first: Sequence[DiffItem]
    second: Sequence[DiffItem]
    unmatched: set[int] = field(default_factory=set)

    def compare(self, low: int, high: int, below: int, above: int) -> None:
        """Compare `first[low:high]` with `second[below:above]`."""
        while low < high and below < above and self.first[low] == self.second[below]:
            low, below = low + 1, below + 1
        while low < high and below < above and self.first[high - 1] == self.second[above - 1]:
            high, above = high - 1, above - 1
        if low == high:
            return
        if below == above:
            self.unmatched.update(range(low, high))
            return
        x, y = _PathSearch(self.first, self.second, (low, high, below, above)).find_meeting()
        self.compare(low, x, below, y)
        self.compare(x, high, y, above)


class _PathSearch:
    """A search for paths from both ends of a rectangle.

    The paths are kept by diagonal (x - y).
    """

    def __init__(
        self, first: Sequence[DiffItem], second: Sequence[DiffItem], bounds: tuple[int, int, int, int]
    ) -> None:
        self.first, self.second, self.bounds = first, second, bounds
        low, high, below, above = bounds
        self.diagonals = low - above, high - below  # the outermost
        self.forward, self.backward = {low - below: low}, {high - above: high}
        self.ranges = [low - below] * 2, [high - above] * 2
        self.odd = (low - below - high + above) % 2 == 1

    def find_meeting(self) -> tuple[int, int]:
        """Return where the paths meet."""
        while True:
            step = self._step_forward() or self._step_back()
            if step is not None:
                return step

    def _step_forward(self) -> tuple[int, int] | None:
        """Step forward from the beginning on every diagonal."""
        _, high, _, above = self.bounds
        smallest, largest = self._widen_diagonals(self.ranges[0], self.forward, -1)
        for d in range(largest, smallest - 1, -2):
            left, right = self.forward.get(d - 1, -1), self.forward.get(d + 1, -1)
            x = right if left < right else left + 1
            while x < high and x - d < above and self.first[x] == self.second[x - d]:
                x += 1
            self.forward[d] = x
            if self.odd and self.ranges[1][0] <= d <= self.ranges[1][1] and self.backward[d] <= x:
                return x, x - d
        return None

    def _step_back(self) -> tuple[int, int] | None:
        """Step back from the end on every diagonal."""
        low, _, below, _ = self.bounds
        far = len(self.first) + len(self.second) + 2
        smallest, largest = self._widen_diagonals(self.ranges[1], self.backward, far)
        for d in range(largest, smallest - 1, -2):
            left, right = self.backward.get(d - 1, far), self.backward.get(d + 1, far)
            x = left if left < right else right - 1
            while low < x and below < x - d and self.first[x - 1] == self.second[x - d - 1]:
                x -= 1
            self.backward[d] = x
            if not self.odd and self.ranges[0][0] <= d <= self.ranges[0][1] and x <= self.forward[d]:
                return x, x - d
        return None

    def _widen_diagonals(self, reached: list[int], path: dict[int, int], nowhere: int) -> tuple[int, int]:
        """Return the diagonals of the next step.

        They lie one further out on each side, at the edge one further in.
        """
        smallest, largest = self.diagonals
        if reached[0] > smallest:
            reached[0] -= 1
            path[reached[0] - 1] = nowhere
        else:
            reached[0] += 1
        if reached[1] < largest:
            reached[1] += 1
            path[reached[1] + 1] = nowhere
        else:
            reached[1] -= 1
        return reached[0], reached[1]


DIFF_SIGNS = frozenset("|<>")
SIGHAN_COLUMNS = ("correct", "correct_predicted", "predicted", "reference")
VOCABULARY_COLUMNS = ("oov_total", "oov_correct")


@dataclass(frozen=True)
class SighanMetric:
    """The metric of words as `diff` aligns them.

    Args:
        vocabulary: the dictionary, None without.
    """

    vocabulary: frozenset[str] | None = None

    def count(self, batch: WordPairs) -> Counts:
        """Count the words of each document and the aligned ones."""
        text = decode_code_points(batch.text)
        sides = [
            _split_by_document(text, *list_word_bounds(starts, batch.offsets), batch.offsets)
            for starts in (batch.reference, batch.predicted)
        ]
        names = SIGHAN_COLUMNS if self.vocabulary is None else (*SIGHAN_COLUMNS, *VOCABULARY_COLUMNS)
        values = [self._count_words(reference, predicted) for reference, predicted in zip(*sides, strict=True)]
        table = np.array(values, np.int64).reshape(-1, len(names))  # (documents, columns)
        table[:, SIGHAN_COLUMNS.index("predicted")] += batch.uncompared_words
        return Counts.build(batch.documents, dict(zip(names, table.T, strict=True)))

    def overall(self, sums: Sums) -> Scores:
        """Return the group `word`, and with a dictionary `oov` and `iv`."""
        count = {name: sums.get_column(name).sum(axis=-1) for name in sums.columns}
        right, found, actual, possible = (count[name] for name in SIGHAN_COLUMNS)
        scores: Scores = {
            ("word", "precision"): divide(found, actual),
            ("word", "recall"): divide(right, possible),
            ("word", "f1"): compute_f_measure(found, actual, right, possible),
        }
        scores |= {("word", name): count[name] for name in SIGHAN_COLUMNS}
        return scores | score_vocabulary_recall(count, right, possible)

    def score(self, sums: Sums) -> Scores:
        """Return the overall scores."""
        return self.overall(sums)

    def _count_words(self, reference: Sequence[str], predicted: Sequence[str]) -> tuple[int, ...]:
        aligned = range(len(reference)) if reference == predicted else find_lcs(reference, predicted)
        right = [reference[at] for at in aligned if reference[at] not in DIFF_SIGNS]
        counts = len(right), len(aligned), len(predicted), len(reference)
        if self.vocabulary is None:
            return counts
        return *counts, self._count_unknown(reference), self._count_unknown(right)

    def _count_unknown(self, words: Sequence[str]) -> int:
        assert self.vocabulary is not None  # noqa: S101  called with a vocabulary only
        return sum(word not in self.vocabulary for word in words)


def _split_by_document(text: str, begin: Ints, end: Ints, offsets: Ints) -> list[list[str]]:
    """Split the words by document."""
    words = [text[a:b] for a, b in zip(begin.tolist(), end.tolist(), strict=True)]
    edges = np.searchsorted(begin, offsets).tolist()
    return [words[a:b] for a, b in pairwise(edges)]


PROFILE = SegmentationProfile(name="sighan", make_metric=SighanMetric, can_use_vocabulary=True)
