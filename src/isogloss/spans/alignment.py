"""One-to-one alignment of reference and predicted spans.

Equal spans are paired first. If no span overlaps another of its own side, the remaining overlaps in ascending order of
(reference, predicted) form staircases: the next overlap shares the reference span or the predicted span with the one
before it, or neither. A pairing never has to cross, so one pass from the last overlap to the first finds the best.
Spans that overlap their own side are paired by a transport problem, see `isogloss.spans.assignment`.

With a smallest overlap, pairs that overlap less are left out before anything is chosen; all else stays the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from isogloss.kernel.scores import Ints
from isogloss.spans.assignment import FirstPairingFinder, PairingSide, TooManyOverlapsError, TransportSolver
from isogloss.spans.batches import Spans
from isogloss.spans.overlaps import (
    CandidateSpans,
    ListedOverlaps,
    MinOverlap,
    OverlapLookup,
    PairCriteria,
    SearchedOverlaps,
    build_candidates,
    count_overlaps,
    encode_rows_jointly,
    find_crowded_spans,
    find_lone_overlaps,
    find_overlaps,
    has_repetition,
    number_islands,
    order_pairs,
    pair_equal,
    pair_whole_groups,
)


def pair_flat(
    reference: CandidateSpans, predicted: CandidateSpans, min_overlap: MinOverlap | None = None
) -> tuple[Ints, Ints]:
    """Pair candidates that do not overlap their own side, optimally.

    Args:
        reference: candidates of the reference.
        predicted: predicted candidates.
        min_overlap: the smallest overlap of a pair; None for one unit.

    Returns:
        positions of the paired spans in their sides, each (pairs,), in no order.
    """
    criteria = PairCriteria.from_candidates(reference, predicted, min_overlap)
    r, p = _find_allowed_overlaps(criteria)
    lone = find_lone_overlaps(r, p)
    stairs = np.flatnonzero(~lone)
    weights = criteria.compute_weights(r[stairs], p[stairs])
    taken = np.flatnonzero(lone), stairs[choose_best_overlaps(r[stairs], p[stairs], weights.tolist())]
    chosen = np.concatenate(taken)
    return reference.positions[r[chosen]], predicted.positions[p[chosen]]


def _find_allowed_overlaps(criteria: PairCriteria) -> tuple[Ints, Ints]:
    """Find the overlaps that may be paired, in ascending order."""
    r, p = find_overlaps(criteria.reference, criteria.predicted)
    allowed = criteria.find_allowed(r, p)
    return r[allowed], p[allowed]


def choose_best_overlaps(r: Ints, p: Ints, weights: list[int]) -> Ints:
    """Choose the heaviest overlaps without a common span.

    Among equally heavy choices, the result is the first list.

    Args:
        r: (overlaps,) reference span of each overlap, ascending.
        p: (overlaps,) predicted span of each overlap, ascending.
        weights: (overlaps,) weight of each overlap, above 0.

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
    chosen = []
    at = 0
    while at < len(taken):
        if taken[at]:
            chosen.append(at)
        at = beyond[at] if taken[at] else at + 1
    return np.array(chosen, dtype=np.int64)


MAX_LISTED_OVERLAPS = 2**16  # per batch; a larger island computes its overlaps on each request
LISTED_PER_SPAN = 8  # an island with fewer overlaps per span is listed at any size


def pair_nested(
    reference: CandidateSpans,
    predicted: CandidateSpans,
    islands: tuple[Ints, Ints],
    min_overlap: MinOverlap | None = None,
) -> tuple[Ints, Ints]:
    """Pair any candidates as well as possible, the lexicographically first among equals.

    Args:
        reference: candidates of the reference.
        predicted: predicted candidates.
        islands: (spans,) island of each candidate, ascending, for both sides.
        min_overlap: the smallest overlap of a pair; None for one unit.

    Returns:
        positions of the paired spans in their sides, each (pairs,), in no order; those of the first of equal spans, as
            often as one of them is paired.
    """
    pairs = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    pairs += [_pair_batch(*batch, min_overlap) for batch in _split_batches(reference, predicted, islands)]
    return np.concatenate([r for r, _ in pairs]), np.concatenate([p for _, p in pairs])


