"""One-to-one alignment of reference and predicted spans.

Definition. Only overlapping spans of one document are paired, and each span at most once. Of all such pairings the
alignment is the best, lexicographically, in

1. pairs with equal span and label,
2. pairs with equal span,
3. overlapping pairs of the same label,
4. overlapping pairs, that is, pairs,
5. total overlap, in units.

Each number counts all pairs that fit it: a pair with equal span and label is counted in all five. (Counting each pair
under its first heading only would choose the same pairings.) Of equally good pairings the alignment is the one whose
list of pairs comes first lexicographically. The list holds (position in the reference, position in the prediction),
in ascending order of the reference, and both sides are in ascending order of (start, end, label). So the alignment
depends neither on the order of the input nor, since codes of labels are ordered like their texts, on codes.

How. Equal spans with equal labels are paired first, as multisets. A best pairing has as many of these pairs as there
can be, of every kind; so what remains is a problem of its own, and its first solution is part of the first solution
of the whole, up to *which* of several equal spans a pair gets: in the end the partners of equal spans are put in
order, unpaired ones last. Likewise, where a document has as many remaining reference spans as predicted spans between
two places, all of them are paired, in order. Overlaps both ends of which have no other overlap are taken as they are.
What remains is flat (no span overlaps another of its side), where one pass over the overlaps suffices, or goes to an
exact assignment in whole numbers. Overlaps are worked off island by island, and no size of the numbers makes a result
inexact: codes and weights that do not fit 63 bits are ranked, or become Python integers.

Limits, in CPU time of one core. Flat spans cost 40 ns each where 85% agree; time and memory grow with their number.
Nested spans cost what their overlaps cost: 5 to 70 µs for each span that does not agree, in a document of 1,000 to
8,000 of them under a covering span on each side; 4,000 equal places with 200 labels cost 0.2 s at most. Spans that all
overlap each other have a square number of overlaps. From about 130,000 on these are not kept but sought when they are
needed, so memory still grows with the spans (2 MB for 2,000 + 2,000 spans with 3 million overlaps), but time does
not: shifted by one unit these take 1 s where labels agree and up to 20 s where five labels are drawn at random; 800
spans each inside the one before, on both sides, with other ends, take 20 s.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isogloss.alignment.equal import has_repetition, in_order, joint_codes, pair_equal, pair_whole_groups
from isogloss.alignment.flat import pair_flat
from isogloss.alignment.nested import pair_nested
from isogloss.alignment.overlaps import Candidates, candidates, crowded, islands
from isogloss.batches import Spans
from isogloss.scores import Ints

__all__ = ["Alignment", "align"]

Pairs = tuple[Ints, Ints]
_NOTHING = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Alignment:
    """Pairs of reference and predicted spans.

    Args:
        reference: (pairs,) positions among the reference spans, ascending.
        predicted: (pairs,) positions of their partners among the predicted spans.
    """

    reference: Ints
    predicted: Ints


def align(reference: Spans, predicted: Spans) -> Alignment:
    """The one-to-one alignment of the spans of a batch, document by document.

    Args:
        reference: spans of the reference.
        predicted: predicted spans of the same documents.
    """
    if not len(reference) or not len(predicted):
        return Alignment(_NOTHING, _NOTHING)
    codes = joint_codes((*_bounds(reference), reference.label), (*_bounds(predicted), predicted.label))
    equal = pair_equal(*codes)
    left = _others(len(reference), equal[0]), _others(len(predicted), equal[1])
    rest = _pair_unequal((reference, predicted), codes, left)
    pairs = np.concatenate([equal[0], rest[0]]), np.concatenate([equal[1], rest[1]])
    if any(has_repetition(code) for code in codes):
        return Alignment(*in_order(codes, *pairs))
    order = np.argsort(pairs[0], kind="stable")
    return Alignment(pairs[0][order], pairs[1][order])


def _others(count: int, at: Ints) -> Ints:
    """The positions below `count` that are not among these."""
    others = np.ones(count, dtype=np.bool_)
    others[at] = False
    return np.flatnonzero(others)


def _bounds(spans: Spans) -> tuple[Ints, Ints, Ints]:
    """Columns that tell places apart, in the order of spans; lengths are smaller numbers than ends."""
    return spans.row, spans.start, spans.end - spans.start


def _pair_unequal(sides: tuple[Spans, Spans], codes: Pairs, left: Pairs) -> Pairs:
    """Pairs of the spans at the positions `left`, of which none on one side equals one on the other."""
    places = joint_codes(_bounds(sides[0].take(left[0])), _bounds(sides[1].take(left[1])))
    grouped = pair_whole_groups(*places)
    rest = left[0][_others(len(left[0]), grouped[0])], left[1][_others(len(left[1]), grouped[1])]
    r, p = _pair_overlapping(*candidates(sides, codes, rest))
    return np.concatenate([left[0][grouped[0]], r]), np.concatenate([left[1][grouped[1]], p])


def _pair_overlapping(reference: Candidates, predicted: Candidates) -> Pairs:
    """Pairs of candidates, as positions in their sides."""
    if not len(reference) or not len(predicted):
        return _NOTHING, _NOTHING
    crowds = crowded(reference), crowded(predicted)
    if not crowds[0].any() and not crowds[1].any():
        return pair_flat(reference, predicted)
    numbers = islands(reference, predicted)
    busy = np.zeros(1 + max(number[-1] for number in numbers), dtype=np.bool_)  # (islands,)
    for number, crowd in zip(numbers, crowds, strict=True):
        busy[number[crowd]] = True
    nested = [busy[number] for number in numbers]
    flat = pair_flat(reference.take(~nested[0]), predicted.take(~nested[1]))
    rest = pair_nested(
        reference.take(nested[0]), predicted.take(nested[1]), (numbers[0][nested[0]], numbers[1][nested[1]])
    )
    return np.concatenate([flat[0], rest[0]]), np.concatenate([flat[1], rest[1]])
