"""Two runs on the same documents: the difference of every score, and who does better on which document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeVar, get_args

import numpy as np

from isogloss.errors import UsageError
from isogloss.kernel.arguments import number_between, one_of, whole_number
from isogloss.kernel.scores import Key, path
from isogloss.runs.comparability import check_clusters, check_comparable, differing
from isogloss.runs.evidence import Every, TallyEvidence, is_overall
from isogloss.runs.main_scores import is_higher_better
from isogloss.runs.ranking_evidence import RankingEvidence
from isogloss.runs.run import Run
from isogloss.stats.paired_tests import Difference, Duel, bootstrap_test, bootstrap_test_of_order, delong_test, duels
from isogloss.stats.pairing import Pairs
from isogloss.stats.randomization import randomization_test

Method = Literal["randomization", "bootstrap"]
METHODS: tuple[Method, ...] = get_args(Method)
MOST = 100  # documents that are named in the JSON
E = TypeVar("E")


@dataclass(frozen=True)
class Test:
    """How systems are compared.

    Args:
        method: what gives p-values: approximate `randomization`, or the paired `bootstrap`.
        trials: of the randomization.
        resamples: of the bootstrap, which also gives the intervals.
        confidence: level of the intervals, in (0, 1).
        seed: of both.
        unit: column whose values are exchanged and resampled as a whole; None for single documents.

    Raises:
        UsageError: for values that cannot be meant.
    """

    __test__ = False  # of systems, not of this program

    method: Method = "randomization"
    trials: int = 10_000
    resamples: int = 1000
    confidence: float = 0.95
    seed: int = 12345
    unit: str | None = None

    def __post_init__(self) -> None:
        one_of("method", self.method, METHODS)
        whole_number("trials", self.trials, 1)
        whole_number("resamples", self.resamples, 1)
        number_between("confidence", self.confidence, 0, 1, "0.95")
        whole_number("seed", self.seed, 0)

    def to_dict(self) -> dict[str, Any]:
        """What the JSON says of it."""
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
    """A score of two systems.

    Args:
        baseline: of the baseline, nan where undefined.
        system: of the other.
        found: their difference and its p-value.
        low: lower end of the interval of the difference, nan where there is none.
        high: upper end.
        p_holm: the p-value corrected for the family of tests that it is one of.
    """

    baseline: float
    system: float
    found: Difference
    low: float
    high: float
    p_holm: float = np.nan

    @property
    def difference(self) -> float:
        """Score of the system minus that of the baseline."""
        return self.found.value

    @property
    def p(self) -> float:
        """The two-sided p-value."""
        return self.found.p

    def to_dict(self) -> dict[str, Any]:
        """The row of the JSON; undefined is null."""
        names = ("baseline", "system", "difference", "low", "high", "p", "p_holm")
        row: dict[str, Any] = {name: _number(getattr(self, name)) for name in names}
        row["method"] = self.found.method
        return row | ({"undefined": self.found.undefined} if self.found.undefined else {})


@dataclass(frozen=True, eq=False)
class Pair:
    """Two systems.

    Args:
        baseline: the run of one, with its documents.
        other: that of the other.
        test: how they are compared.
        corrected: p-values by path, where they belong to a family of tests.

    Raises:
        UsageError: the runs cannot be compared.
        MismatchError: they are about different documents.
    """

    baseline: Run
    other: Run
    test: Test
    corrected: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        check_comparable(self.baseline, self.other)
        if self.test.unit is not None:
            check_clusters(self.baseline, self.other, self.test.unit)

    @cached_property
    def scores(self) -> dict[str, ScoreDifference]:
        """The difference of every ratio, by its path."""
        return {
            path(key): replace(found, p_holm=(self.corrected or {}).get(path(key), found.p))
            for key, found in self._found.items()
        }

    @cached_property
    def duels(self) -> dict[str, Duel]:
        """Every overall ratio over single documents, by its path."""
        one, two = _tallied(self.baseline), _tallied(self.other)
        counts = (_every(one).counts, _every(two).counts)
        return {path(key): duel for key, duel in duels(*counts, one.overall_ratios).items()}

    @cached_property
    def outcomes(self) -> dict[str, tuple[int, int, int]]:
        """Documents that the other system wins, ties and loses, by path. Of rates of errors less is better."""
        told = {name: (duel.wins, duel.ties, duel.losses) for name, duel in self.duels.items()}
        return {name: row if is_higher_better(self.baseline, name) else row[::-1] for name, row in told.items()}

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON holds it."""
        return {
            "baseline": self.baseline.system,
            "system": self.other.system,
            "documents": self.baseline.documents,
            **self.test.to_dict(),
            "scores": {name: found.to_dict() for name, found in self.scores.items()},
            "per_document": {name: self._told(name, duel) for name, duel in self.duels.items()},
        }

    def only_right(self, name: str, most: int = MOST) -> tuple[list[str], list[str]]:
        """Names of the documents that only the baseline, and that only the other system, gets right by a score.

        Args:
            name: its path.
            most: at most so many of each.
        """
        duel, every = self.duels[name], _every(_tallied(self.baseline))
        return every.names(duel.only_baseline[:most]), every.names(duel.only_other[:most])

    def _told(self, name: str, duel: Duel) -> dict[str, Any]:
        row: dict[str, Any] = dict(zip(("wins", "ties", "losses"), self.outcomes[name], strict=True))
        row |= {"undefined": duel.undefined}
        row |= {"only_baseline": len(duel.only_baseline), "only_system": len(duel.only_other)}
        row |= dict(zip(("only_baseline_documents", "only_system_documents"), self.only_right(name), strict=True))
        return row | ({"mcnemar": duel.mcnemar()} if duel.verdicts else {})

    @cached_property
    def _found(self) -> dict[Key, ScoreDifference]:
        one, two = _tallied(self.baseline), _tallied(self.other)
        found = self._with_slices(one.parts, two.parts, self._tested, self._tested(one, two))
        first, second = _ranking(self.baseline, one), _ranking(self.other, two)
        if first is not None and second is not None and _same_classes(first, second):
            found |= self._with_slices(first.parts, second.parts, self._ranked, self._ranked(first, second))
        return found

    def _with_slices(
        self,
        one: Mapping[tuple[str, str], E],
        two: Mapping[tuple[str, str], E],
        compared: Callable[[E, E], dict[Key, ScoreDifference]],
        whole: dict[Key, ScoreDifference],
    ) -> dict[Key, ScoreDifference]:
        """The differences of all documents, and the overall ones of the documents with each value of each column.

        A column in which documents have other values for the other system, such as the length of what each has
        written, makes no slices that could be compared.

        Args:
            one: by column and value, the evidence of one system.
            two: that of the other.
            compared: gives the differences of both.
            whole: those of all documents.
        """
        found: dict[Key, ScoreDifference] = {}
        alike = {column: not len(differing(self.baseline, self.other, column)) for column, _ in one.keys() & two.keys()}
        for (column, value), part in one.items():
            if alike.get(column):
                own = compared(part, two[column, value])
                found |= {("slices", column, value, *key): each for key, each in own.items() if is_overall(key)}
        return whole | {key: each for key, each in found.items() if key not in whole}

    def _tested(self, one: TallyEvidence, two: TallyEvidence) -> dict[Key, ScoreDifference]:
        found: dict[Key, ScoreDifference] = {}
        for mine, theirs in zip(one.views, two.views, strict=True):
            found |= self._of_view(mine, theirs)
        return found

    def _of_view(self, one: TallyEvidence, two: TallyEvidence) -> dict[Key, ScoreDifference]:
        test = self.test
        pairs = _paired(one, two, test.unit)
        drawn = bootstrap_test(pairs, one.ratios, test.resamples, test.seed, test.confidence)
        tested = drawn
        if test.method == "randomization":
            tested = randomization_test(pairs, one.ratios, test.trials, test.seed)
        scores = [evidence.score_of for evidence in (one, two)]
        return {key: _difference(scores[0](key), scores[1](key), found, drawn[key]) for key, found in tested.items()}

    def _ranked(self, one: RankingEvidence, two: RankingEvidence) -> dict[Key, ScoreDifference]:
        """Scores of the order of documents, which are resampled where the variance of a score is not known."""
        test, units = self.test, None
        influence, other = (side.metric.influence(side.ranking) for side in (one, two))
        if test.unit is not None:
            units = one.clusters(test.unit)
            influence, other = influence.grouped(units), other.grouped(units)
        tested = delong_test(influence, other, test.confidence)
        known = {key: found for key, found in tested.items() if not np.isnan(found.p)}
        drawn = bootstrap_test_of_order(
            one.ranking,
            two.ranking,
            one.metric,
            test.resamples,
            test.seed,
            test.confidence,
            units=units,
        )
        return {
            key: _difference(one.ordered.get(key, np.nan), two.ordered.get(key, np.nan), found, found)
            for key, found in (drawn | known).items()
        }


