"""Which spans of the two sides overlap, and what a pair of them is worth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.alignment.equal import joint_codes, run_starts
from isogloss.batches import Spans
from isogloss.scores import Ints

Weights = NDArray[Any]  # int64, or Python integers where 63 bits do not hold the criteria


@dataclass(frozen=True, eq=False)
class Candidates:
    """Distinct spans of one side that look for partners, in the order of `Spans`.

    Args:
        at: (spans,) position of the first of equal spans in its side.
        count: (spans,) how many equal spans look for partners.
        spans: the spans themselves.
        low: (spans,) place of the start across all documents; documents do not touch. Only the order of places means
            something.
        high: (spans,) place of the end.
    """

    at: Ints
    count: Ints
    spans: Spans
    low: Ints
    high: Ints

    def __len__(self) -> int:
        return len(self.at)

    def take(self, at: NDArray[np.bool_] | slice) -> Candidates:
        """The candidates in this range, or of this mask."""
        spans = Spans(self.spans.row[at], self.spans.start[at], self.spans.end[at], self.spans.label[at])
        return Candidates(self.at[at], self.count[at], spans, self.low[at], self.high[at])


def candidates(
    sides: tuple[Spans, Spans], codes: tuple[Ints, Ints], open_at: tuple[Ints, Ints]
) -> tuple[Candidates, Candidates]:
    """Candidates of both sides.

    Args:
        sides: reference and predicted spans.
        codes: ascending codes of their spans, equal for equal spans.
        open_at: positions of the spans that look for partners.
    """
    starts = [run_starts(code[at]) for code, at in zip(codes, open_at, strict=True)]
    first = [at[start] for at, start in zip(open_at, starts, strict=True)]
    counts = [np.diff(start, append=len(at)) for at, start in zip(open_at, starts, strict=True)]
    spans = [side.take(at) for side, at in zip(sides, first, strict=True)]
    places = joint_codes(_boundaries(spans[0]), _boundaries(spans[1]))
    reference, predicted = (
        Candidates(at, count, span, place[: len(span)], place[len(span) :])
        for at, count, span, place in zip(first, counts, spans, places, strict=True)
    )
    return reference, predicted


def _boundaries(spans: Spans) -> tuple[Ints, Ints]:
    """Row and unit of all starts, then of all ends."""
    return np.concatenate([spans.row, spans.row]), np.concatenate([spans.start, spans.end])


def overlaps(reference: Candidates, predicted: Candidates) -> tuple[Ints, Ints]:
    """All pairs of overlapping spans, in ascending order of (reference, predicted).

    Two spans overlap exactly if the predicted one starts within the reference one, or else the reference one starts
    within the predicted one, behind its first unit.

    Returns:
        positions among the reference and the predicted candidates, each (overlaps,).
    """
    r_from, p_within = _positions(
        np.searchsorted(predicted.low, reference.low), np.searchsorted(predicted.low, reference.high)
    )
    p_from, r_within = _positions(
        np.searchsorted(reference.low, predicted.low, side="right"), np.searchsorted(reference.low, predicted.high)
    )
    keys = np.concatenate([r_from, r_within]) * len(predicted) + np.concatenate([p_within, p_from])
    keys.sort()
    r, p = np.divmod(keys, len(predicted))
    return r, p


def _positions(first: Ints, after: Ints) -> tuple[Ints, Ints]:
    """All (i, k) with first[i] <= k < after[i]."""
    sizes = np.maximum(after - first, 0)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    offsets = first - (np.cumsum(sizes) - sizes)
    return owners, np.arange(len(owners)) + offsets[owners]


def degrees(side: Candidates, other: Candidates) -> Ints:
    """How many spans of the other side overlap each span, without listing them.

    They are those that start before its end, less those that end before it starts.
    """
    before_end = np.searchsorted(other.low, side.high)
    return before_end - np.searchsorted(np.sort(other.high), side.low, side="right")  # (spans,)


def alone(r: Ints, p: Ints) -> NDArray[np.bool_]:
    """Which overlaps have two ends without any other overlap."""
    lone: NDArray[np.bool_] = (np.bincount(r)[r] == 1) & (np.bincount(p)[p] == 1)  # (overlaps,)
    return lone


def crowded(side: Candidates) -> NDArray[np.bool_]:
    """Which spans are several equal ones, or overlap a span of their own side that comes before them."""
    crowded = side.count > 1  # (spans,)
    crowded[1:] |= np.maximum.accumulate(side.high)[:-1] > side.low[1:]
    return crowded


def islands(reference: Candidates, predicted: Candidates) -> tuple[Ints, Ints]:
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
class Criteria:
    """What pairs are worth: one number for all criteria, so that sums of it are ordered like sums of the criteria.

    Args:
        reference: the candidates of the reference.
        predicted: the predicted candidates.
        pairs: more than any number of pairs.
        units: more than any total overlap.
    """

    reference: Candidates
    predicted: Candidates
    pairs: int
    units: int

    @classmethod
    def of(cls, reference: Candidates, predicted: Candidates) -> Criteria:
        """Criteria with room for every one-to-one pairing of the candidates."""
        pairs = int(min(reference.count.sum(), predicted.count.sum()))
        longest = int((reference.spans.end - reference.spans.start).max(initial=0))
        return cls(reference, predicted, pairs + 1, pairs * longest + 1)

    @cached_property
    def kind(self) -> type[np.generic]:
        """What holds a weight, sums of weights, and prices."""
        return np.int64 if 4 * self.pairs**3 * self.units < 2**63 else np.object_

    def swapped(self) -> Criteria:
        """The same with the sides swapped."""
        return Criteria(self.predicted, self.reference, self.pairs, self.units)

    def weights(self, r: Ints | int, p: Ints | int) -> Weights:
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
        weights: Weights = (same_span.astype(self.kind) * self.pairs + same_label) * self.pairs + 1
        weights *= self.units
        weights += end - start
        return weights
