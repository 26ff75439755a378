"""A longest common subsequence, the one of many that GNU `diff` finds.

Myers (1986), "An O(ND) difference algorithm and its variations": the search goes from both ends at once until the paths
meet, and on at either side of that place. Before it begins, equal items at both ends are taken off, and then what only
one side has.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import Ints, Proportions, Scores, compute_f_measure, divide, find_proportions
from isogloss.kernel.sums import Sums
from isogloss.tasks.segmentation.batches import WordPairs
from isogloss.tasks.segmentation.metric import SEGMENTATION_PROPORTIONS, list_word_bounds, score_vocabulary_recall
from isogloss.tasks.segmentation.profiles import SegmentationProfile

DiffItem = Hashable


def find_lcs(first: Sequence[DiffItem], second: Sequence[DiffItem]) -> list[int]:
    """Positions in `first` of the items of a longest common subsequence, ascending."""
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
    """The items of both sides, and those of the first that are found to have no partner."""

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
    """Paths from both ends of a rectangle, by diagonal (x - y): how far each has come."""

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
        """Where the paths meet."""
        while True:
            found = self._step_forward() or self._step_back()
            if found is not None:
                return found

    def _step_forward(self) -> tuple[int, int] | None:
        """One more step from the beginning on every diagonal."""
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
        """One more step from the end on every diagonal."""
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
        """The diagonals of the next step: one further out on either side while there are any, else one further in."""
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
    """Words as `diff` aligns them.

    Args:
        vocabulary: the dictionary, None for none.
    """

    vocabulary: frozenset[str] | None = None

    def count(self, batch: WordPairs) -> Counts:
        """The words of each document and those that are aligned."""
        text = batch.text.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
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
        """Group `word`, and with a dictionary `oov` and `iv`."""
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
        """The overall scores."""
        return self.overall(sums)

    def proportions(self, sums: Sums) -> Proportions:
        """Precision and recall."""
        return find_proportions(self.overall(sums), SEGMENTATION_PROPORTIONS)

    def _count_words(self, reference: Sequence[str], predicted: Sequence[str]) -> tuple[int, ...]:
        aligned = range(len(reference)) if reference == predicted else find_lcs(reference, predicted)
        right = [reference[at] for at in aligned if reference[at] not in DIFF_SIGNS]
        counts = len(right), len(aligned), len(predicted), len(reference)
        if self.vocabulary is None:
            return counts
        return *counts, self._count_unknown(reference), self._count_unknown(right)

    def _count_unknown(self, found: Sequence[str]) -> int:
        assert self.vocabulary is not None  # noqa: S101  asked for only then
        return sum(word not in self.vocabulary for word in found)


def _split_by_document(text: str, begin: Ints, end: Ints, offsets: Ints) -> list[list[str]]:
    """The words of each document."""
    found = [text[a:b] for a, b in zip(begin.tolist(), end.tolist(), strict=True)]
    edges = np.searchsorted(begin, offsets).tolist()
    return [found[a:b] for a, b in pairwise(edges)]


PROFILE = SegmentationProfile(name="sighan", make_metric=SighanMetric, can_use_vocabulary=True)