def _split_batches(
    reference: CandidateSpans,
    predicted: CandidateSpans,
    islands: tuple[Ints, Ints],
) -> Iterator[tuple[CandidateSpans, CandidateSpans]]:
    """Yield whole islands, in batches of bounded size."""
    overlaps = np.zeros(1 + max(numbers.max(initial=0) for numbers in islands), dtype=np.int64)  # (islands,)
    np.add.at(overlaps, islands[0], count_overlaps(reference, predicted))
    number = (np.cumsum(overlaps) - overlaps) // MAX_LISTED_OVERLAPS  # (islands,)
    for each in np.flatnonzero(np.bincount(number, weights=overlaps)):
        bounds = np.searchsorted(number, [each, each + 1])
        one, other = (slice(*np.searchsorted(numbers, bounds)) for numbers in islands)
        yield reference.take(one), predicted.take(other)


def _pair_batch(
    reference: CandidateSpans, predicted: CandidateSpans, min_overlap: MinOverlap | None
) -> tuple[Ints, Ints]:
    """Pair one batch, as `pair_nested` does."""
    criteria = PairCriteria.from_candidates(reference, predicted, min_overlap)
    if count_overlaps(reference, predicted).sum() > max(
        2 * MAX_LISTED_OVERLAPS, LISTED_PER_SPAN * (len(reference) + len(predicted))
    ):
        r, p = _assign_pairs(criteria, SearchedOverlaps(criteria), SearchedOverlaps(criteria.swap_sides()))
        return reference.positions[r], predicted.positions[p]
    r, p = _find_allowed_overlaps(criteria)
    lone = find_lone_overlaps(r, p)
    units = np.minimum(reference.count[r[lone]], predicted.count[p[lone]])  # (lone overlaps,)
    single = np.repeat(r[lone], units), np.repeat(p[lone], units)
    r, p = _assign_pairs(criteria, *_list_overlaps(criteria, r[~lone], p[~lone]))
    return reference.positions[np.concatenate([single[0], r])], predicted.positions[np.concatenate([single[1], p])]


def _list_overlaps(criteria: PairCriteria, r: Ints, p: Ints) -> tuple[ListedOverlaps, ListedOverlaps]:
    """List the neighbours of both sides, from overlaps in ascending order."""
    weights = criteria.compute_weights(r, p)
    order = np.argsort(p, kind="stable")
    return (
        ListedOverlaps(r, p, weights, len(criteria.reference)),
        ListedOverlaps(p[order], r[order], weights[order], len(criteria.predicted)),
    )


def _assign_pairs(
    criteria: PairCriteria, of_reference: OverlapLookup, of_predicted: OverlapLookup
) -> tuple[Ints, Ints]:
    """Return the first of the best pairings, as positions among the candidates."""
    reference, predicted = criteria.reference, criteria.predicted
    if len(predicted) < len(reference):
        solved = _solve_transport(predicted, reference, of_predicted)
        sides = _build_sides(solved, (predicted, reference), (of_predicted, of_reference))[::-1]
    else:
        solved = _solve_transport(reference, predicted, of_reference)
        sides = _build_sides(solved, (reference, predicted), (of_reference, of_predicted))
    FirstPairingFinder(*sides).settle()
    pairs = [(r, p, units) for r, row in enumerate(sides[0].pairs) for p, units in row.items()]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 3)  # (pairs, [reference, predicted, units])
    return np.repeat(table[:, 0], table[:, 2]), np.repeat(table[:, 1], table[:, 2])


def _solve_transport(rows: CandidateSpans, columns: CandidateSpans, neighbours: OverlapLookup) -> TransportSolver:
    """Place the rows in columns, short spans first: their searches end soon."""
    transport = TransportSolver(neighbours, len(rows), columns.count.tolist())
    counts = rows.count.tolist()
    for row in np.argsort(rows.spans.end - rows.spans.start, kind="stable").tolist():
        try:
            transport.place_row(row, counts[row])
        except TooManyOverlapsError as error:
            error.row = int(rows.spans.row[row])
            raise
    return transport


def _build_sides(
    solved: TransportSolver,
    sides: tuple[CandidateSpans, CandidateSpans],
    neighbours: tuple[OverlapLookup, OverlapLookup],
) -> tuple[PairingSide, PairingSide]:
    """Return rows and columns with their pairs and prices."""
    of_row: list[dict[int, int]] = [{} for _ in range(len(sides[0]))]
    for column, held in enumerate(solved.column_units):
        for row, units in held.items():
            of_row[row][column] = units
    price, column_price = solved.row_price, solved.column_price
    return (
        PairingSide(neighbours[0].build_tight_lookup(price, column_price), of_row, sides[0].count.tolist(), price),
        PairingSide(
            neighbours[1].build_tight_lookup(column_price, price),
            solved.column_units,
            sides[1].count.tolist(),
            column_price,
        ),
    )


