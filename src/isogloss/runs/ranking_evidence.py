"""Evidence of scores that depend on the order of all documents, beside what was counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.metric import OrderMetric
from isogloss.kernel.ranking import Ranking
from isogloss.kernel.scores import Ints, Key, path
from isogloss.runs.evidence import Number, Resampling, TallyEvidence, is_overall
from isogloss.stats.bootstrap import bootstrap_of_order, units_of_order
from isogloss.stats.intervals import Interval, Spread, delong, intervals


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

    counted: TallyEvidence
    metric: OrderMetric
    ranking: Ranking
    resampling: Resampling | None = None

    @property
    def documents(self) -> int:
        """How many documents were scored."""
        return self.counted.documents

    @cached_property
    def numbers(self) -> dict[Key, Number]:
        """Every score; nan where undefined. Counts are integers."""
        found = dict(self.counted.numbers) | self.ordered
        for (column, value), part in self.parts.items():
            scores = {key: number for key, number in part.ordered.items() if is_overall(key)}
            found |= {("slices", column, value, *key): number for key, number in scores.items()}
        return found

    @cached_property
    def ordered(self) -> dict[Key, Number]:
        """The scores of the ranking."""
        return {key: value.item() for key, value in self.metric.score(self.ranking).items()}

    @cached_property
    def parts(self) -> dict[tuple[str, str], RankingEvidence]:
        """The evidence of the documents with each value of each column, as the counts have them."""
        return {
            (column, value): RankingEvidence(
                part,
                self.metric,
                self.ranking.select(self._names(column) == value),
                self.resampling,
            )
            for (column, value), part in self.counted.parts.items()
        }

    @cached_property
    def intervals(self) -> Mapping[str, Interval]:
        """Interval of each ratio by its path, made when it is asked for.

        Those whose variance is known are DeLong's, the others come from resampling documents; so do means where the
        variance of a label is not known.
        """
        if self.resampling is None:
            return {}
        return _Parts(
            (lambda: self._known, lambda: self.counted.intervals, lambda: self._drawn, lambda: self._of_parts),
        )

    def clusters(self, column: str) -> Ints:
        """Numbers from 0, equal for ranked documents with one value of a column: (documents,).

        Raises:
            UsageError: there is no such column.
        """
        return np.unique(self._names(column), return_inverse=True)[1]

    @cached_property
    def _known(self) -> dict[str, Interval]:
        assert self.resampling is not None  # noqa: S101  asked for of resamplings only
        influence = self.metric.influence(self.ranking)
        if self.counted.unit is not None:
            influence = influence.grouped(self.clusters(self.counted.unit))
        found = delong(influence, self.resampling.level)
        return {path(key): x for key, x in found.items() if key[0] == "by_label" or not np.isnan(x.low)}

    @cached_property
    def _drawn(self) -> dict[str, Interval]:
        assert self.resampling is not None  # noqa: S101  asked for of resamplings only
        how, unit = self.resampling, self.counted.unit
        units = units_of_order(self.ranking, None if unit is None else self.clusters(unit))
        samples = bootstrap_of_order(self.ranking, self.metric, how.resamples, how.seed, units)
        return {path(key): interval for key, interval in intervals(samples, how.level).items()}

    @cached_property
    def _of_parts(self) -> dict[str, Interval]:
        found = {}
        for (column, value), part in self.parts.items():
            for key in filter(is_overall, part.ordered):
                interval = part.intervals.get(path(key))
                if interval is not None:
                    found[path(("slices", column, value, *key))] = interval
        return found

    def _names(self, column: str) -> NDArray[np.str_]:
        """(documents,) the values of the ranked documents in a column."""
        assert self.counted.every is not None  # noqa: S101  asked for where there are columns
        return self.counted.every.attribute(column).of(self.ranking.documents)

    @property
    def per_document(self) -> Mapping[str, Spread]:
        """Each counted overall score over single documents, by its path: an order has none."""
        return self.counted.per_document

    @property
    def confusion(self) -> Mapping[tuple[str | None, str | None], int]:
        """Pairs of (reference, predicted) label and how often they occur."""
        return self.counted.confusion


class _Parts(Mapping[str, Interval]):
    """Intervals of several origins: a later one is only asked for what those before it have not."""

    def __init__(self, parts: tuple[Callable[[], Mapping[str, Interval]], ...]) -> None:
        self._parts = parts

    def __getitem__(self, name: str) -> Interval:
        for part in self._parts:
            found = part().get(name)
            if found is not None:
                return found
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for part in self._parts for name in part()))

    def __len__(self) -> int:
        return sum(1 for _ in self)
