"""Pairing where spans of one side overlap each other: an exact assignment.

Islands are worked off in batches, so that memory stays bounded.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from isogloss.alignment.neighbours import Listed, Neighbours, Sought
from isogloss.alignment.overlaps import Candidates, Criteria, alone, degrees, overlaps
from isogloss.alignment.ties import Earliest, Side
from isogloss.alignment.transport import Transport
from isogloss.scores import Ints

BATCH = 2**16
"""How many overlaps are listed at a time. One island with more than that looks up its overlaps whenever a search comes
by, unless they are few for its number of spans."""
FEW = 8


def pair_nested(reference: Candidates, predicted: Candidates, islands: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Best pairs of any candidates, of equally good pairings the lexicographically first.

    Args:
        reference: the candidates of the reference.
        predicted: the predicted candidates.
        islands: (spans,) the island of each, ascending, for both sides.

    Returns:
        positions of the paired spans in their sides, each (pairs,), in no order; those of the first of equal spans,
        as often as one of them is paired.
    """
    pairs = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    pairs += [_pair_batch(*batch) for batch in _batches(reference, predicted, islands)]
    return np.concatenate([r for r, _ in pairs]), np.concatenate([p for _, p in pairs])


def _batches(
    reference: Candidates, predicted: Candidates, islands: tuple[Ints, Ints]
) -> Iterator[tuple[Candidates, Candidates]]:
    """Whole islands, cut where a batch is full."""
    found = np.zeros(1 + max(numbers.max(initial=0) for numbers in islands), dtype=np.int64)  # (islands,)
    np.add.at(found, islands[0], degrees(reference, predicted))
    number = (np.cumsum(found) - found) // BATCH  # (islands,)
    for each in np.flatnonzero(np.bincount(number, weights=found)):
        bounds = np.searchsorted(number, [each, each + 1])
        one, other = (slice(*np.searchsorted(numbers, bounds)) for numbers in islands)
        yield reference.take(one), predicted.take(other)


def _pair_batch(reference: Candidates, predicted: Candidates) -> tuple[Ints, Ints]:
    """Pairs of one batch, as `pair_nested` returns them."""
    criteria = Criteria.of(reference, predicted)
    if degrees(reference, predicted).sum() > max(2 * BATCH, FEW * (len(reference) + len(predicted))):
        r, p = _assign(criteria, Sought(criteria), Sought(criteria.swapped()))
        return reference.at[r], predicted.at[p]
    r, p = overlaps(reference, predicted)
    lone = alone(r, p)
    units = np.minimum(reference.count[r[lone]], predicted.count[p[lone]])  # (lone overlaps,)
    single = np.repeat(r[lone], units), np.repeat(p[lone], units)
    r, p = _assign(criteria, *_listed(criteria, r[~lone], p[~lone]))
    return reference.at[np.concatenate([single[0], r])], predicted.at[np.concatenate([single[1], p])]


def _listed(criteria: Criteria, r: Ints, p: Ints) -> tuple[Listed, Listed]:
    """Neighbours of reference and of predicted candidates, in overlaps that are in order of (reference, predicted)."""
    weights = criteria.weights(r, p)
    order = np.argsort(p, kind="stable")
    return (
        Listed(r, p, weights, len(criteria.reference)),
        Listed(p[order], r[order], weights[order], len(criteria.predicted)),
    )


def _assign(criteria: Criteria, of_reference: Neighbours, of_predicted: Neighbours) -> tuple[Ints, Ints]:
    """The first of the best pairings, as positions among the candidates."""
    reference, predicted = criteria.reference, criteria.predicted
    if len(predicted) < len(reference):
        solved = _solved(predicted, reference, of_predicted)
        sides = _sides(solved, (predicted, reference), (of_predicted, of_reference))[::-1]
    else:
        solved = _solved(reference, predicted, of_reference)
        sides = _sides(solved, (reference, predicted), (of_reference, of_predicted))
    Earliest(*sides).settle()
    pairs = [(r, p, units) for r, row in enumerate(sides[0].pairs) for p, units in row.items()]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 3)  # (pairs, [reference, predicted, units])
    return np.repeat(table[:, 0], table[:, 2]), np.repeat(table[:, 1], table[:, 2])


def _solved(rows: Candidates, columns: Candidates, neighbours: Neighbours) -> Transport:
    """The rows placed in the columns, short spans first: they have few neighbours, and their searches end soon."""
    transport = Transport(neighbours, len(rows), columns.count.tolist())
    counts = rows.count.tolist()
    for row in np.argsort(rows.spans.end - rows.spans.start, kind="stable").tolist():
        transport.place(row, counts[row])
    return transport


def _sides(
    solved: Transport, sides: tuple[Candidates, Candidates], neighbours: tuple[Neighbours, Neighbours]
) -> tuple[Side, Side]:
    """Rows and columns with their pairs and prices."""
    of_row: list[dict[int, int]] = [{} for _ in range(len(sides[0]))]
    for column, held in enumerate(solved.held):
        for row, units in held.items():
            of_row[row][column] = units
    price, column_price = solved.row_price, solved.column_price
    return (
        Side(neighbours[0].tight(price, column_price), of_row, sides[0].count.tolist(), price),
        Side(neighbours[1].tight(column_price, price), solved.held, sides[1].count.tolist(), column_price),
    )
