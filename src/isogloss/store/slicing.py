"""Which findings of a run are in a slice: those with a value in a column.

The positions of the findings of a slice are packed in pieces, each with the groups that they belong to, so that a
filter by kind and label is answered from the same pieces. A piece takes eight bytes a finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from isogloss.store.connection import add_rows
from isogloss.store.tables import finding_slices, sliced_findings

SLICES = ("run", "number", "slice_column", "value", "count")
PIECES = ("run", "slice", "first", "last", "data")
STORED = np.dtype("<i4")
READ = 32  # pieces that are read at a time

Slice = tuple[str, str]  # column, value


class Stretch(NamedTuple):
    """Positions after one and up to another."""

    after: int = -1
    last: int = 2**31 - 1  # the largest that an index has


def slices_of(more: Any) -> list[Slice]:
    """Columns and values of a finding, from what else is known of it."""
    found = more.get("slices") if _is_mapping(more) else None
    if not _is_mapping(found):
        return []
    return [(column, value) for column, value in found.items() if isinstance(value, str)]


def _is_mapping(value: Any) -> TypeGuard[Mapping[Any, Any]]:
    return type(value) is dict or isinstance(value, Mapping)  # the latter alone is slow


@dataclass
class Packing:
    """The slices of a run, filled from its findings in their order.

    Args:
        run: its number.
    """

    run: int
    _numbers: dict[Slice, int] = field(default_factory=dict)
    _counts: dict[Slice, int] = field(default_factory=dict)

    def pieces(self, first: int, groups: Sequence[int], slices: Iterable[Sequence[Slice]]) -> list[tuple[Any, ...]]:
        """Rows of the pieces that some more findings make.

        Args:
            first: position of the first of them.
            groups: (findings,) group of each.
            slices: (findings,) slices of each.
        """
        found: dict[Slice, list[int]] = {}
        for k, own in enumerate(slices):
            for one in own:
                found.setdefault(one, []).append(k)
        codes, rows = np.asarray(groups, STORED), []
        for one, at in found.items():
            number = self._numbers.setdefault(one, len(self._numbers))
            self._counts[one] = self._counts.get(one, 0) + len(at)
            data = np.stack([np.array(at, STORED) + STORED.type(first), codes[at]])
            rows.append((self.run, number, first + at[0], first + at[-1], data.tobytes()))
        return rows

    def rows(self) -> list[tuple[Any, ...]]:
        """Rows of the slices themselves."""
        return [(self.run, number, *one, self._counts[one]) for one, number in self._numbers.items()]


def write(connection: Connection, packing: Packing) -> None:
    """Write the slices, when their pieces are."""
    rows = packing.rows()
    if rows:
        add_rows(connection, finding_slices, SLICES, rows)


def counts(connection: Connection, run: int) -> dict[Slice, int]:
    """How many findings of a run each slice has."""
    part = finding_slices.c
    query = select(part.slice_column, part.value, part.count).where(part.run == run).order_by(part.number)
    return {(column, value): count for column, value, count in connection.execute(query)}


def numbers(connection: Connection, run: int, wanted: Mapping[str, str]) -> list[int]:
    """The numbers of slices, the smallest slice first; -1 for one that the run has not."""
    part, found = finding_slices.c, []
    for column, value in wanted.items():
        query = select(part.count, part.number).where(part.run == run, part.slice_column == column, part.value == value)
        found.append(tuple(connection.execute(query).one_or_none() or (0, -1)))
    return [number for _, number in sorted(found)]


def positions(
    connection: Connection,
    run: int,
    slices: Sequence[int],
    *,
    groups: Sequence[int] | None,
    stretch: Stretch,
    limit: int | None,
) -> list[int]:
    """Positions of the next findings that are in all of some slices.

    Args:
        connection: of a transaction.
        run: number of the run.
        slices: numbers of at least one slice.
        groups: only of these groups, None for all.
        stretch: where they stand.
        limit: at most so many, None for all.
    """
    others = [_all(connection, run, number, stretch) for number in slices[1:]]
    found: list[int] = []
    for place, group in _pieces(connection, run, slices[0], stretch):
        keep = (place > stretch.after) & (place <= stretch.last)
        if groups is not None:
            keep &= np.isin(group, groups)
        for other in others:
            keep &= np.isin(place, other, assume_unique=True)
        found += place[keep].tolist()
        if limit is not None and len(found) >= limit:
            break
    return found[:limit]


def _all(connection: Connection, run: int, number: int, stretch: Stretch) -> NDArray[np.int32]:
    """Positions of all findings of a slice in the pieces that reach into a stretch."""
    none = np.zeros(0, STORED)
    return np.concatenate([none, *(place for place, _ in _pieces(connection, run, number, stretch))])


def _pieces(connection: Connection, run: int, number: int, stretch: Stretch) -> Iterator[NDArray[np.int32]]:
    """The pieces of a slice that reach into a stretch, in their order: (2, findings) positions and groups."""
    piece = sliced_findings.c
    query = select(piece.first, piece.data).where(piece.run == run, piece.slice == number)
    query = query.where(piece.last > stretch.after, piece.first <= stretch.last)
    query, begin = query.order_by(piece.first).limit(READ), -1
    while rows := connection.execute(query.where(piece.first > begin)).all():
        for begin, data in rows:  # noqa: B007  the last one is where the next pieces begin
            yield np.frombuffer(data, STORED).reshape(2, -1)
