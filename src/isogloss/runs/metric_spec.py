"""Specification from which a stored run's metric is built again, without the files that were scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from isogloss.errors import UsageError
from isogloss.kernel.metric import OrderMetric, SumMetric


@dataclass(frozen=True)
class MetricSpec:
    """Task and arguments from which a metric is built.

    Args:
        task: name of the task.
        arguments: arguments by name, as JSON values.
        build: builds the metric from the arguments; with `order=True`, the metric of a ranking.
    """

    task: str
    arguments: Mapping[str, Any]
    build: Callable[..., Any] = field(repr=False, compare=False)

    def make_metric(self) -> SumMetric:
        """Build the metric that scores sums.

        Raises:
            UsageError: if this version of isogloss cannot build it.
        """
        metric: SumMetric = self._build_metric()
        return metric

    def make_order_metric(self) -> OrderMetric:
        """Build the metric that scores a ranking.

        Raises:
            UsageError: if this version of isogloss cannot build it.
        """
        metric: OrderMetric = self._build_metric(order=True)
        return metric

    def _build_metric(self, **more: Any) -> Any:
        try:
            return self.build(**self.arguments, **more)
        except TypeError as error:
            message = f"This version of isogloss cannot build the metric of a run of {self.task}: {error}."
            raise UsageError(message) from error
