"""How a metric is built again without the files that were scored: what a stored run needs to be compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from isogloss.errors import UsageError
from isogloss.kernel.metric import OrderMetric, SumMetric


@dataclass(frozen=True)
class MetricSpec:
    """A task, and the arguments that build its metric.

    Args:
        task: name of the task.
        arguments: by name; JSON can hold them.
        build: builds the metric from the arguments, or with `order=True` what scores a ranking.
    """

    task: str
    arguments: Mapping[str, Any]
    build: Callable[..., Any] = field(repr=False, compare=False)

    def make_metric(self) -> SumMetric:
        """Build what gives sums their scores.

        Raises:
            UsageError: if this version of isogloss cannot build it.
        """
        metric: SumMetric = self._built()
        return metric

    def make_order_metric(self) -> OrderMetric:
        """Build what gives a ranking its scores.

        Raises:
            UsageError: if this version of isogloss cannot build it.
        """
        metric: OrderMetric = self._built(order=True)
        return metric

    def _built(self, **more: Any) -> Any:
        try:
            return self.build(**self.arguments, **more)
        except TypeError as error:
            message = f"This version of isogloss cannot build the metric of a run of {self.task}: {error}."
            raise UsageError(message) from error
