"""A threshold for a score, and the verdict on a run.

A score that is undefined fails: a gate that cannot be judged is not met. With `interval`, the end of the interval that
is nearer to failing is judged instead of the score.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from isogloss.exceptions import UsageError
from isogloss.run import Run
from isogloss.scores import keys_of

Bound = Literal["under", "over"]


@dataclass(frozen=True)
class Gate:
    """A threshold.

    Args:
        score: path of the score, such as `strict.f1` or `by_label.PER.strict.recall`.
        value: the threshold.
        bound: a run fails whose score is `under` it, or `over` it.
        interval: whether the end of the score's interval has to meet it.
    """

    score: str
    value: float
    bound: Bound = "under"
    interval: bool = False

    def __str__(self) -> str:
        """One line, such as `strict.f1 not under 0.8`."""
        return f"{self.judges} not {self.bound} {self.value:g}"

    @property
    def judges(self) -> str:
        """What is judged: the score, or an end of its interval."""
        if not self.interval:
            return self.score
        return f"the {'lower' if self.bound == 'under' else 'upper'} end of {self.score}"

    def judged(self, run: Run) -> Verdict:
        """Whether a run meets the threshold.

        Raises:
            UsageError: the run has no such score, or no interval of it.
        """
        found = self._found(run)
        if math.isnan(found):
            return Verdict(self, run.system, found, passed=False)
        return Verdict(
            self, run.system, found, passed=found >= self.value if self.bound == "under" else found <= self.value
        )

    def _found(self, run: Run) -> float:
        if self.interval:
            interval = run.intervals.get(self.score)
            if interval is None:
                raise UsageError(f"There is no interval of {self.score!r}: {self._without_interval(run)}")
            return interval.low if self.bound == "under" else interval.high
        try:
            return float(run.score(self.score))
        except KeyError:
            raise UsageError(f"The run has no score {self.score!r}. {_closest(self.score, _scores(run))}") from None

    def _without_interval(self, run: Run) -> str:
        if not run.intervals:
            return "ask for intervals with --confidence 0.95."
        return f"only ratios have one. {_closest(self.score, list(run.intervals))}"


@dataclass(frozen=True)
class Verdict:
    """What became of a threshold.

    Args:
        gate: the threshold.
        system: of the run.
        found: the score, or the end of its interval; nan where undefined.
        passed: whether it is met.
    """

    gate: Gate
    system: str
    found: float
    passed: bool
    names_system = False

    def __str__(self) -> str:
        """One line, such as `strict.f1 is 0.7100, under 0.8`."""
        what = self.gate.judges
        found = "undefined" if math.isnan(self.found) else f"{self.found:.4f}"
        if self.passed:
            return f"{what} is {found}, not {self.gate.bound} {self.gate.value:g}"
        return f"{what} is {found}" + ("" if math.isnan(self.found) else f", {self.gate.bound} {self.gate.value:g}")


def parsed(text: str, bound: Bound = "under", *, interval: bool = False) -> Gate:
    """A gate as a user writes it: `strict.f1=0.8`.

    Raises:
        UsageError: it is something else.
    """
    score, sign, value = text.rpartition("=")
    try:
        number = float(value)
        keys_of(score)
    except ValueError as error:
        example = "strict.f1=0.8"
        raise UsageError(
            f"{text!r} is no threshold: give the path of a score and a number, such as {example}."
        ) from error
    if not sign or not math.isfinite(number):
        raise UsageError(f"{text!r} is no threshold: its value is no number.")
    return Gate(score, number, bound, interval)


def _scores(run: Run) -> list[str]:
    return [row["score"] for row in run.to_rows()]


def _closest(score: str, names: list[str]) -> str:
    close = get_close_matches(score, names, n=3)
    return f"Is it one of: {', '.join(close)}?" if close else f"There are {', '.join(names[:5])}, and so on."
