"""Pairing where no span overlaps another of its own side.

The overlaps, in ascending order of (reference, predicted), then form staircases: the next overlap shares the reference
span or the predicted span with the one before it, or neither. The overlaps of one span follow one another, a pairing
never has to cross, and one pass from the last overlap to the first finds the best.
"""

from __future__ import annotations

import numpy as np

from isogloss.alignment.overlaps import Candidates, Criteria, alone, overlaps
from isogloss.scores import Ints


def pair_flat(reference: Candidates, predicted: Candidates) -> tuple[Ints, Ints]:
    """Best pairs of candidates none of which is crowded.

    Returns:
        positions of the paired spans in their sides, each (pairs,), in no order.
    """
    r, p = overlaps(reference, predicted)
    lone = alone(r, p)
    stairs = np.flatnonzero(~lone)
    weights = Criteria.of(reference, predicted).weights(r[stairs], p[stairs])
    taken = np.flatnonzero(lone), stairs[best_on_stairs(r[stairs], p[stairs], weights.tolist())]
    chosen = np.concatenate(taken)
    return reference.at[r[chosen]], predicted.at[p[chosen]]


def best_on_stairs(r: Ints, p: Ints, weights: list[int]) -> Ints:
    """The heaviest overlaps that share no span, of equally heavy ones the lexicographically first list.

    Args:
        r: (overlaps,) reference span of each overlap, ascending.
        p: (overlaps,) predicted span of each overlap, ascending too.
        weights: (overlaps,) what the overlap is worth, above 0.

    Returns:
        positions of the chosen overlaps, ascending.
    """
    beyond = np.maximum(np.searchsorted(r, r, side="right"), np.searchsorted(p, p, side="right")).tolist()
    best = [0] * (len(weights) + 1)  # what the overlaps from here on are worth
    taken = [False] * len(weights)
    for at in range(len(weights) - 1, -1, -1):
        worth = weights[at] + best[beyond[at]]
        taken[at] = worth >= best[at + 1]
        best[at] = worth if taken[at] else best[at + 1]
    return np.array(_walk(taken, beyond), dtype=np.int64)


def _walk(taken: list[bool], beyond: list[int]) -> list[int]:
    """The overlaps that are taken from the first on."""
    chosen = []
    at = 0
    while at < len(taken):
        if taken[at]:
            chosen.append(at)
        at = beyond[at] if taken[at] else at + 1
    return chosen
