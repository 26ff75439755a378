"""Evidence of scores that depend on the order of all documents, beside what was counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.metric import OrderMetric
from isogloss.kernel.ranking import Ranking
from isogloss.kernel.scores import Ints, ScoreKey, format_path
from isogloss.runs.evidence import Resampling, ScoreNumber, TallyEvidence, is_overall_score
from isogloss.stats.bootstrap import assign_ranking_units, bootstrap_ranking
from isogloss.stats.intervals import DocumentSpread, Interval, compute_delong_intervals, compute_percentile_intervals


@dataclass(frozen=True, eq=False)
class RankingEvidence:
    """Numbers from counts and numbers from a ranking of the same documents.

    Slices and clusters are those of the counts.

    Args:
        counted: what counts give.
        metric: what gives the ranking its scores.
        ranking: scores and verdicts of all documents.
        resampling: how intervals are made, None for none.
    """

    tally_evidence: TallyEvidence
    metric: OrderMetric
    ranking: Ranking
    resampling: Resampling | None = None

    @property
    def documents(self) -> int:
        """How many documents were scored."""
        return self.tally_evidence.documents

    @cached_property
    def numbers(self) -> dict[ScoreKey, ScoreNumber]:
        """Every score; nan where undefined. Counts are integers."""
        found = dict(self.tally_evidence.numbers) | self.ranking_numbers
        for (column, value), part in self.slice_evidence.items():
            scores = {key: number for key, number in part.ranking_numbers.items() if is_overall_score(key)}
            found |= {("slices", column, value, *key): number for key, number in scores.items()}
        return found

    @cached_property
    def ranking_numbers(self) -> dict[ScoreKey, ScoreNumber]:
        """The scores of the ranking."""
        return {key: value.item() for key, value in self.metric.score(self.ranking).items()}

    @cached_property
    def slice_evidence(self) -> dict[tuple[str, str], RankingEvidence]:
        """The evidence of the documents with each value of each column, as the counts have them."""
        return {
            (column, value): RankingEvidence(
                part,
                self.metric,
                self.ranking.select(self._get_column_values(column) == value),
                self.resampling,
            )
            for (column, value), part in self.tally_evidence.slice_evidence.items()
        }

    @cached_property
    def intervals(self) -> Mapping[str, Interval]:
        """Interval of each ratio by its path, made when it is asked for.

        Those whose variance is known are DeLong's, the others come from resampling documents; so do means where the
        variance of a label is not known.
        """
        if self.resampling is None:
            return {}
        return _ChainedIntervals(
            (
                lambda: self._delong_intervals,
                lambda: self.tally_evidence.intervals,
                lambda: self._bootstrap_intervals,
                lambda: self._slice_intervals,
            ),
        )

    def number_clusters(self, column: str) -> Ints:
        """Numbers from 0, equal for ranked documents with one value of a column: (documents,).

        Raises:
            UsageError: there is no such column.
        """
        return np.unique(self._get_column_values(column), return_inverse=True)[1]

    @cached_property
    def _delong_intervals(self) -> dict[str, Interval]:
        assert self.resampling is not None  # noqa: S101  asked for of resamplings only
        influence = self.metric.influence(self.ranking)
        if self.tally_evidence.unit is not None:
            influence = influence.group_by_cluster(self.number_clusters(self.tally_evidence.unit))
        found = compute_delong_intervals(influence, self.resampling.level)
        return {format_path(key): x for key, x in found.items() if key[0] == "by_label" or not np.isnan(x.low)}

    @cached_property
    def _bootstrap_intervals(self) -> dict[str, Interval]:
        assert self.resampling is not None  # noqa: S101  asked for of resamplings only
        how, unit = self.resampling, self.tally_evidence.unit
        units = assign_ranking_units(self.ranking, None if unit is None else self.number_clusters(unit))
        samples = bootstrap_ranking(self.ranking, self.metric, how.resamples, how.seed, units)
        return {
            format_path(key): interval for key, interval in compute_percentile_intervals(samples, how.level).items()
        }

    @cached_property
    def _slice_intervals(self) -> dict[str, Interval]:
        found = {}
        for (column, value), part in self.slice_evidence.items():
            for key in filter(is_overall_score, part.ranking_numbers):
                interval = part.intervals.get(format_path(key))
                if interval is not None:
                    found[format_path(("slices", column, value, *key))] = interval
        return found

    def _get_column_values(self, column: str) -> NDArray[np.str_]:
        """(documents,) the values of the ranked documents in a column."""
        assert self.tally_evidence.document_counts is not None  # noqa: S101  asked for where there are columns
        return self.tally_evidence.document_counts.get_attribute(column).look_up(self.ranking.documents)

    @property
    def per_document(self) -> Mapping[str, DocumentSpread]:
        """Each counted overall score over single documents, by its path: an order has none."""
        return self.tally_evidence.per_document

    @property
    def confusion(self) -> Mapping[tuple[str | None, str | None], int]:
        """Pairs of (reference, predicted) label and how often they occur."""
        return self.tally_evidence.confusion


class _ChainedIntervals(Mapping[str, Interval]):
    """Intervals of several origins: a later one is only asked for what those before it have not."""

    def __init__(self, sources: tuple[Callable[[], Mapping[str, Interval]], ...]) -> None:
        self._sources = sources

    def __getitem__(self, name: str) -> Interval:
        for part in self._sources:
            found = part().get(name)
            if found is not None:
                return found
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for part in self._sources for name in part()))

    def __len__(self) -> int:
        return sum(1 for _ in self)
