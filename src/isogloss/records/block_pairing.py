"""Pairing of blocks of rows.

`BlockQueue` pairs by position: it cuts the blocks of one side where those of the other side end.

`RowMatcher` pairs by id rows that may be missing, and of which the last counts if an id is repeated. So no answer is
certain before the file has been read: it pairs in step, block by block, while both sides have the same ids in the same
order, and loads all remaining rows into a dictionary at the first difference.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

Row = TypeVar("Row")


class RowBlock(Protocol):
    """Consecutive rows that can be cut."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def select_rows(self, start: int, stop: int) -> Self:
        """Return the rows from `start` to before `stop`."""


Block = TypeVar("Block", bound=RowBlock)


class BlockQueue(Generic[Block]):
    """Blocks that are taken by number of rows.

    Args:
        blocks: the blocks, in order.

    Attributes:
        last: the part that was taken last.
    """

    last: Block

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._blocks = blocks
        self._rest: Block | None = None

    def take(self, rows: int | None = None) -> Iterator[Block]:
        """Yield parts with the given number of rows in total.

        If fewer rows are left, yield all of them.

        Args:
            rows: how many rows to take; None for all.
        """
        missing = sys.maxsize if rows is None else rows
        while missing > 0:
            block, self._rest = self._rest, None
            block = next(self._blocks, None) if block is None else block
            if block is None:
                return
            if missing < len(block):
                self._rest = block.select_rows(missing, len(block))
            self.last = block.select_rows(0, min(missing, len(block)))
            missing -= len(self.last)
            yield self.last


class OutOfStepError(Exception):
    """Error for a repeated row in files read in step.

    The id of the row was already matched.
    """


class IdRows(NamedTuple, Generic[Row]):
    """Consecutive rows with their ids.

    Args:
        ids: (rows,) ids; a number is the same id as its text.
        places: (rows,) numbers of their places.
        rows: (rows,) rows.
    """

    ids: Sequence[str | int]
    places: Sequence[int]
    rows: Sequence[Row]


class RowMatcher(Generic[Row]):
    """Rows of one side, looked up by the other side's ids.

    If an id is repeated, its last row counts.

    Args:
        blocks: rows in their order.
        was_matched: returns whether each of some ids was matched before.
        on_load: called with id, place and row of each row that goes into the dictionary, and the earlier row of its id.
        in_step: whether to match rows in step while they have the same ids in the same order. Otherwise all rows go
            into the dictionary.

    Attributes:
        is_in_step: whether rows are matched in step, so that each id has a row.
    """

    def __init__(
        self,
        blocks: Iterable[IdRows[Row]],
        was_matched: Callable[[Sequence[str]], NDArray[np.bool_]],
        on_load: Callable[[str, int, Row, Row | None], object],
        *,
        in_step: bool = True,
    ) -> None:
        self._blocks: Iterator[IdRows[Row]] = iter(blocks)
        self._was_matched, self._on_load = was_matched, on_load
        self._ahead: IdRows[Row] = IdRows([], (), ())
        self._taken = 0  # rows of `_ahead` that were matched
        self._positions: dict[str, int] = {}  # of the rows in the dictionary
        self._rows: list[Row] = []
        self._places: list[int] = []
        self._used = bytearray()
        self.is_in_step = True
        if not in_step:
            self._load()

    def match(self, ids: list[str]) -> tuple[Sequence[Row | None], Sequence[int]]:
        """Return row and place for each id.

        They are None and -1 for an id without a row.

        Args:
            ids: ids of the next rows of the reference.

        Raises:
            OutOfStepError: if a later row repeats an id that was already matched.
        """
        if self.is_in_step:
            self._read_ahead(len(ids))
            first, end = self._taken, self._taken + len(ids)
            ahead = self._ahead.ids[first:end]
            if ahead == ids or list(map(str, ahead)) == ids:
                self._taken = end
                return self._ahead.rows[first:end], self._ahead.places[first:end]
            self._load()
        positions = [self._positions.get(row_id, -1) for row_id in ids]
        for at in positions:
            if at >= 0:
                self._used[at] = 1
        rows, places = self._rows, self._places
        return [None if at < 0 else rows[at] for at in positions], [-1 if at < 0 else places[at] for at in positions]

    def list_unused(self) -> list[int]:
        """List the places of the rows without a partner.

        All ids must have been matched before.

        Raises:
            OutOfStepError: if one of them repeats an id that was already matched.
        """
        if self.is_in_step:
            self._load()
        return [place for place, used in zip(self._places, self._used, strict=True) if not used]

    def _read_ahead(self, count: int) -> None:
        """Read until at least so many rows are ahead, if there are."""
        while len(self._ahead.ids) - self._taken < count and (block := next(self._blocks, None)) is not None:
            ids, places, rows = self._cut_ahead()
            self._ahead = IdRows([*ids, *block.ids], [*places, *block.places], [*rows, *block.rows]) if ids else block

    def _cut_ahead(self) -> IdRows[Row]:
        """Remove and return the rows that were read but not matched."""
        ids, places, rows = self._ahead
        first, self._ahead, self._taken = self._taken, IdRows([], (), ()), 0
        return IdRows(ids[first:], places[first:], rows[first:])

    def _load(self) -> None:
        """Put all remaining rows into the dictionary."""
        self.is_in_step = False
        self._add(self._cut_ahead())
        for block in self._blocks:
            self._add(block)
        ids = list(self._positions)
        if ids and self._was_matched(ids).any():
            raise OutOfStepError
        self._used = bytearray(len(ids))

    def _add(self, block: IdRows[Row]) -> None:
        for number, place, row in zip(*block, strict=True):
            row_id = str(number)
            at = self._positions.setdefault(row_id, len(self._rows))
            if at == len(self._rows):
                self._on_load(row_id, place, row, None)
                self._rows.append(row)
                self._places.append(place)
            else:
                self._on_load(row_id, place, row, self._rows[at])
                self._rows[at], self._places[at] = row, place
