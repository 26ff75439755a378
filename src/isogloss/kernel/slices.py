"""Scores of parts of a corpus: by a property of documents, or by a property of what is counted in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.scores import Ints, Scores
from isogloss.kernel.sums import Sums
from isogloss.kernel.tally import Tally


class Sliceable(Protocol):
    """A state that knows its documents: `Counts` or `Ranking`."""

    @property
    def documents(self) -> Ints:
        """(documents,) their numbers."""

    def select(self, keep: NDArray[np.bool_]) -> Self:
        """Only the documents of the mask (documents,)."""


Score = Callable[[Sums], Scores]
NUMBERED_PART = re.compile(r"(\D*)(\d{0,18})")
State = TypeVar("State", bound=Sliceable)


@dataclass(frozen=True, eq=False)
class Attribute:
    """A property of documents, such as language, file or author, that travels beside the counts.

    Args:
        documents: (documents,) numbers of the documents, each once.
        names: (documents,) the property of each.
    """

    documents: Ints
    names: NDArray[np.str_]

    @classmethod
    def merge(cls, batches: Iterable[Self]) -> Self:
        """The documents of all batches."""
        batches = list(batches)
        return cls(np.concatenate([b.documents for b in batches]), np.concatenate([b.names for b in batches]))

    def look_up(self, documents: Ints) -> NDArray[np.str_]:
        """The names of these documents, in their order.

        Raises:
            ValueError: if one of them has no name.
        """
        order = np.argsort(self.documents, kind="stable")
        ordered = self.documents[order]
        at = np.minimum(np.searchsorted(ordered, documents), len(ordered) - 1)
        if len(documents) and (not len(ordered) or (ordered[at] != documents).any()):
            raise ValueError("some documents have no value of this attribute")
        return self.names[order][at]

    def number_clusters(self, documents: Ints) -> Ints:
        """Equal numbers for documents with equal names: the clusters of a resampling."""
        return np.unique(self.look_up(documents), return_inverse=True)[1]


def split_by_attribute(state: State, attribute: Attribute) -> dict[str, State]:
    """The documents with each value, scored and resampled like any others. Their counts add up to the whole.

    Values are in their order, numbers in them by size: `1-10` before `11-20` before `101-500` before `>500`.
    """
    names = attribute.look_up(state.documents)
    return {name: state.select(names == name) for name in sorted(np.unique(names).tolist(), key=_to_natural_key)}


def _to_natural_key(name: str) -> list[tuple[str, int]]:
    """Sort key of a name: its parts without digits, each with the number that follows."""
    return [(text, int(digits or 0)) for text, digits in NUMBERED_PART.findall(name)]


def count_cell_documents(tally: Tally, cells: NDArray[np.bool_]) -> int:
    """How many documents count something in one of these cells (cells,)."""
    kinds = np.unique(tally.rows.row[cells[tally.rows.cell]])
    return int(tally.times[kinds].sum())


def score_by_part(score: Score, part: str) -> Score:
    """A score that also scores each name of an extra part of the cells, as `slices.PART.NAME.…`.

    Total and slices then come from the same sums, so from the same resamples. The total is the sum of the slices, which
    is right for a part that partitions what is counted.
    """

    def scored(sums: Sums) -> Scores:
        result = score(sums.drop_part(part))
        for name, chosen in sums.split(part).items():
            place = ("slices", part, "none" if name is None else name)
            result |= {(*place, *key): value for key, value in score(chosen).items()}
        return result

    return scored
