"""Where a search finds the overlaps of one span: in a list, or by looking for them each time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from isogloss.alignment.overlaps import Criteria, Weights
from isogloss.scores import Ints

Lookup = Callable[[int, int], tuple[Sequence[int], Sequence[int]]]
"""For a span and a bound: the overlapping spans of the other side, ascending, and the weights of these pairs. Those
whose weight and price add up to no more than the bound may be missing."""
Tight = Callable[[int], Sequence[int]]
"""For a span those of the other side, ascending, whose weight, price and the span's own price add up to 0."""
_BLOCK = 64


class Neighbours(Protocol):
    """The overlaps of each span of one side."""

    def lookup(self, prices: list[int], /) -> Lookup:
        """Neighbours while the spans of the other side have these prices."""

    def tight(self, own: list[int], prices: list[int], /) -> Tight:
        """Tight neighbours, under prices with which no weight adds up to more than 0."""


class Listed:
    """Overlaps that are listed.

    Args:
        owners: (overlaps,) spans of this side, ascending.
        others: (overlaps,) the spans of the other side, ascending for each owner.
        weights: (overlaps,) what the pairs are worth.
        count: the number of spans of this side.
    """

    def __init__(self, owners: Ints, others: Ints, weights: Weights, count: int) -> None:
        self._overlaps = owners, others, weights
        self._spans = np.arange(count + 1)
        self._bounds = np.searchsorted(owners, self._spans).tolist()
        self._others, self._weights = others.tolist(), weights.tolist()

    def lookup(self, _prices: list[int], /) -> Lookup:
        """All neighbours, whatever the prices."""
        return self._neighbours

    def _neighbours(self, owner: int, _bound: int) -> tuple[list[int], list[int]]:
        own = slice(self._bounds[owner], self._bounds[owner + 1])
        return self._others[own], self._weights[own]

    def tight(self, own: list[int], prices: list[int], /) -> Tight:
        """Tight neighbours, listed too."""
        owners, others, weights = self._overlaps
        own_price, other_price = (np.array(price, dtype=weights.dtype) for price in (own, prices))
        tight = weights + own_price[owners] + other_price[others] == 0  # (overlaps,)
        bounds = np.searchsorted(owners[tight], self._spans).tolist()
        listed = others[tight].tolist()
        return lambda owner: listed[bounds[owner] : bounds[owner + 1]]


class Sought:
    """Overlaps that are looked for each time, in memory that does not grow with their number.

    Blocks of spans that all end too early are passed over at once.

    Args:
        criteria: what pairs are worth; the owners are its reference candidates.
    """

    def __init__(self, criteria: Criteria) -> None:
        owners, others = criteria.reference, criteria.predicted
        self._criteria = criteria
        self._low, self._high = owners.low, others.high
        self._before_end = np.searchsorted(others.low, owners.high).tolist()
        self._latest = np.maximum.reduceat(others.high, np.arange(0, len(others), _BLOCK))  # (blocks,)

    def _at(self, owner: int) -> Ints:
        """The overlapping spans."""
        before_end, low = self._before_end[owner], self._low[owner]
        blocks = np.flatnonzero(self._latest[: -(-before_end // _BLOCK)] > low)
        at = (blocks[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
        at = at[: np.searchsorted(at, before_end)]
        overlapping: Ints = at[self._high[at] > low]
        return overlapping

    def lookup(self, prices: list[int], /) -> Lookup:
        """Neighbours above the bound."""
        price = np.array(prices, dtype=self._criteria.kind)

        def neighbours(owner: int, bound: int) -> tuple[list[int], list[int]]:
            at = self._at(owner)
            weights = self._criteria.weights(owner, at)
            above = weights + price[at] > bound
            return at[above].tolist(), weights[above].tolist()

        return neighbours

    def tight(self, own: list[int], prices: list[int], /) -> Tight:
        """Tight neighbours, looked for as well."""
        neighbours = self.lookup(prices)
        return lambda owner: neighbours(owner, -own[owner] - 1)[0]
