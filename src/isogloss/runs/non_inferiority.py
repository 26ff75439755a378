"""Non-inferiority: proof that a system is at most a margin worse.

The system is compared with the baseline. `judge_worse` passes a system unless a loss is shown; with few documents
nothing can be shown, and every system passes. Here the burden of proof is on the system: it passes only if the whole
interval of the loss lies below the margin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from isogloss.errors import UsageError
from isogloss.runs.gates import suggest_scores
from isogloss.runs.main_scores import is_higher_better
from isogloss.runs.pair_comparison import RunPair
from isogloss.runs.score_tables import format_beside, format_limit
from isogloss.runs.smallest_p import explain_smallest_p
from isogloss.stats.smallest_p import SmallestP


@dataclass(frozen=True)
class MarginVerdict:
    """Verdict on whether a system is at most a margin worse.

    The system is compared with the baseline.

    Args:
        baseline: name of the baseline.
        system: name of the other system.
        score: path of the score.
        margin: the largest allowed loss, in units of the score.
        loss: ends of the interval of the loss: baseline minus system, or system minus baseline if lower is better.
        level: confidence level of the interval.
        smallest_p: the smallest p-value that a test on these documents can give.
    """

    baseline: str
    system: str
    score: str
    margin: float
    loss: tuple[float, float]
    level: float
    smallest_p: SmallestP
    names_system = True
    is_undecided = False

    @property
    def gate(self) -> str:
        """Description of the gate."""
        return f"at most {format_limit(self.margin)} worse than {self.baseline} in {self.score}"

    @property
    def passed(self) -> bool:
        """Whether the system is shown to be at most the margin worse."""
        return not self._explain_doubt() and self.loss[1] < self.margin

    def __str__(self) -> str:
        """Write the verdict in one line."""
        if math.isnan(self.loss[1]):
            return f"{self.system}: the difference to {self.baseline} in {self.score} has no interval"
        doubt = self._explain_doubt()
        verdict = "is" if self.passed else "is not shown to be"
        return (
            f"{self.system} {verdict} less than {format_limit(self.margin)} worse than {self.baseline}: with "
            f"{100 * self.level:g}% confidence {self.score} is at most {format_beside(self.loss[1], self.margin)} worse"
            f"{'. ' if doubt else ''}{doubt}"
        )

    def _explain_doubt(self) -> str:
        """Say why the interval shows nothing; empty if it does."""
        if math.isnan(self.loss[1]):
            return "The difference has no interval."
        reason = explain_smallest_p(self.smallest_p, 1 - self.level)
        if reason:
            return f"The interval shows nothing: {reason}."
        if self.loss[0] == self.loss[1]:
            return "The interval has no width, so it shows nothing."
        return ""


def check_margin(margin: float) -> None:
    """Check that a value is a margin.

    Args:
        margin: the value.

    Raises:
        UsageError: if it is not a positive number.
    """
    if not (math.isfinite(margin) and margin > 0):
        raise UsageError(f"--margin must be a positive number in units of the score, such as 0.01, got {margin!r}.")


def judge_margin(pair: RunPair, score: str, margin: float) -> MarginVerdict:
    """Judge whether a system is at most a margin worse.

    The system is the other one of the pair, compared with the baseline.

    Args:
        pair: the two systems; the level of the interval is that of its options.
        score: path of the score.
        margin: the largest allowed loss, above 0.

    Raises:
        UsageError: if the pair does not have the score, or the margin is invalid.
    """
    check_margin(margin)
    difference = pair.scores.get(score)
    if difference is None:
        raise UsageError(f"The runs have no ratio {score!r} to compare. {suggest_scores(score, list(pair.scores))}")
    loss = (
        (-difference.high, -difference.low)
        if is_higher_better(pair.baseline, score)
        else (difference.low, difference.high)
    )
    systems = pair.baseline.system, pair.other.system
    least = pair.find_smallest_p(score, corrected=False)
    ends = loss[0] + 0.0, loss[1] + 0.0  # no -0.0
    return MarginVerdict(*systems, score, margin, ends, pair.options.confidence, least)
