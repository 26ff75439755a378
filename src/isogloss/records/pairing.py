"""Pairing of the rows of two sides by id, and repeated ids.

If all rows of both sides have ids, a row belongs to the row of the other side with its id. If a side has no ids, rows
are paired by position. `align_rows` pairs files that are held whole, and needs a partner for every row. `RowMatcher`
pairs files of any size block by block: in step while both sides have the same ids in the same order, and with a
dictionary from the first difference on.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import DataError, MismatchError

MAX_SHOWN_IDS = 3
SAME_DOCUMENTS = "Reference and prediction must hold the same documents."
Place = TypeVar("Place")
Row = TypeVar("Row")


def hash_ids(ids: Sequence[str]) -> NDArray[np.int64]:
    """Hash each id: (ids,)."""
    return np.fromiter(map(hash, ids), np.int64, len(ids))


class IdHashes:
    """Hashes of ids, eight bytes each."""

    def __init__(self) -> None:
        self._hashes = array("q")

    def append(self, row_id: str | None) -> None:
        """Add an id."""
        self._hashes.append(hash(row_id))

    def extend(self, hashes: NDArray[np.int64]) -> None:
        """Add ids by their hashes."""
        self._hashes.frombytes(hashes.tobytes())

    def has_each(self, ids: Sequence[str]) -> NDArray[np.bool_]:
        """Check whether each id was added: (ids,). Very rarely, another id has the same hash."""
        return np.isin(hash_ids(ids), np.array(self._hashes, np.int64))

    def find_repeat(self, rows: Iterable[tuple[str | None, Place]]) -> tuple[str | None, Place, Place] | None:
        """Find the first repeated id, and both its places.

        Args:
            rows: id and place of all rows, from a second pass. It is read only if two hashes are equal.
        """
        hashes = np.sort(np.array(self._hashes, np.int64))  # (ids,)
        repeated = frozenset(hashes[1:][hashes[1:] == hashes[:-1]].tolist())
        first: dict[str | None, Place] = {}
        for row_id, place in rows if repeated else ():
            if hash(row_id) in repeated:
                if row_id in first:
                    return row_id, first[row_id], place
                first[row_id] = place
        return None


def build_repeat_error(row_id: str | None, first: str, second: str, remedy: str, side: str = "") -> DataError:
    """Build the error for a repeated id.

    Args:
        row_id: the id.
        first: its first place.
        second: its second place.
        remedy: what to do about it.
        side: side of both, such as " in the reference".
    """
    detail = f"It first stands at {first}."
    return DataError(f"the id {row_id!r} stands twice{side}", where=second, detail=detail, remedy=remedy)


@dataclass(frozen=True)
class IdColumn:
    """Ids of all rows of a file.

    Args:
        name: name of the file.
        ids: (rows,) ids; None for a row without one.
        where: returns file and line of a row.
    """

    name: str
    ids: Sequence[str | None]
    where: Callable[[int], str]

    @property
    def has_ids(self) -> bool:
        """Whether the first row has an id; `check` compares the others with it."""
        return bool(self.ids) and self.ids[0] is not None

    def check(self) -> None:
        """Check that all rows have different ids, or no row has one.

        Raises:
            DataError: if they do not; the message names the first row at fault.
        """
        if not self.has_ids and self.ids.count(None) == len(self.ids):
            return
        first: dict[str | None, int] = {}
        for row, row_id in enumerate(self.ids):
            if (row_id is None) is self.has_ids:
                has, others = ("no `id`", "has one") if row_id is None else ("an `id`", "has none")
                remedy = "Give all rows an id, or none."
                raise DataError(f"the row has {has}, but the first {others}", where=self.where(row), remedy=remedy)
            if row_id in first:
                remedy = "Give each document an id of its own."
                raise build_repeat_error(row_id, self.where(first[row_id]), self.where(row), remedy)
            first[row_id] = row


def align_rows(reference: IdColumn, prediction: IdColumn) -> NDArray[np.int64] | None:
    """Return the row of the prediction for each row of the reference: (rows,).

    It is None if both sides have the same order.

    Args:
        reference: ids of the reference.
        prediction: ids of the prediction.

    Raises:
        MismatchError: if a row has no partner.
        DataError: if an id is repeated, or only some rows of a file have one.
    """
    reference.check()
    prediction.check()
    if reference.has_ids and prediction.has_ids:
        return None if reference.ids == prediction.ids else _align_by_id(reference, prediction)
    if len(reference.ids) != len(prediction.ids):
        raise MismatchError(
            f"the prediction has {len(prediction.ids)} documents, the reference ({reference.name}) "
            f"{len(reference.ids)}",
            where=prediction.name,
            remedy=f"{SAME_DOCUMENTS} Without ids they must stand in the same order.",
        )
    return None


def _align_by_id(reference: IdColumn, prediction: IdColumn) -> NDArray[np.int64]:
    positions = {row_id: row for row, row_id in enumerate(prediction.ids)}
    _check_known(reference, positions, "prediction")
    if len(positions) > len(reference.ids):
        _check_known(prediction, set(reference.ids), "reference")
    return np.array([positions[row_id] for row_id in reference.ids], np.int64)


def _check_known(column: IdColumn, known: Iterable[str | None], other: str) -> None:
    """Check that the other side has all ids of a file."""
    known = {*known}
    unknown = [(row, row_id) for row, row_id in enumerate(column.ids) if row_id not in known]
    if unknown:
        shown = ", ".join(repr(row_id) for _, row_id in unknown[:MAX_SHOWN_IDS])
        raise MismatchError(
            f"{len(unknown)} documents are not in the {other}: {shown}{', …' if unknown[MAX_SHOWN_IDS:] else ''}",
            where=column.where(unknown[0][0]),
            remedy=f"{SAME_DOCUMENTS} Look for rows that were left out, or ids that were changed.",
        )


class OutOfStepError(Exception):
    """Error for a row whose id was already matched, in files read in step."""


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
    """Rows of one side, looked up by the ids of the other side.

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
        """Return row and place for each id; None and -1 for an id without a row.

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
        """List the places of the rows without a partner, after all ids have been matched.

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
