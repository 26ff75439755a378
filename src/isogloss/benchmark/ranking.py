"""Scores and ranks of a benchmark, by corpus and over corpora.

Scores, intervals and tests are those of `isogloss TASK` with several systems. A text that a system did not analyse, or
changed, scores zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import msgspec
import numpy as np

from isogloss.benchmark.corpora import CorpusTexts
from isogloss.benchmark.plan import Corpus, Plan
from isogloss.benchmark.results import (
    Benchmark,
    Cell,
    CorpusRecord,
    OverallRanking,
    Replication,
    ScoredCell,
)
from isogloss.errors import DataError, IsoglossError
from isogloss.providers import format_versions
from isogloss.runs.comparability import SYSTEM_VERSIONS_CHOICE
from isogloss.runs.main_scores import is_higher_better
from isogloss.runs.pair_comparison import ComparisonOptions
from isogloss.runs.run import Run
from isogloss.runs.run_json import RunJson
from isogloss.runs.system_ranking import SystemRanking, rank_systems
from isogloss.stats.mean_ranks import compare_mean_ranks, count_replications
from isogloss.tasks.registry import get_task
from isogloss.tasks.scoring import build_options, score_system
from isogloss.tasks.scoring_options import build_scoring_options
from isogloss.version import __version__

CONFIDENCE, RESAMPLES, SEED = 0.95, 1000, 12345
ALPHA = 0.05
CONTEXT = 3  # words


@dataclass(frozen=True, eq=False)
class CorpusScores:
    """Scores of the systems on a corpus.

    Args:
        runs: run of each scored system by name.
        ranking: their ranking; None with fewer than two.
        failures: by name, why a system has no scores.
    """

    runs: Mapping[str, Run]
    ranking: SystemRanking | None
    failures: Mapping[str, str]


def score_predictions(corpus: Corpus, gold: Path, predictions: Path, system: str, *, findings: bool = False) -> Run:
    """Score the predictions of a system.

    Args:
        corpus: the corpus.
        gold: its reference.
        predictions: file of the predictions.
        system: name of the system.
        findings: whether to keep findings with three words of context.

    Raises:
        DataError: if they cannot be scored.
        UsageError: if an option of the corpus is unknown.
    """
    task = get_task(corpus.task)
    given = {} if task.system_texts is None else dict(task.system_texts.options)
    options = build_options(task.options, given | corpus.options)
    evidence = build_scoring_options(
        CONFIDENCE,
        RESAMPLES,
        SEED,
        findings,
        CONTEXT if task.shows_context else 0,
        unit=task.default_unit,
        keep_documents=True,
    )
    reference = None if task.reference is None else str(gold)
    (opened,) = task.open_systems(reference, [str(predictions)], options, evidence)
    return replace(score_system(task, opened, options, evidence), system=system)


def add_versions(run: Run, cell: Cell) -> Run:
    """Write the versions of a system into the signature.

    Args:
        run: the run.
        cell: the cell that it scores.
    """
    if not cell.versions:
        return run
    choices = {**run.signature.choices, SYSTEM_VERSIONS_CHOICE: format_versions(cell.versions)}
    return replace(run, signature=replace(run.signature, choices=choices))


def score_corpus(corpus: CorpusTexts, cells: Iterable[Cell], folder: Path) -> CorpusScores:
    """Score the systems on a corpus, and test all pairs.

    Args:
        corpus: the corpus.
        cells: its cells.
        folder: folder of the results.
    """
    runs, failures = {}, {}
    for cell in cells:
        if cell.predictions:
            try:
                run = score_predictions(corpus.corpus, corpus.gold, folder / cell.predictions, cell.system)
                runs[cell.system] = add_versions(run, cell)
            except IsoglossError as error:
                failures[cell.system] = f"not scored: {_explain(error)}"
    ranking, fault = _rank(list(runs.values()))
    return CorpusScores(runs, ranking, failures | dict.fromkeys(runs if fault else (), fault))


def _rank(runs: Sequence[Run]) -> tuple[SystemRanking | None, str]:
    if len(runs) < 2:  # noqa: PLR2004  one system has no pairs
        return None, ""
    try:
        return rank_systems(runs, ComparisonOptions(confidence=CONFIDENCE)), ""
    except IsoglossError as error:
        return None, f"not ranked: {_explain(error)}"


def _explain(error: IsoglossError) -> str:
    """Write an error in one line without its details."""
    detail = error.detail if isinstance(error, DataError) else ""
    return " ".join(str(error).replace(detail, "").split())


def build_benchmark(
    plan: Plan,
    records: Sequence[CorpusRecord],
    cells: Sequence[Cell],
    scores: Mapping[str, CorpusScores],
    environments: Mapping[str, str],
) -> Benchmark:
    """Build the results from scored cells, and rank over corpora.

    The machine is left to the caller.

    Args:
        plan: the plan.
        records: records of the corpora.
        cells: the cells.
        scores: scores by corpus.
        environments: digest of the environment by system.
    """
    tasks: dict[str, dict[str, CorpusScores]] = {}
    for record in records:
        tasks.setdefault(record.task, {})[record.name] = scores[record.name]
    overall = (rank_over_corpora(task, own) for task, own in tasks.items())
    return Benchmark(
        version=__version__,
        plan=plan,
        machine={},
        corpora=list(records),
        cells=[_add_reason(cell, scores[cell.corpus].failures.get(cell.system, "")) for cell in cells],
        scored=[
            ScoredCell(name, system, msgspec.convert(run.to_dict(), RunJson))
            for name, own in scores.items()
            for system, run in own.runs.items()
        ],
        rankings={name: own.ranking for name, own in scores.items() if own.ranking is not None},
        overall=[each for each in overall if each is not None],
        environments=dict(environments),
    )


def _add_reason(cell: Cell, reason: str) -> Cell:
    return msgspec.structs.replace(cell, reason="; ".join(filter(None, (cell.reason, reason)))) if reason else cell


def rank_over_corpora(task: str, scores: Mapping[str, CorpusScores]) -> OverallRanking | None:
    """Rank the systems of a task over its corpora.

    Only systems with a score on each of these corpora take part. The result is None without two corpora and two
    systems.

    Args:
        task: name of the task.
        scores: scores of the corpora of the task by name.
    """
    ranked = {name: own for name, own in scores.items() if own.ranking is not None}
    rankings = {name: own.ranking for name, own in ranked.items() if own.ranking is not None}
    tables = {
        name: {each.system: each.value for each in ranking.systems if each.value is not None}
        for name, ranking in rankings.items()
    }
    systems = sorted(set.intersection(*(set(table) for table in tables.values()))) if tables else []
    if len(tables) < 2 or len(systems) < 2:  # noqa: PLR2004  two of each are a comparison
        return None
    run = next(iter(next(iter(ranked.values())).runs.values()))
    path = next(iter(rankings.values())).score
    values = np.array([[table[system] for system in systems] for table in tables.values()])  # (corpora, systems)
    ranks = compare_mean_ranks(values, ALPHA, higher_is_better=is_higher_better(run, path))
    order = sorted(range(len(systems)), key=lambda at: (ranks.ranks[at], systems[at]))
    names = [systems[at] for at in order]
    return OverallRanking(
        task=task,
        score=path,
        corpora=list(tables),
        systems=names,
        mean_ranks=[ranks.ranks[at] for at in order],
        statistic=_to_none(ranks.statistic),
        p=_to_none(ranks.p),
        critical_difference=ranks.critical_difference,
        replications=[count_wins(pair, list(rankings.values())) for pair in combinations(names, 2)],
    )


def count_wins(pair: tuple[str, str], rankings: Sequence[SystemRanking]) -> Replication:
    """Count the corpora on which the first system is better.

    Args:
        pair: names of two systems.
        rankings: ranking of each corpus.
    """
    tests = [
        (test.system == pair[0], test.p, test.difference)
        for ranking in rankings
        for test in ranking.pairs
        if {test.system, test.other} == set(pair)
    ]
    wins = sum(first and bool(difference) for first, _, difference in tests)
    one_sided = [1.0 if p is None else p / 2 if first else 1 - p / 2 for first, p, _ in tests]
    return Replication(*pair, wins, count_replications(one_sided, ALPHA))


def find_cliques(mean_ranks: Sequence[float], critical_difference: float) -> list[tuple[int, int]]:
    """Return the longest series of systems that do not differ.

    Their mean ranks differ by less than the critical difference.

    Args:
        mean_ranks: mean ranks, ascending.
        critical_difference: smallest significant difference.

    Returns:
        First and last place of each series of at least two systems; none is within another.
    """
    cliques: list[tuple[int, int]] = []
    for first, rank in enumerate(mean_ranks):
        last = max(at for at, other in enumerate(mean_ranks) if other - rank < critical_difference)
        if last > first and (not cliques or last > cliques[-1][1]):
            cliques.append((first, last))
    return cliques


def find_pareto_front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Return the places of the points on the Pareto front.

    No other point beats these in both coordinates; higher is better.

    Args:
        points: (quality, speed) of systems.
    """
    return [
        at
        for at, (quality, speed) in enumerate(points)
        if not any(other[0] >= quality and other[1] >= speed and other != (quality, speed) for other in points)
    ]


def _to_none(value: float) -> float | None:
    return None if math.isnan(value) else value
