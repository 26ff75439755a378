"""Two runs on the same documents, compared.

The comparison has the difference of every score, and wins and losses by document.

`stats.system_pairs` joins the counts of two systems; here are runs, and what is reported of them. `runs.comparability`
says which runs can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeVar, get_args

import numpy as np

from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_choice, check_number_between, check_whole_number
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.scores import ScoreKey, Scores, format_path, parse_path
from isogloss.kernel.sums import Sums
from isogloss.runs.comparability import (
    check_clusters,
    check_comparable,
    find_differing_documents,
    get_run_documents,
)
from isogloss.runs.evidence import DocumentCounts, ScoreNumber, TallyEvidence, is_overall_score
from isogloss.runs.main_scores import is_higher_better
from isogloss.runs.ranking_evidence import RankingEvidence, get_tally_evidence
from isogloss.runs.run import Run
from isogloss.runs.run_json import to_json_number
from isogloss.stats.difference_intervals import compute_difference_intervals
from isogloss.stats.intervals import Interval
from isogloss.stats.paired_tests import (
    DocumentComparison,
    SystemDifference,
    bootstrap_differences,
    bootstrap_test,
    compare_documents,
    delong_test,
)
from isogloss.stats.randomization import randomization_test
from isogloss.stats.ranking_tests import (
    ENOUGH_VERDICTS,
    count_score_verdicts,
    ranking_bootstrap_differences,
    ranking_bootstrap_test,
    ranking_randomization_test,
)
from isogloss.stats.smallest_p import RANDOM_EXCHANGES, SmallestP, plan_trials
from isogloss.stats.system_pairs import SystemPairs

ComparisonMethod = Literal["randomization", "bootstrap"]
COMPARISON_METHODS: tuple[ComparisonMethod, ...] = get_args(ComparisonMethod)
MAX_NAMED_DOCUMENTS = 100  # in the JSON
LEVEL_PART = "by_level"  # the keys below a level are those of a run
NAME_POSITIONS = {"by_label": 1, "slices": 2}  # position of the label or slice value in a key
E = TypeVar("E")


def find_family(key: ScoreKey) -> ScoreKey:
    """Return the family of a score's tests.

    The family is the key of the score without label or slice.
    """
    if key[0] == LEVEL_PART:
        return (*key[:2], *find_family(key[2:]))
    left_out = NAME_POSITIONS.get(key[0])
    return key if left_out is None else (*key[:left_out], *key[left_out + 1 :])


@dataclass(frozen=True)
class ComparisonOptions:
    """How systems are compared.

    Args:
        method: source of the p-values: approximate `randomization`, or the paired `bootstrap`.
        trials: number of trials of the randomization; more if a family of tests needs them, see `plan_trials`.
        resamples: number of resamples of the bootstrap, which also gives the intervals, and of trials of scores that
            depend on the order of all documents. p-values use more if a family of tests needs them.
        confidence: level of the intervals, in (0, 1).
        seed: seed of both.
        unit: column whose values are exchanged and resampled as a whole; None for single documents.

    Raises:
        UsageError: if a value is invalid.
    """

    __test__ = False  # not a test class of pytest

    method: ComparisonMethod = "randomization"
    trials: int = 10_000
    resamples: int = 1000
    confidence: float = 0.95
    seed: int = 12345
    unit: str | None = None

    def __post_init__(self) -> None:
        check_choice("method", self.method, COMPARISON_METHODS)
        check_whole_number("trials", self.trials, 1)
        check_whole_number("resamples", self.resamples, 1)
        check_number_between("confidence", self.confidence, 0, 1, "0.95")
        check_whole_number("seed", self.seed, 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the options as JSON values."""
        return {
            "method": self.method,
            "trials": self.trials if self.method == "randomization" else self.resamples,
            "resamples": self.resamples,
            "level": self.confidence,
            "seed": self.seed,
            "unit": self.unit or "document",
        }


