"""Comparison of systems with a baseline.

P-values are corrected for the number of tests. Families of tests, for Holm's correction: a score of the whole corpus
over all systems; a score by label over all labels and systems; a score by slice over all slices and systems.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_number_between
from isogloss.kernel.metric import ClusteredMetric
from isogloss.kernel.presenters import call_presenter
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.scores import ScoreKey, format_path, parse_path
from isogloss.runs.comparability import VERSIONS_CHOICE
from isogloss.runs.gates import suggest_scores
from isogloss.runs.main_scores import is_higher_better
from isogloss.runs.pair_comparison import ComparisonMethod, ComparisonOptions, RunPair, find_family
from isogloss.runs.ranking_evidence import RankingEvidence
from isogloss.runs.run import Run
from isogloss.runs.run_json import format_json
from isogloss.runs.score_tables import SMALLEST_SHOWN_P, format_beside, format_limit, format_p
from isogloss.runs.smallest_p import explain_smallest_p, recommend_smaller_p
from isogloss.runs.system_ranking import SystemRanking, rank_systems
from isogloss.stats.paired_tests import SystemDifference, apply_holm_correction
from isogloss.stats.ranking_tests import ENOUGH_VERDICTS, find_scarce_classes
from isogloss.stats.smallest_p import RANDOM_EXCHANGES, SIGNIFICANCE_LEVEL, SmallestP

DOCUMENT_UNIT = "document"
MAX_NAMES = 10  # in a warning
TOO_FEW_TRIALS, TOO_FEW_UNITS = "too-few-trials", "too-few-documents"  # codes of warnings


@dataclass(frozen=True, eq=False)
class Comparison:
    """Systems compared with a baseline.

    Args:
        runs: Runs, the baseline first.
        options: how they are compared.
        all_pairs: whether to rank the systems by tests of all pairs.
        score: path of the score to rank by; None for the main score of the task.
    """

    runs: tuple[Run, ...]
    options: ComparisonOptions
    all_pairs: bool = False
    score: str | None = None

    @cached_property
    def pairs(self) -> tuple[RunPair, ...]:
        """The baseline with each other system, in order."""
        baseline, *others = self.runs
        sizes = _bound_family_sizes(baseline, len(others))
        pairs = tuple(RunPair(baseline, other, self.options, family_sizes=sizes) for other in others)
        families = _group_tests(pairs)
        corrected, tests = _correct_p_values(families, len(pairs)), _count_tests(families, pairs)
        pairs = tuple(pair.add_corrections(corrected[at], tests[at]) for at, pair in enumerate(pairs))
        warnings = (*_find_warnings(families, pairs), *_warn_of_few_positives(baseline, self.options))
        warnings += tuple(_warn_of_versions(self.runs))
        return tuple(pair.add_warnings(warnings) for pair in pairs)

    @cached_property
    def ranking(self) -> SystemRanking | None:
        """The systems ranked by tests of all pairs.

        It is None if these tests were not requested.
        """
        return rank_systems(self.runs, self.options, self.score) if self.all_pairs else None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of several systems as Python values."""
        ranking = {} if self.ranking is None else {"ranking": self.ranking.to_dict()}
        pairs = [pair.to_dict() for pair in self.pairs]
        return {"runs": [run.to_dict() for run in self.runs], "comparisons": pairs, **ranking}

    def to_json(self, *, indent: int = 2) -> str:
        """Return JSON with numbers in full precision, undefined as null."""
        return format_json(self.to_dict(), indent)

    def __str__(self) -> str:
        text: str = call_presenter("comparison_text", self)
        return text

    def _repr_html_(self) -> str:
        html: str = call_presenter("comparison_html", self)
        return html