def _difference(baseline: float, system: float, tested: Difference, drawn: Difference) -> ScoreDifference:
    """The difference of two scores as the runs have them: one that has no such label has no score of it."""
    if np.isnan(baseline) or np.isnan(system):
        nothing = replace(tested, value=np.nan, p=np.nan, interval=None)
        return ScoreDifference(float(baseline), float(system), nothing, np.nan, np.nan, np.nan)
    interval = drawn.interval
    low, high = (np.nan, np.nan) if interval is None else (interval.low, interval.high)
    return ScoreDifference(float(baseline), float(system), tested, low, high, tested.p)


def _paired(one: TallyEvidence, two: TallyEvidence, unit: str | None) -> Pairs:
    """Documents of both with the scores of single ones as measures, or clusters of them."""
    if unit is None:
        return Pairs.of(_every(one).counts, _every(two).counts, one.overall_ratios)
    return Pairs.of(one.scored(unit), two.scored(unit))


def _tallied(run: Run) -> TallyEvidence:
    """The counts behind a run."""
    evidence = run.evidence.counted if isinstance(run.evidence, RankingEvidence) else run.evidence
    if not isinstance(evidence, TallyEvidence):
        raise UsageError(f"{run.system} has no counts that could be compared.")
    return evidence if evidence.every is not None or run.every is None else replace(evidence, every=run.every)


def _ranking(run: Run, counted: TallyEvidence) -> RankingEvidence | None:
    """The ranking behind a run beside its counts, None where it has none."""
    return replace(run.evidence, counted=counted) if isinstance(run.evidence, RankingEvidence) else None


def _same_classes(one: RankingEvidence, two: RankingEvidence) -> bool:
    """Whether both systems have scores for the same labels: means over others could not be compared."""
    return sorted(one.ranking.classes) == sorted(two.ranking.classes)


def _every(evidence: TallyEvidence) -> Every:
    assert evidence.every is not None  # noqa: S101  `check_comparable` has seen to it
    return evidence.every


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
