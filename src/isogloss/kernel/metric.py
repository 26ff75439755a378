"""Protocols of metrics, which count documents and then score the sums.

A metric has options and no state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Counts
from isogloss.kernel.ranking import Influence, Ranking
from isogloss.kernel.scores import (
    Ints,
    Proportions,
    ScoreKey,
    Scores,
    find_averaged_scores,
    find_proportions,
    find_trials,
)
from isogloss.kernel.sums import Sums

Batch_contra = TypeVar("Batch_contra", contravariant=True)


class SumMetric(Protocol):
    """Metric with scores from summed counts and from means of measures."""

    def score(self, sums: Sums) -> Scores:
        """Compute all scores, with the leading axes of `sums`.

        The names of the scores depend only on the cells of `sums`.
        """

    def overall(self, sums: Sums) -> Scores:
        """Compute the scores that also make sense for one document.

        Their keys contain no names of cells.
        """


class Metric(SumMetric, Protocol[Batch_contra]):
    """Metric that counts batches."""

    def count(self, batch: Batch_contra) -> Counts:
        """Count the documents of a batch.

        Only this method sees text or spans.
        """


@runtime_checkable
class ConfusionMetric(Protocol):
    """Metric whose cells pair a reference label with a predicted one."""

    def confusion(self, sums: Sums) -> dict[tuple[str | None, str | None], int]:
        """Count pairs of labels, None for no span.

        The argument `sums` has no leading axes.
        """


@runtime_checkable
class HalfPointMetric(Protocol):
    """Metric with groups of scores that give half points.

    Scores with half points are not proportions.
    """

    @property
    def half_point_groups(self) -> frozenset[str]:
        """Names of these groups."""


@runtime_checkable
class HiddenCountMetric(Protocol):
    """Metric with proportions of counts that are not among its scores."""

    def hidden_proportions(self, sums: Sums) -> dict[ScoreKey, tuple[Ints, Ints]]:
        """Return numerator and denominator of these proportions.

        Both have the leading axes of `sums`.
        """


def find_metric_proportions(metric: SumMetric, sums: Sums) -> Proportions:
    """Return numerator and denominator of each proportion of a metric.

    Scores that are not proportions are left out.

    Args:
        metric: metric that scores the sums.
        sums: sums without leading axes.
    """
    half_points = metric.half_point_groups if isinstance(metric, HalfPointMetric) else ()
    hidden = metric.hidden_proportions(sums) if isinstance(metric, HiddenCountMetric) else {}
    return find_proportions(metric.score(sums), half_points) | {
        key: (int(part), int(whole)) for key, (part, whole) in hidden.items()
    }


def find_metric_trials(metric: SumMetric, sums: Sums, scores: Scores) -> Scores:
    """Return the number of counted things behind each ratio.

    The numbers have the leading axes of the sums.

    Args:
        metric: metric that scores the sums.
        sums: sums with any leading axes.
        scores: all scores of the sums.
    """
    hidden = metric.hidden_proportions(sums) if isinstance(metric, HiddenCountMetric) else {}
    return find_trials(scores) | {key: whole for key, (_, whole) in hidden.items()}


@runtime_checkable
class AveragingMetric(Protocol):
    """Metric with plain means of its own scores.

    These are means other than `macro` over `by_label`.
    """

    def averaged_scores(self, scores: Scores) -> Mapping[ScoreKey, tuple[ScoreKey, ...]]:
        """Return the scores behind each of these means."""


def find_metric_averages(metric: SumMetric, scores: Scores) -> dict[ScoreKey, tuple[ScoreKey, ...]]:
    """Return the scores of a metric behind each plain mean.

    An example of a plain mean is `macro.strict.f1`.
    """
    more = metric.averaged_scores(scores) if isinstance(metric, AveragingMetric) else {}
    return find_averaged_scores(scores) | dict(more)


@runtime_checkable
class ClusteredMetric(Protocol):
    """Metric whose documents depend on each other within a cluster."""

    @property
    def clusters(self) -> str:
        """The column whose values are the independent units by default."""


@runtime_checkable
class SlicedMetric(Protocol):
    """Metric whose cells also name slices of a document's content.

    Span lengths are an example of such slices.

    Its scores include the scores of the slices as `slices.COLUMN.VALUE.…`.
    """

    def cells_of_slices(self, sums: Sums) -> Mapping[tuple[str, str], NDArray[np.bool_]]:
        """Return the mask (cells,) of each slice, by column and value."""


@dataclass(frozen=True)
class ScoreView:
    """Some scores of a metric, resampled and compared on their own.

    Args:
        metric: metric that computes these scores.
        ignored: names of parts of cells, and of columns, that these scores do not use.
    """

    metric: SumMetric
    ignored: frozenset[str] = frozenset()


@runtime_checkable
class ViewedMetric(Protocol):
    """Metric that counts more than some of its scores need.

    The extra counts must not change resamples of the other scores, so each view is resampled and compared on its own.
    """

    def views(self) -> tuple[ScoreView, ...]:
        """Return views with all scores together; the first scores the whole."""


class OrderMetric(Protocol):
    """Scores of a ranking, also for other weights of its documents."""

    def score(self, ranking: Ranking) -> Scores:
        """Compute all scores, without leading axes."""

    def influence(self, ranking: Ranking) -> Influence:
        """Compute the scores with known variance, and each document's contribution."""

    def score_weighted(self, ranking: Ranking, draws: Iterable[Ints]) -> Scores:
        """Compute the other ratios, and the means, for weighted documents.

        Pieces of weights have the shape (draws, documents).
        """