@dataclass(frozen=True)
class ScoreDifference:
    """Score of two systems, with difference and test.

    Args:
        baseline: score of the baseline, nan where undefined.
        system: score of the other system, nan where undefined.
        test_result: their difference and its p-value.
        low: lower end of the interval of the difference, nan if there is none.
        high: upper end of the interval, nan if there is none.
        p_holm: P-value corrected for its family of tests.
    """

    baseline: float
    system: float
    test_result: SystemDifference
    low: float
    high: float
    p_holm: float = np.nan

    @property
    def difference(self) -> float:
        """Score of the system minus the score of the baseline."""
        return self.test_result.value

    @property
    def p(self) -> float:
        """Two-sided p-value."""
        return self.test_result.p

    @property
    def is_exact(self) -> bool:
        """Whether the p-value is exact, from all exchanges of the systems."""
        return self.test_result.method in RANDOM_EXCHANGES and not self.test_result.trials

    def to_dict(self) -> dict[str, Any]:
        """Return the row of the JSON; undefined is null."""
        names = ("baseline", "system", "difference", "low", "high", "p", "p_holm")
        row: dict[str, Any] = {name: to_json_number(getattr(self, name)) for name in names}
        row["method"] = self.test_result.method
        row |= {"trials": self.test_result.trials} if self.test_result.trials else {}
        row |= {"exact": True} if self.is_exact else {}
        return row | ({"undefined": self.test_result.undefined} if self.test_result.undefined else {})


