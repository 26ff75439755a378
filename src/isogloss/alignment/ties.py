"""The lexicographically first of all optimal pairings, reached from any one of them.

An optimal pairing is a flow: from the ground to reference spans, over tight pairs to predicted spans, and back to the
ground. Every other one differs from it by cycles over tight pairs; a cycle may pass through the ground at spans that
have no price, which may be unpaired. The list of pairs comes first if the first reference span has as many pairs as
can be with the first predicted span, then as many as can be with the second, and so on, then the second reference
span likewise. A cycle through the wanted pair raises their number; it leaves alone what is decided already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from isogloss.alignment.neighbours import Tight
from isogloss.alignment.paths import Node, Search, path_between
from isogloss.alignment.transport import add_units


@dataclass
class Side:
    """One side of an optimal pairing.

    Args:
        tight: the spans of the other side, ascending, with which a span makes a tight pair.
        pairs: for each span {partner: number of pairs}.
        count: for each span how many equal spans it stands for.
        price: for each span its price; without one, any number of the equal spans may be unpaired.
    """

    tight: Tight
    pairs: list[dict[int, int]]
    count: list[int]
    price: list[int]

    def single(self, span: int) -> int:
        """How many of the equal spans are unpaired; 0 where the span has a price."""
        return 0 if self.price[span] else self.count[span] - sum(self.pairs[span].values())


@dataclass
class Earliest:
    """Turns an optimal pairing into the lexicographically first, in place.

    In paths a predicted span p is the node p, a reference span r the node ~r.

    Args:
        reference: the reference side; its `pairs` hold the result.
        predicted: the predicted side, with the same pairs.
    """

    reference: Side
    predicted: Side
    _row: int = 0
    _decided: set[int] = field(default_factory=set)  # partners of the row whose number of pairs is final

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
            while self._has_more():
                back = back or Search(~self._row, self._before)
                paths = path_between(Search(wanted, self._after), back)
                if not paths:
                    break
                self._turn(wanted, paths)
                back = None

    def _has_more(self) -> bool:
        """Whether the row has a unit whose partner is not decided."""
        undecided = self.reference.pairs[self._row].keys() - self._decided
        return bool(undecided) or self.reference.single(self._row) > 0

    def _after(self, node: Node) -> Iterator[Node | None]:
        """Where a unit can go that `node` has too many: a partner is given up, or a pair is made."""
        if node >= 0:
            yield from (~row for row in self.predicted.pairs[node] if self._may_lose(row, node))
            if self.predicted.single(node):
                yield None
        else:
            yield from self.reference.tight(~node)
            if not self.reference.price[~node]:
                yield None

    def _before(self, node: Node) -> Iterator[Node | None]:
        """Where a unit can come from that `node` has too few."""
        if node >= 0:
            yield from (~row for row in self.predicted.tight(node) if row > self._row)
            if not self.predicted.price[node]:
                yield None
        else:
            yield from (column for column in self.reference.pairs[~node] if self._may_lose(~node, column))
            if self.reference.single(~node):
                yield None

    def _may_lose(self, row: int, column: int) -> bool:
        """Whether pairs of the two may still become fewer."""
        return row > self._row or (row == self._row and column not in self._decided)

    def _turn(self, wanted: int, paths: list[list[Node]]) -> None:
        """Move as many units as go from the wanted partner along the path, or to the ground and from there."""
        steps = [step for path in paths for step in pairwise(path)]
        limits = [self.predicted.pairs[one][~other] for one, other in steps if one >= 0]
        if len(paths) > 1:
            down, up = paths[0][-1], paths[1][0]
            limits += [self.predicted.single(down)] if down >= 0 else []
            limits += [self.reference.single(~up)] if up < 0 else []
        units = min(limits)
        self._add_pairs(self._row, wanted, units)
        for one, other in steps:
            if one < 0:
                self._add_pairs(~one, other, units)
            else:
                self._add_pairs(~other, one, -units)

    def _add_pairs(self, row: int, column: int, units: int) -> None:
        add_units(self.reference.pairs[row], column, units)
        add_units(self.predicted.pairs[column], row, units)
