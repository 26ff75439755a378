"""Whether a system is significantly worse than another."""

from __future__ import annotations

import math
from dataclasses import dataclass

from isogloss.comparison.pairs import Pair
from isogloss.exceptions import UsageError
from isogloss.run.main_scores import higher_is_better


@dataclass(frozen=True)
class Worse:
    """What became of the question.

    Args:
        baseline: the system that another is measured by.
        system: the other.
        score: the path that was looked at.
        difference: score of the system minus that of the baseline.
        p: its corrected p-value.
        alpha: the level.
        lower_is_better: whether less is better.
    """

    baseline: str
    system: str
    score: str
    difference: float
    p: float
    alpha: float
    lower_is_better: bool
    names_system = True

    @property
    def gate(self) -> str:
        """What was asked for."""
        return f"not significantly worse than {self.baseline} in {self.score}"

    @property
    def passed(self) -> bool:
        """Whether the system is not significantly worse. An undefined difference fails."""
        if math.isnan(self.difference) or math.isnan(self.p):
            return False
        loss = self.difference if self.lower_is_better else -self.difference
        return loss <= 0 or self.p >= self.alpha

    def __str__(self) -> str:
        """One line."""
        if math.isnan(self.difference):
            return f"{self.system}: the difference to {self.baseline} in {self.score} is undefined"
        verdict = "not significantly worse" if self.passed else "significantly worse"
        return (
            f"{self.system} is {verdict} than {self.baseline}: "
            f"{self.score} differs by {self.difference:+.4f} (p = {self.p:.4f}, alpha = {self.alpha:g})"
        )


def check_alpha(alpha: float) -> None:
    """Refuse what is no level of a test.

    Raises:
        UsageError: it is not in (0, 1).
    """
    if not 0 < alpha < 1:
        raise UsageError(f"alpha is {alpha}, but it is a number between 0 and 1, such as 0.05.")


def worse_than(pair: Pair, score: str, alpha: float = 0.05) -> Worse:
    """Whether the other system of a pair is significantly worse than the baseline.

    Args:
        pair: the two systems.
        score: path of the score.
        alpha: level of the test, in (0, 1).

    Raises:
        UsageError: the pair has no such score, or the level cannot be meant.
    """
    check_alpha(alpha)
    found = pair.scores.get(score)
    if found is None:
        raise UsageError(f"The runs have no ratio {score!r} that could be compared.")
    systems = pair.baseline.system, pair.other.system
    return Worse(*systems, score, found.difference, found.p_holm, alpha, not higher_is_better(score))