@dataclass(frozen=True, eq=False)
class RunPair:
    """Two systems on the same documents.

    Args:
        baseline: run of the baseline, with its documents.
        other: run of the other system, with its documents.
        options: how they are compared.
        corrected: corrected p-values by path; None for a single pair.
        tests: number of tests with limited resolution in the family of a path; None for a single pair.
        family_sizes: number of tests that each family may have at most, which sets the number of trials; a family
            without a number has one.
        warnings: what the tests cannot decide.

    Raises:
        UsageError: if the runs cannot be compared.
        MismatchError: if their documents differ.
    """

    baseline: Run
    other: Run
    options: ComparisonOptions
    corrected: Mapping[str, float] | None = None
    tests: Mapping[str, int] | None = None
    family_sizes: Mapping[ScoreKey, int] = field(default_factory=dict)
    warnings: tuple[RunWarning, ...] = ()

    def __post_init__(self) -> None:
        check_comparable(self.baseline, self.other)
        if self.options.unit is not None:
            check_clusters(self.baseline, self.other, self.options.unit)

    def add_corrections(self, corrected: Mapping[str, float], tests: Mapping[str, int]) -> RunPair:
        """Return the pair with corrected p-values; its differences are not computed again.

        Args:
            corrected: corrected p-values by path.
            tests: number of tests with limited resolution in the family of a path.
        """
        return self._keep_differences(replace(self, corrected=corrected, tests=tests))

    def add_warnings(self, warnings: tuple[RunWarning, ...]) -> RunPair:
        """Return the pair with warnings of what the tests cannot decide."""
        return self._keep_differences(replace(self, warnings=warnings))

    def _keep_differences(self, pair: RunPair) -> RunPair:
        pair.__dict__["_differences"] = self._differences
        pair.__dict__["document_comparisons"] = self.document_comparisons
        return pair

    @cached_property
    def scores(self) -> dict[str, ScoreDifference]:
        """Difference of every ratio, by its path."""
        return {
            format_path(key): replace(difference, p_holm=(self.corrected or {}).get(format_path(key), difference.p))
            for key, difference in self._differences.items()
        }

    def test_score(self, name: str, tests: int = 1) -> SystemDifference | None:
        """Test one score, with its p-value in `scores`.

        An overall score is tested without the others.

        Args:
            name: path of the score.
            tests: number of tests in the family, which sets the number of trials.

        Returns:
            The difference before correction; None if the pair does not have the score.
        """
        key = parse_path(name)
        one, two = _get_tally_evidence(self.baseline), _get_tally_evidence(self.other)
        for mine, theirs in reversed(list(zip(one.views, two.views, strict=True))):
            if key in mine.score_overall_ratios(mine.sums):
                return self._test_overall_score(mine, theirs, key, tests)
        difference = self.scores.get(name)
        return None if difference is None else difference.test_result

    def _test_overall_score(
        self, one: TallyEvidence, two: TallyEvidence, key: ScoreKey, tests: int
    ) -> SystemDifference:
        test = self.options
        pairs = _pair_evidence(one, two, test.unit)

        def score(sums: Sums) -> Scores:
            return {key: one.score_overall_ratios(sums)[key]}

        if test.method == "randomization":
            return randomization_test(pairs, score, plan_trials(test.trials, tests), test.seed)[key]
        return bootstrap_test(pairs, score, plan_trials(test.resamples, tests), test.seed)[key]

    @cached_property
    def document_comparisons(self) -> dict[str, DocumentComparison]:
        """Comparison by document of every overall ratio, by its path."""
        one, two = (get_run_documents(run).tallied for run in (self.baseline, self.other))
        comparisons = compare_documents(one, two, _get_tally_evidence(self.baseline).score_overall_ratios)
        return {format_path(key): comparison for key, comparison in comparisons.items()}

    @cached_property
    def outcomes(self) -> dict[str, tuple[int, int, int]]:
        """Documents that the other system wins, ties and loses, by path."""
        counts = {
            name: (comparison.wins, comparison.ties, comparison.losses)
            for name, comparison in self.document_comparisons.items()
        }
        return {name: row if is_higher_better(self.baseline, name) else row[::-1] for name, row in counts.items()}

    def find_smallest_p(self, name: str, *, corrected: bool = True) -> SmallestP:
        """Return the smallest p-value that the test of a score can give.

        Args:
            name: path of the score.
            corrected: whether the p-value is corrected for its family.
        """
        tested = self.scores[name].test_result
        tests = (self.tests or {}).get(name, 1) if corrected else 1
        return SmallestP(tested.method, tested.trials, tests, self._count_units(name), self.options.unit)

    def _count_units(self, name: str) -> int | None:
        """Count the documents with a score, or the clusters.

        The result is None for a slice.
        """
        if parse_path(name)[0] == "slices":
            return None
        documents = get_run_documents(self.baseline)
        if self.options.unit is not None:
            return len({*documents.get_attribute(self.options.unit).values})
        own = self.document_comparisons.get(name)
        return len(documents.documents) if own is None else own.score_count

    def compute_mcnemar_p(self, name: str) -> float:
        """Return the p-value of McNemar's exact test.

        The test is for clusters if the unit is a column, else for documents.

        Args:
            name: path of a score that is right or wrong for each document.
        """
        comparison, unit = self.document_comparisons[name], self.options.unit
        if unit is None:
            return comparison.compute_mcnemar_p()
        return comparison.compute_mcnemar_p(
            get_run_documents(self.baseline).get_attribute(unit).number_clusters(comparison.documents)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON values."""
        warnings = [{"code": warning.code, "message": warning.message} for warning in self.warnings]
        return {
            "baseline": self.baseline.system,
            "system": self.other.system,
            "documents": self.baseline.documents,
            **self.options.to_dict(),
            "scores": {name: difference.to_dict() for name, difference in self.scores.items()},
            "per_document": {
                name: self._comparison_to_dict(name, comparison)
                for name, comparison in self.document_comparisons.items()
            },
            **({"warnings": warnings} if warnings else {}),
        }

    def name_only_right(self, name: str, limit: int = MAX_NAMED_DOCUMENTS) -> tuple[list[str], list[str]]:
        """Name the documents that only one system gets right: baseline, other.

        Args:
            name: path of the score.
            limit: most documents to name of each.
        """
        comparison, documents = self.document_comparisons[name], get_run_documents(self.baseline)
        only_baseline, only_other = comparison.only_baseline[:limit], comparison.only_other[:limit]
        return documents.name_documents(only_baseline), documents.name_documents(only_other)

    def _comparison_to_dict(self, name: str, comparison: DocumentComparison) -> dict[str, Any]:
        row: dict[str, Any] = dict(zip(("wins", "ties", "losses"), self.outcomes[name], strict=True))
        row |= {"undefined": comparison.undefined}
        row |= {"only_baseline": len(comparison.only_baseline), "only_system": len(comparison.only_other)}
        row |= dict(zip(("only_baseline_documents", "only_system_documents"), self.name_only_right(name), strict=True))
        key = "mcnemar" if self.options.unit is None else "mcnemar_clustered"
        return row | ({key: self.compute_mcnemar_p(name)} if comparison.has_only_verdicts else {})

    @cached_property
    def _differences(self) -> dict[ScoreKey, ScoreDifference]:
        one, two = _get_tally_evidence(self.baseline), _get_tally_evidence(self.other)
        for column in one.slice_columns:
            one.check_slices(column, compared=True)
        differences = self._add_slices(
            one.slice_evidence, two.slice_evidence, self._test_counts, self._test_counts(one, two)
        )
        first, second = _get_ranking_evidence(self.baseline, one), _get_ranking_evidence(self.other, two)
        # Means over different classes cannot be compared.
        if first and second and sorted(first.ranking.classes) == sorted(second.ranking.classes):
            differences |= self._add_slices(
                first.slice_evidence, second.slice_evidence, self._test_rankings, self._test_rankings(first, second)
            )
        return differences

    def _add_slices(
        self,
        one: Mapping[tuple[str, str], E],
        two: Mapping[tuple[str, str], E],
        compare: Callable[[E, E, ScoreKey], dict[ScoreKey, ScoreDifference]],
        whole: dict[ScoreKey, ScoreDifference],
    ) -> dict[ScoreKey, ScoreDifference]:
        """Add the differences of all slices to those of all documents.

        If documents have other values in a column for the other system, such as the length of its output, the slices of
        that column cannot be compared and are left out.

        Args:
            one: evidence of the baseline, by column and value.
            two: evidence of the other system, by column and value.
            compare: computes the differences of both, given the first parts of their keys.
            whole: differences of all documents.
        """
        of_slices: dict[ScoreKey, ScoreDifference] = {}
        alike = {
            column: not len(find_differing_documents(self.baseline, self.other, column))
            for column, _ in one.keys() & two.keys()
        }
        for (column, value), part in one.items():
            if alike.get(column):
                place = ("slices", column, value)
                own = compare(part, two[column, value], place)
                of_slices |= {(*place, *key): each for key, each in own.items() if is_overall_score(key)}
        return whole | {key: each for key, each in of_slices.items() if key not in whole}

    def _test_counts(
        self, one: TallyEvidence, two: TallyEvidence, place: ScoreKey = ()
    ) -> dict[ScoreKey, ScoreDifference]:
        differences: dict[ScoreKey, ScoreDifference] = {}
        for mine, theirs in zip(one.views, two.views, strict=True):
            differences |= self._test_view(mine, theirs, place)
        return differences

    def _test_view(self, one: TallyEvidence, two: TallyEvidence, place: ScoreKey) -> dict[ScoreKey, ScoreDifference]:
        test = self.options
        pairs, tests = _pair_evidence(one, two, test.unit), self._find_largest_family(one.numbers, place)
        intervals = compute_difference_intervals(pairs, one.score_all, one.count_trials, test.confidence)
        intervals |= bootstrap_differences(
            pairs, one.score_ratios, test.resamples, test.seed, test.confidence, known=intervals.keys()
        )
        if test.method == "randomization":
            tested = randomization_test(pairs, one.score_ratios, plan_trials(test.trials, tests), test.seed)
        else:
            tested = bootstrap_test(pairs, one.score_ratios, plan_trials(test.resamples, tests), test.seed)
        scores = [evidence.get_score for evidence in (one, two)]
        return {
            key: _build_difference(scores[0](key), scores[1](key), result, intervals[key])
            for key, result in tested.items()
        }

    def _test_rankings(
        self, one: RankingEvidence, two: RankingEvidence, place: ScoreKey = ()
    ) -> dict[ScoreKey, ScoreDifference]:
        """Test scores of rankings, by exchanging documents if their variance is unknown.

        The variance of an area of few positives or negatives is hardly known. Other scores of few are tested by
        resamples, because exchanges alone reject too often.
        """
        test, units = self.options, None
        influence, other = (side.metric.influence(side.ranking) for side in (one, two))
        if test.unit is not None:
            units = one.number_clusters(test.unit)
            influence, other = influence.group_by_cluster(units), other.group_by_cluster(units)
        verdicts = count_score_verdicts(one.ranking, influence, one.ranking_numbers, units)
        scarce = {key for key, number in verdicts.items() if number < ENOUGH_VERDICTS}
        by_delong = delong_test(influence, other, test.confidence, verdicts)
        known = {key: result for key, result in by_delong.items() if key not in scarce and not np.isnan(result.p)}
        run_test = ranking_randomization_test if test.method == "randomization" else ranking_bootstrap_test
        trials = plan_trials(test.resamples, self._find_largest_family(one.ranking_numbers, place))
        rankings = one.ranking, two.ranking, one.metric
        tested = run_test(*rankings, trials, test.seed, units=units)
        if test.method == "randomization" and scarce - by_delong.keys():
            drawn = ranking_bootstrap_test(*rankings, trials, test.seed, units=units)
            tested |= {key: drawn[key] for key in scarce & drawn.keys() if key not in by_delong}
        tested |= known
        intervals = ranking_bootstrap_differences(
            *rankings, test.resamples, test.seed, test.confidence, units=units
        ) | {key: result.interval for key, result in by_delong.items() if key in known or _has_width(result.interval)}
        return {
            key: _build_difference(
                one.ranking_numbers.get(key, np.nan), two.ranking_numbers.get(key, np.nan), result, intervals.get(key)
            )
            for key, result in tested.items()
        }

    def _find_largest_family(self, numbers: Mapping[ScoreKey, ScoreNumber], place: ScoreKey) -> int:
        """Return the size of the largest family under a key prefix.

        The families are those of scores whose keys begin with `place`. Slices do not count beside other scores: which
        slices are requested changes no p-value of the whole.
        """
        keys = [key for key in numbers if key[0] != "slices"] or list(numbers)
        return max((self.family_sizes.get(find_family((*place, *key)), 1) for key in keys), default=1)


def _has_width(interval: Interval | None) -> bool:
    return interval is not None and not interval.is_degenerate


def _build_difference(
    baseline: float, system: float, tested: SystemDifference, interval: Interval | None
) -> ScoreDifference:
    """Build the difference of two scores; a missing score has none."""
    if np.isnan(baseline) or np.isnan(system):
        nothing = replace(tested, value=np.nan, p=np.nan, interval=None)
        return ScoreDifference(float(baseline), float(system), nothing, np.nan, np.nan, np.nan)
    low, high = (np.nan, np.nan) if interval is None else (interval.low, interval.high)
    return ScoreDifference(float(baseline), float(system), tested, low, high, tested.p)


def _pair_evidence(one: TallyEvidence, two: TallyEvidence, unit: str | None) -> SystemPairs:
    """Pair documents with their scores as measures, or clusters of documents."""
    if unit is None:
        baseline, other = (_get_document_counts(side).tallied for side in (one, two))
        return SystemPairs.from_documents(baseline, other, one.score_overall_ratios)
    return SystemPairs.from_documents(one.score_units(unit), two.score_units(unit))


def _get_tally_evidence(run: Run) -> TallyEvidence:
    """Return the counts behind a run."""
    evidence = get_tally_evidence(run.evidence)
    if evidence is None:
        raise UsageError(f"{run.system} has no counts to compare. Score its input again.")
    return (
        evidence
        if evidence.document_counts is not None or run.document_counts is None
        else replace(evidence, document_counts=run.document_counts)
    )


def _get_ranking_evidence(run: Run, counted: TallyEvidence) -> RankingEvidence | None:
    """Return the ranking behind a run with its counts; None without one."""
    return replace(run.evidence, tally_evidence=counted) if isinstance(run.evidence, RankingEvidence) else None


def _get_document_counts(evidence: TallyEvidence) -> DocumentCounts:
    assert evidence.document_counts is not None  # noqa: S101  `check_comparable` has seen to it
    return evidence.document_counts
