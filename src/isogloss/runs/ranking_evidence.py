"""Evidence of scores that depend on the order of all documents.

An example of such a score is ROC-AUC.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isogloss.kernel.metric import OrderMetric
from isogloss.kernel.ranking import Ranking
from isogloss.kernel.scores import Ints, ScoreKey, Scores, format_path
from isogloss.kernel.slices import split_by_attribute
from isogloss.runs.evidence import (
    Evidence,
    Resampling,
    ScoreNumber,
    TallyEvidence,
    is_overall_score,
    name_slice_intervals,
)
from isogloss.stats.auc_intervals import compute_auc_intervals
from isogloss.stats.bootstrap import MIN_UNITS, assign_ranking_units, bootstrap_ranking
from isogloss.stats.intervals import (
    DocumentSpread,
    Interval,
    compute_logit_interval,
    compute_percentile_intervals,
)
from isogloss.stats.ranking_tests import count_scarcer_verdicts


@dataclass(frozen=True, eq=False)
class RankingEvidence:
    """Evidence from a ranking, and from counts of the same documents.

    Slices and clusters come from the counts.

    Args:
        tally_evidence: evidence from the counts.
        metric: metric that scores the ranking.
        ranking: scores and verdicts of all documents.
        resampling: how intervals are computed; None for no intervals.
    """

    tally_evidence: TallyEvidence
    metric: OrderMetric
    ranking: Ranking
    resampling: Resampling | None = None

    @property
    def documents(self) -> int:
        """Number of documents scored."""
        return self.tally_evidence.documents

    @cached_property
    def numbers(self) -> dict[ScoreKey, ScoreNumber]:
        """Every score, nan where undefined; counts are integers."""
        by_key = dict(self.tally_evidence.numbers) | self.ranking_numbers
        for (column, value), part in self.slice_evidence.items():
            scores = {key: number for key, number in part.ranking_numbers.items() if is_overall_score(key)}
            by_key |= {("slices", column, value, *key): number for key, number in scores.items()}
        return by_key

    @cached_property
    def ranking_numbers(self) -> dict[ScoreKey, ScoreNumber]:
        """Scores of the ranking."""
        return {key: value.item() for key, value in self.metric.score(self.ranking).items()}

    @cached_property
    def slice_evidence(self) -> dict[tuple[str, str], RankingEvidence]:
        """Evidence of each slice, by column and value."""
        tally, documents = self.tally_evidence, self.tally_evidence.document_counts
        if documents is None:
            return {}
        return {
            (column, value): RankingEvidence(tally.slice_evidence[column, value], self.metric, ranking, self.resampling)
            for column in tally.slice_columns
            for value, ranking in split_by_attribute(self.ranking, documents.get_attribute(column)).items()
        }

    @cached_property
    def intervals(self) -> Mapping[str, Interval]:
        """Interval of each ratio by its path, computed on first use.

        ROC-AUC and its means have Newcombe's intervals, other scores come from resampling documents.
        """
        if self.resampling is None:
            return {}
        return _ChainedIntervals(
            (
                lambda: self._auc_intervals,
                lambda: self.tally_evidence.intervals,
                lambda: self._bootstrap_intervals,
                lambda: self._slice_intervals,
            ),
        )

    @property
    def extreme_intervals(self) -> dict[str, Interval]:
        """Intervals of the ranking's scores that are 0 or 1, by path.

        No other score has an interval without width.
        """
        paths = [format_path(key) for key, value in self.ranking_numbers.items() if value in {0.0, 1.0}]
        return {path: self.intervals[path] for path in paths if path in self.intervals}

    def number_clusters(self, column: str) -> Ints:
        """Return equal numbers, from 0, for documents with equal values: (documents,).

        Args:
            column: name of the column.

        Raises:
            UsageError: if there is no such column.
        """
        assert self.tally_evidence.document_counts is not None  # noqa: S101  columns need documents
        return self.tally_evidence.document_counts.get_attribute(column).number_clusters(self.ranking.documents)

    @cached_property
    def _auc_intervals(self) -> dict[str, Interval]:
        assert self.resampling is not None  # noqa: S101  only used with a resampling
        influence = self.metric.influence(self.ranking)
        if self.tally_evidence.unit is not None:
            influence = influence.group_by_cluster(self.number_clusters(self.tally_evidence.unit))
        by_key = compute_auc_intervals(influence, self.resampling.level)
        return {format_path(key): x for key, x in by_key.items() if key[0] == "by_label" or not np.isnan(x.low)}

    @cached_property
    def _bootstrap_intervals(self) -> dict[str, Interval]:
        """Intervals from resamples: of their logit with the method `auto`, otherwise percentiles."""
        assert self.resampling is not None  # noqa: S101  only used with a resampling
        how, unit = self.resampling, self.tally_evidence.unit
        clusters = None if unit is None else self.number_clusters(unit)
        units = assign_ranking_units(self.ranking, clusters)
        samples = bootstrap_ranking(self.ranking, self.metric, how.resamples, how.seed, units)
        if how.method != "auto":
            by_key = compute_percentile_intervals(samples, how.level)
        elif self.tally_evidence.units < MIN_UNITS:
            by_key = {key: Interval(np.nan, np.nan, how.level, "logit-t") for key in samples}
        else:
            freedom = find_freedom(samples, count_scarcer_verdicts(self.ranking, clusters))
            by_key = {
                key: compute_logit_interval(float(self.ranking_numbers[key]), values, freedom[key], how.level)
                for key, values in samples.items()
            }
        return {format_path(key): interval for key, interval in by_key.items()}

    @cached_property
    def _slice_intervals(self) -> dict[str, Interval]:
        by_name: dict[str, Interval] = {}
        for (column, value), part in self.slice_evidence.items():
            by_name |= name_slice_intervals(column, value, part.ranking_numbers, part.intervals)
        return by_name

    @property
    def per_document(self) -> Mapping[str, DocumentSpread]:
        """Distribution over documents of each counted overall score, by its path."""
        return self.tally_evidence.per_document

    @property
    def confusion(self) -> Mapping[tuple[str | None, str | None], int]:
        """Number of each (reference, predicted) pair of labels."""
        return self.tally_evidence.confusion


def find_freedom(samples: Scores, verdicts: Mapping[str, int]) -> dict[ScoreKey, float]:
    """Find the degrees of freedom of the variance of resampled scores.

    A label has one less than its positives, or its negatives if fewer. A mean over labels has those of the sum of their
    variances (Satterthwaite 1946).

    Args:
        samples: (resamples,) each; of labels by `by_label`, label, group and name, of means by name and mean.
        verdicts: number of positives, or of negatives if fewer, of each label.
    """
    freedom = {key: verdicts[key[1]] - 1.0 for key in samples if key[0] == "by_label"}
    least = max(1.0, min(verdicts.values(), default=0) - 1.0)
    for key in samples.keys() - freedom.keys():
        members = [member for member in freedom if member[-1] == key[0] and not np.isnan(samples[member]).all()]
        variances = np.array([np.nanvar(samples[member]) for member in members])
        parts = np.square(variances) / [max(1.0, freedom[member]) for member in members]
        freedom[key] = float(np.square(variances.sum()) / parts.sum()) if variances.any() else least
    return freedom


def get_tally_evidence(evidence: Evidence) -> TallyEvidence | None:
    """Return the counts behind the numbers of a run.

    The result is None if only the scores of the run were saved.
    """
    counted = evidence.tally_evidence if isinstance(evidence, RankingEvidence) else evidence
    return counted if isinstance(counted, TallyEvidence) else None


class _ChainedIntervals(Mapping[str, Interval]):
    """Intervals of several sources, in order.

    A later source is used only for missing paths.
    """

    def __init__(self, sources: tuple[Callable[[], Mapping[str, Interval]], ...]) -> None:
        self._sources = sources

    def __getitem__(self, name: str) -> Interval:
        for part in self._sources:
            curve = part().get(name)
            if curve is not None:
                return curve
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for part in self._sources for name in part()))

    def __len__(self) -> int:
        return sum(1 for _ in self)
