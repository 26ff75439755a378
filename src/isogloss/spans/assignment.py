"""The best assignment of spans that overlap their own side.

This is a transport problem, solved exactly.

`TransportSolver` finds an optimal pairing with prices that prove it. `FirstPairingFinder` then finds the
lexicographically first of all optimal pairings, along paths in a directed graph that may lead through the ground.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from isogloss.errors import DataError
from isogloss.records.limits import read_limit
from isogloss.spans.overlaps import NeighbourLookup, OverlapLookup, TightLookup

Node = int
Steps = Callable[[Node], Iterator[Node | None]]  # the nodes next to a node; None is the ground


class PathSearch:
    """Breadth-first search from one node.

    Args:
        start: node where the search begins.
        steps: returns the nodes next to a node.

    Attributes:
        start: where the search began.
        ground: a found node next to the ground, if there is one.
    """

    def __init__(self, start: Node, steps: Steps) -> None:
        self.start = start
        self.ground: Node | None = None
        self._steps = steps
        self._queue = deque([start])
        self._came_from: dict[Node, Node | None] = {start: None}

    def __contains__(self, node: Node) -> bool:
        return node in self._came_from

    @property
    def is_finished(self) -> bool:
        """Whether all reachable nodes are found."""
        return not self._queue

    @property
    def is_stuck(self) -> bool:
        """Whether all nodes are found, and none is next to the ground."""
        return self.ground is None and not self._queue

    def advance(self) -> list[Node]:
        """Visit one more node; return the nodes found there."""
        if not self._queue:
            return []
        node = self._queue.popleft()
        added = []
        for after in self._steps(node):
            if after is None:
                self.ground = node
            elif after not in self._came_from:
                self._came_from[after] = node
                added.append(after)
        self._queue.extend(added)
        return added

    def trace_path(self, node: Node) -> list[Node]:
        """Return the path from a found node back to the start."""
        trail = []
        at: Node | None = node
        while at is not None:
            trail.append(at)
            at = self._came_from[at]
        return trail


def find_path(forward: PathSearch, back: PathSearch) -> list[list[Node]]:
    """Find a path between the starts of two opposite searches.

    Both searches advance in turn, so that the smaller of the two neighbourhoods bounds the work.

    Args:
        forward: search along the edges.
        back: search against the edges.

    Returns:
        One path; or two without a common node, one that ends at the ground and one that begins there; or an empty list
            if there is no path.
    """
    meeting = forward.start if forward.start in back else None
    while meeting is None:
        if forward.ground is not None and back.ground is not None:
            return [forward.trace_path(forward.ground)[::-1], back.trace_path(back.ground)]
        if (forward.is_finished and back.is_finished) or forward.is_stuck or back.is_stuck:
            return []
        for search, other in ((forward, back), (back, forward)):
            meeting = next((node for node in search.advance() if node in other), meeting)
    return [forward.trace_path(meeting)[::-1] + back.trace_path(meeting)[1:]]


class TooManyOverlapsError(DataError):
    """Spans that overlap too often to be paired.

    Attributes:
        row: row of the document in its batch; None until it is known.
    """

    row: int | None = None


MAX_OVERLAPS_NAME, MAX_OVERLAPS = "ISOGLOSS_MAX_OVERLAPS", 10_000_000  # compared in a batch: about 10 seconds
OVERLAPS_PER_SPAN = 1000  # more for each span, so that no corpus is too large
MAX_QUEUE_RATIO = 8  # entries per reached column; in a longer queue, entries replaced by cheaper ones are removed


@dataclass
class _Route:
    """Cheapest chain of displacements that places one row.

    Args:
        row: the row to place.
        cost: cost of the chain.
        end: a column that has room; or `~r` for a row r that loses a place.
        reached: cost at which each row is reached.
        settled: Cost, below `cost`, at which each column without room is reached.
        via: row from which each column is reached.
        out_of: column out of which each row is displaced.
    """

    row: int
    cost: int
    end: int
    reached: dict[int, int]
    settled: dict[int, int]
    via: dict[int, int]
    out_of: dict[int, int]

    def list_moves(self) -> list[tuple[int, int | None, int | None]]:
        """Return (row, column it gains, column it loses) for each move.

        The moves are listed from the end of the chain.
        """
        moves = []
        gained = self.end if self.end >= 0 else None
        row = ~self.end if gained is None else self.via[gained]
        while row != self.row:
            lost = self.out_of[row]
            moves.append((row, gained, lost))
            gained, row = lost, self.via[lost]
        return [*moves, (row, gained, None)]


class TransportSolver:
    """Rows placed in columns, with the prices that prove it optimal.

    Args:
        neighbours: columns of each row, with the weight of the row there, above 0.
        rows: number of rows.
        capacity: (columns,) how many units each column takes.

    Raises:
        TooManyOverlapsError: if more overlaps must be compared than `ISOGLOSS_MAX_OVERLAPS` allows.
    """

    def __init__(self, neighbours: OverlapLookup, rows: int, capacity: Sequence[int]) -> None:
        spans = rows + len(capacity)
        self.steps_left = read_limit(MAX_OVERLAPS_NAME, MAX_OVERLAPS) + OVERLAPS_PER_SPAN * spans
        self.neighbours = neighbours
        self.row_price = [0] * rows
        self.column_price = [0] * len(capacity)
        self.room = list(capacity)
        self.column_units: list[dict[int, int]] = [{} for _ in capacity]  # column -> {row: units}

    def place_row(self, row: int, units: int) -> None:
        """Place units of a new row while this improves the total."""
        while units:
            route = self._find_cheapest_route(row)
            self._reprice(route)
            units -= self._displace(route, units)

    def _find_cheapest_route(self, row: int) -> _Route:
        route = _Route(row, -self.row_price[row], ~row, {row: 0}, {}, {}, {})
        tentative: dict[int, int] = {}
        queue: list[tuple[int, int]] = []
        waiting = [row]
        lookup = self.neighbours.build_lookup(self.column_price)
        while waiting:
            for reached in waiting:
                self._relax(route, reached, lookup, tentative, queue)
            waiting = self._settle(route, tentative, queue)
        return route

    def _relax(
        self,
        route: _Route,
        row: int,
        lookup: NeighbourLookup,
        tentative: dict[int, int],
        queue: list[tuple[int, int]],
    ) -> None:
        """Reach the neighbours of a row."""
        base = route.reached[row] - self.row_price[row]
        if base < route.cost:
            route.cost, route.end = base, ~row
        price, room, cost = self.column_price, self.room, route.cost
        columns, weights = lookup(row, base - cost)
        self.steps_left -= len(columns)
        if self.steps_left < 0:
            raise self._build_limit_error()
        for column, weight in zip(columns, weights, strict=True):
            reach = base - weight - price[column]
            if reach < cost and reach < tentative.get(column, cost):
                tentative[column] = reach
                route.via[column] = row
                if room[column]:
                    cost, route.end = reach, column
                else:
                    heapq.heappush(queue, (reach, column))
        route.cost = cost

    def _build_limit_error(self) -> TooManyOverlapsError:
        return TooManyOverlapsError(
            f"the spans overlap each other too often to be paired: {len(self.row_price):,} spans of one side and "
            f"{len(self.room):,} of the other",
            remedy="Check whether the file nests spans by mistake, such as one more span for each length. To pair them "
            f"all the same, raise the limit: {MAX_OVERLAPS_NAME}={10 * MAX_OVERLAPS} isogloss ...",
        )

    def _settle(self, route: _Route, tentative: dict[int, int], queue: list[tuple[int, int]]) -> list[int]:
        """Settle the nearest column; return the rows that could leave it."""
        if len(queue) > MAX_QUEUE_RATIO * len(tentative):
            queue[:] = [(reach, column) for column, reach in tentative.items() if column not in route.settled]
            heapq.heapify(queue)
        while queue and queue[0][0] < route.cost:
            reach, column = heapq.heappop(queue)
            if reach == tentative[column]:
                route.settled[column] = reach
                leaving = [row for row in self.column_units[column] if row not in route.reached]
                route.reached.update(dict.fromkeys(leaving, reach))
                route.out_of.update(dict.fromkeys(leaving, column))
                if leaving:
                    return leaving
        return []

    def _reprice(self, route: _Route) -> None:
        for row, reach in route.reached.items():
            self.row_price[row] += route.cost - reach
        for column, reach in route.settled.items():
            self.column_price[column] -= route.cost - reach

    def _displace(self, route: _Route, units: int) -> int:
        """Move units along the route; return how many."""
        moves = route.list_moves()
        for row, _, lost in moves:
            if lost is not None:
                units = min(units, self.column_units[lost][row])
        if route.end >= 0:
            units = min(units, self.room[route.end])
            self.room[route.end] -= units
        for row, gained, lost in moves:
            if gained is not None:
                add_units(self.column_units[gained], row, units)
            if lost is not None:
                add_units(self.column_units[lost], row, -units)
        return units


def add_units(units: dict[int, int], key: int, more: int) -> None:
    """Add to a count, dropping counts of 0."""
    units[key] = units.get(key, 0) + more
    if not units[key]:
        del units[key]


@dataclass
class PairingSide:
    """One side of an optimal pairing.

    Args:
        tight: returns the spans of the other side, ascending, with which a span makes a tight pair.
        pairs: per span {partner: number of pairs}.
        count: per span the number of equal spans it stands for.
        price: per span its price; if it is 0, any number of the equal spans may be unpaired.
    """

    tight: TightLookup
    pairs: list[dict[int, int]]
    count: list[int]
    price: list[int]

    def count_unpaired(self, span: int) -> int:
        """Count the unpaired equal spans; 0 if the span has a price."""
        return 0 if self.price[span] else self.count[span] - sum(self.pairs[span].values())


@dataclass
class FirstPairingFinder:
    """Search that turns an optimal pairing into the lexicographically first, in place.

    In paths a predicted span p is the node p, a reference span r the node ~r.

    Args:
        reference: the reference side; its `pairs` hold the result.
        predicted: the predicted side, with the same pairs.
    """

    reference: PairingSide
    predicted: PairingSide
    _row: int = 0
    _decided: set[int] = field(default_factory=set)  # partners of the row with a final number of pairs

    def settle(self) -> None:
        """Decide one reference span after the other."""
        for row in range(len(self.reference.pairs)):
            self._row = row
            self._settle_row(self.reference.tight(row))

    def _settle_row(self, tight: Sequence[int]) -> None:
        self._decided = set()
        back = None
        for wanted in tight:
            self._decided.add(wanted)
            if wanted in self.reference.pairs[self._row]:
                back = None
            while self._has_undecided():
                back = back or PathSearch(~self._row, self._iterate_previous)
                paths = find_path(PathSearch(wanted, self._iterate_next), back)
                if not paths:
                    break
                self._move_units(wanted, paths)
                back = None

    def _has_undecided(self) -> bool:
        """Check whether the row has a unit without a decided partner."""
        undecided = self.reference.pairs[self._row].keys() - self._decided
        return bool(undecided) or self.reference.count_unpaired(self._row) > 0

    def _iterate_next(self, node: Node) -> Iterator[Node | None]:
        """Yield nodes that can take a surplus unit of `node`.

        None is the ground.
        """
        if node >= 0:
            yield from (~row for row in self.predicted.pairs[node] if self._can_lose(row, node))
            if self.predicted.count_unpaired(node):
                yield None
        else:
            yield from self.reference.tight(~node)
            if not self.reference.price[~node]:
                yield None

    def _iterate_previous(self, node: Node) -> Iterator[Node | None]:
        """Yield nodes that can give a missing unit to `node`.

        None is the ground.
        """
        if node >= 0:
            yield from (~row for row in self.predicted.tight(node) if row > self._row)
            if not self.predicted.price[node]:
                yield None
        else:
            yield from (column for column in self.reference.pairs[~node] if self._can_lose(~node, column))
            if self.reference.count_unpaired(~node):
                yield None

    def _can_lose(self, row: int, column: int) -> bool:
        """Check whether the number of pairs of the two is not final."""
        return row > self._row or (row == self._row and column not in self._decided)

    def _move_units(self, partner: int, paths: list[list[Node]]) -> None:
        """Move as many units as possible from a partner along the paths."""
        steps = [step for path in paths for step in pairwise(path)]
        limits = [self.predicted.pairs[one][~other] for one, other in steps if one >= 0]
        if len(paths) > 1:
            down, up = paths[0][-1], paths[1][0]
            limits += [self.predicted.count_unpaired(down)] if down >= 0 else []
            limits += [self.reference.count_unpaired(~up)] if up < 0 else []
        units = min(limits)
        self._add_pairs(self._row, partner, units)
        for one, other in steps:
            if one < 0:
                self._add_pairs(~one, other, units)
            else:
                self._add_pairs(~other, one, -units)

    def _add_pairs(self, row: int, column: int, units: int) -> None:
        add_units(self.reference.pairs[row], column, units)
        add_units(self.predicted.pairs[column], row, units)
