"""Where a search finds the overlaps of one span: in a list, or by looking for them each time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.scores import Ints
from isogloss.spans.batches import Spans

NeighbourLookup = Callable[[int, int], tuple[Sequence[int], Sequence[int]]]
"""For a span and a bound: the overlapping spans of the other side, ascending, and the weights of these pairs. Those
whose weight and price add up to no more than the bound may be missing."""
TightLookup = Callable[[int], Sequence[int]]
"""For a span those of the other side, ascending, whose weight, price and the span's own price add up to 0."""
_BLOCK = 64


class OverlapLookup(Protocol):
    """The overlaps of each span of one side."""

    def build_lookup(self, prices: list[int], /) -> NeighbourLookup:
        """Neighbours while the spans of the other side have these prices."""

    def build_tight_lookup(self, own: list[int], prices: list[int], /) -> TightLookup:
        """Tight neighbours, under prices with which no weight adds up to more than 0."""


class ListedOverlaps:
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

    def build_lookup(self, _prices: list[int], /) -> NeighbourLookup:
        """All neighbours, whatever the prices."""
        return self._list_neighbours

    def _list_neighbours(self, owner: int, _bound: int) -> tuple[list[int], list[int]]:
        own = slice(self._bounds[owner], self._bounds[owner + 1])
        return self._others[own], self._weights[own]

    def build_tight_lookup(self, own: list[int], prices: list[int], /) -> TightLookup:
        """Tight neighbours, listed too."""
        owners, others, weights = self._overlaps
        own_price, other_price = (np.array(price, dtype=weights.dtype) for price in (own, prices))
        tight = weights + own_price[owners] + other_price[others] == 0  # (overlaps,)
        bounds = np.searchsorted(owners[tight], self._spans).tolist()
        listed = others[tight].tolist()
        return lambda owner: listed[bounds[owner] : bounds[owner + 1]]


