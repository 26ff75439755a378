"""Where the numbers of a run come from. They are computed when somebody asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from isogloss.counts import Sums, Tally
from isogloss.metric import Confusing, SumMetric
from isogloss.resampling import (
    Interval,
    Spread,
    bootstrap,
    document_means,
    intervals,
    spreads,
    with_document_scores,
)
from isogloss.scores import Key, Scores, path

Number = int | float


@dataclass(frozen=True)
class Resampling:
    """How intervals are made.

    Args:
        level: confidence level in (0, 1).
        resamples: number of resamples, at least 1.
        seed: seed of the generator.
    """

    level: float = 0.95
    resamples: int = 1000
    seed: int = 12345

    def __post_init__(self) -> None:
        if not 0 < self.level < 1 or self.resamples < 1:
            raise ValueError(f"{self.resamples} resamples at level {self.level} give no interval")


class Evidence(Protocol):
    """What a run's numbers rest on."""

    @property
    def documents(self) -> int:
        """How many documents were scored."""

    @property
    def numbers(self) -> Mapping[Key, Number]:
        """Every score; nan where undefined. Counts are integers."""

    @property
    def intervals(self) -> Mapping[str, Interval]:
        """Interval of each score by its path, nothing when none were asked for."""

    @property
    def per_document(self) -> Mapping[str, Spread]:
        """Each overall score over single documents, by its path."""

    @property
    def confusion(self) -> Mapping[tuple[str | None, str | None], int]:
        """Pairs of (reference, predicted) label and how often they occur."""


@dataclass(frozen=True, eq=False)
class TallyEvidence:
    """Numbers from a tally.

    Args:
        metric: what gives sums their scores.
        tally: the distinct documents.
        resampling: how intervals are made, None for none.
    """

    metric: SumMetric
    tally: Tally
    resampling: Resampling | None = None

    @property
    def documents(self) -> int:
        """How many documents were scored."""
        return self.tally.documents

    @cached_property
    def sums(self) -> Sums:
        """The sums over all documents."""
        return self.tally.total()

    @cached_property
    def numbers(self) -> dict[Key, Number]:
        """Every score; nan where undefined. Counts are integers."""
        return {key: value.item() for key, value in self.metric.score(self.sums).items()}

    @cached_property
    def per_document(self) -> dict[str, Spread]:
        """Each overall ratio over single documents, by its path."""
        return {path(key): found for key, found in spreads(self.tally, self._overall_ratios).items()}

    @cached_property
    def intervals(self) -> dict[str, Interval]:
        """Interval of each ratio, and of its mean over documents, by its path."""
        if self.resampling is None:
            return {}
        how = self.resampling
        samples = bootstrap(self._measured, self._ratios, how.resamples, how.seed)
        return {path(key): interval for key, interval in intervals(samples, how.level).items()}

    @cached_property
    def confusion(self) -> dict[tuple[str | None, str | None], int]:
        """Pairs of (reference, predicted) label and how often they occur, by name."""
        if not isinstance(self.metric, Confusing):
            return {}
        pairs = self.metric.confusion(self.sums)
        return dict(sorted(pairs.items(), key=lambda item: tuple((n is None, n or "") for n in item[0])))

    @cached_property
    def _measured(self) -> Tally:
        return with_document_scores(self.tally, self._overall_ratios)

    @property
    def _document_scores(self) -> tuple[Key, ...]:
        return tuple(self._overall_ratios(self.sums))

    def _overall_ratios(self, sums: Sums) -> Scores:
        return _only_ratios(self.metric.overall(sums))

    def _ratios(self, sums: Sums) -> Scores:
        return _only_ratios(self.metric.score(sums)) | document_means(sums, self._document_scores)


def _only_ratios(scores: Scores) -> Scores:
    return {key: value for key, value in scores.items() if value.dtype == np.float64 and key[-1] != "beta"}
