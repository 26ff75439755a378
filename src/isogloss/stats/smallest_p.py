"""The smallest p-value that a test can give.

This module also says how many trials or units it takes to get below a level.

1. A test with T random trials gives at least 1 / (1 + T).
2. Exchanging n documents between two systems has 2**n outcomes. Exchanging all documents is as extreme as exchanging
   none, so the p-value is at least 2 / 2**n, apart from chance. Resamples of exchanged documents have about the same
   limit. With a single document or cluster, p is 1.
3. Holm's correction multiplies the smallest of m p-values by m.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

SIGNIFICANCE_LEVEL = 0.05
MAX_TRIALS = 100_000  # a family of more than 2,500 tests gets no more
RANDOM_EXCHANGES = ("randomization", "rank_randomization", "bootstrap")  # tests whose documents are exchanged at random


def plan_trials(trials: int, tests: int, alpha: float = SIGNIFICANCE_LEVEL) -> int:
    """Return how many random trials each test of a family uses.

    If `trials` suffices for a single test, it grows with the family until tests / (1 + trials) is alpha / 2 or less,
    but not above `MAX_TRIALS`. Fewer trials than a single test needs are kept.

    Args:
        trials: number of trials of a single test, at least 1.
        tests: number of tests in the family.
        alpha: significance level, in (0, 1).
    """
    if 1 / (1 + trials) > alpha / 2:
        return trials
    return max(trials, min(math.ceil(2 * tests / alpha) - 1, MAX_TRIALS))


@dataclass(frozen=True)
class SmallestP:
    """Smallest p-value of a test after Holm's correction.

    Args:
        method: `randomization`, `rank_randomization`, `bootstrap`, or a method without exchanges.
        trials: number of random trials or resamples, 0 if the p-value is computed exactly.
        tests: number of tests in the family, at least 1.
        units: number of documents or clusters that the test exchanges or resamples; None if unknown.
        unit: column whose values are the clusters; None if `units` are documents.
    """

    method: str
    trials: int
    tests: int = 1
    units: int | None = None
    unit: str | None = None

    @property
    def value(self) -> float:
        """The p-value, in [0, 1]."""
        return max(self.by_trials, self.by_units)

    @property
    def by_trials(self) -> float:
        """The smallest p-value that the number of trials allows."""
        return min(1.0, self.tests / (1 + self.trials)) if self.trials else 0.0

    @property
    def by_units(self) -> float:
        """The smallest p-value that the number of documents or clusters allows."""
        return 0.0 if self.units is None else self._bound_by_units(self.units)

    def find_needed_units(self, alpha: float) -> int:
        """Return the fewest documents or clusters that allow a p-value below alpha."""
        needed = 2
        while self._bound_by_units(needed) >= alpha:
            needed += 1
        return needed

    def find_needed_trials(self, alpha: float) -> int:
        """Return the fewest trials that allow a p-value below alpha."""
        needed = math.floor(self.tests / alpha)
        return needed if self.tests / (1 + needed) < alpha else needed + 1

    def _bound_by_units(self, units: int) -> float:
        if units < 2:  # noqa: PLR2004  a single unit is no evidence
            return 1.0
        return min(1.0, self.tests * 2.0 ** (1 - units)) if self.method in RANDOM_EXCHANGES else 0.0
