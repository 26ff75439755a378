"""Overlapping spans: finding them, weighing pairs, and pairing equal spans.

A search finds the overlaps of one span in a list, or computes them each time to save memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import find_run_starts, pack_codes
from isogloss.kernel.scores import Ints
from isogloss.spans.batches import Spans

# Takes a span and a bound. Returns the overlapping spans of the other side, ascending, and the weights of the pairs;
# pairs whose weight and price sum to the bound or less may be missing.
NeighbourLookup = Callable[[int, int], tuple[Sequence[int], Sequence[int]]]
# Takes a span. Returns the spans of the other side, ascending, for which weight and both prices sum to 0.
TightLookup = Callable[[int], Sequence[int]]
_BLOCK = 64


@dataclass(frozen=True)
class MinOverlap:
    """The smallest overlap of two spans that may be paired.

    Args:
        share: overlap divided by `of`, above 0 and at most 1; both are counted in units. The quotient is compared as
            a 64-bit float, so that 1 of 10 units is 0.1.
        of: `union` for the units of both spans together, `reference` for those of the reference span.
    """

    share: float
    of: Literal["union", "reference"] = "union"

    def find_allowed(self, reference: Spans, predicted: Spans, r: Ints | int, p: Ints | int) -> NDArray[np.bool_]:
        """Return which overlapping pairs may be paired: (pairs,).

        Args:
            reference: spans of the reference.
            predicted: predicted spans.
            r: (pairs,) positions of reference spans, or one for all.
            p: (pairs,) positions of predicted spans, or one for all.
        """
        start, end = reference.start[r], reference.end[r]
        other_start, other_end = predicted.start[p], predicted.end[p]
        overlap = np.minimum(end, other_end) - np.maximum(start, other_start)
        whole = end - start
        if self.of == "union":
            whole = np.maximum(end, other_end) - np.minimum(start, other_start)  # overlapping spans leave no gap
        allowed: NDArray[np.bool_] = overlap / whole >= self.share
        return allowed


class OverlapLookup(Protocol):
    """Overlaps of each span of one side."""

    def build_lookup(self, prices: list[int], /) -> NeighbourLookup:
        """Return a lookup of neighbours for these prices of the other side."""

    def build_tight_lookup(self, own: list[int], prices: list[int], /) -> TightLookup:
        """Return a lookup of tight neighbours, for prices with no positive sum."""


class ListedOverlaps:
    """Overlaps stored in lists.

    Args:
        owners: (overlaps,) spans of this side, ascending.
        others: (overlaps,) spans of the other side, ascending for each owner.
        weights: (overlaps,) weight of each pair.
        count: number of spans of this side.
    """

    def __init__(self, owners: Ints, others: Ints, weights: Weights, count: int) -> None:
        self._overlaps = owners, others, weights
        self._spans = np.arange(count + 1)
        self._bounds = np.searchsorted(owners, self._spans).tolist()
        self._others, self._weights = others.tolist(), weights.tolist()

    def build_lookup(self, _prices: list[int], /) -> NeighbourLookup:
        """Return all neighbours, ignoring prices."""
        return self._list_neighbours

    def _list_neighbours(self, owner: int, _bound: int) -> tuple[list[int], list[int]]:
        own = slice(self._bounds[owner], self._bounds[owner + 1])
        return self._others[own], self._weights[own]

    def build_tight_lookup(self, own: list[int], prices: list[int], /) -> TightLookup:
        """Return tight neighbours from a list."""
        owners, others, weights = self._overlaps
        own_price, other_price = (np.array(price, dtype=weights.dtype) for price in (own, prices))
        tight = weights + own_price[owners] + other_price[others] == 0  # (overlaps,)
        bounds = np.searchsorted(owners[tight], self._spans).tolist()
        listed = others[tight].tolist()
        return lambda owner: listed[bounds[owner] : bounds[owner + 1]]


class SearchedOverlaps:
    """Overlaps computed on each request, in bounded memory.

    The memory does not grow with the number of overlaps.

    Blocks of spans that all end too early are skipped at once.

    Args:
        criteria: weights of pairs; the owners are its reference candidates.
    """

    def __init__(self, criteria: PairCriteria) -> None:
        owners, others = criteria.reference, criteria.predicted
        self._criteria = criteria
        self._low, self._high = owners.low, others.high
        self._before_end = np.searchsorted(others.low, owners.high).tolist()
        self._latest = np.maximum.reduceat(others.high, np.arange(0, len(others), _BLOCK))  # (blocks,)

    def _find_overlaps(self, owner: int) -> Ints:
        """Find the spans that overlap one span."""
        before_end, low = self._before_end[owner], self._low[owner]
        blocks = np.flatnonzero(self._latest[: -(-before_end // _BLOCK)] > low)
        at = (blocks[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
        at = at[: np.searchsorted(at, before_end)]
        overlapping: Ints = at[self._high[at] > low]
        return overlapping[self._criteria.find_allowed(owner, overlapping)]

    def build_lookup(self, prices: list[int], /) -> NeighbourLookup:
        """Return neighbours above the bound."""
        price = np.array(prices, dtype=self._criteria.number_type)

        def neighbours(owner: int, bound: int) -> tuple[list[int], list[int]]:
            at = self._find_overlaps(owner)
            weights = self._criteria.compute_weights(owner, at)
            above = weights + price[at] > bound
            return at[above].tolist(), weights[above].tolist()

        return neighbours

    def build_tight_lookup(self, own: list[int], prices: list[int], /) -> TightLookup:
        """Return tight neighbours, computed on each request."""
        neighbours = self.build_lookup(prices)
        return lambda owner: neighbours(owner, -own[owner] - 1)[0]


Weights = NDArray[Any]  # int64, or Python integers if the criteria need more than 63 bits


@dataclass(frozen=True, eq=False)
class CandidateSpans:
    """Distinct unpaired spans of one side, in the order of `Spans`.

    Args:
        positions: (spans,) position in its side of the first of equal spans.
        count: (spans,) number of equal unpaired spans.
        spans: the spans.
        low: (spans,) rank of the start across all documents; documents do not touch. Only the order matters.
        high: (spans,) rank of the end.
    """

    positions: Ints
    count: Ints
    spans: Spans
    low: Ints
    high: Ints

    def __len__(self) -> int:
        return len(self.positions)

    def take(self, at: NDArray[np.bool_] | slice) -> CandidateSpans:
        """Take the candidates of this range or mask."""
        spans = Spans(self.spans.row[at], self.spans.start[at], self.spans.end[at], self.spans.label[at])
        return CandidateSpans(self.positions[at], self.count[at], spans, self.low[at], self.high[at])


def build_candidates(
    sides: tuple[Spans, Spans],
    codes: tuple[Ints, Ints],
    unpaired: tuple[Ints, Ints],
) -> tuple[CandidateSpans, CandidateSpans]:
    """Build the candidates of both sides.

    Args:
        sides: reference and predicted spans.
        codes: ascending codes of their spans, equal for equal spans.
        unpaired: positions of the unpaired spans.
    """
    starts = [find_run_starts(code[at]) for code, at in zip(codes, unpaired, strict=True)]
    first = [at[start] for at, start in zip(unpaired, starts, strict=True)]
    counts = [np.diff(start, append=len(at)) for at, start in zip(unpaired, starts, strict=True)]
    spans = [side.take(at) for side, at in zip(sides, first, strict=True)]
    places = encode_rows_jointly(_stack_boundaries(spans[0]), _stack_boundaries(spans[1]))
    reference, predicted = (
        CandidateSpans(at, count, span, place[: len(span)], place[len(span) :])
        for at, count, span, place in zip(first, counts, spans, places, strict=True)
    )
    return reference, predicted


def _stack_boundaries(spans: Spans) -> tuple[Ints, Ints]:
    """Return row and unit of all starts, then of all ends."""
    return np.concatenate([spans.row, spans.row]), np.concatenate([spans.start, spans.end])


def find_overlaps(reference: CandidateSpans, predicted: CandidateSpans) -> tuple[Ints, Ints]:
    """Find all pairs of overlapping spans, ascending by (reference, predicted).

    Two spans overlap exactly if the predicted one starts within the reference one, or the reference one starts within
    the predicted one, after its first unit.

    Args:
        reference: candidates of the reference.
        predicted: predicted candidates.

    Returns:
        Positions among the reference and the predicted candidates, each (overlaps,).
    """
    r_from, p_within = _expand_ranges(
        np.searchsorted(predicted.low, reference.low),
        np.searchsorted(predicted.low, reference.high),
    )
    p_from, r_within = _expand_ranges(
        np.searchsorted(reference.low, predicted.low, side="right"),
        np.searchsorted(reference.low, predicted.high),
    )
    keys = np.concatenate([r_from, r_within]) * len(predicted) + np.concatenate([p_within, p_from])
    keys.sort()
    r, p = np.divmod(keys, len(predicted))
    return r, p


def _expand_ranges(first: Ints, after: Ints) -> tuple[Ints, Ints]:
    """Return all (i, k) with first[i] <= k < after[i]."""
    sizes = np.maximum(after - first, 0)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    offsets = first - (np.cumsum(sizes) - sizes)
    return owners, np.arange(len(owners)) + offsets[owners]


def count_overlaps(side: CandidateSpans, other: CandidateSpans) -> Ints:
    """Count the overlaps of each span without listing them.

    They are the spans that start before its end, less those that end before it starts.
    """
    before_end = np.searchsorted(other.low, side.high)
    return before_end - np.searchsorted(np.sort(other.high), side.low, side="right")  # (spans,)


def find_lone_overlaps(r: Ints, p: Ints) -> NDArray[np.bool_]:
    """Find overlaps whose two spans have no other overlap."""
    lone: NDArray[np.bool_] = (np.bincount(r)[r] == 1) & (np.bincount(p)[p] == 1)  # (overlaps,)
    return lone


def find_crowded_spans(side: CandidateSpans) -> NDArray[np.bool_]:
    """Find spans that equal or overlap an earlier span of their side."""
    crowded = side.count > 1  # (spans,)
    crowded[1:] |= np.maximum.accumulate(side.high)[:-1] > side.low[1:]
    return crowded


def number_islands(reference: CandidateSpans, predicted: CandidateSpans) -> tuple[Ints, Ints]:
    """Number the islands of text covered by spans of both sides.

    An island is text that the spans of both sides together cover without a gap. Overlapping spans are on one island.
    Numbers ascend from 0.

    Args:
        reference: candidates of the reference.
        predicted: predicted candidates.

    Returns:
        The island of each reference and of each predicted candidate.
    """
    low = np.concatenate([reference.low, predicted.low])
    order = np.argsort(low, kind="stable")
    reach = np.maximum.accumulate(np.concatenate([reference.high, predicted.high])[order])
    shore = np.zeros(len(order), dtype=np.int64)
    shore[1:] = low[order][1:] >= reach[:-1]
    numbers = np.empty_like(shore)
    numbers[order] = np.cumsum(shore)
    return numbers[: len(reference)], numbers[len(reference) :]


@dataclass(frozen=True, eq=False)
class PairCriteria:
    """Weights of pairs: one number for all criteria.

    Sums of weights are ordered like sums of the criteria.

    Args:
        reference: candidates of the reference.
        predicted: predicted candidates.
        pairs: more than any number of pairs.
        units: more than any total overlap.
        min_overlap: the smallest overlap of a pair; None for one unit.
        swapped: whether the sides are swapped.
    """

    reference: CandidateSpans
    predicted: CandidateSpans
    pairs: int
    units: int
    min_overlap: MinOverlap | None = None
    swapped: bool = False

    @classmethod
    def from_candidates(
        cls, reference: CandidateSpans, predicted: CandidateSpans, min_overlap: MinOverlap | None = None
    ) -> PairCriteria:
        """Build criteria with room for every one-to-one pairing."""
        pairs = int(min(reference.count.sum(), predicted.count.sum()))
        longest = int((reference.spans.end - reference.spans.start).max(initial=0))
        return cls(reference, predicted, pairs + 1, pairs * longest + 1, min_overlap)

    @cached_property
    def number_type(self) -> type[np.generic]:
        """Type for weights, sums of weights, and prices."""
        return np.int64 if 4 * self.pairs**3 * self.units < 2**63 else np.object_

    def swap_sides(self) -> PairCriteria:
        """Return the criteria with the sides swapped."""
        return PairCriteria(self.predicted, self.reference, self.pairs, self.units, self.min_overlap, not self.swapped)

    def find_allowed(self, r: Ints | int, p: Ints | int) -> NDArray[np.bool_] | slice:
        """Return which overlapping pairs overlap enough: (pairs,), or a slice of all.

        Args:
            r: positions among the reference candidates.
            p: positions among the predicted candidates.
        """
        if self.min_overlap is None:
            return slice(None)
        if self.swapped:
            return self.min_overlap.find_allowed(self.predicted.spans, self.reference.spans, p, r)
        return self.min_overlap.find_allowed(self.reference.spans, self.predicted.spans, r, p)

    def compute_weights(self, r: Ints | int, p: Ints | int) -> Weights:
        """Weigh overlapping pairs by equal span, then label, then pairing, then overlap.

        Args:
            r: positions among the reference candidates.
            p: positions among the predicted candidates.
        """
        one, other = self.reference.spans, self.predicted.spans
        start = np.maximum(one.start[r], other.start[p])
        end = np.minimum(one.end[r], other.end[p])
        same_span = (one.start[r] == other.start[p]) & (one.end[r] == other.end[p])
        same_label = one.label[r] == other.label[p]
        weights: Weights = (same_span.astype(self.number_type) * self.pairs + same_label) * self.pairs + 1
        weights *= self.units
        weights += end - start
        return weights


def encode_rows_jointly(first: Sequence[Ints], second: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Encode rows of two tables of non-negative integers as comparable codes.

    The columns of a row are packed into one number if 63 bits hold it; otherwise rows are ranked by sorting, which is
    about ten times slower and has no limit.

    Args:
        first: columns of the first table, the most significant first; each (rows,).
        second: the same columns of the second table.
    """
    sizes = [1 + int(max(one.max(initial=0), other.max(initial=0))) for one, other in zip(first, second, strict=True)]
    if math.prod(sizes) < 2**63:  # the sizes themselves must fit into 63 bits
        return _pack_rows(first, sizes), _pack_rows(second, sizes)
    columns = [np.concatenate(pair) for pair in zip(first, second, strict=True)]
    codes = pack_codes(zip(columns, sizes, strict=True), len(columns[0]))
    return codes[: len(first[0])], codes[len(first[0]) :]


