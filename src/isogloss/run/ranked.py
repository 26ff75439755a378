"""Evidence of scores that depend on the order of all documents, beside what was counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isogloss.metric import OrderMetric
from isogloss.ranking import Ranking
from isogloss.resampling import Interval, Spread, bootstrap_of_order, delong, intervals
from isogloss.run.evidence import Evidence, Number, Resampling
from isogloss.scores import Key, path


@dataclass(frozen=True, eq=False)
class RankingEvidence:
    """Numbers from counts and numbers from a ranking of the same documents.

    Args:
        counted: what counts give.
        metric: what gives the ranking its scores.
        ranking: scores and verdicts of all documents.
        resampling: how intervals are made, None for none.
    """

    counted: Evidence
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
        ordered = {key: value.item() for key, value in self.metric.score(self.ranking).items()}
        return dict(self.counted.numbers) | ordered

    @cached_property
    def intervals(self) -> Mapping[str, Interval]:
        """Interval of each ratio by its path, made when it is asked for.

        Those whose variance is known are DeLong's, the others come from resampling documents; so do means where the
        variance of a label is not known.
        """
        if self.resampling is None:
            return {}
        return _Parts((lambda: self._known, lambda: self.counted.intervals, lambda: self._drawn))

    @cached_property
    def _known(self) -> dict[str, Interval]:
        assert self.resampling is not None  # noqa: S101  asked for of resamplings only
        found = delong(self.metric.influence(self.ranking), self.resampling.level)
        return {path(key): x for key, x in found.items() if key[0] == "by_label" or not np.isnan(x.low)}

    @cached_property
    def _drawn(self) -> dict[str, Interval]:
        assert self.resampling is not None  # noqa: S101  asked for of resamplings only
        samples = bootstrap_of_order(self.ranking, self.metric, self.resampling.resamples, self.resampling.seed)
        return {path(key): interval for key, interval in intervals(samples, self.resampling.level).items()}

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
