"""Knots: spans of both sides that hang together by overlaps. What tools pair greedily, they pair within knots."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import Spans
from isogloss.counts.grouping import packed
from isogloss.scores import Ints

Placed = tuple[int, int, int, int]  # start, end, label, position in its side


def knots(reference: Spans, predicted: Spans, *groups: Ints) -> tuple[Ints, Ints]:
    """Number of the knot that each span belongs to.

    Args:
        reference: spans.
        predicted: spans.
        groups: (reference,) and (predicted,) group of each span; knots do not go beyond one.

    Returns:
        (reference,) and (predicted,) numbers from 0, ascending with the group and the place.
    """
    start, end, group = (
        np.concatenate(pair) for pair in ((reference.start, predicted.start), (reference.end, predicted.end), groups)
    )
    places = np.concatenate((start, end))  # (2 * spans,) here and below
    sizes = (int(group.max(initial=0)) + 1, int(places.max(initial=0)) + 1)
    codes = packed(zip((np.tile(group, 2), places), sizes, strict=True), len(places))
    order = np.argsort(codes[: len(group)], kind="stable")
    start, end = codes[: len(group)][order], codes[len(group) :][order]
    fresh = np.append(True, start[1:] >= np.maximum.accumulate(end)[:-1])[: len(order)]
    knot = np.empty(len(order), np.int64)
    knot[order] = np.cumsum(fresh) - 1
    return knot[: len(reference)], knot[len(reference) :]


def by_knot(spans: Spans, knot: Ints, wanted: NDArray[np.bool_]) -> Iterator[list[Placed]]:
    """The spans of each wanted knot, ascending, each in their order.

    Args:
        spans: spans of one side.
        knot: (spans,) number of the knot of each.
        wanted: (knots,) which knots are.
    """
    at = np.flatnonzero(wanted[knot])
    at = at[np.argsort(knot[at], kind="stable")]
    columns = spans.start[at], spans.end[at], spans.label[at], at
    placed = list(zip(*(column.tolist() for column in columns), strict=True))
    stop = 0
    for size in np.bincount(knot[at], minlength=len(wanted))[wanted].tolist():
        yield placed[stop : stop + size]
        stop += size
