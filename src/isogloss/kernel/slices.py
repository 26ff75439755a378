"""Slices: documents with one attribute value, or counts in some cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Counts, narrow_integers
from isogloss.kernel.scores import Ints
from isogloss.kernel.sums import Sums
from isogloss.kernel.tallied_documents import TalliedDocuments
from isogloss.kernel.tally import Tally
from isogloss.text.natural_order import to_natural_key


class Sliceable(Protocol):
    """State with documents to choose from: `TalliedDocuments` or `Ranking`."""

    @property
    def documents(self) -> Ints:
        """(documents,) numbers of the documents."""

    def split(self, groups: NDArray[np.integer]) -> list[Self]:
        """Split documents into groups (documents,), numbered from 0 without gaps."""


State = TypeVar("State", bound=Sliceable)
MAX_SUMMED_NUMBERS = 2**18  # numbers in the sums of several slices


@dataclass(frozen=True, eq=False)
class Attribute:
    """Property of documents beside their counts, such as language, file or author.

    Args:
        documents: (documents,) numbers of the documents, each once.
        values: the values, each once, in any order.
        codes: (documents,) position in `values` of the value of each document.
    """

    documents: Ints
    values: Sequence[str]
    codes: NDArray[np.integer]

    @classmethod
    def build(cls, documents: Ints, names: Sequence[str]) -> Self:
        """Build an attribute from the value of each document: (documents,) each."""
        builder = AttributeBuilder()
        builder.add(names)
        return cls(documents, *builder.list_values())

    def list_values(self, low: int, high: int) -> list[str]:
        """List the values of the documents from position `low` to before `high`."""
        return [self.values[code] for code in self.codes[low:high].tolist()]

    def look_up(self, documents: Ints) -> NDArray[np.object_]:
        """Return the values of these documents, in their order.

        Args:
            documents: (n,) numbers of documents.

        Raises:
            ValueError: if a document has no value.
        """
        names: NDArray[np.object_] = np.array(self.values, np.object_)[self._find_codes(documents)]
        return names

    def rank(self, documents: Ints) -> tuple[list[str], NDArray[np.integer]]:
        """Return the different values of these documents, ascending.

        With them comes the place of each document's value in them: (n,).

        Args:
            documents: (n,) numbers of documents.

        Raises:
            ValueError: if a document has no value.
        """
        codes = self._find_codes(documents)
        used = np.zeros(len(self.values), np.bool_)
        used[codes] = True
        at = sorted(np.flatnonzero(used).tolist(), key=self.values.__getitem__)
        place = np.zeros(len(self.values), np.int64)
        place[at] = np.arange(len(at))
        return [self.values[k] for k in at], narrow_integers(place)[codes]

    def number_clusters(self, documents: Ints) -> Ints:
        """Return equal numbers for documents with equal values: (documents,)."""
        return self.rank(documents)[1].astype(np.int64)

    def _find_codes(self, documents: Ints) -> NDArray[np.integer]:
        if self.documents is documents or np.array_equal(self.documents, documents):
            return self.codes
        order = np.argsort(self.documents, kind="stable")
        ordered = self.documents[order]
        at = np.minimum(np.searchsorted(ordered, documents), len(ordered) - 1)
        if len(documents) and (not len(ordered) or (ordered[at] != documents).any()):
            raise ValueError("some documents have no value of this attribute")
        return self.codes[order][at]


class AttributeBuilder:
    """Values of documents that come in batches."""

    def __init__(self) -> None:
        self._positions: dict[str, int] = {}
        self._codes: list[NDArray[np.integer]] = [np.zeros(0, np.uint8)]

    def add(self, names: Sequence[str]) -> None:
        """Add the value of each of the next documents."""
        positions = self._positions
        codes = [positions.setdefault(name, len(positions)) for name in names]
        self._codes.append(narrow_integers(np.array(codes, np.int64)))

    def list_values(self) -> tuple[list[str], NDArray[np.integer]]:
        """List the values, each once.

        With them comes the position of each document's value in them: (documents,).
        """
        return list(self._positions), np.concatenate(self._codes)


def split_by_attribute(state: State, attribute: Attribute) -> dict[str, State]:
    """Split documents by the values of an attribute.

    Each part is scored and resampled like any corpus, and their counts add up to the whole. Values are in natural
    order: `1-10` before `11-20` before `101-500` before `>500`.
    """
    names, groups = attribute.rank(state.documents)
    parts = dict(zip(names, state.split(groups), strict=True))
    return {name: parts[name] for name in sorted(parts, key=to_natural_key)}


def sum_by_attribute(documents: TalliedDocuments, attribute: Attribute) -> Iterator[tuple[list[str], Ints, Sums]]:
    """Sum documents by the values of an attribute.

    Values are in natural order, in pieces of bounded memory. Sums of floats do not depend on the order of documents.

    Args:
        documents: documents with their counts.
        attribute: the values of the documents.

    Yields:
        Values of a piece, (values,) their numbers of documents, and their sums with the leading axis values.
    """
    names, groups = attribute.rank(documents.documents)
    ordered = sorted(range(len(names)), key=lambda k: to_natural_key(names[k]))
    rank = np.empty(len(names), np.int64)
    rank[ordered] = np.arange(len(names))
    grouped = documents.group(narrow_integers(rank)[groups], len(names))
    sizes, rows, low = grouped.sizes, grouped.count_rows(), 0
    while low < len(names):
        high = _find_end_of_piece(documents.tally.rows, rows, low)
        yield [names[k] for k in ordered[low:high]], sizes[low:high], grouped.sum_groups(low, high)
        low = high


def _find_end_of_piece(counts: Counts, ends: Ints, low: int) -> int:
    """Return the value after a piece that begins at `low`."""
    most = max(1, MAX_SUMMED_NUMBERS // max(1, len(counts.columns)))  # values times cells
    cells = np.minimum(len(counts.cells), ends[low + 1 : low + 1 + most] - ends[low])  # (values,) at most
    fitting = np.flatnonzero(cells * np.arange(1, len(cells) + 1) <= most)
    return low + 1 + (int(fitting[-1]) if len(fitting) else 0)


def count_cell_documents(tally: Tally, cells: NDArray[np.bool_]) -> int:
    """Count the documents with a count in one of these cells (cells,)."""
    kinds = np.unique(tally.rows.row[cells[tally.rows.cell]])
    return int(tally.times[kinds].sum())