class SearchedOverlaps:
    """Overlaps that are looked for each time, in memory that does not grow with their number.

    Blocks of spans that all end too early are passed over at once.

    Args:
        criteria: what pairs are worth; the owners are its reference candidates.
    """

    def __init__(self, criteria: PairCriteria) -> None:
        owners, others = criteria.reference, criteria.predicted
        self._criteria = criteria
        self._low, self._high = owners.low, others.high
        self._before_end = np.searchsorted(others.low, owners.high).tolist()
        self._latest = np.maximum.reduceat(others.high, np.arange(0, len(others), _BLOCK))  # (blocks,)

    def _find_overlaps(self, owner: int) -> Ints:
        """The overlapping spans."""
        before_end, low = self._before_end[owner], self._low[owner]
        blocks = np.flatnonzero(self._latest[: -(-before_end // _BLOCK)] > low)
        at = (blocks[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
        at = at[: np.searchsorted(at, before_end)]
        overlapping: Ints = at[self._high[at] > low]
        return overlapping

    def build_lookup(self, prices: list[int], /) -> NeighbourLookup:
        """Neighbours above the bound."""
        price = np.array(prices, dtype=self._criteria.number_type)

        def neighbours(owner: int, bound: int) -> tuple[list[int], list[int]]:
            at = self._find_overlaps(owner)
            weights = self._criteria.compute_weights(owner, at)
            above = weights + price[at] > bound
            return at[above].tolist(), weights[above].tolist()

        return neighbours

    def build_tight_lookup(self, own: list[int], prices: list[int], /) -> TightLookup:
        """Tight neighbours, looked for as well."""
        neighbours = self.build_lookup(prices)
        return lambda owner: neighbours(owner, -own[owner] - 1)[0]


Weights = NDArray[Any]  # int64, or Python integers where 63 bits do not hold the criteria


@dataclass(frozen=True, eq=False)
class CandidateSpans:
    """Distinct spans of one side that look for partners, in the order of `Spans`.

    Args:
        at: (spans,) position of the first of equal spans in its side.
        count: (spans,) how many equal spans look for partners.
        spans: the spans themselves.
        low: (spans,) place of the start across all documents; documents do not touch. Only the order of places means
            something.
        high: (spans,) place of the end.
    """

    positions: Ints
    count: Ints
    spans: Spans
    low: Ints
    high: Ints

    def __len__(self) -> int:
        return len(self.positions)

    def take(self, at: NDArray[np.bool_] | slice) -> CandidateSpans:
        """The candidates in this range, or of this mask."""
        spans = Spans(self.spans.row[at], self.spans.start[at], self.spans.end[at], self.spans.label[at])
        return CandidateSpans(self.positions[at], self.count[at], spans, self.low[at], self.high[at])


def build_candidates(
    sides: tuple[Spans, Spans],
    codes: tuple[Ints, Ints],
    unpaired: tuple[Ints, Ints],
) -> tuple[CandidateSpans, CandidateSpans]:
    """Candidates of both sides.

    Args:
        sides: reference and predicted spans.
        codes: ascending codes of their spans, equal for equal spans.
        open_at: positions of the spans that look for partners.
    """
    starts = [find_code_starts(code[at]) for code, at in zip(codes, unpaired, strict=True)]
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
    """Row and unit of all starts, then of all ends."""
    return np.concatenate([spans.row, spans.row]), np.concatenate([spans.start, spans.end])


def find_overlaps(reference: CandidateSpans, predicted: CandidateSpans) -> tuple[Ints, Ints]:
    """All pairs of overlapping spans, in ascending order of (reference, predicted).

    Two spans overlap exactly if the predicted one starts within the reference one, or else the reference one starts
    within the predicted one, behind its first unit.

    Returns:
        positions among the reference and the predicted candidates, each (overlaps,).
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
    """All (i, k) with first[i] <= k < after[i]."""
    sizes = np.maximum(after - first, 0)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    offsets = first - (np.cumsum(sizes) - sizes)
    return owners, np.arange(len(owners)) + offsets[owners]


def count_overlaps(side: CandidateSpans, other: CandidateSpans) -> Ints:
    """How many spans of the other side overlap each span, without listing them.

    They are those that start before its end, less those that end before it starts.
    """
    before_end = np.searchsorted(other.low, side.high)
    return before_end - np.searchsorted(np.sort(other.high), side.low, side="right")  # (spans,)


def find_lone_overlaps(r: Ints, p: Ints) -> NDArray[np.bool_]:
    """Which overlaps have two ends without any other overlap."""
    lone: NDArray[np.bool_] = (np.bincount(r)[r] == 1) & (np.bincount(p)[p] == 1)  # (overlaps,)
    return lone


def find_crowded_spans(side: CandidateSpans) -> NDArray[np.bool_]:
    """Which spans are several equal ones, or overlap a span of their own side that comes before them."""
    crowded = side.count > 1  # (spans,)
    crowded[1:] |= np.maximum.accumulate(side.high)[:-1] > side.low[1:]
    return crowded


def number_islands(reference: CandidateSpans, predicted: CandidateSpans) -> tuple[Ints, Ints]:
    """Ascending numbers, from 0, of the stretches without a gap that the spans of both sides cover together.

    Overlapping spans are on one island.

    Returns:
        the island of each reference and of each predicted candidate.
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
    """What pairs are worth: one number for all criteria, so that sums of it are ordered like sums of the criteria.

    Args:
        reference: the candidates of the reference.
        predicted: the predicted candidates.
        pairs: more than any number of pairs.
        units: more than any total overlap.
    """

    reference: CandidateSpans
    predicted: CandidateSpans
    pairs: int
    units: int

    @classmethod
    def from_candidates(cls, reference: CandidateSpans, predicted: CandidateSpans) -> PairCriteria:
        """Criteria with room for every one-to-one pairing of the candidates."""
        pairs = int(min(reference.count.sum(), predicted.count.sum()))
        longest = int((reference.spans.end - reference.spans.start).max(initial=0))
        return cls(reference, predicted, pairs + 1, pairs * longest + 1)

    @cached_property
    def number_type(self) -> type[np.generic]:
        """What holds a weight, sums of weights, and prices."""
        return np.int64 if 4 * self.pairs**3 * self.units < 2**63 else np.object_

    def swap_sides(self) -> PairCriteria:
        """The same with the sides swapped."""
        return PairCriteria(self.predicted, self.reference, self.pairs, self.units)

    def compute_weights(self, r: Ints | int, p: Ints | int) -> Weights:
        """Weights of overlapping pairs: equal span, same label, one pair, overlap, from the most to the least.

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
    """Codes of two tables of non-negative integers, ordered like their rows, equal where rows are equal.

    The fields of a row are packed into one number where 63 bits hold it; otherwise rows are ranked by sorting, which
    is some ten times slower and knows no limit.

    Args:
        first: the columns of the first table, the most significant first; each (rows,).
        second: the same columns of the second table.
    """
    sizes = [1 + int(max(one.max(initial=0), other.max(initial=0))) for one, other in zip(first, second, strict=True)]
    if math.prod(sizes) < 2**63:  # the sizes themselves must fit into 63 bits
        return _pack_rows(first, sizes), _pack_rows(second, sizes)
    ranks = _rank_rows([np.concatenate(columns) for columns in zip(first, second, strict=True)])
    return ranks[: len(first[0])], ranks[len(first[0]) :]


def _pack_rows(columns: Sequence[Ints], sizes: Sequence[int]) -> Ints:
    """Rows as numbers of mixed radix."""
    codes = columns[0]
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        codes = codes * size + column  # (rows,)
    return codes


def _rank_rows(columns: Sequence[Ints]) -> Ints:
    """Number of distinct rows before each row."""
    order = np.lexsort(columns[::-1])
    new = np.zeros(len(order), dtype=np.bool_)
    for column in columns:
        new[1:] |= np.diff(column[order]) != 0
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.cumsum(new)
    return ranks


def find_code_starts(codes: Ints) -> Ints:
    """Where runs of equal codes begin, for ascending codes."""
    new = np.ones(len(codes), dtype=np.bool_)
    np.not_equal(codes[1:], codes[:-1], out=new[1:])
    return np.flatnonzero(new)


def find_first_equal(codes: Ints) -> Ints:
    """Position of the first code equal to each code, for ascending codes."""
    starts = find_code_starts(codes)
    return np.repeat(starts, np.diff(starts, append=len(codes)))


def has_repetition(codes: Ints) -> bool:
    """Whether ascending codes hold one code twice."""
    return bool((codes[1:] == codes[:-1]).any())


def pair_equal(reference: Ints, predicted: Ints) -> tuple[Ints, Ints]:
    """Pairs of equal codes as multisets: the n-th of several on one side with the n-th on the other.

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
    """Pairs of equal codes, of those codes only that occur equally often on both sides.

    Args:
        reference: (reference spans,) ascending codes.
        predicted: (predicted spans,) ascending codes.

    Returns:
        positions of the paired spans among the reference and the predicted spans, each (pairs,), ascending.
    """
    starts = find_code_starts(reference)
    sizes = np.diff(starts, append=len(reference))  # (groups,)
    first = np.searchsorted(predicted, reference[starts])
    after = np.searchsorted(predicted, reference[starts], side="right")
    paired = np.repeat(after - first == sizes, sizes)
    at = np.arange(len(reference)) + np.repeat(first - starts, sizes)
    return np.flatnonzero(paired), at[paired]


def order_pairs(codes: tuple[Ints, Ints], reference: Ints, predicted: Ints) -> tuple[Ints, Ints]:
    """The same pairs of classes of equal spans, given to the members that come first.

    Args:
        codes: ascending codes of the reference and of the predicted spans, equal for equal spans.
        reference: (pairs,) for each pair a reference span; only its class counts.
        predicted: (pairs,) likewise.

    Returns:
        the pairs in ascending order of the reference span. Within a class of reference spans, partners ascend and
        unpaired spans come last; within a class of predicted spans, partners ascend and unpaired spans come last.
    """
    reference, predicted = find_first_equal(codes[0])[reference], find_first_equal(codes[1])[predicted]
    order = np.lexsort((predicted, reference))
    reference, predicted = reference[order], predicted[order]
    return _list_members(reference), _list_members(predicted)


def _list_members(classes: Ints) -> Ints:
    """The n-th member of a class for the n-th mention of it; a class is the position of its first member."""
    order = np.argsort(classes, kind="stable")
    mentioned = classes[order]
    members = np.empty_like(classes)
    members[order] = mentioned + np.arange(len(classes)) - find_first_equal(mentioned)
    return members
