"""What a metric is: what it counts in documents, and what numbers follow from the sums. It holds options, no state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Counts
from isogloss.kernel.ranking import Influence, Ranking
from isogloss.kernel.scores import Ints, Proportions, Scores
from isogloss.kernel.sums import Sums

Batch_contra = TypeVar("Batch_contra", contravariant=True)


class SumMetric(Protocol):
    """Scores that are functions of summed integers (and of means of measures)."""

    def score(self, sums: Sums) -> Scores:
        """All named numbers, with the leading axes of `sums`. Which names there are follows from its cells alone."""

    def overall(self, sums: Sums) -> Scores:
        """The numbers among them that also make sense for one document; no names of cells in their keys."""


class Metric(SumMetric, Protocol[Batch_contra]):
    """A metric that counts batches."""

    def count(self, batch: Batch_contra) -> Counts:
        """Look at documents and write integers. The only place that sees text or spans."""


@runtime_checkable
class ConfusionMetric(Protocol):
    """A metric whose cells pair a reference label with a predicted one."""

    def confusion(self, sums: Sums) -> dict[tuple[str | None, str | None], int]:
        """How often each pair occurs; None is no span on that side. The sums have no leading axes."""


@runtime_checkable
class ProportionMetric(Protocol):
    """A metric that says which of its scores are plain proportions: so many of so many that were looked at."""

    def proportions(self, sums: Sums) -> Proportions:
        """The counts behind each of these scores. The sums have no leading axes."""


@runtime_checkable
class ClusteredMetric(Protocol):
    """A metric whose documents depend on each other where they have the same value in a column."""

    @property
    def clusters(self) -> str:
        """The column, which is what is independent unless a user says otherwise."""


@runtime_checkable
class SlicedMetric(Protocol):
    """A metric whose cells also say to which slices of a document's content counts belong, such as lengths of spans.

    Its scores hold those of the slices as `slices.COLUMN.VALUE.…`.
    """

    def cells_of_slices(self, sums: Sums) -> Mapping[tuple[str, str], NDArray[np.bool_]]:
        """(cells,) which cells of the sums belong to a slice, by column and value."""


@dataclass(frozen=True)
class ScoreView:
    """Scores that stand by themselves among those of a metric.

    Args:
        metric: what gives these scores.
        without: parts of cells, and columns, that they do not look at.
    """

    metric: SumMetric
    ignored: frozenset[str] = frozenset()


@runtime_checkable
class ViewedMetric(Protocol):
    """A metric that is asked to count more than some of its scores need.

    Nothing of that may show in what is drawn for these scores, so each view is resampled and compared by itself.
    """

    def views(self) -> tuple[ScoreView, ...]:
        """All scores, each in one of the views, those of the whole in the first."""


class RankingMetric(Protocol[Batch_contra]):
    """A metric whose scores depend on the order of all documents, so that no sum over documents gives them."""

    def rank(self, batch: Batch_contra) -> Ranking:
        """Look at documents and write a score and a gold verdict per document and class."""

    def influence(self, ranking: Ranking) -> Influence:
        """The scores, and what each document contributes to their variance."""


class OrderMetric(Protocol):
    """Scores of a ranking beside those that have an influence, and what they are for other weights of the documents."""

    def score(self, ranking: Ranking) -> Scores:
        """All named numbers, without leading axes."""

    def influence(self, ranking: Ranking) -> Influence:
        """The scores among them whose variance is known, and what each document contributes to it."""

    def weighted(self, ranking: Ranking, draws: Iterable[Ints]) -> Scores:
        """The other ratios, and the means, for weights (draws, documents): leading axis the draws of all pieces."""