def _pack_rows(columns: Sequence[Ints], sizes: Sequence[int]) -> Ints:
    """Return rows as numbers of mixed radix."""
    codes = columns[0]
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        codes = codes * size + column  # (rows,)
    return codes


def find_first_equal(codes: Ints) -> Ints:
    """Return the position of the first equal code, for ascending codes."""
    starts = find_run_starts(codes)
    return np.repeat(starts, np.diff(starts, append=len(codes)))


def has_repetition(codes: Ints) -> bool:
    """Check whether ascending codes hold one code twice."""
    return bool((codes[1:] == codes[:-1]).any())


def pair_equal(reference: Ints, predicted: Ints) -> tuple[Ints, Ints]:
    """Pair equal codes: the n-th of each side go together.

    Args:
        reference: (reference spans,) ascending codes.
        predicted: (predicted spans,) ascending codes, at least one.

    Returns:
        positions of the paired spans among the reference and the predicted spans, each (pairs,), ascending.
    """
    at = np.searchsorted(predicted, reference)
    if has_repetition(reference):
        at += np.arange(len(reference)) - find_first_equal(reference)
    inside = np.minimum(at, len(predicted) - 1)
    paired = (predicted[inside] == reference) & (inside == at)
    return np.flatnonzero(paired), at[paired]