PairPositions = tuple[Ints, Ints]
_NO_POSITIONS = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Alignment:
    """Pairs of reference and predicted spans.

    Args:
        reference: (pairs,) positions among the reference spans, ascending.
        predicted: (pairs,) positions of their partners among the predicted spans.
    """

    reference: Ints
    predicted: Ints


def align_spans(reference: Spans, predicted: Spans, min_overlap: MinOverlap | None = None) -> Alignment:
    """Align the spans of a batch one to one, document by document.

    Args:
        reference: spans of the reference.
        predicted: predicted spans of the same documents.
        min_overlap: the smallest overlap of a pair; None for one unit.

    Raises:
        TooManyOverlapsError: if more overlaps must be compared than `ISOGLOSS_MAX_OVERLAPS` allows.
    """
    if not len(reference) or not len(predicted):
        return Alignment(_NO_POSITIONS, _NO_POSITIONS)
    codes = encode_rows_jointly(
        (*_stack_bounds(reference), reference.label), (*_stack_bounds(predicted), predicted.label)
    )
    equal = pair_equal(*codes)
    left = _find_other_positions(len(reference), equal[0]), _find_other_positions(len(predicted), equal[1])
    rest = _pair_unequal((reference, predicted), codes, left, min_overlap)
    pairs = np.concatenate([equal[0], rest[0]]), np.concatenate([equal[1], rest[1]])
    if any(has_repetition(code) for code in codes):
        return Alignment(*order_pairs(codes, *pairs))
    order = np.argsort(pairs[0], kind="stable")
    return Alignment(pairs[0][order], pairs[1][order])


def _find_other_positions(count: int, at: Ints) -> Ints:
    """Return the positions below `count` that are not in `at`."""
    others = np.ones(count, dtype=np.bool_)
    others[at] = False
    return np.flatnonzero(others)


def _stack_bounds(spans: Spans) -> tuple[Ints, Ints, Ints]:
    """Return row, start and length, which sort like spans."""
    return spans.row, spans.start, spans.end - spans.start


def _pair_unequal(
    sides: tuple[Spans, Spans], codes: PairPositions, left: PairPositions, min_overlap: MinOverlap | None
) -> PairPositions:
    """Pair the spans at `left`, which have no equal span opposite.

    `left` holds positions in both sides.
    """
    places = encode_rows_jointly(_stack_bounds(sides[0].take(left[0])), _stack_bounds(sides[1].take(left[1])))
    grouped = pair_whole_groups(*places)
    rest = (
        left[0][_find_other_positions(len(left[0]), grouped[0])],
        left[1][_find_other_positions(len(left[1]), grouped[1])],
    )
    r, p = _pair_overlapping(*build_candidates(sides, codes, rest), min_overlap)
    return np.concatenate([left[0][grouped[0]], r]), np.concatenate([left[1][grouped[1]], p])


def _pair_overlapping(
    reference: CandidateSpans, predicted: CandidateSpans, min_overlap: MinOverlap | None
) -> PairPositions:
    """Pair candidates, as positions in their sides."""
    if not len(reference) or not len(predicted):
        return _NO_POSITIONS, _NO_POSITIONS
    crowds = find_crowded_spans(reference), find_crowded_spans(predicted)
    if not crowds[0].any() and not crowds[1].any():
        return pair_flat(reference, predicted, min_overlap)
    numbers = number_islands(reference, predicted)
    busy = np.zeros(1 + max(number[-1] for number in numbers), dtype=np.bool_)  # (islands,)
    for number, crowd in zip(numbers, crowds, strict=True):
        busy[number[crowd]] = True
    nested = [busy[number] for number in numbers]
    flat = pair_flat(reference.take(~nested[0]), predicted.take(~nested[1]), min_overlap)
    rest = pair_nested(
        reference.take(nested[0]),
        predicted.take(nested[1]),
        (numbers[0][nested[0]], numbers[1][nested[1]]),
        min_overlap,
    )
    return np.concatenate([flat[0], rest[0]]), np.concatenate([flat[1], rest[1]])
