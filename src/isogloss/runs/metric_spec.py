"""How a metric is made again without the files that were scored: what a run in a store needs to be compared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from isogloss.errors import UsageError
from isogloss.kernel.metric import OrderMetric, SumMetric

PLACES = re.compile(r"isogloss\.evaluate\.\w+:measure")  # all that is called: a store may come from anywhere


@dataclass(frozen=True)
class Recipe:
    """A place in the code, and arguments that JSON can hold.

    Args:
        place: `isogloss.evaluate.TASK:measure`. It gives a metric, or with `order=True` what scores a ranking.
        arguments: by name.
    """

    place: str
    arguments: Mapping[str, Any]

    @property
    def is_of_isogloss(self) -> bool:
        """Whether the place can be a measure of isogloss; nothing else is called."""
        return PLACES.fullmatch(self.place) is not None

    def metric(self) -> SumMetric:
        """What gives sums their scores.

        Raises:
            UsageError: this version of isogloss has no such place.
        """
        made: SumMetric = self._made()
        return made

    def order(self) -> OrderMetric:
        """What gives a ranking its scores.

        Raises:
            UsageError: this version of isogloss has no such place.
        """
        made: OrderMetric = self._made(order=True)
        return made

    def _made(self, **more: Any) -> Any:
        if not self.is_of_isogloss:
            raise UsageError(f"A run was scored by {self.place}, which is no metric of isogloss.")
        module, _, name = self.place.partition(":")
        try:
            return getattr(import_module(module), name)(**self.arguments, **more)
        except (ImportError, AttributeError, TypeError) as error:
            raise UsageError(f"A run was scored by {self.place}, which this version does not have.") from error
