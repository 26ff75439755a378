"""Documents of a tally: which distinct document each of them equals.

`kernel.counts` has rows for each document, and `kernel.tally` has rows for distinct documents alone. Here equal
documents share their rows, so that a document takes 9 to 12 bytes, however long its rows are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import CODES_AT_ONCE, Counts, count_codes, count_pairs, narrow_integers
from isogloss.kernel.scores import Floats, Ints
from isogloss.kernel.sums import Sums, compute_weighted_sums
from isogloss.kernel.tally import DOCUMENTS_PER_PIECE, MERGED_AT_ONCE, Tally

PAIRS_AT_ONCE = 2**14  # of a group and a distinct document


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

    def split(self, groups: NDArray[np.integer]) -> list[Self]:
        """Split documents into groups.

        Args:
            groups: (documents,) number of the group of each document, from 0 without gaps.
        """
        number = int(groups.max()) + 1 if len(groups) else 0
        sizes = count_codes(groups, number)
        ends = np.cumsum(sizes)
        documents, kinds, begin = np.empty_like(self.documents), np.empty_like(self.kinds), ends - sizes
        for low in range(0, len(groups), CODES_AT_ONCE):  # an order of all documents would take as much as they
            at = slice(low, low + CODES_AT_ONCE)
            order = np.argsort(groups[at], kind="stable")
            here = count_codes(groups[at], number)
            place = np.arange(len(order)) + np.repeat(begin - (np.cumsum(here) - here), here)
            documents[place], kinds[place] = self.documents[at][order], self.kinds[at][order]
            begin += here
        return [self._keep(documents[low:high], kinds[low:high]) for low, high in pairwise([0, *ends.tolist()])]

    def group(self, groups: NDArray[np.integer], number: int) -> GroupedDocuments:
        """Group documents whose counts are to be added up.

        Args:
            groups: (documents,) number of the group of each document, from 0 without gaps.
            number: number of groups.
        """
        size = max(1, len(self.tally.times))
        pairs, times = count_pairs(groups, self.kinds, size)
        group, kind = np.divmod(pairs, size)
        return GroupedDocuments(self.tally.rows, number, group, kind, times)

    def group_by_cluster(self, clusters: NDArray[np.integer]) -> Self:
        """Replace documents by clusters, each the sum of its documents.

        Args:
            clusters: (documents,) number of the cluster of each document, from 0 without gaps.
        """
        number = int(clusters.max()) + 1 if len(clusters) else 0
        grouped = self.group(clusters, number)
        parts = [
            self.from_counts(grouped.sum_counts(low, min(low + DOCUMENTS_PER_PIECE, number)))
            for low in range(0, max(1, number), DOCUMENTS_PER_PIECE)
        ]
        return self.merge(parts)

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
        number = len(self.tally.times)
        if len(kinds) < number:  # few documents cost no step for each kind
            used, own, times = np.unique(kinds, return_inverse=True, return_counts=True)
        else:
            every = count_codes(kinds, number)
            used = np.flatnonzero(every)
            place = np.zeros(number, kinds.dtype)
            place[used] = np.arange(len(used))
            own, times = place[kinds], every[used]
        rows = self.tally.rows.take(used).normalize()
        rows = replace(rows, cell=narrow_integers(rows.cell), values=narrow_integers(rows.values))
        return type(self)(Tally(rows, times), documents, narrow_integers(own))


@dataclass(frozen=True, eq=False)
class GroupedDocuments:
    """How often each distinct document occurs in each group of documents.

    Args:
        rows: normal counts of the distinct documents, numbered 0, 1, ...
        number: number of groups.
        group: (pairs,) the group, ascending.
        kind: (pairs,) the distinct document.
        times: (pairs,) how often it occurs in the group.
    """

    rows: Counts
    number: int
    group: Ints
    kind: Ints
    times: Ints

    @property
    def sizes(self) -> Ints:
        """(groups,) number of documents of each group."""
        total = np.zeros(self.number, np.int64)
        np.add.at(total, self.group, self.times)
        return total

    def count_rows(self) -> Ints:
        """Count the rows that the first groups add up: (groups + 1,)."""
        lengths = np.bincount(self.rows.row, minlength=len(self.rows.documents))
        before = np.append(0, np.cumsum(lengths[self.kind]))
        return before[np.searchsorted(self.group, np.arange(self.number + 1))]

    def sum_groups(self, low: int, high: int) -> Sums:
        """Add up the documents of each group.

        Sums of floats do not depend on their order.

        Args:
            low: number of the first group.
            high: number of the group after the last; the leading axis of the sums is that of the groups.
        """
        counts = self._sum_values(low, high)
        values = np.zeros((high - low, len(counts.cells), len(counts.columns)), np.int64)
        values[counts.row, counts.cell] = counts.values
        measures = self.rows.measures
        measured = np.zeros((high - low, len(measures), 2))
        if measures:
            flat = self.rows.measured.reshape(len(self.rows.documents), -1)
            for group in range(low, high):
                at = slice(*np.searchsorted(self.group, [group, group + 1]))
                times = self.times[at]
                summed = compute_weighted_sums(times[None], flat[self.kind[at]], int(times.sum()))
                measured[group - low] = summed.reshape(len(measures), 2)
        return Sums(counts.parts, counts.columns, counts.cells, values, measures, measured)

    def sum_counts(self, low: int, high: int) -> Counts:
        """Return the sums of groups as counts.

        Args:
            low: number of the first group, and of the first document of the counts.
            high: number of the group after the last.
        """
        measured = self._add_measures(low, high)
        return replace(
            self._sum_values(low, high),
            documents=np.arange(low, high),
            measures=self.rows.measures,
            measured=measured.reshape(high - low, len(self.rows.measures), 2),
        )

    def _add_measures(self, low: int, high: int) -> Floats:
        """Add up the measures of groups in ascending order: (groups, columns).

        The order of documents never matters.
        """
        begin, end = np.searchsorted(self.group, [low, high]).tolist()
        group, kind, times = self.group[begin:end], self.kind[begin:end], self.times[begin:end]
        flat = self.rows.measured.reshape(len(self.rows.documents), -1)
        sums = np.zeros((high - low, flat.shape[1]))
        starts = np.append(0, np.cumsum(times))[np.searchsorted(group, np.arange(low, high))]
        for k in range(flat.shape[1] if len(group) else 0):
            column = flat[:, k][kind]
            order = np.lexsort((column, group))
            sums[:, k] = np.add.reduceat(np.repeat(column[order], times[order]), starts)
        return sums

    def _sum_values(self, low: int, high: int) -> Counts:
        """Add up the counts of groups, numbered from 0, without measures."""
        begin, end = np.searchsorted(self.group, [low, high]).tolist()
        starts = range(begin, max(begin + 1, end), PAIRS_AT_ONCE)
        parts = [self._sum_pairs(slice(at, min(at + PAIRS_AT_ONCE, end)), low) for at in starts]
        return Counts.merge(parts).normalize()

    def _sum_pairs(self, at: slice, low: int) -> Counts:
        rows, group = self.rows.take(self.kind[at]), self.group[at] - low
        values = rows.values * self.times[at][rows.row, None]
        nothing = np.zeros((len(group), 0, 2))
        return replace(rows, documents=group, values=values, measures=(), measured=nothing).normalize()
