"""Which reference and predicted spans make up one error, by Ortmann (2022).

Definition
    1. Spans with the same bounds and label are pairs; then spans with the same bounds and other labels, in the order of
       labels. They take no part in what follows.
    2. The remaining spans are paired where they overlap, first those of the same label, then those of different ones:
       a. each reference span, shorter ones first, with one that nobody has paired;
       b. each reference span that is left, with a predicted one that is paired already;
       c. each predicted span that is left, with a reference span that is paired already.
    3. A pair uses up the units that its spans share: b and c ask for a unit that both spans have left. So a span that
       is cut in two is two errors, and a unit is part of one error.
    4. Of several partners that one is taken which shares most units, then the one with fewest other units left, then
       the shortest, then, in a, the one that starts first, then the one whose label comes first; in b and c the one
       that was paired first. Units that are used up do not count.

Spans that nothing overlaps, or only what is used up, stay alone. Of spans in the order of (start, end, label), the
result depends on this order alone.

Limits, in CPU time of one core. Spans that overlap at most one other span cost what sorting them costs. Knots, where
more hang together, are looked at pair by pair: 2,000 spans on each side that all form one knot take 1.5 s, 5,000 under
a span that covers them all 12 s. The length of spans costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from isogloss.alignment.equal import joint_codes, pair_equal
from isogloss.batches import SpanPairs, Spans
from isogloss.metrics.ner.events import Events
from isogloss.metrics.ner.knots import Placed, by_knot, knots
from isogloss.scores import Ints

Pairs = tuple[Ints, Ints]


def fair_events(batch: SpanPairs) -> Events:
    """The events of a batch: pairs, in which a span can be several times, then missed, then spurious spans."""
    sides = batch.reference, batch.predicted
    left = np.arange(len(sides[0])), np.arange(len(sides[1]))
    found = []
    for with_label in (True, False):
        pairs = _equal(*(side.take(at) for side, at in zip(sides, left, strict=True)), with_label=with_label)
        found.append((left[0][pairs[0]], left[1][pairs[1]]))
        left = np.delete(left[0], pairs[0]), np.delete(left[1], pairs[1])
    rest = [side.take(at) for side, at in zip(sides, left, strict=True)]
    found += [(left[0][i], left[1][j]) for i, j in _overlapping(*rest)]
    reference, predicted = (np.concatenate(columns) for columns in zip(*found, strict=True))
    return Events.of_pairs(batch, reference, predicted)


def _equal(reference: Spans, predicted: Spans, *, with_label: bool) -> Pairs:
    """Pairs of spans with the same bounds, the n-th of several with the n-th: two (pairs,) positions."""
    if not len(reference) or not len(predicted):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    columns = [(s.row, s.start, s.end - s.start, *([s.label] * with_label)) for s in (reference, predicted)]
    return pair_equal(*joint_codes(*columns))


def _overlapping(reference: Spans, predicted: Spans) -> Iterator[Pairs]:
    """Pairs of spans without equal bounds: two (pairs,) positions at a time."""
    knot = knots(reference, predicted, reference.row, predicted.row)
    number = int(max((k.max(initial=-1) for k in knot), default=-1)) + 1
    sizes = [np.bincount(k, minlength=number) for k in knot]  # (knots,) each
    single = (sizes[0] == 1) & (sizes[1] == 1)
    at = [np.flatnonzero(single[k]) for k in knot]
    yield at[0][np.argsort(knot[0][at[0]])], at[1][np.argsort(knot[1][at[1]])]
    tangled = (sizes[0] > 0) & (sizes[1] > 0) & ~single
    placed = (by_knot(spans, k, tangled) for spans, k in zip((reference, predicted), knot, strict=True))
    pairs = [pair for sides in zip(*placed, strict=True) for pair in _disentangled(*sides)]
    i, j = np.array(pairs, np.int64).reshape(-1, 2).T
    yield i, j


@dataclass(eq=False)
class _Open:
    """A span that looks for partners.

    Args:
        at: its position in its side.
        label: the code of its label.
        length: how many units it has.
        left: those stretches of its knot that it has and no pair has used up, as bits.
    """

    at: int
    label: int
    length: int
    left: int

    def use_up(self, other: _Open) -> None:
        """Take what both share off either."""
        shared = self.left & other.left
        self.left &= ~shared
        other.left &= ~shared


class _Stretches:
    """The units of a knot between the places where spans begin or end: spans share all of such a stretch, or nothing.

    Args:
        spans: of the knot.
    """

    def __init__(self, spans: Sequence[Placed]) -> None:
        places = sorted({place for start, end, _, _ in spans for place in (start, end)})
        self._number = {place: number for number, place in enumerate(places)}
        lengths = [end - start for start, end in pairwise(places)]
        self._digits = [
            sum(1 << number for number, length in enumerate(lengths) if length >> digit & 1)
            for digit in range(max(lengths).bit_length())
        ]

    def opened(self, side: Iterable[Placed]) -> list[_Open]:
        """Spans of a side, shorter ones first."""
        number = self._number
        spans = [
            _Open(at, label, end - start, (1 << number[end]) - (1 << number[start])) for start, end, label, at in side
        ]
        return sorted(spans, key=lambda span: span.length)

    def units(self, stretches: int) -> int:
        """How many units some stretches have: of each binary digit of their lengths, how many have it."""
        return sum((stretches & having).bit_count() << digit for digit, having in enumerate(self._digits))


def _disentangled(reference: Sequence[Placed], predicted: Sequence[Placed]) -> Iterator[tuple[int, int]]:
    """Pairs of the spans of one knot, as positions in their sides."""
    stretches = _Stretches([*reference, *predicted])
    new = [stretches.opened(side) for side in (reference, predicted)]
    paired: list[list[_Open]] = [[], []]
    for same_label in (True, False):
        for span, partner in _matched(new[0], new[1], stretches, same_label=same_label):
            new[1].remove(partner)
            paired[0].append(span)
            paired[1].append(partner)
            yield span.at, partner.at
        for span, partner in _matched(new[0], paired[1], stretches, same_label=same_label):
            paired[0].append(span)
            yield span.at, partner.at
        for partner, span in _matched(new[1], paired[0], stretches, same_label=same_label):
            paired[1].append(partner)
            yield span.at, partner.at


def _matched(
    seeking: list[_Open], offered: list[_Open], stretches: _Stretches, *, same_label: bool
) -> Iterator[tuple[_Open, _Open]]:
    """Each span that finds a partner, with it; it is taken off the list, and what both share is used up."""
    units = stretches.units
    for span in list(seeking):
        suitable = [
            (-units(shared), units(other.left), other.length, k)
            for k, other in enumerate(offered)
            if (span.label == other.label) == same_label and (shared := span.left & other.left)
        ]
        if suitable:
            partner = offered[min(suitable)[-1]]
            span.use_up(partner)
            seeking.remove(span)
            yield span, partner
