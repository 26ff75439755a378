"""Two systems document by document: who does better on which, and which only one of them gets right.

Definition
    1. A document takes part in a score where both systems have it: 0/0 on either side leaves it out, and it is counted.
    2. The other system wins a document where its score is higher than the baseline's, and loses it where it is lower;
       scores that are equal but for rounding tie. Higher is taken to be better.
    3. A system gets a document right where its score is 1, and wrong where it is less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.counts import Counts, Tally
from isogloss.resampling import Score
from isogloss.scores import Floats, Ints, Key
from isogloss.significance.differences import SAME, slack
from isogloss.significance.mcnemar import mcnemar_test

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Duel:
    """A score of two systems over single documents.

    Args:
        documents: (documents,) ascending.
        baseline: (documents,) the score of one system, nan where undefined.
        other: (documents,) that of the other.
    """

    documents: Ints
    baseline: Floats
    other: Floats

    @property
    def wins(self) -> int:
        """Documents on which the other system does better."""
        return int(np.count_nonzero(self._apart & (self.other > self.baseline)))

    @property
    def losses(self) -> int:
        """Documents on which the baseline does better."""
        return int(np.count_nonzero(self._apart & (self.other < self.baseline)))

    @property
    def ties(self) -> int:
        """Documents on which both do as well."""
        return len(self.documents) - self.undefined - self.wins - self.losses

    @property
    def undefined(self) -> int:
        """Documents that lack the score of one system or both."""
        return int(np.count_nonzero(~self._known))

    @property
    def only_baseline(self) -> Ints:
        """Documents that only the baseline gets right, ascending."""
        return self.documents[self._known & _right(self.baseline) & ~_right(self.other)]

    @property
    def only_other(self) -> Ints:
        """Documents that only the other system gets right, ascending."""
        return self.documents[self._known & _right(self.other) & ~_right(self.baseline)]

    @property
    def verdicts(self) -> bool:
        """Whether every document has a verdict, right or wrong, and nothing between: a score of 1 or 0."""
        scores = np.concatenate([self.baseline[self._known], self.other[self._known]])
        return bool(((scores == 0) | _right(scores)).all())

    def mcnemar(self) -> float:
        """The p-value of McNemar's exact test.

        Raises:
            ValueError: if the score is no verdict.
        """
        if not self.verdicts:
            raise ValueError("McNemar's test compares verdicts, and some documents have a score between 0 and 1")
        return mcnemar_test(len(self.only_baseline), len(self.only_other))

    @property
    def _known(self) -> Bools:
        return ~(np.isnan(self.baseline) | np.isnan(self.other))

    @property
    def _apart(self) -> Bools:
        return self._known & (np.abs(self.other - self.baseline) > slack(self.baseline, self.other))


def duels(baseline: Counts, other: Counts, overall: Score) -> dict[Key, Duel]:
    """Scores of both systems over single documents.

    Args:
        baseline: counts of one system.
        other: counts of the other.
        overall: the scores, those that documents have by themselves.

    Raises:
        ValueError: if the systems have not been scored on the same documents.
    """
    sides = [counts.normal() for counts in (baseline, other)]
    if not np.array_equal(sides[0].documents, sides[1].documents):
        raise ValueError("systems are compared on the same documents")
    one, two = (_scored(counts, overall) for counts in sides)
    return {key: Duel(sides[0].documents, one[key], two[key]) for key in one}


def _scored(counts: Counts, overall: Score) -> dict[Key, Floats]:
    """Each score of each document of normal counts: (documents,)."""
    tally, kind = Tally.with_kinds(counts)
    pieces = [overall(sums) for _, sums in tally.each()]
    return {key: np.concatenate([np.asarray(piece[key], np.float64) for piece in pieces])[kind] for key in pieces[0]}


def _right(scores: Floats) -> Bools:
    return scores >= 1 - SAME
