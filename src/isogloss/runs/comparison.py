"""Compare systems with a baseline, and correct p-values for the number of tests.

Families of tests, for Holm's correction: a score of the whole corpus over all systems; a score by label over all labels
and systems; a score by slice over all slices and systems.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_number_between
from isogloss.kernel.metric import ClusteredMetric
from isogloss.kernel.scores import parse_path
from isogloss.runs.gates import suggest_scores
from isogloss.runs.main_scores import is_higher_better
from isogloss.runs.run import Run
from isogloss.runs.run_json import format_json
from isogloss.runs.run_pairs import ComparisonMethod, ComparisonOptions, RunPair
from isogloss.runs.score_tables import SMALLEST_SHOWN_P, format_beside, format_limit, format_p
from isogloss.stats.paired_tests import apply_holm_correction

DOCUMENT_UNIT = "document"
NAME_POSITIONS = {"by_label": 1, "slices": 2}  # position of the label or slice value in a key


@dataclass(frozen=True, eq=False)
class Comparison:
    """Systems compared with a baseline.

    Args:
        runs: Runs, the baseline first.
        options: how they are compared.
    """

    runs: tuple[Run, ...]
    options: ComparisonOptions

    @cached_property
    def pairs(self) -> tuple[RunPair, ...]:
        """The baseline with each other system, in order."""
        baseline, *others = self.runs
        pairs = tuple(RunPair(baseline, other, self.options) for other in others)
        corrected = _correct_p_values(pairs)
        return tuple(replace(pair, corrected=corrected[at]) for at, pair in enumerate(pairs))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of several systems as Python values."""
        return {"runs": [run.to_dict() for run in self.runs], "comparisons": [pair.to_dict() for pair in self.pairs]}

    def to_json(self, *, indent: int = 2) -> str:
        """Return JSON with numbers in full precision, undefined as null."""
        return format_json(self.to_dict(), indent)


def compare(  # noqa: PLR0913  the fixed public call: each option is independent
    baseline: Run,
    *others: Run,
    method: ComparisonMethod = "randomization",
    trials: int = 10_000,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 12345,
    unit: str | None = None,
) -> Comparison:
    """Compare systems that were scored on the same documents.

    Args:
        baseline: run that the others are compared with. Runs without their documents are scored once more.
        *others: other runs, at least one.
        method: `randomization` or `bootstrap`, for the p-values.
        trials: number of trials of the randomization.
        resamples: number of resamples of the bootstrap, which gives the intervals.
        confidence: level of the intervals, in (0, 1).
        seed: seed of both.
        unit: `document`, or the column whose values are exchanged and resampled as a whole. None for the unit of the
            runs' intervals if they share one, otherwise the default of the task: the entity in entity translation if
            the runs have it, else the document.

    Raises:
        UsageError: if the runs cannot be compared, or an option is invalid.
        MismatchError: if the documents of the runs differ.

    Examples:
        >>> from isogloss import ner
        >>> gold = [["B-PER", "O"], ["B-LOC", "O"]]
        >>> a, b = ner(gold, [["O", "O"], ["B-LOC", "O"]]), ner(gold, gold)
        >>> compare(a, b).pairs[0].scores["strict.f1"].difference
        0.33333333333333337
    """
    if not others:
        raise UsageError("A comparison needs at least two runs, got 1.")
    test = ComparisonOptions(method, trials, resamples, confidence, seed, None if unit == DOCUMENT_UNIT else unit)
    runs = tuple(run.ensure_documents() for run in (baseline, *others))
    comparison = Comparison(runs, replace(test, unit=_choose_unit(runs)) if unit is None else test)
    _ = comparison.pairs  # raises if the runs cannot be compared
    return comparison


def _choose_unit(runs: Sequence[Run]) -> str | None:
    """Return the column of independent units; None for single documents."""
    units = {str(run.signature.choices.get("unit")) for run in runs}
    if len(units) == 1 and "None" not in units:
        (unit,) = units
        return None if unit == DOCUMENT_UNIT else unit
    metric = getattr(runs[0].evidence, "metric", None)
    if not isinstance(metric, ClusteredMetric):
        return None
    known = all(run.document_counts is not None and metric.clusters in run.document_counts.attributes for run in runs)
    return metric.clusters if known else None


def _correct_p_values(pairs: tuple[RunPair, ...]) -> list[dict[str, float]]:
    """Return corrected p-values of each pair by path."""
    families: dict[tuple[str, ...], dict[tuple[int, str], float]] = defaultdict(dict)
    for at, pair in enumerate(pairs):
        for name, found in pair.scores.items():
            families[_find_family(name)][at, name] = found.p
    corrected: list[dict[str, float]] = [{} for _ in pairs]
    for family in families.values():
        for (at, name), p in apply_holm_correction(family).items():
            corrected[at][name] = p
    return corrected


def _find_family(name: str) -> tuple[str, ...]:
    """Return the family of a score: its key without label or slice."""
    key = parse_path(name)
    left_out = NAME_POSITIONS.get(key[0])
    return key if left_out is None else (*key[:left_out], *key[left_out + 1 :])


@dataclass(frozen=True)
class WorseVerdict:
    """Verdict on whether a system is significantly worse than the baseline.

    Args:
        baseline: name of the baseline.
        system: name of the other system.
        score: path of the score.
        difference: score of the system minus the score of the baseline.
        p: corrected p-value.
        alpha: level of the test.
        lower_is_better: whether a lower score is better.
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
        """Description of the gate."""
        return f"not significantly worse than {self.baseline} in {self.score}"

    @property
    def passed(self) -> bool:
        """Whether the system is not significantly worse; false if the difference is undefined."""
        if math.isnan(self.difference) or math.isnan(self.p):
            return False
        loss = self.difference if self.lower_is_better else -self.difference
        return loss <= 0 or self.p >= self.alpha

    def __str__(self) -> str:
        """Write the verdict in one line."""
        if math.isnan(self.difference):
            return f"{self.system}: the difference to {self.baseline} in {self.score} is undefined"
        verdict = "not significantly worse" if self.passed else "significantly worse"
        return (
            f"{self.system} is {verdict} than {self.baseline}: "
            f"{self.score} differs by {self.difference:+.4f} ({self._format_p()}, alpha = {format_limit(self.alpha)})"
        )

    def _format_p(self) -> str:
        """Write the p-value so that it is visibly below alpha, or not."""
        text = format_p(self.p)
        if not text.startswith("<"):
            return f"p = {format_beside(self.p, self.alpha)}"
        return f"p {text}" if self.alpha >= SMALLEST_SHOWN_P else f"p = {self.p:.2g}"


def check_alpha(alpha: float) -> None:
    """Check that a value is the level of a test.

    Args:
        alpha: the value.

    Raises:
        UsageError: if it is not in (0, 1).
    """
    check_number_between("alpha", alpha, 0, 1, "0.05")


def judge_worse(pair: RunPair, score: str, alpha: float = 0.05) -> WorseVerdict:
    """Test whether the other system of a pair is significantly worse.

    Args:
        pair: the two systems.
        score: path of the score.
        alpha: level of the test, in (0, 1).

    Raises:
        UsageError: if the pair does not have the score, or the level is invalid.
    """
    check_alpha(alpha)
    found = pair.scores.get(score)
    if found is None:
        raise UsageError(f"The runs have no ratio {score!r} to compare. {suggest_scores(score, list(pair.scores))}")
    systems = pair.baseline.system, pair.other.system
    return WorseVerdict(
        *systems, score, found.difference, found.p_holm, alpha, not is_higher_better(pair.baseline, score)
    )
