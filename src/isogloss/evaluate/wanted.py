"""What is wanted beside the scores: intervals and findings, alike for every task."""

from __future__ import annotations

from dataclasses import dataclass

from isogloss.exceptions import UsageError
from isogloss.run import Resampling


@dataclass(frozen=True)
class Wanted:
    """What is wanted beside the scores.

    Args:
        resampling: how intervals are made, None for none.
        findings: at most so many findings, None for all of them, 0 for none.
        context: words of context on each side of a finding.
    """

    resampling: Resampling | None = None
    findings: int | None = 0
    context: int = 3

    def choices(self) -> dict[str, str | int | float]:
        """What the signature says of the intervals."""
        how = self.resampling
        if how is None:
            return {}
        return {
            "unit": "document",
            "confidence": how.level,
            "resamples": how.resamples,
            "seed": how.seed,
            "method": "bootstrap-percentile",
        }


def resampled(level: float | None, resamples: int, seed: int) -> Resampling | None:
    """How intervals are made.

    Args:
        level: confidence level in (0, 1), None for no intervals.
        resamples: number of resamples, at least 1.
        seed: 0 or more.

    Raises:
        UsageError: for values out of these ranges.
    """
    if level is None:
        return None
    if not 0 < level < 1:
        raise UsageError(f"confidence is {level}, but a level is between 0 and 1, such as 0.95.")
    if resamples < 1:
        raise UsageError(f"resamples is {resamples}, but an interval needs at least one, better 1000.")
    if seed < 0:
        raise UsageError(f"seed is {seed}, but a seed is 0 or more.")
    return Resampling(level, resamples, seed)