def pair_whole_groups(reference: Ints, predicted: Ints) -> tuple[Ints, Ints]:
    """Pair equal codes that occur equally often on both sides.

    Args:
        reference: (reference spans,) ascending codes.
        predicted: (predicted spans,) ascending codes.

    Returns:
        positions of the paired spans among the reference and the predicted spans, each (pairs,), ascending.
    """
    starts = find_run_starts(reference)
    sizes = np.diff(starts, append=len(reference))  # (groups,)
    first = np.searchsorted(predicted, reference[starts])
    after = np.searchsorted(predicted, reference[starts], side="right")
    paired = np.repeat(after - first == sizes, sizes)
    at = np.arange(len(reference)) + np.repeat(first - starts, sizes)
    return np.flatnonzero(paired), at[paired]


def order_pairs(codes: tuple[Ints, Ints], reference: Ints, predicted: Ints) -> tuple[Ints, Ints]:
    """Give the pairs of equal spans to the spans that come first.

    Args:
        codes: ascending codes of the reference and of the predicted spans, equal for equal spans.
        reference: (pairs,) a reference span of each pair; only its class of equal spans matters.
        predicted: (pairs,) a predicted span of each pair; only its class of equal spans matters.

    Returns:
        The pairs in ascending order of the reference span. Within a class of either side, partners ascend and unpaired
            spans come last.
    """
    reference, predicted = find_first_equal(codes[0])[reference], find_first_equal(codes[1])[predicted]
    order = np.lexsort((predicted, reference))
    reference, predicted = reference[order], predicted[order]
    return _list_members(reference), _list_members(predicted)


def _list_members(classes: Ints) -> Ints:
    """Return the n-th member of a class for its n-th mention."""
    order = np.argsort(classes, kind="stable")
    mentioned = classes[order]
    members = np.empty_like(classes)
    members[order] = mentioned + np.arange(len(classes)) - find_first_equal(mentioned)
    return members
