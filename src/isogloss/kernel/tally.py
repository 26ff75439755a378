"""Tallies: distinct documents and how often each occurs, with exact weighted sums.

`kernel.counts` has a row for each document; a tally is much smaller, and no longer knows which document is which.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import DataError
from isogloss.kernel.counts import (
    Cell,
    Counts,
    find_positions,
    find_run_starts,
    fingerprint_cells,
    narrow_integers,
    pack_codes,
    rank_distinct,
    to_sort_key,
)
from isogloss.kernel.scores import Floats, Ints
from isogloss.kernel.sums import ExactParts, Sums, compute_weighted_sums
from isogloss.records.limits import read_limit

BLOCK = 1024  # distinct documents per matrix product
EXACT_TYPES: tuple[tuple[int, type[np.number[Any]]], ...] = (  # the narrowest type for integers below each limit
    (2**24, np.float32),
    (2**53, np.float64),
    (2**63, np.int64),
)
MAX_CACHED = 2**22  # numbers in cached blocks; larger blocks are rebuilt for each product


@dataclass(frozen=True, eq=False)
class _Block:
    """Distinct documents from `low` to before `high`, without columns of zeros."""

    low: int
    high: int
    used: Ints  # (used,)
    counts: NDArray[Any]  # (documents, used)


class WeightedSummer:
    """Distinct documents, laid out once for sums under many weights.

    Args:
        rows: normal counts of the distinct documents.
        documents: number of documents; no row of weights has a larger sum.
    """

    def __init__(self, rows: Counts, documents: int) -> None:
        self._rows = rows
        measured = rows.measured.reshape(len(rows.documents), 2 * len(rows.measures))
        self._parts = ExactParts.from_values(measured, documents)
        self._largest = float(np.abs(rows.values).sum(axis=0, dtype=np.float64).max(initial=0))
        self._cached_blocks: dict[type[Any], list[_Block]] = {}

    def sum_documents(self, weights: NDArray[np.integer]) -> Sums:
        """Sum exactly for each row of weights (draws, distinct): leading axis draws."""
        rows, width = self._rows, len(self._rows.columns)
        summed = np.zeros((len(weights), self._parts.flat.shape[1]))
        largest = self._largest * float(weights.max(initial=0))
        kind = next((kind for most, kind in EXACT_TYPES if largest < most), np.int64)
        values = np.zeros((len(weights), len(rows.cells) * width), kind)
        for block in self._iterate_blocks(kind):
            here = weights[:, block.low : block.high]
            values[:, block.used] += here.astype(kind) @ block.counts
            if summed.size:
                summed += here.astype(np.float64) @ self._parts.flat[block.low : block.high]
        measured = self._parts.recombine(summed)
        return Sums(
            rows.parts,
            rows.columns,
            rows.cells,
            values.astype(np.int64).reshape(len(weights), len(rows.cells), width),
            rows.measures,
            measured.reshape(len(weights), len(rows.measures), 2),
        )

    def _iterate_blocks(self, kind: type[np.number[Any]]) -> Iterator[_Block]:
        if kind in self._cached_blocks:
            yield from self._cached_blocks[kind]
            return
        blocks, size = [], 0
        for low in range(0, len(self._rows.documents), BLOCK):
            block = self._build_block(low, min(low + BLOCK, len(self._rows.documents)), kind)
            size += block.counts.size
            if size <= MAX_CACHED:
                blocks.append(block)
            yield block
        if size <= MAX_CACHED:
            self._cached_blocks[kind] = blocks

    def _build_block(self, low: int, high: int, kind: type[np.number[Any]]) -> _Block:
        rows, width = self._rows, len(self._rows.columns)
        at = slice(*np.searchsorted(rows.row, [low, high]))
        cells, place = rank_distinct(rows.cell[at])
        dense = np.zeros((high - low, len(cells), width), kind)
        dense[rows.row[at] - low, place] = rows.values[at]
        some = dense.any(axis=0)  # (cells, width)
        return _Block(low, high, (cells[:, None] * width + np.arange(width))[some], dense[:, some])


DOCUMENTS_PER_PIECE = 2**15  # approximately
MERGED_AT_ONCE = 128  # tallies
MAX_CELLS_NAME, MAX_CELLS = "ISOGLOSS_MAX_CELLS", 500_000_000  # of documents times cells: about a minute
CELLS_PER_DOCUMENT = 1000  # more for each document, so that no corpus is too large
MAX_DENSE_NUMBERS = 2**17  # numbers in a dense table of documents and cells


@dataclass(frozen=True, eq=False)
class Tally:
    """Distinct documents and their multiplicities.

    Args:
        rows: normal counts of the distinct documents, numbered 0, 1, ..., in the narrowest integer type.
        times: (distinct,) how often each occurs.
    """

    rows: Counts
    times: Ints

    @classmethod
    def from_counts(cls, counts: Counts, times: Ints | None = None) -> Self:
        """Collapse equal documents of counts; documents lose their identity.

        Args:
            counts: counts of any documents.
            times: (documents,) how often each occurs, if they are numbered 0, 1, ...; None for once each.
        """
        return cls.from_counts_with_positions(counts, times)[0]

    @classmethod
    def from_counts_with_positions(cls, counts: Counts, times: Ints | None = None) -> tuple[Self, Ints]:
        """Return the tally, and each document's position in it.

        The positions are those of the normalized documents: (documents,).

        Args:
            counts: counts of any documents.
            times: (documents,) how often each occurs, if they are numbered 0, 1, ...; None for once each.
        """
        counts = counts.normalize()
        return cls._collapse(counts, np.ones(len(counts.documents), np.int64) if times is None else times)

    @classmethod
    def merge(cls, tallies: Iterable[Self]) -> Self:
        """Merge tallies, adding the multiplicities of equal documents.

        Large tallies are merged piece by piece, each of the documents whose hashes lie in one range, so intermediate
        results take little memory. Many tallies are merged in groups, because a piece takes a step for each tally.
        """
        tallies = list(tallies)
        while len(tallies) > MERGED_AT_ONCE:
            tallies = [cls.merge(tallies[k : k + MERGED_AT_ONCE]) for k in range(0, len(tallies), MERGED_AT_ONCE)]
        return cls._concatenate([piece for piece, _ in cls._merge_pieces(tallies)])

    @classmethod
    def merge_with_positions(cls, tallies: Sequence[Self]) -> tuple[Self, list[NDArray[np.int32]]]:
        """Return the merged tally, and positions of distinct documents in it.

        The positions are those of each tally's distinct documents: (distinct,).
        """
        pieces, positions, first = [], [], 0
        for piece, kinds in cls._merge_pieces(tallies):
            pieces.append(piece)
            positions.append([(own + first).astype(np.int32) for own in kinds])
            first += len(piece.times)
        return cls._concatenate(pieces), [np.concatenate(own) for own in zip(*positions, strict=True)]

    @classmethod
    def _merge_pieces(cls, tallies: Sequence[Self]) -> Iterator[tuple[Self, list[Ints]]]:
        """Yield the merged tally in pieces.

        With each come the positions in it of the next distinct documents of each tally: (next,).
        """
        cells = tuple(sorted({cell for t in tallies for cell in t.rows.cells}, key=to_sort_key))
        tallies = [t._align_cells(cells) for t in tallies]  # noqa: SLF001  of this class
        number = -(-sum(len(t.times) for t in tallies) // DOCUMENTS_PER_PIECE)
        names = [t._hash_documents() for t in tallies] if number > 1 else []  # noqa: SLF001  of this class
        if number <= 1 or any((own[1:] <= own[:-1]).any() for own in names):  # hashes collided
            yield cls._merge_piece(tallies)
            return
        cuts = np.array([k * (2**64 // number) for k in range(1, number)], np.uint64)
        edges = [[0, *np.searchsorted(own, cuts).tolist(), len(own)] for own in names]
        for k in range(number):
            yield cls._merge_piece([t._slice_documents(e[k], e[k + 1]) for t, e in zip(tallies, edges, strict=True)])  # noqa: SLF001  of this class

    @classmethod
    def _merge_piece(cls, tallies: Sequence[Self]) -> tuple[Self, list[Ints]]:
        """Merge tallies over the same cells, with positions as above."""
        whole = cls._concatenate(tallies)
        merged, kinds = cls._collapse(whole.rows, whole.times)
        return merged, np.split(kinds, np.cumsum([len(t.times) for t in tallies])[:-1])

    @classmethod
    def _concatenate(cls, tallies: Sequence[Self]) -> Self:
        """Concatenate tallies over the same cells, equal documents or not."""
        if len(tallies) == 1:
            return tallies[0]
        first = np.cumsum([0, *(len(t.times) for t in tallies)]).tolist()
        rows, times = [t.rows for t in tallies], np.concatenate([t.times for t in tallies])
        row = np.concatenate([own.row + n for own, n in zip(rows, first, strict=False)])
        documents = np.arange(len(times))
        counts = replace(
            rows[0],
            documents=documents,
            row=documents if np.array_equal(row, documents) else row,
            cell=np.concatenate([own.cell for own in rows]),
            values=np.concatenate([own.values for own in rows]),
            measured=np.concatenate([own.measured for own in rows]),
        )
        return cls(counts, times)

    def _align_cells(self, cells: tuple[Cell, ...]) -> Self:
        """Return the tally over more cells, ordered by name."""
        if cells == self.rows.cells:
            return self
        cell = find_positions(self.rows.cells, cells)[self.rows.cell]
        return replace(self, rows=replace(self.rows, cells=cells, cell=narrow_integers(cell)))

    def _hash_documents(self) -> NDArray[np.uint64]:
        """Return the hash of each distinct document: (distinct,)."""
        number = len(self.times)
        pieces = [
            _hash_rows(self._slice_documents(low, min(low + DOCUMENTS_PER_PIECE, number)).rows)
            for low in range(0, number, DOCUMENTS_PER_PIECE)
        ]
        return np.concatenate([np.zeros(0, np.uint64), *pieces])

    def _slice_documents(self, low: int, high: int) -> Self:
        """Return the distinct documents from `low` to before `high`."""
        rows = self.rows
        at = slice(*np.searchsorted(rows.row, [low, high]))
        part = replace(
            rows,
            documents=np.arange(high - low),
            row=rows.row[at] - low,
            cell=rows.cell[at],
            values=rows.values[at],
            measured=rows.measured[low:high],
        )
        return replace(self, rows=part, times=self.times[low:high])

    @classmethod
    def _collapse(cls, counts: Counts, times: Ints) -> tuple[Self, Ints]:
        """Group normal counts of documents that occur `times` (documents,) each."""
        kind, chosen = _group_names(_hash_rows(counts))
        if len(chosen) < len(kind) and not _has_equal_counts(counts, chosen[kind]):
            kind, chosen = _group_names(_number_exactly(counts))
        total = np.zeros(len(chosen), np.int64)
        np.add.at(total, kind, times)
        rows = counts.take(chosen)
        return cls(replace(rows, cell=narrow_integers(rows.cell), values=narrow_integers(rows.values)), total), kind

    @property
    def documents(self) -> int:
        """Number of documents."""
        return int(self.times.sum())

    def replace_documents(self, before: Counts, after: Counts) -> Self:
        """Replace the counts of some documents.

        Args:
            before: their counts in this tally.
            after: their new counts, with the same cells.
        """
        removed, added = type(self).from_counts(before), type(self).from_counts(after)
        total = type(self).merge([self, replace(removed, times=-removed.times), added])
        kept = np.flatnonzero(total.times)
        return replace(total, rows=total.rows.take(kept), times=total.times[kept])

    def drop_parts(self, names: Collection[str]) -> Self:
        """Return the tally without these parts of cells and columns."""
        rows = self.rows.drop_parts(names)
        return self if rows is self.rows else type(self).from_counts(rows, self.times)

    def sum_all(self) -> Sums:
        """Sum over all documents, without leading axes."""
        rows = self.rows
        values = np.zeros((len(rows.cells), len(rows.columns)), np.int64)
        step = max(1, MAX_DENSE_NUMBERS // max(1, len(rows.columns)))
        for low in range(0, len(rows.row), step):
            at = slice(low, low + step)
            np.add.at(values, rows.cell[at], rows.values[at] * self.times[rows.row[at], None])
        measured = rows.measured.reshape(len(self.times), 2 * len(rows.measures))
        return self._build_sums(values, compute_weighted_sums(self.times[None], measured, self.documents)[0])

    def build_summer(self) -> WeightedSummer:
        """Prepare sums under many weights.

        No row of weights may exceed the number of documents.
        """
        return WeightedSummer(self.rows, self.documents)

    def iterate_sums(self) -> Iterator[tuple[slice, Sums]]:
        """Yield each distinct document by itself, in pieces of bounded memory.

        The leading axis of each piece is the slice of distinct documents. A tally without documents yields one empty
        piece, which still has the names of the scores.

        Raises:
            DataError: if documents times cells are more than `ISOGLOSS_MAX_CELLS` allows.
        """
        rows, number = self.rows, len(self.times)
        _check_size(number, len(rows.cells))
        step = max(1, MAX_DENSE_NUMBERS // max(1, len(rows.cells) * len(rows.columns)))
        measured = rows.measured.reshape(number, 2 * len(rows.measures))
        for low in range(0, max(1, number), step):
            high = min(low + step, number)
            at = slice(*np.searchsorted(rows.row, [low, high]))
            values = np.zeros((high - low, len(rows.cells), len(rows.columns)), np.int64)
            values[rows.row[at] - low, rows.cell[at]] = rows.values[at]
            yield slice(low, high), self._build_sums(values, measured[low:high])

    def _build_sums(self, values: Ints, measured: Floats) -> Sums:
        r = self.rows
        shape = (*measured.shape[:-1], len(r.measures), 2)
        return Sums(r.parts, r.columns, r.cells, values, r.measures, measured.reshape(shape))


def _check_size(documents: int, cells: int) -> None:
    """Refuse tables whose computation would not end."""
    if documents * cells > read_limit(MAX_CELLS_NAME, MAX_CELLS) + CELLS_PER_DOCUMENT * documents:
        raise DataError(
            f"{documents:,} different documents and {cells:,} labels or pairs of labels are too many to score",
            remedy="Check that labels are labels, not ids or texts. To score them all the same, raise the limit: "
            f"{MAX_CELLS_NAME}={documents * cells} isogloss ...",
        )


def _hash_rows(counts: Counts) -> NDArray[np.uint64]:
    """Hash each document of normal counts to 64 bits, by cell names."""
    names = np.zeros(len(counts.documents), np.uint64)
    if len(counts.row):
        factors = fingerprint_cells(counts.cells, len(counts.columns))
        mixed = np.zeros(len(counts.row), np.uint64)
        for column, factor in zip(counts.values.T, factors.T, strict=True):
            mixed += column.astype(np.uint64) * (factor if len(factor) == 1 else factor[counts.cell])
        first = find_run_starts(counts.row)
        names[counts.row[first]] = np.add.reduceat(mixed, first)
    if counts.measures:
        bits = counts.measured.reshape(len(names), 2 * len(counts.measures)).view(np.uint64)
        factors = fingerprint_cells([(name,) for name in counts.measures], 2)
        names += (_scramble_bits(bits) * factors.reshape(-1)).sum(axis=1, dtype=np.uint64)
    return names


def _scramble_bits(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread the bits of floats, whose low half is often zero."""
    return (bits ^ (bits >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)


def _group_names(names: NDArray[np.integer]) -> tuple[Ints, Ints]:
    """Return the rank of each name, and one document of each.

    The shapes are (documents,), (distinct,).
    """
    order = np.argsort(names)
    first = find_run_starts(names[order])
    kind = np.empty(len(names), np.int64)
    kind[order] = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(names))))
    return kind, order[first]


