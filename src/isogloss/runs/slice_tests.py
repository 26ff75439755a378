"""Tests of the slices of a run, each against all other documents.

The score of a slice and that of the other documents are independent, so the test rests on their two intervals: Wilson's
with the design effect of the units, or Newcombe's of ROC-AUC. p-values are corrected by Holm over the values of a
column. A column of two values has one test.

Not tested are:

1. slices of spans, such as lengths of entities: one document has spans of several slices;
2. slices that share a cluster with other documents, if clusters are the unit of intervals;
3. scores without a formula for their interval;
4. columns with more than `MAX_TESTS` values, or too many for the number of different documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.metric import SumMetric, find_metric_trials
from isogloss.kernel.scores import Ints, ScoreKey, Scores, parse_path
from isogloss.kernel.sums import Sums
from isogloss.kernel.tally import Tally
from isogloss.runs.evidence import DocumentCounts, TallyEvidence
from isogloss.runs.ranking_evidence import RankingEvidence, get_tally_evidence
from isogloss.runs.run import Run
from isogloss.stats.auc_intervals import compute_auc_intervals
from isogloss.stats.independent_difference import ComputeInterval, compute_independent_p
from isogloss.stats.intervals import Interval, compute_design_effect_interval
from isogloss.stats.paired_tests import apply_holm_correction
from isogloss.stats.unit_variance import measure_ratios
from isogloss.text.natural_order import to_natural_key

MAX_TESTS = 1000  # of a column
MAX_SCORED = 20_000_000  # different documents times tests: about ten seconds
TWO_VALUES = 2


@dataclass(frozen=True)
class SliceTest:
    """Test of a slice against the other documents of a run.

    Args:
        column: column of the slice.
        value: value of the slice.
        rest: score of the other documents, nan where undefined.
        p: two-sided p-value, nan where undefined.
        p_holm: p-value corrected for the values of the column.
    """

    column: str
    value: str
    rest: float
    p: float
    p_holm: float


def compare_slices(run: Run, path: str) -> list[SliceTest]:
    """Test a score of each slice against that of other documents.

    Args:
        run: the run; without single documents the result is empty.
        path: path of the score.
    """
    evidence, key = get_tally_evidence(run.evidence), parse_path(path)
    if evidence is None or evidence.document_counts is None:
        return []
    if isinstance(run.evidence, RankingEvidence) and key in run.evidence.ranking_numbers:
        areas = _AreaEstimator(run.evidence, key)
        return _compare_columns(evidence, areas.ranking.documents, areas)
    for view in reversed(evidence.views):
        if view.document_counts is not None and key in _count_trials(view.metric, view.sums, key):
            documents = view.document_counts
            return _compare_columns(evidence, documents.documents, _RatioEstimator(view, documents, key))
    return []


def _count_trials(metric: SumMetric, sums: Sums, key: ScoreKey) -> Scores:
    """Count the trials of a score, and of others.

    The counts of `micro` are sums over labels, which need all scores.
    """
    return find_metric_trials(metric, sums, metric.score(sums) if key[0] == "micro" else metric.overall(sums))


class _Estimator(Protocol):
    """Scores documents of a run."""

    def estimate(self, chosen: NDArray[np.bool_]) -> tuple[float, ComputeInterval]:
        """Return the score of the chosen documents (documents,) and its interval."""

    @property
    def size(self) -> int:
        """How many things are scored for all documents."""


class _RatioEstimator:
    """Scores documents by their counts.

    Args:
        evidence: metric and columns of the documents.
        documents: the documents.
        key: key of the score.
    """

    def __init__(self, evidence: TallyEvidence, documents: DocumentCounts, key: ScoreKey) -> None:
        self._evidence, self._key = evidence, key
        self._unit, units = np.arange(len(documents.documents)), documents.tallied  # (documents,)
        if evidence.unit is not None:
            self._unit = documents.get_attribute(evidence.unit).number_clusters(documents.documents)
            units = units.group_by_cluster(self._unit)
        self._tally, self._kind = units.tally, units.kinds

    @property
    def size(self) -> int:
        """Number of different units."""
        return len(self._tally.times)

    def estimate(self, chosen: NDArray[np.bool_]) -> tuple[float, ComputeInterval]:
        """Return the score of the chosen documents (documents,) and its interval."""
        units = np.unique(self._unit[chosen])
        times = np.bincount(self._kind[units], minlength=self.size)  # (distinct,)
        at = np.flatnonzero(times)
        found = measure_ratios(Tally(self._tally.rows.take(at), times[at]), self._score, self._count_trials)
        own = found.ratios.get(self._key)
        if own is None:
            return np.nan, lambda level: Interval(np.nan, np.nan, level, "wilson-deff")
        return own.value, lambda level: compute_design_effect_interval(own, level)

    def _score(self, sums: Sums) -> Scores:
        return {self._key: self._evidence.metric.overall(sums)[self._key]}

    def _count_trials(self, sums: Sums, _: Scores) -> Scores:
        return {self._key: _count_trials(self._evidence.metric, sums, self._key)[self._key]}


class _AreaEstimator:
    """Scores documents by ROC-AUC.

    Args:
        evidence: the ranking and the columns of its documents.
        key: key of the score.
    """

    def __init__(self, evidence: RankingEvidence, key: ScoreKey) -> None:
        self._evidence, self._key = evidence, key
        self.ranking = evidence.ranking

    @property
    def size(self) -> int:
        """Number of pairs of a document and a class."""
        return self.ranking.pair_count

    def estimate(self, chosen: NDArray[np.bool_]) -> tuple[float, ComputeInterval]:
        """Return the score of the chosen documents (documents,) and its interval."""
        influence = self._evidence.metric.influence(self.ranking.select(chosen))
        unit = self._evidence.tally_evidence.unit
        if unit is not None:
            influence = influence.group_by_cluster(self._evidence.number_clusters(unit)[chosen])
        value = float(dict(zip(influence.keys, influence.estimates, strict=True)).get(self._key, np.nan))
        undefined = Interval(np.nan, np.nan, 0.95, "newcombe")
        return value, lambda level: compute_auc_intervals(influence, level).get(self._key, undefined)


def _compare_columns(evidence: TallyEvidence, documents: Ints, estimator: _Estimator) -> list[SliceTest]:
    """Test the values of all columns of slices.

    Args:
        evidence: columns of the documents.
        documents: (documents,) numbers of the documents.
        estimator: scores these documents.
    """
    attributes = {} if evidence.document_counts is None else evidence.document_counts.attributes
    clusters = np.arange(len(documents))
    if evidence.unit is not None:
        clusters = attributes[evidence.unit].number_clusters(documents)
    columns = []
    for column in evidence.slice_columns:
        names, ranks = attributes[column].rank(documents)
        groups = ranks.astype(np.int64)  # (documents,)
        if 1 < len(names) <= MAX_TESTS and len(names) * estimator.size <= MAX_SCORED:
            columns += _compare_values(column, names, groups, _find_separate_groups(groups, clusters), estimator)
    return columns


def _find_separate_groups(groups: Ints, clusters: Ints) -> NDArray[np.bool_]:
    """Find the groups whose clusters have no document of another group: (groups,).

    Args:
        groups: (documents,) group of each document.
        clusters: (documents,) cluster of each document.
    """
    pairs = np.unique(np.stack([clusters, groups]), axis=1)  # (2, pairs)
    mixed = np.bincount(pairs[0])[pairs[0]] > 1
    return ~np.isin(np.arange(groups.max(initial=-1) + 1), pairs[1, mixed])


def _compare_values(
    column: str, names: list[str], groups: Ints, separate: NDArray[np.bool_], estimator: _Estimator
) -> list[SliceTest]:
    """Test the values of a column, and correct their p-values."""
    rests, p_values = dict.fromkeys(names, np.nan), dict.fromkeys(names, np.nan)
    for number in np.flatnonzero(separate).tolist():
        inside = groups == number  # (documents,)
        (value, interval), (rest, other) = estimator.estimate(inside), estimator.estimate(~inside)
        rests[names[number]] = rest
        p_values[names[number]] = compute_independent_p((value, rest), (interval, other))
    corrected = p_values if len(names) == TWO_VALUES else apply_holm_correction(p_values)
    return [
        SliceTest(column, name, rests[name], p_values[name], corrected[name])
        for name in sorted(names, key=to_natural_key)
    ]