def compare(  # noqa: PLR0913  the fixed public call: each option is independent
    baseline: Run,
    *others: Run,
    method: ComparisonMethod = "randomization",
    trials: int = 10_000,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 12345,
    unit: str | None = None,
    all_pairs: bool = False,
    score: str | None = None,
) -> Comparison:
    """Compare systems that were scored on the same documents.

    Args:
        baseline: run that the others are compared with. Runs without their documents are scored once more.
        *others: other runs, at least one.
        method: `randomization` or `bootstrap`, for the p-values.
        trials: number of trials of the randomization; a family of many tests gets more.
        resamples: number of resamples of the bootstrap, which gives the intervals, and of trials of average precision;
            for p-values, a family of many tests gets more.
        confidence: level of the intervals, in (0, 1).
        seed: seed of both.
        unit: `document`, or the column whose values are exchanged and resampled as a whole. None for the unit of the
            runs' intervals if they share one, otherwise the default of the task: the entity in entity translation if
            the runs have it, else the document.
        all_pairs: whether to test all pairs of systems in one score too, and rank the systems by it.
        score: path of that score; None for the main score of the task.

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
    test = replace(test, unit=_choose_unit(runs)) if unit is None else test
    comparison = Comparison(runs, test, all_pairs, score)
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


def _bound_family_sizes(baseline: Run, pairs: int) -> dict[ScoreKey, int]:
    """Return the largest number of tests of each family.

    A family has one test for each ratio of the baseline and each pair.
    """
    ratios = (key for key, value in baseline.evidence.numbers.items() if isinstance(value, float))
    return {family: pairs * number for family, number in Counter(map(find_family, ratios)).items()}


Families = Mapping[tuple[str, ...], Mapping[tuple[int, str], SystemDifference]]  # by pair and path


def _group_tests(pairs: Sequence[RunPair]) -> Families:
    """Group the tests of all pairs into families."""
    families: dict[tuple[str, ...], dict[tuple[int, str], SystemDifference]] = defaultdict(dict)
    for at, pair in enumerate(pairs):
        for name, difference in pair.scores.items():
            families[find_family(parse_path(name))][at, name] = difference.test_result
    return families


def _correct_p_values(families: Families, pairs: int) -> list[dict[str, float]]:
    """Return corrected p-values of each pair by path."""
    corrected: list[dict[str, float]] = [{} for _ in range(pairs)]
    for family in families.values():
        for (at, name), p in apply_holm_correction({key: tested.p for key, tested in family.items()}).items():
            corrected[at][name] = p
    return corrected


def _count_tests(families: Families, pairs: Sequence[RunPair]) -> list[dict[str, int]]:
    """Return the number of tests with random trials for each path.

    The tests are those in the family of the path. The result has a dictionary for each pair.
    """
    counted: list[dict[str, int]] = [{} for _ in pairs]
    for family in families.values():
        number = max(1, len(_select_random_tests(family)))
        for at, name in family:
            counted[at][name] = number
    return counted


def _select_random_tests(family: Mapping[tuple[int, str], SystemDifference]) -> list[SystemDifference]:
    """Return the tests whose p-values have a smallest value.

    These tests exchange documents; the exchanges are drawn or enumerated.
    """
    return [tested for tested in family.values() if tested.method in RANDOM_EXCHANGES and not math.isnan(tested.p)]


def _warn_of_few_positives(baseline: Run, options: ComparisonOptions) -> Iterator[RunWarning]:
    """Warn of labels with few positives or negatives.

    Intervals of differences are then approximate.
    """
    evidence, units = baseline.evidence, "documents" if options.unit is None else f"clusters by {options.unit!r}"
    if not isinstance(evidence, RankingEvidence):
        return
    clusters = None if options.unit is None else evidence.number_clusters(options.unit)
    few = [f"{name} ({number})" for name, number in sorted(find_scarce_classes(evidence.ranking, clusters).items())]
    if few:
        text = f"With fewer than {ENOUGH_VERDICTS} positive or negative {units}, intervals of differences of ROC-AUC"
        named = ", ".join(few[:MAX_NAMES]) + (f", and {len(few) - MAX_NAMES:,} more" if len(few) > MAX_NAMES else "")
        yield RunWarning("few-positives", f"{text} and average precision are approximate: {named}", len(few))


def _warn_of_versions(runs: Sequence[Run]) -> Iterator[RunWarning]:
    """Warn if packages that take part in the scoring have other versions."""
    found = dict.fromkeys(str(run.signature.choices.get(VERSIONS_CHOICE, "none")) for run in runs)
    if len(found) > 1:
        text = f"The packages that score have other versions: {' and '.join(found)}. Score all with the same versions."
        yield RunWarning("other-versions", text)


def _find_warnings(families: Families, pairs: Sequence[RunPair]) -> Iterator[RunWarning]:
    """Warn of the family that is farthest from significance.

    There is one warning for each method and cause.
    """
    largest: dict[tuple[str, str], tuple[SmallestP, tuple[str, ...]]] = {}
    for key, family in families.items():
        for at, name in family:
            least = pairs[at].find_smallest_p(name)
            code = TOO_FEW_TRIALS if least.by_trials >= least.by_units else TOO_FEW_UNITS
            known = largest.get((code, least.method))
            if least.value >= SIGNIFICANCE_LEVEL and (known is None or least.value > known[0].value):
                largest[code, least.method] = least, key
    for (code, _), (least, key) in largest.items():
        reason, remedy = (write(least, SIGNIFICANCE_LEVEL) for write in (explain_smallest_p, recommend_smaller_p))
        scores = f"{format_path(key)}: " if least.tests > 1 else ""
        text = f"{reason}, so no difference is significant at {SIGNIFICANCE_LEVEL}. To change that, {remedy}."
        yield RunWarning(code, f"{scores}{text}" if scores else text[:1].upper() + text[1:])


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
        smallest_p: the smallest p-value that the test can give; None if unknown.
    """

    baseline: str
    system: str
    score: str
    difference: float
    p: float
    alpha: float
    lower_is_better: bool
    smallest_p: SmallestP | None = None
    names_system = True

    @property
    def gate(self) -> str:
        """Description of the gate."""
        return f"not significantly worse than {self.baseline} in {self.score}"

    @property
    def passed(self) -> bool:
        """Whether the system is not significantly worse.

        It is false if the difference is undefined.
        """
        if math.isnan(self.difference) or math.isnan(self.p):
            return False
        loss = self.difference if self.lower_is_better else -self.difference
        return loss <= 0 or self.p >= self.alpha

    @property
    def is_undecided(self) -> bool:
        """Whether the system passed a test that no system could have failed."""
        return self.passed and self.smallest_p is not None and self.smallest_p.value >= self.alpha

    def __str__(self) -> str:
        """Write the verdict in one line."""
        if math.isnan(self.difference):
            return f"{self.system}: the difference to {self.baseline} in {self.score} is undefined"
        verdict = "not significantly worse" if self.passed else "significantly worse"
        return (
            f"{self.system} is {verdict} than {self.baseline}: "
            f"{self.score} differs by {self._format_difference()} ({self._format_p()}, {self._format_smallest_p()}"
            f"alpha = {format_limit(self.alpha)})"
            f"{self._explain_undecided()}"
        )

    def _explain_undecided(self) -> str:
        if self.smallest_p is None or not self.is_undecided:
            return ""
        reason, remedy = (write(self.smallest_p, self.alpha) for write in (explain_smallest_p, recommend_smaller_p))
        return f". The test cannot decide: {reason}. To decide, {remedy}, or set a threshold with --fail-under."

    def _format_difference(self) -> str:
        """Write the difference with its sign.

        It has as many digits as show that it is not 0.
        """
        return f"{'' if self.difference < 0 else '+'}{format_beside(self.difference, 0)}"

    def _format_smallest_p(self) -> str:
        """Write the smallest p-value that the test can give.

        The text is empty if the test can give any p-value.
        """
        least = 0.0 if self.smallest_p is None else self.smallest_p.value
        return f"smallest possible {format_p(least).removeprefix('< ')}, " if least else ""

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
    difference = pair.scores.get(score)
    if difference is None:
        raise UsageError(f"The runs have no ratio {score!r} to compare. {suggest_scores(score, list(pair.scores))}")
    systems = pair.baseline.system, pair.other.system
    lower_is_better = not is_higher_better(pair.baseline, score)
    least = pair.find_smallest_p(score)
    return WorseVerdict(*systems, score, difference.difference, difference.p_holm, alpha, lower_is_better, least)
