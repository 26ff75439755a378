"""Documents of a tally: which distinct document each of them equals.

`kernel.counts` has rows for each document, and `kernel.tally` has rows for distinct documents alone. Here equal
documents share their rows, so that a document takes 9 to 12 bytes, however long its rows are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Counts, narrow_integers
from isogloss.kernel.scores import Ints
from isogloss.kernel.tally import MERGED_AT_ONCE, Tally


@dataclass(frozen=True, eq=False)
class TalliedDocuments:
    """Documents whose counts are those of a distinct document of a tally.

    Args:
        tally: the distinct documents, each of which occurs.
        documents: (documents,) their numbers, ascending.
        kinds: (documents,) position in the tally of the counts of each document.
    """

    tally: Tally
    documents: Ints
    kinds: NDArray[np.integer]

    @classmethod
    def from_counts(cls, counts: Counts) -> Self:
        """Let equal documents of counts share their rows."""
        counts = counts.normalize()
        tally, kinds = Tally.from_counts_with_positions(counts)
        return cls(tally, counts.documents, narrow_integers(kinds))

    @classmethod
    def merge(cls, parts: Sequence[Self]) -> Self:
        """Merge parts without a document in common; at least one."""
        while len(parts) > MERGED_AT_ONCE:
            parts = [cls.merge(parts[k : k + MERGED_AT_ONCE]) for k in range(0, len(parts), MERGED_AT_ONCE)]
        tally, positions = Tally.merge_with_positions([part.tally for part in parts])
        documents = np.concatenate([part.documents for part in parts])
        kinds = np.concatenate([place[part.kinds] for part, place in zip(parts, positions, strict=True)])
        if not (documents[1:] > documents[:-1]).all():
            order = np.argsort(documents)
            documents, kinds = documents[order], kinds[order]
        return cls(tally, documents, kinds)

    def expand(self) -> Counts:
        """Return the counts of each document.

        They are normal, in integers of few bytes.
        """
        return replace(self.tally.rows.take(self.kinds), documents=self.documents)

    def select(self, keep: NDArray[np.bool_]) -> Self:
        """Keep only the documents of the mask (documents,)."""
        return self._keep(self.documents[keep], self.kinds[keep])

    def split(self, groups: Ints) -> list[Self]:
        """Split documents into groups.

        Args:
            groups: (documents,) number of the group of each document, from 0 without gaps.
        """
        order = np.argsort(groups, kind="stable")
        ends = np.cumsum(np.bincount(groups))[:-1]
        return [self._keep(self.documents[chosen], self.kinds[chosen]) for chosen in np.split(order, ends)]

    def drop_parts(self, names: Collection[str]) -> Self:
        """Sum over parts of cells, and drop columns, by name."""
        rows = self.tally.rows.drop_parts(names)
        if rows is self.tally.rows:
            return self
        tally, place = Tally.from_counts_with_positions(rows, self.tally.times)
        return replace(self, tally=tally, kinds=narrow_integers(place)[self.kinds])

    def replace_documents(self, counts: Counts) -> Self:
        """Replace the counts of the documents of `counts`."""
        others = self.select(~np.isin(self.documents, counts.documents))
        return self.merge([others, self.from_counts(counts)])

    def _keep(self, documents: Ints, kinds: NDArray[np.integer]) -> Self:
        """Keep some documents, and only the kinds that occur."""
        times = np.bincount(kinds, minlength=len(self.tally.times))
        used = np.flatnonzero(times)
        place = np.zeros(len(times), kinds.dtype)
        place[used] = np.arange(len(used))
        rows = self.tally.rows.take(used).normalize()
        rows = replace(rows, cell=narrow_integers(rows.cell), values=narrow_integers(rows.values))
        return type(self)(Tally(rows, times[used]), documents, place[kinds])
