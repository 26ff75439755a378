"""The smallest p-value that a test can give, and what it takes to get below a significance level.

1. A test with T random trials or resamples gives at least 1 / (1 + T).
2. Approximate randomization of n documents has 2**n exchanges. Exchanging all documents is as extreme as exchanging
   none, so the p-value is at least 2 / 2**n, apart from chance. With a single document, the bootstrap gives 1.
3. Holm's correction multiplies the smallest of m p-values by m.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from isogloss.runs.score_tables import format_beside
from isogloss.text.display import format_count

SIGNIFICANCE_LEVEL = 0.05
TRIAL_NAMES = {"randomization": "trial", "bootstrap": "resample"}


@dataclass(frozen=True)
class SmallestP:
    """Smallest p-value of a test after Holm's correction.

    Args:
        method: `randomization`, `bootstrap`, or a method without random trials.
        trials: number of random trials or resamples, 0 if the p-value is computed exactly.
        tests: number of tests in the family that have random trials, at least 1.
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
        return max(self._by_trials, self._by_units)

    def explain(self, alpha: float) -> str:
        """Say which p-value is the smallest if it is not below a significance level; empty if it is.

        Args:
            alpha: the significance level, in (0, 1).
        """
        causes = [format_count(number, noun) for number, noun, _ in self._list_causes(alpha)]
        if not causes:
            return ""
        corrected = f" after Holm's correction for {self.tests:,} tests" if self.tests > 1 else ""
        about = "about " if self._by_units > self._by_trials else ""  # trials are random
        return (
            f"with {' and '.join(causes)} the smallest p-value{corrected} is {about}{format_beside(self.value, alpha)}"
        )

    def recommend(self, alpha: float) -> str:
        """Say what it takes to get below a significance level; empty if nothing is needed.

        Args:
            alpha: the significance level, in (0, 1).
        """
        return " and ".join(f"{remedy} or more" for _, _, remedy in self._list_causes(alpha))

    def _list_causes(self, alpha: float) -> list[tuple[int, str, str]]:
        """Return number, noun and remedy of what keeps the p-value from getting below alpha."""
        causes = []
        if self.units is not None and self._by_units >= alpha:
            noun = "document" if self.unit is None else "cluster"
            causes.append((self.units, noun, f"score {format_count(self._find_needed_units(alpha), noun)}"))
        if self._by_trials >= alpha:
            noun = TRIAL_NAMES[self.method]
            causes.append((self.trials, noun, f"use --{noun}s {self._find_needed_trials(alpha)}"))
        return causes

    @property
    def _by_trials(self) -> float:
        return min(1.0, self.tests / (1 + self.trials)) if self.trials else 0.0

    @property
    def _by_units(self) -> float:
        return 0.0 if self.units is None else self._bound_by_units(self.units)

    def _bound_by_units(self, units: int) -> float:
        if units < 2:  # noqa: PLR2004  a single unit is no evidence
            return 1.0
        return min(1.0, self.tests * 2.0 ** (1 - units)) if self.method == "randomization" else 0.0

    def _find_needed_units(self, alpha: float) -> int:
        needed = 2
        while self._bound_by_units(needed) >= alpha:
            needed += 1
        return needed

    def _find_needed_trials(self, alpha: float) -> int:
        needed = math.floor(self.tests / alpha)
        return needed if self.tests / (1 + needed) < alpha else needed + 1
