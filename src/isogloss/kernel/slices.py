"""Slices: documents with one attribute value, or counts in some cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Counts, rank_distinct
from isogloss.kernel.scores import Ints
from isogloss.kernel.sums import Sums, compute_weighted_sums
from isogloss.kernel.tally import Tally
from isogloss.text.natural_order import to_natural_key


class Sliceable(Protocol):
    """State with documents to choose from: `Counts` or `Ranking`."""

    @property
    def documents(self) -> Ints:
        """(documents,) numbers of the documents."""

    def split(self, groups: Ints) -> list[Self]:
        """Split documents into groups (documents,), numbered from 0 without gaps."""


State = TypeVar("State", bound=Sliceable)
MAX_SUMMED_NUMBERS = 2**18  # numbers in the sums of several slices


@dataclass(frozen=True, eq=False)
class Attribute:
    """Property of documents beside their counts, such as language, file or author.

    Args:
        documents: (documents,) numbers of the documents, each once.
        values: (values,) the values, in any order, some of them several times.
        codes: (documents,) position in `values` of the value of each document.
    """

    documents: Ints
    values: NDArray[np.str_]
    codes: NDArray[np.integer]

    @classmethod
    def build(cls, documents: Ints, names: Sequence[str]) -> Self:
        """Build an attribute from the value of each document: (documents,) each."""
        position = {name: k for k, name in enumerate(dict.fromkeys(names))}
        codes = np.fromiter(map(position.__getitem__, names), np.int32, len(names))
        return cls(documents, np.array(list(position), np.str_), codes)

    @classmethod
    def merge(cls, batches: Iterable[Self]) -> Self:
        """Merge the documents of all batches."""
        batches = list(batches)
        firsts = np.cumsum([0, *(len(b.values) for b in batches)]).tolist()
        return cls(
            np.concatenate([b.documents for b in batches]),
            np.concatenate([b.values for b in batches]),
            np.concatenate([b.codes.astype(np.int32) + first for b, first in zip(batches, firsts, strict=False)]),
        )

    @property
    def names(self) -> NDArray[np.str_]:
        """(documents,) value of each document."""
        names: NDArray[np.str_] = self.values[self.codes]
        return names

    def look_up(self, documents: Ints) -> NDArray[np.str_]:
        """Return the values of these documents, in their order.

        Args:
            documents: (n,) numbers of documents.

        Raises:
            ValueError: if a document has no value.
        """
        names: NDArray[np.str_] = self.values[self._find_codes(documents)]
        return names

    def rank(self, documents: Ints) -> tuple[NDArray[np.str_], Ints]:
        """Return the different values of these documents, ascending.

        With them comes the place of each document's value in them: (n,).

        Args:
            documents: (n,) numbers of documents.

        Raises:
            ValueError: if a document has no value.
        """
        used, place = np.unique(self._find_codes(documents), return_inverse=True)
        names, rank = np.unique(self.values[used], return_inverse=True)
        return names, rank[place]

    def number_clusters(self, documents: Ints) -> Ints:
        """Return equal numbers for documents with equal values: (documents,)."""
        return self.rank(documents)[1]

    def _find_codes(self, documents: Ints) -> NDArray[np.integer]:
        if np.array_equal(self.documents, documents):
            return self.codes
        order = np.argsort(self.documents, kind="stable")
        ordered = self.documents[order]
        at = np.minimum(np.searchsorted(ordered, documents), len(ordered) - 1)
        if len(documents) and (not len(ordered) or (ordered[at] != documents).any()):
            raise ValueError("some documents have no value of this attribute")
        return self.codes[order][at]


def split_by_attribute(state: State, attribute: Attribute) -> dict[str, State]:
    """Split documents by the values of an attribute.

    Each part is scored and resampled like any corpus, and their counts add up to the whole. Values are in natural
    order: `1-10` before `11-20` before `101-500` before `>500`.
    """
    names, groups = attribute.rank(state.documents)
    parts = dict(zip(names.tolist(), state.split(groups), strict=True))
    return {name: parts[name] for name in sorted(parts, key=to_natural_key)}


def sum_by_attribute(counts: Counts, attribute: Attribute) -> Iterator[tuple[list[str], Ints, Sums]]:
    """Sum documents by the values of an attribute.

    Values are in natural order, in pieces of bounded memory. Sums of floats do not depend on the order of documents.

    Args:
        counts: counts of each document.
        attribute: the values of the documents.

    Yields:
        Values of a piece, (values,) their numbers of documents, and their sums with the leading axis values.
    """
    names, groups = attribute.rank(counts.documents)
    ordered = sorted(range(len(names)), key=lambda k: to_natural_key(str(names[k])))
    rank = np.empty(len(names), np.int64)
    rank[ordered] = np.arange(len(names))
    place = rank[groups]  # (documents,) position of the value
    documents = np.bincount(place, minlength=len(names))  # (values,)
    rows = np.argsort(place[counts.row], kind="stable")
    ends = np.searchsorted(place[counts.row][rows], np.arange(len(names) + 1))  # (values + 1,)
    members = np.argsort(place, kind="stable")
    low = 0
    while low < len(names):
        high = _find_end_of_piece(counts, ends, low)
        own = rows[ends[low] : ends[high]]
        begin, end = documents[:low].sum(), documents[:high].sum()
        pieces = np.split(members[begin:end], np.cumsum(documents[low:high])[:-1])
        yield (
            [str(names[k]) for k in ordered[low:high]],
            documents[low:high],
            _sum_piece(counts, own, place[counts.row[own]] - low, pieces),
        )
        low = high


def _find_end_of_piece(counts: Counts, ends: Ints, low: int) -> int:
    """Return the value after a piece that begins at `low`."""
    most = max(1, MAX_SUMMED_NUMBERS // max(1, len(counts.columns)))  # values times cells
    cells = np.minimum(len(counts.cells), ends[low + 1 : low + 1 + most] - ends[low])  # (values,) at most
    fitting = np.flatnonzero(cells * np.arange(1, len(cells) + 1) <= most)
    return low + 1 + (int(fitting[-1]) if len(fitting) else 0)


def _sum_piece(counts: Counts, rows: Ints, place: Ints, members: list[Ints]) -> Sums:
    """Sum rows by place (rows,), and measures by members."""
    used, cell = rank_distinct(counts.cell[rows])
    values = np.zeros((len(members), len(used), len(counts.columns)), np.int64)
    np.add.at(values, (place, cell), counts.values[rows])
    measured = np.zeros((len(members), len(counts.measures), 2))
    if counts.measures:
        flat = counts.measured.reshape(len(counts.documents), -1)
        for k, own in enumerate(members):
            summed = compute_weighted_sums(np.ones((1, len(own)), np.int64), flat[own], len(own))
            measured[k] = summed.reshape(len(counts.measures), 2)
    cells = tuple(counts.cells[k] for k in used.tolist())
    return Sums(counts.parts, counts.columns, cells, values, counts.measures, measured)


def count_cell_documents(tally: Tally, cells: NDArray[np.bool_]) -> int:
    """Count the documents with a count in one of these cells (cells,)."""
    kinds = np.unique(tally.rows.row[cells[tally.rows.cell]])
    return int(tally.times[kinds].sum())
