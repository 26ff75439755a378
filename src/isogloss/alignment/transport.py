"""An exact assignment of rows to columns of greatest weight, each as often as it occurs.

Rows are placed one after the other, each along the cheapest chain of displacements (successive shortest paths with
prices, as in the Hungarian method). The search stays where displacements pay, so that a row whose best column is free
costs no more than its neighbours. All arithmetic is on integers and exact.

Prices prove the optimum and tell all others: with costs `-weight`, every `cost - row price - column price` is at
least 0, and prices are at most 0. An assignment is optimal exactly if it uses only neighbours for which that is 0
("tight"), places all of every row whose price is below 0, and fills every column whose price is below 0.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from isogloss.alignment.neighbours import Lookup, Neighbours

STALE = 8
"""How many entries per reached column a queue may hold; those that a cheaper one replaced are then thrown away."""


@dataclass
class _Route:
    """The cheapest chain of displacements that places one row.

    Args:
        row: the row to place.
        cost: what the chain costs.
        end: a column that has room; or `~r` for a row r that loses a place.
        reached: the cost at which rows are reached.
        settled: the cost at which columns without room are reached, below `cost`.
        via: the row from which a column is reached.
        out_of: the column out of which a row is displaced.
    """

    row: int
    cost: int
    end: int
    reached: dict[int, int]
    settled: dict[int, int]
    via: dict[int, int]
    out_of: dict[int, int]

    def moves(self) -> list[tuple[int, int | None, int | None]]:
        """(row, column it gains, column it loses) from the end of the chain to its beginning."""
        moves = []
        gained = self.end if self.end >= 0 else None
        row = ~self.end if gained is None else self.via[gained]
        while row != self.row:
            lost = self.out_of[row]
            moves.append((row, gained, lost))
            gained, row = lost, self.via[lost]
        return [*moves, (row, gained, None)]


class Transport:
    """Rows placed in columns, with the prices that prove it optimal.

    Args:
        neighbours: the columns of rows, and what rows are worth there, above 0.
        rows: the number of rows.
        capacity: (columns,) how many units each column takes.
    """

    def __init__(self, neighbours: Neighbours, rows: int, capacity: Sequence[int]) -> None:
        self.neighbours = neighbours
        self.row_price = [0] * rows
        self.column_price = [0] * len(capacity)
        self.room = list(capacity)
        self.held: list[dict[int, int]] = [{} for _ in capacity]  # column -> {row: units}

    def place(self, row: int, units: int) -> None:
        """Place a row that is not placed yet, as far as it pays."""
        while units:
            route = self._cheapest(row)
            self._reprice(route)
            units -= self._displace(route, units)

    def _cheapest(self, row: int) -> _Route:
        route = _Route(row, -self.row_price[row], ~row, {row: 0}, {}, {}, {})
        tentative: dict[int, int] = {}
        queue: list[tuple[int, int]] = []
        waiting = [row]
        lookup = self.neighbours.lookup(self.column_price)
        while waiting:
            for reached in waiting:
                self._relax(route, reached, lookup, tentative, queue)
            waiting = self._settle(route, tentative, queue)
        return route

    def _relax(
        self, route: _Route, row: int, lookup: Lookup, tentative: dict[int, int], queue: list[tuple[int, int]]
    ) -> None:
        """Reach the neighbours of a row."""
        base = route.reached[row] - self.row_price[row]
        if base < route.cost:
            route.cost, route.end = base, ~row
        price, room, cost = self.column_price, self.room, route.cost
        for column, weight in zip(*lookup(row, base - cost), strict=True):
            reach = base - weight - price[column]
            if reach < cost and reach < tentative.get(column, cost):
                tentative[column] = reach
                route.via[column] = row
                if room[column]:
                    cost, route.end = reach, column
                else:
                    heapq.heappush(queue, (reach, column))
        route.cost = cost

    def _settle(self, route: _Route, tentative: dict[int, int], queue: list[tuple[int, int]]) -> list[int]:
        """Settle the nearest column; the rows that could leave it, none where the route cannot get cheaper."""
        if len(queue) > STALE * len(tentative):
            queue[:] = [(reach, column) for column, reach in tentative.items() if column not in route.settled]
            heapq.heapify(queue)
        while queue and queue[0][0] < route.cost:
            reach, column = heapq.heappop(queue)
            if reach == tentative[column]:
                route.settled[column] = reach
                leaving = [row for row in self.held[column] if row not in route.reached]
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
        """Move as many units along the route as go; how many."""
        moves = route.moves()
        for row, _, lost in moves:
            if lost is not None:
                units = min(units, self.held[lost][row])
        if route.end >= 0:
            units = min(units, self.room[route.end])
            self.room[route.end] -= units
        for row, gained, lost in moves:
            if gained is not None:
                add_units(self.held[gained], row, units)
            if lost is not None:
                add_units(self.held[lost], row, -units)
        return units


def add_units(units: dict[int, int], key: int, more: int) -> None:
    """Add to a count, leaving out counts of 0."""
    units[key] = units.get(key, 0) + more
    if not units[key]:
        del units[key]
