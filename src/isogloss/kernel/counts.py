"""Counts: sparse rows (document, cell) of named integers.

A metric writes these rows for each document. `kernel.tally` merges equal documents of counts, and `kernel.sums` adds
them up.

A cell is a tuple of names, compared, ordered and hashed by name, never by code.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import shake_128
from typing import Self

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.scores import Floats, Ints

CellName = str | None
Cell = tuple[CellName, ...]


def to_sort_key(cell: Cell) -> tuple[tuple[bool, str], ...]:
    """Return the sort key of a cell, with None before any name."""
    return tuple((name is not None, name or "") for name in cell)


def find_positions(old: Sequence[Cell], new: Sequence[Cell]) -> Ints:
    """Return the position in `new` of each cell of `old`: (old,)."""
    place = {cell: k for k, cell in enumerate(new)}
    return np.array([place[cell] for cell in old], np.int64)


def fingerprint_cells(cells: Sequence[Cell], columns: int) -> NDArray[np.uint64]:
    """Return odd random multipliers that depend on names alone: (cells, columns)."""
    raw = b"".join(_hash_cell(cell, columns) for cell in cells)
    return np.frombuffer(raw, np.uint64).reshape(len(cells), columns) | np.uint64(1)


@lru_cache(maxsize=2**16)
def _hash_cell(cell: Cell, columns: int) -> bytes:
    return shake_128(repr(cell).encode("utf-8", "surrogatepass")).digest(8 * columns)


MAX_CODE = 2**62
CODES_AT_ONCE = 2**16


def find_run_starts(ordered: NDArray[np.integer]) -> Ints:
    """Return where each run of equal values begins: (n,) -> (runs,)."""
    is_start = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_start[1:])
    return np.flatnonzero(is_start)


def rank_distinct(values: Ints) -> tuple[Ints, Ints]:
    """Rank values among the distinct ones: (n,) -> ascending (distinct,), (n,)."""
    values = values.astype(np.int64, copy=False)
    if values.min(initial=0) >= 0 and values.max(initial=0) <= len(values):  # small enough to count instead of sorting
        used = np.flatnonzero(np.bincount(values))
        rank = np.zeros(len(values) + 1, np.int64)
        rank[used] = np.arange(len(used))
        return used, rank[values]
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = find_run_starts(ordered)
    place = np.empty(len(values), np.int64)
    place[order] = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(values))))
    return ordered[first], place


def count_codes(codes: NDArray[np.integer], number: int) -> Ints:
    """Count how often each code occurs, without wide copies.

    Args:
        codes: (n,) codes below `number`.
        number: number of codes, the length of the result.
    """
    total, step = np.zeros(number, np.int64), max(number, CODES_AT_ONCE)
    for low in range(0, len(codes), step):
        total += np.bincount(codes[low : low + step], minlength=number)
    return total


def count_pairs(one: NDArray[np.integer], two: NDArray[np.integer], size: int) -> tuple[Ints, Ints]:
    """Count how often each pair of codes occurs.

    The memory is that of the distinct pairs.

    Args:
        one: (n,) codes.
        two: (n,) codes below `size`.
        size: number of the second codes.

    Returns:
        The pairs `one * size + two`, ascending, and how often each occurs: (pairs,), (pairs,).
    """
    held = [(np.zeros(0, np.int64), np.zeros((0, 1), np.int64))]
    for low in range(0, len(one), CODES_AT_ONCE):
        at = slice(low, low + CODES_AT_ONCE)
        pairs, times = np.unique(one[at].astype(np.int64) * size + two[at], return_counts=True)
        held.append((pairs, times[:, None]))
        if sum(len(pairs) for pairs, _ in held[1:]) >= len(held[0][0]):
            held = [_add_pairs(held)]
    pairs, times = _add_pairs(held)
    return pairs, times[:, 0]


def locate_pairs(pairs: Ints, one: NDArray[np.integer], two: NDArray[np.integer], size: int) -> NDArray[np.integer]:
    """Return the position in `pairs` of each pair of codes: (n,).

    Args:
        pairs: (pairs,) the pairs `one * size + two`, from `count_pairs`.
        one: (n,) codes.
        two: (n,) codes below `size`.
        size: number of the second codes.
    """
    places = np.empty(len(one), np.min_scalar_type(max(0, len(pairs) - 1)))
    for low in range(0, len(one), CODES_AT_ONCE):
        at = slice(low, low + CODES_AT_ONCE)
        places[at] = np.searchsorted(pairs, one[at].astype(np.int64) * size + two[at])
    return places


def _add_pairs(held: Sequence[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    return sum_by_code(np.concatenate([pairs for pairs, _ in held]), np.concatenate([times for _, times in held]))


def pack_codes(keys: Iterable[tuple[Ints, int]], number: int) -> Ints:
    """Pack tuples of codes into integers of the same order.

    Args:
        keys: per position of the tuple its (number,) codes and their number, 0 <= code < size.
        number: number of tuples.
    """
    code, span = np.zeros(number, np.int64), 1
    for key, size in keys:
        if span * max(1, size) >= MAX_CODE:
            names, code = rank_distinct(code)
            span = len(names)
        if span * max(1, size) >= MAX_CODE:
            names, key = rank_distinct(key)  # noqa: PLW2901  the same order in fewer codes
            size = len(names)  # noqa: PLW2901
        code, span = code * size + key, span * max(1, size)
    return code


def sum_by_code(code: Ints, values: Ints) -> tuple[Ints, Ints]:
    """Sum rows of equal code.

    The shapes are (n,), (n, columns) -> ascending (m,), (m, columns).
    """
    ascending = (code[1:] >= code[:-1]).all()
    order = np.arange(len(code)) if ascending else np.argsort(code, kind="stable")
    code = code[order]
    first = find_run_starts(code)
    if ascending and len(first) == len(code):
        return code, values
    sums = np.take(values, order[first], axis=0)
    length = np.diff(np.append(first, len(code)))
    many = np.flatnonzero(length > 1)  # most codes occur once, and copying is cheaper than adding
    if len(many):
        sums = sums.astype(np.int64, copy=False)
        start = np.cumsum(length[many]) - length[many]
        sums[many] = np.add.reduceat(np.take(values, order[np.repeat(length > 1, length)], axis=0), start, axis=0)
    return code[first], sums


def narrow_integers(values: Ints) -> Ints:
    """Convert integers to fewer bytes if they fit and are not negative."""
    largest = values.max(initial=0)
    if values.min(initial=0) < 0 or largest > np.iinfo(np.uint32).max:
        return values
    return values.astype(np.min_scalar_type(largest), copy=False)


def find_nonzero_rows(values: Ints) -> NDArray[np.bool_]:
    """Find rows with a value other than zero: (n, columns) -> (n,)."""
    result = np.zeros(len(values), np.bool_)
    for column in values.T:
        result |= column != 0
    return result


def add_in_order(place: Ints, values: Floats, number: int) -> Floats:
    """Add floats by place in ascending order, so arrival order never matters.

    Args:
        place: (n,) place that each row is added to; every place below `number` occurs.
        values: (n, columns) values.
        number: number of places.
    """
    if len(place) == number:
        result = np.empty_like(values)
        result[place] = values
        return result
    result = np.zeros((number, values.shape[1]))
    first = find_run_starts(np.sort(place))
    for k, column in enumerate(values.T):
        result[:, k] = np.add.reduceat(column[np.lexsort((column, place))], first)
    return result


CellParts = Mapping[str, tuple[Ints, Sequence[str]]]
COUNT_TYPES = (np.int64, np.uint8, np.uint16, np.uint32)


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of documents, as sparse rows (document, cell).

    A document without rows is still a document.

    Args:
        parts: the meaning of each part of a cell.
        columns: names of the counts.
        cells: the cells that rows refer to, each once.
        documents: (documents,) numbers that mean the same in every batch and for every system.
        row: (rows,) position in `documents`.
        cell: (rows,) position in `cells`, in fewer bytes where counts are only stored.
        values: (rows, columns) counts: int64, or integers of fewer bytes where counts are only stored.
        measures: names of the floats from outside, such as COMET scores.
        measured: (documents, measures, 2) their sum, and the number of documents that have one.

    Raises:
        ValueError: if the arrays do not belong together.
    """

    parts: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[Cell, ...]
    documents: Ints
    row: Ints
    cell: Ints
    values: Ints
    measures: tuple[str, ...]
    measured: Floats

    def __post_init__(self) -> None:
        if not len(self.row) == len(self.cell) == len(self.values):
            raise ValueError(f"{len(self.row)} rows with {len(self.cell)} cells and {len(self.values)} values")
        if self.measured.shape != (len(self.documents), len(self.measures), 2):
            raise ValueError(f"a sum and a number of {len(self.measures)} measures for {len(self.documents)} documents")
        if self.row.min(initial=0) < 0 or self.cell.min(initial=0) < 0:
            raise ValueError("positions of documents and cells start at 0")
        if _has_position_beyond(self.row, len(self.documents)) or _has_position_beyond(self.cell, len(self.cells)):
            raise ValueError("a row names a document or cell that is not there")
        if any(len(cell) != len(self.parts) for cell in self.cells) or len(set(self.cells)) < len(self.cells):
            raise ValueError(f"each cell is there once and has the parts {self.parts}")
        if self.values.dtype not in COUNT_TYPES or self.values.shape[1:] != (len(self.columns),):
            raise ValueError(f"counts are int64 in {len(self.columns)} columns, not {self.values.dtype}")

    @classmethod
    def build(
        cls,
        documents: Ints,
        columns: Mapping[str, NDArray[np.integer | np.bool_]],
        *,
        row: Ints | None = None,
        parts: CellParts | None = None,
        measures: Mapping[str, Floats] | None = None,
    ) -> Self:
        """Build counts from arrays.

        Args:
            documents: (documents,) numbers of all documents of the batch.
            columns: per column name the (rows,) counts.
            row: (rows,) position of each row in `documents`; None for one row per document.
            parts: per part of a cell its (rows,) codes, -1 for none, and the names of the codes.
            measures: per name (documents,) floats, nan for a document without one.
        """
        row = np.arange(len(documents)) if row is None else row
        parts, measures = parts or {}, measures or {}
        cells, cell = _collect_cells(parts, len(row))
        values = np.empty((len(row), len(columns)), np.int64)
        for k, column in enumerate(columns.values()):
            values[:, k] = column
        measured = np.empty((len(documents), len(measures), 2))
        for k, floats in enumerate(measures.values()):
            known = ~np.isnan(floats)
            measured[:, k] = np.stack([np.where(known, floats, 0) + 0.0, known], axis=1)  # no -0.0
        return cls(tuple(parts), tuple(columns), cells, documents, row, cell, values, tuple(measures), measured)

    @classmethod
    def merge(cls, batches: Iterable[Self]) -> Self:
        """Merge the documents of batches, whose cells may differ.

        Args:
            batches: counts of distinct documents, at least one.

        Raises:
            ValueError: if there is no batch, or if batches disagree about parts, columns or measures.
        """
        batches = list(batches)
        if len({(b.parts, b.columns, b.measures) for b in batches}) != 1:
            raise ValueError("batches of one metric share parts, columns and measures")
        if len(batches) == 1:
            return batches[0]
        cells = tuple(dict.fromkeys(cell for b in batches for cell in b.cells))
        first = np.cumsum([0, *(len(b.documents) for b in batches)])
        return replace(
            batches[0],
            cells=cells,
            documents=np.concatenate([b.documents for b in batches]),
            row=np.concatenate([b.row + n for b, n in zip(batches, first[:-1], strict=True)]),
            cell=np.concatenate([find_positions(b.cells, cells)[b.cell] for b in batches]),
            values=np.concatenate([b.values for b in batches]),
            measured=np.concatenate([b.measured for b in batches]),
        )

    def normalize(self) -> Self:
        """Return the one normal form of these counts.

        Documents are ascending and unique, rows are ordered by document and cell name, and no row is all zero.
        """
        cells = tuple(sorted(self.cells, key=to_sort_key))
        cell = find_positions(self.cells, cells)[self.cell]
        documents, place = _sort_documents(self.documents)
        row = self.row if place is None else place[self.row]
        width = max(1, len(cells))
        code, values = sum_by_code(row * width + cell, self.values)
        keep = find_nonzero_rows(values)
        if not keep.all():
            code, values = code[keep], values[keep]
        row, cell = np.divmod(code, width)
        used = np.flatnonzero(np.bincount(cell, minlength=len(cells)))
        if len(used) < len(cells):
            cell = np.searchsorted(used, cell)
            cells = tuple(cells[k] for k in used)
        measured = self.measured
        if place is not None:
            flat = measured.reshape(len(measured), 2 * len(self.measures))
            measured = add_in_order(place, flat, len(documents)).reshape(len(documents), -1, 2)
        return replace(self, cells=cells, documents=documents, row=row, cell=cell, values=values, measured=measured)

    def select(self, keep: NDArray[np.bool_]) -> Self:
        """Keep only the documents of the mask (documents,): a document slice."""
        rows = keep[self.row]
        return replace(
            self,
            documents=self.documents[keep],
            row=(np.cumsum(keep) - 1)[self.row[rows]],
            cell=self.cell[rows],
            values=self.values[rows],
            measured=self.measured[keep],
        )

    def take(self, at: NDArray[np.integer]) -> Self:
        """Take documents of normal counts by position.

        They are numbered 0, 1, ... in this order.
        """
        row = documents = np.arange(len(at))
        rows = at
        if self._row_starts is not None:
            begin = self._row_starts.take(at)
            wanted = self._row_starts[1:].take(at) - begin
            rows = np.repeat(begin - (np.cumsum(wanted) - wanted), wanted)
            rows += np.arange(len(rows))
            row = np.repeat(documents, wanted)
        return replace(
            self,
            documents=documents,
            row=row,
            cell=self.cell.take(rows),
            values=self.values.take(rows, axis=0),
            measured=self.measured.take(at, axis=0),
        )

    @cached_property
    def _row_starts(self) -> Ints | None:
        """(documents + 1,) first row of each document of normal counts.

        None if each document has one row.
        """
        if np.array_equal(self.row, np.arange(len(self.documents))):
            return None
        return np.append(0, np.cumsum(np.bincount(self.row, minlength=len(self.documents))))

    def drop_parts(self, names: Collection[str]) -> Self:
        """Sum over parts of cells, and drop columns, by name."""
        parts, columns = ([k for k, name in enumerate(own) if name not in names] for own in (self.parts, self.columns))
        if (len(parts), len(columns)) == (len(self.parts), len(self.columns)):
            return self
        short = [tuple(cell[k] for k in parts) for cell in self.cells]
        cells = tuple(dict.fromkeys(short))
        return replace(
            self,
            parts=tuple(self.parts[k] for k in parts),
            columns=tuple(self.columns[k] for k in columns),
            cells=cells,
            cell=find_positions(short, cells)[self.cell],
            values=self.values[:, columns],
        ).normalize()


def _has_position_beyond(positions: NDArray[np.integer], number: int) -> bool:
    """Check whether any position is `number` or more."""
    return len(positions) > 0 and bool(positions.max() >= number)


def _sort_documents(documents: Ints) -> tuple[Ints, Ints | None]:
    """Return unique documents, ascending, and their ranks (None if already so)."""
    if (documents[1:] > documents[:-1]).all():
        return documents, None
    return rank_distinct(documents)


def _collect_cells(parts: CellParts, rows: int) -> tuple[tuple[Cell, ...], Ints]:
    """Return the occurring cells, and the cell of each row.

    The shapes are (cells,), (rows,).
    """
    if not parts:
        return ((),), np.zeros(rows, np.int64)
    sizes = [len(names) + 1 for _, names in parts.values()]
    code = pack_codes(((codes + 1, size) for (codes, _), size in zip(parts.values(), sizes, strict=True)), rows)
    used, cell = rank_distinct(code)
    first = np.zeros(len(used), np.int64)
    first[cell[::-1]] = np.arange(rows)[::-1]
    padded = [(codes[first].tolist(), (*names, None)) for codes, names in parts.values()]  # -1 is the last
    return tuple(zip(*([names[k] for k in codes] for codes, names in padded), strict=True)), cell
