"""What is wanted beside the scores: intervals and findings, alike for every task."""

from __future__ import annotations

from dataclasses import dataclass

from isogloss.evaluate.arguments import number_between, whole_number
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

    def __post_init__(self) -> None:
        whole_number("context", self.context, 0)
        if self.findings is not None:
            whole_number("findings", self.findings, 0)

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


def most(findings: bool | int) -> int | None:  # noqa: FBT001  public calls take it by name and hand it on
    """How many findings are wanted at most.

    Args:
        findings: True for all of them, False for none, or the number.

    Returns:
        The number, None for all.
    """
    if isinstance(findings, bool):
        return None if findings else 0
    return findings


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
    number_between("confidence", level, 0, 1, "0.95")
    whole_number("resamples", resamples, 1)
    whole_number("seed", seed, 0)
    return Resampling(level, resamples, seed)
