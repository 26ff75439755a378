"""Slices: documents with one attribute value, or counts in some cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.scores import Ints
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


@dataclass(frozen=True, eq=False)
class Attribute:
    """Property of documents beside their counts, such as language, file or author.

    Args:
        documents: (documents,) numbers of the documents, each once.
        names: (documents,) value of each document.
    """

    documents: Ints
    names: NDArray[np.str_]

    @classmethod
    def merge(cls, batches: Iterable[Self]) -> Self:
        """Merge the documents of all batches."""
        batches = list(batches)
        return cls(np.concatenate([b.documents for b in batches]), np.concatenate([b.names for b in batches]))

    def look_up(self, documents: Ints) -> NDArray[np.str_]:
        """Return the values of these documents, in their order.

        Args:
            documents: (n,) numbers of documents.

        Raises:
            ValueError: if a document has no value.
        """
        order = np.argsort(self.documents, kind="stable")
        ordered = self.documents[order]
        at = np.minimum(np.searchsorted(ordered, documents), len(ordered) - 1)
        if len(documents) and (not len(ordered) or (ordered[at] != documents).any()):
            raise ValueError("some documents have no value of this attribute")
        return self.names[order][at]

    def number_clusters(self, documents: Ints) -> Ints:
        """Return equal numbers for documents with equal values: (documents,)."""
        return np.unique(self.look_up(documents), return_inverse=True)[1]


def split_by_attribute(state: State, attribute: Attribute) -> dict[str, State]:
    """Split documents by the values of an attribute.

    Each part is scored and resampled like any corpus, and their counts add up to the whole. Values are in natural
    order: `1-10` before `11-20` before `101-500` before `>500`.
    """
    names, groups = np.unique(attribute.look_up(state.documents), return_inverse=True)
    parts = dict(zip(names.tolist(), state.split(groups), strict=True))
    return {name: parts[name] for name in sorted(parts, key=to_natural_key)}


def count_cell_documents(tally: Tally, cells: NDArray[np.bool_]) -> int:
    """Count the documents with a count in one of these cells (cells,)."""
    kinds = np.unique(tally.rows.row[cells[tally.rows.cell]])
    return int(tally.times[kinds].sum())
