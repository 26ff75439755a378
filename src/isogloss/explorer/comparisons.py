"""Comparison of the scores and findings of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import IsoglossError, UsageError
from isogloss.explorer.finding_source import FindingSource
from isogloss.explorer.payloads import (
    ComparisonPayload,
    DiffCounts,
    MatrixDocument,
    MatrixPayload,
    RankedRun,
    RankingPayload,
    ScoreDifference,
    ScoreTestList,
    ScoreTestPayload,
    SliceDifference,
    SliceTestList,
    SliceTestPayload,
)
from isogloss.explorer.run_payloads import build_summary, to_number
from isogloss.explorer.run_sources import ExplorerRun
from isogloss.kernel.scores import format_path, parse_path
from isogloss.report.report_runs import ScoreChange
from isogloss.runs.comparison import compare
from isogloss.runs.finding_columns import DOCUMENT, DOCUMENT_KEY, KIND
from isogloss.runs.finding_join import FindingJoin
from isogloss.runs.finding_view import CORRECT, EXCUSED
from isogloss.runs.main_scores import choose_main_score, format_score_title, get_score_value, list_side_scores
from isogloss.runs.pair_comparison import ComparisonOptions, RunPair
from isogloss.runs.run import Run
from isogloss.runs.slice_tests import compare_slices
from isogloss.runs.system_ranking import rank_systems
from isogloss.stats.paired_tests import SystemDifference, apply_holm_correction

MAX_MATRIX_DOCUMENTS = 500
MAX_RUNS = 20
SLICE_PARTS = 4  # of the key of a score in a slice, at least
UNTESTED_SLICES = "The slices are not tested: there is no test for this score, or for slices of spans."


def format_join(join: FindingJoin) -> bytes:
    """Return the three columns of a join one after another, little-endian."""
    return b"".join((join.classes.tobytes(), join.first.astype("<u4").tobytes(), join.second.astype("<u4").tobytes()))


def count_errors(source: FindingSource) -> NDArray[np.int64]:
    """Count the errors of each document, `(documents,)`.

    Errors are neither right nor excused.
    """
    is_wrong = np.array([kind not in (CORRECT, EXCUSED) for kind in source.get_values(KIND)], bool)  # (kinds,)
    weights = is_wrong[source.get_column(KIND)] if len(is_wrong) else np.zeros(0)
    counted = np.bincount(source.get_column(DOCUMENT), weights=weights, minlength=source.count_values(DOCUMENT))
    return counted.astype(np.int64)


def build_comparison(runs: Sequence[ExplorerRun], join: FindingJoin | None) -> ComparisonPayload:
    """Build the comparison of runs; only two runs have differences and classes.

    Args:
        runs: two or more runs of one task and one reference.
        join: joined findings of two runs, None for more.
    """
    changes, note = compare_scores(runs) if len(runs) == 2 else ({}, "")  # noqa: PLR2004  a pair
    own = [explored.run for explored in runs]
    try:
        main = choose_main_score(own)
        paths = [main, *list_side_scores(own, main)]
    except UsageError:  # no score in common
        main, paths = "", []
    scores = []
    for path in paths:
        change = changes.get(path) or ScoreChange(None)
        values = [to_number(get_score_value(run, path)) for run in own]
        if change.difference is None and len(values) == 2 and None not in values:  # noqa: PLR2004  a pair
            change = ScoreChange(float(values[1] or 0) - float(values[0] or 0))
        scores.append(
            ScoreDifference(
                path=path,
                title=format_score_title(own[0], path),
                values=values,
                difference=to_number(change.difference),
                low=to_number(change.low),
                high=to_number(change.high),
                p=to_number(change.p),
                p_holm=to_number(change.p_holm),
            )
        )
    return ComparisonPayload(
        runs=[build_summary(explored) for explored in runs],
        scores=scores,
        slices=_list_slice_differences(own, main, changes),
        classes=None if join is None else DiffCounts(**join.count_classes()),
        count=0 if join is None else len(join.classes),
        note=note,
    )


def _list_slice_differences(
    runs: Sequence[Run], main: str, changes: Mapping[str, ScoreChange]
) -> list[SliceDifference]:
    """List the differences in the main score by slice, smallest p-value first.

    Args:
        runs: the runs.
        main: path of the main score.
        changes: differences of two runs by path; empty for more.
    """
    differences = []
    for path, change in changes.items():
        key = parse_path(path)
        if key[0] != "slices" or len(key) < SLICE_PARTS or format_path(key[3:]) != main:
            continue
        differences.append(
            SliceDifference(
                column=key[1],
                value=key[2],
                values=[to_number(get_score_value(run, path)) for run in runs],
                difference=to_number(change.difference),
                low=to_number(change.low),
                high=to_number(change.high),
                p=to_number(change.p),
                p_holm=to_number(change.p_holm),
            )
        )
    return sorted(differences, key=lambda each: (each.p_holm is None, each.p_holm, each.column, each.value))


def build_ranking(runs: Sequence[ExplorerRun]) -> RankingPayload:
    """Rank runs by tests of all pairs in their main score.

    Args:
        runs: two or more comparable runs.

    Raises:
        UsageError: if a run does not have its single documents, or the score.
    """
    documents = [run.load_documents for run in runs]
    if None in documents:
        raise UsageError("Runs can only be ranked with their single documents: score them with --save.")
    own = [replace(load(), system=run.id) for load, run in zip(documents, runs, strict=True) if load is not None]
    ranking = rank_systems(own, ComparisonOptions(), runs[0].main or None)
    ranked = [
        RankedRun(id=each.system, first_rank=each.first_rank, last_rank=each.last_rank, group=each.group)
        for each in ranking.systems
    ]
    return RankingPayload(score=ranking.score, runs=ranked, notes=list(ranking.notes))


def build_score_tests(runs: Sequence[ExplorerRun], score: str | None) -> ScoreTestList:
    """Test runs against the first one in one score.

    A run without its single documents or without the score has no p-value.

    Args:
        runs: two or more comparable runs.
        score: path of the score; None for the main score of the first run.
    """
    path = score or build_summary(runs[0]).main
    found = {run.id: _test_pair(runs[0], run, path, len(runs) - 1) for run in runs[1:]}
    corrected = apply_holm_correction({name: own.p for name, own in found.items() if own is not None})
    tests = [
        ScoreTestPayload(
            id=name,
            difference=None if own is None else to_number(own.value),
            p=None if own is None else to_number(own.p),
            p_holm=to_number(corrected.get(name)),
        )
        for name, own in found.items()
    ]
    return ScoreTestList(score=path, tests=tests)


def _test_pair(first: ExplorerRun, second: ExplorerRun, path: str, tests: int) -> SystemDifference | None:
    """Test two runs in one score; None if they have no test."""
    if first.load_documents is None or second.load_documents is None:
        return None
    try:
        return RunPair(first.load_documents(), second.load_documents(), ComparisonOptions()).test_score(path, tests)
    except IsoglossError:  # such as other documents
        return None


def build_slice_tests(explored: ExplorerRun) -> SliceTestList:
    """Test the main score of each slice against the other documents.

    Args:
        explored: the run.
    """
    if explored.load_documents is None:
        return SliceTestList(tests=[], note="The slices are not tested: the run does not have its single documents.")
    tests = compare_slices(explored.load_documents(), build_summary(explored).main)
    tested = [
        SliceTestPayload(
            column=each.column,
            value=each.value,
            rest=to_number(each.rest),
            p=to_number(each.p),
            p_holm=to_number(each.p_holm),
        )
        for each in tests
    ]
    return SliceTestList(tests=tested, note="" if tested else UNTESTED_SLICES)


def compare_scores(runs: Sequence[ExplorerRun]) -> tuple[Mapping[str, ScoreChange], str]:
    """Test the differences of two runs, or say why not.

    Args:
        runs: two runs.
    """
    first, second = runs
    if second.changes and second.baseline == first.id:
        return second.changes, ""
    if first.load_documents is None or second.load_documents is None:
        return {}, "The scores are not tested: the runs do not have their single documents."
    try:
        (pair,) = compare(first.load_documents(), second.load_documents()).pairs
    except IsoglossError as error:
        return {}, f"The scores are not tested: {error}"
    rows = pair.to_dict()["scores"]
    names = ("difference", "low", "high", "p", "p_holm")
    return {path: ScoreChange(**{name: own.get(name) for name in names}) for path, own in rows.items()}, ""


def check_comparable(runs: Sequence[ExplorerRun]) -> None:
    """Check that runs can be compared.

    Args:
        runs: the runs.

    Raises:
        UsageError: if there are not 2 to 20, or they have several tasks, references or definitions.
    """
    if not 2 <= len(runs) <= MAX_RUNS:  # noqa: PLR2004  a pair
        raise UsageError(f"A comparison needs 2 to {MAX_RUNS} runs, got {len(runs)}.")
    for what, values in (
        ("tasks", {run.run.task for run in runs}),
        ("references", {run.corpus_key for run in runs}),
        ("definitions", {str(run.run.signature.definition) for run in runs}),
    ):
        if len(values) > 1:
            raise UsageError(f"Runs of several {what} cannot be compared: {', '.join(sorted(values))}.")


def build_matrix(sources: Sequence[FindingSource]) -> MatrixPayload:
    """Build the matrix of documents by runs, most disagreement first.

    Disagreement is the difference between the most and the fewest errors of a document. Documents in which no run has a
    finding are not known here; all runs agree on them.

    Args:
        sources: findings of each run.
    """
    documents = [source.get_column(DOCUMENT_KEY) for source in sources]  # (documents of the run,) each
    keys = np.unique(np.concatenate(documents))  # (documents,)
    errors = np.zeros((len(keys), len(sources)), np.int64)  # (documents, runs)
    numbers = np.full((len(keys), len(sources)), -1, np.int64)  # (documents, runs)
    for at, (source, own) in enumerate(zip(sources, documents, strict=True)):
        rows = np.searchsorted(keys, own)
        errors[rows, at], numbers[rows, at] = count_errors(source), np.arange(len(own))
    spread = errors.max(axis=1) - errors.min(axis=1) if len(keys) else np.zeros(0, np.int64)  # (documents,)
    place = np.where(numbers < 0, np.iinfo(np.int64).max, numbers).min(axis=1)  # (documents,)
    chosen = np.lexsort((place, -errors.sum(axis=1), -spread))[:MAX_MATRIX_DOCUMENTS]
    right = errors == 0
    alone = (right & (right.sum(axis=1, keepdims=True) == 1)).sum(axis=0)  # (runs,)
    return MatrixPayload(
        documents=[
            MatrixDocument(
                document=_load_document_name(sources, numbers[row].tolist()),
                numbers=[None if number < 0 else number for number in numbers[row].tolist()],
                errors=errors[row].tolist(),
                disagreement=int(spread[row]),
            )
            for row in chosen.tolist()
        ],
        alone=alone.tolist(),
    )


def _load_document_name(sources: Sequence[FindingSource], numbers: Sequence[int]) -> str:
    """Load a document's name from the first run with it."""
    source, number = next((each, own) for each, own in zip(sources, numbers, strict=True) if own >= 0)
    name: str = source.load_values(DOCUMENT, number, number + 1)[0]
    return name