def _has_equal_counts(counts: Counts, representative: Ints) -> bool:
    """Check whether every document has the counts of its representative (documents,)."""
    length = np.bincount(counts.row, minlength=len(counts.documents))
    if (length != length[representative]).any():
        return False
    begin = np.cumsum(length) - length
    twin = np.arange(len(counts.row)) + (begin[representative] - begin)[counts.row]
    return bool(
        (counts.cell == counts.cell[twin]).all()
        and all((column == column[twin]).all() for column in counts.values.T)
        and (counts.measured == counts.measured[representative]).all(),
    )


def _number_exactly(counts: Counts) -> Ints:
    """Return equal numbers for equal documents.

    This is for the case of a hash collision. All documents walk down one trie of their rows, a row a step: equal
    documents of one length end in the same node.
    """
    length = np.bincount(counts.row, minlength=len(counts.documents))
    begin = np.cumsum(length) - length
    entry = _rank_tuples([counts.cell, *counts.values.T])
    node = _rank_tuples([length, *counts.measured.reshape(len(length), -1).view(np.int64).T])
    for depth in range(length.max(initial=0)):
        at = np.flatnonzero(length > depth)
        node[at] = _rank_tuples([node[at], entry[begin[at] + depth]])
    return _rank_tuples([length, node])


def _rank_tuples(keys: list[Ints]) -> Ints:
    """Rank tuples densely: (n,) each -> (n,)."""
    small = [rank_distinct(key) for key in keys]
    return rank_distinct(pack_codes(((place, len(names)) for names, place in small), len(keys[0])))[1]
