"""Ranks and groups of systems by tests of all pairs.

All pairs are tested in one score. The tests of all pairs are one family for Holm's correction: n(n - 1) / 2 tests of n
systems. So a difference may be significant in the comparison with the baseline, whose family has n - 1 tests, but not
here. `stats.rank_groups` defines ranks and groups.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from isogloss.runs.main_scores import choose_main_score, get_score_value, is_higher_better
from isogloss.runs.pair_comparison import ComparisonOptions, RunPair
from isogloss.runs.run import Run
from isogloss.runs.run_json import to_json_number
from isogloss.runs.smallest_p import explain_smallest_p, recommend_smaller_p
from isogloss.stats.paired_tests import SystemDifference, apply_holm_correction
from isogloss.stats.rank_groups import Bools, assign_rank_groups, compute_rank_ranges
from isogloss.stats.smallest_p import SIGNIFICANCE_LEVEL, SmallestP


@dataclass(frozen=True)
class RankedSystem:
    """A system with its ranks.

    Args:
        system: its name.
        value: its score; None if undefined.
        low: lower end of the interval of the score; None without an interval.
        high: upper end of the interval of the score; None without an interval.
        first_rank: 1 + the number of systems that are significantly better; None for an undefined score.
        last_rank: number of ranked systems without those that are significantly worse; None for an undefined score.
        group: its group, numbered from 1; None for an undefined score.
    """

    system: str
    value: float | None
    low: float | None = None
    high: float | None = None
    first_rank: int | None = None
    last_rank: int | None = None
    group: int | None = None


@dataclass(frozen=True)
class PairTest:
    """The test of two systems.

    Args:
        system: name of the system with the better score.
        other: name of the other system.
        difference: score of the system minus the score of the other; None without a test.
        p: two-sided p-value; None without a test.
        p_holm: p-value after Holm's correction for all pairs; None without a test.
    """

    system: str
    other: str
    difference: float | None = None
    p: float | None = None
    p_holm: float | None = None


@dataclass(frozen=True)
class SystemRanking:
    """Systems ranked by one score, with the tests of all pairs.

    Args:
        score: path of the score.
        alpha: level of the tests.
        method: source of the p-values, as in `ComparisonOptions`.
        trials: number of trials of the randomization, or of resamples.
        seed: seed of the tests.
        unit: `document`, or the column whose values are exchanged as a whole.
        systems: systems from the best; those with an undefined score come last.
        pairs: every pair of the systems with a score, by the places of both.
        notes: what the tests cannot decide.
    """

    score: str
    alpha: float
    method: str
    trials: int
    seed: int
    unit: str
    systems: tuple[RankedSystem, ...]
    pairs: tuple[PairTest, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = [each.system for each in self.systems if each.group is not None]
        if [(pair.system, pair.other) for pair in self.pairs] != list(combinations(names, 2)):
            raise ValueError("the pairs must be all pairs of the ranked systems, in their order")

    @property
    def number(self) -> int:
        """Number of systems with a rank."""
        return sum(each.group is not None for each in self.systems)

    def find_worse(self, place: int) -> list[int]:
        """Return the places of the systems that are significantly worse, from 1.

        Args:
            place: place of a system among `systems`, from 1.
        """
        places = combinations(range(1, self.number + 1), 2)
        return [
            other
            for (better, other), pair in zip(places, self.pairs, strict=True)
            if better == place and pair.p_holm is not None and pair.p_holm < self.alpha
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking as JSON values; undefined is null."""
        return asdict(self)


def rank_systems(runs: Sequence[Run], options: ComparisonOptions, score: str | None = None) -> SystemRanking:
    """Test all pairs of systems in one score, and rank the systems.

    Args:
        runs: runs with their documents, comparable with the first.
        options: how they are compared.
        score: path of the score; None for the main score of the task.

    Raises:
        UsageError: if the runs cannot be compared, or do not have the score.
        MismatchError: if the documents of the runs differ.
    """
    main = choose_main_score(runs, score)
    ranked, others = _order_runs(runs, main)
    pairs = list(combinations(range(len(ranked)), 2))
    tests = {
        (at, other): RunPair(ranked[other], ranked[at], options).test_score(main, len(pairs)) for at, other in pairs
    }
    corrected = apply_holm_correction(
        {pair: difference.p for pair, difference in tests.items() if difference is not None}
    )
    better = np.zeros((len(ranked), len(ranked)), np.bool_)
    for pair, p in corrected.items():
        better[pair] = p < SIGNIFICANCE_LEVEL
    how = options.to_dict()
    return SystemRanking(
        main,
        SIGNIFICANCE_LEVEL,
        how["method"],
        how["trials"],
        how["seed"],
        how["unit"],
        (*_list_ranked(ranked, main, better), *(RankedSystem(run.system, None) for run in others)),
        tuple(_build_pair(ranked, pair, difference, corrected.get(pair)) for pair, difference in tests.items()),
        tuple(_write_notes(runs[0], options, [difference for difference in tests.values() if difference is not None])),
    )


def _order_runs(runs: Sequence[Run], main: str) -> tuple[list[Run], list[Run]]:
    """Return the runs in order, and those with an undefined score.

    The order is from the best score, ties by name.
    """
    sign = -1 if is_higher_better(runs[0], main) else 1
    defined = {at for at, run in enumerate(runs) if not math.isnan(_get_value(run, main))}
    ranked = sorted((runs[at] for at in defined), key=lambda run: (sign * _get_value(run, main), run.system))
    return ranked, [run for at, run in enumerate(runs) if at not in defined]


def _get_value(run: Run, main: str) -> float:
    value = get_score_value(run, main)
    return math.nan if value is None else value


def _list_ranked(runs: Sequence[Run], main: str, better: Bools) -> list[RankedSystem]:
    ranked = []
    for run, (first, last), group in zip(runs, compute_rank_ranges(better), assign_rank_groups(better), strict=True):
        interval = run.intervals.get(main)
        low, high = (None, None) if interval is None else (to_json_number(interval.low), to_json_number(interval.high))
        ranked.append(RankedSystem(run.system, _get_value(run, main), low, high, first, last, group))
    return ranked


def _build_pair(
    runs: Sequence[Run], pair: tuple[int, int], difference: SystemDifference | None, p_holm: float | None
) -> PairTest:
    names = runs[pair[0]].system, runs[pair[1]].system
    if difference is None or p_holm is None or math.isnan(p_holm):
        return PairTest(*names)
    return PairTest(*names, difference.value, difference.p, p_holm)


def _write_notes(run: Run, options: ComparisonOptions, tests: Sequence[SystemDifference]) -> Iterator[str]:
    """Say why no difference can be significant, if so."""
    drawn = [tested for tested in tests if tested.trials and not math.isnan(tested.p)]
    for tested in drawn[:1]:
        least = SmallestP(tested.method, tested.trials, len(drawn), _count_units(run, options), options.unit)
        if reason := explain_smallest_p(least, SIGNIFICANCE_LEVEL):
            text = f"{reason}, so no system is significantly better than another."
            yield f"{text[:1].upper()}{text[1:]} To change that, {recommend_smaller_p(least, SIGNIFICANCE_LEVEL)}."


def _count_units(run: Run, options: ComparisonOptions) -> int:
    """Count the documents or clusters that the tests exchange."""
    if options.unit is None or run.document_counts is None:
        return run.documents
    return len({*run.document_counts.get_attribute(options.unit).values})
