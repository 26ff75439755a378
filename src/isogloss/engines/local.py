"""Count batches one after the other in this process.

Memory is bounded by one batch, `HELD` documents and the tally: the counts of batches are held until they are so many
documents, then tallied; these tallies are held until they have as many distinct documents as the tally of all before,
then merged with it, so that each document is touched a constant number of times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np

from isogloss.batches import Notice
from isogloss.counts import Counts, Tally
from isogloss.exceptions import DataError
from isogloss.findings import Finding
from isogloss.metric import Metric
from isogloss.scores import Ints

HELD = 2**15  # documents: with a dozen counts each they take some megabytes
LARGE = 2**24  # bytes: all that is computed of a batch has less


class Batch(Protocol):
    """What an engine needs to know of a batch."""

    @property
    def documents(self) -> Ints:
        """(documents,) numbers, ascending from batch to batch."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What was done about the input."""


B = TypeVar("B", bound=Batch)
Find = Callable[[B, int], list[Finding]]


@dataclass
class Collected:
    """What a pass over the batches leaves.

    Args:
        tally: the distinct documents.
        notices: what was done about the input, merged.
        findings: what a person looks at, when asked for.
    """

    tally: Tally
    notices: tuple[Notice, ...]
    findings: list[Finding] = field(default_factory=list)


def count(
    batches: Iterable[B],
    metric: Metric[B],
    find: Find[B] | None = None,
    limit: int | None = None,
    *,
    may_be_empty: bool = False,
) -> Collected:
    """Count all batches.

    Args:
        batches: documents, each in one batch only.
        metric: what to count.
        find: gives at most so many findings of a batch; None: findings are not asked for.
        limit: at most so many findings in all, None for all of them.
        may_be_empty: whether a batch without documents will do.

    Raises:
        DataError: if there is no document.
    """
    _keep_what_is_freed()
    gathered = _Gathered()
    notices: list[Notice] = []
    findings: list[Finding] = []
    for batch in batches:
        gathered.add(metric.count(batch))
        notices.extend(batch.notices)
        if find is not None and (limit is None or len(findings) < limit):
            findings.extend(find(batch, 2**62 if limit is None else limit - len(findings)))
    tally = gathered.tally()
    if tally is None or not (tally.documents or may_be_empty):
        raise DataError("There is no document to score.", remedy="Check that the files are the ones you mean.")
    return Collected(tally, Notice.merge(notices), findings)


def _keep_what_is_freed() -> None:
    """Have the memory that a batch frees used for the next one.

    The C library of Linux returns it to the system instead, until it has seen a large piece come and go; fetching it
    again for each batch took half of the time of a short run. The piece is never written to, so it takes no memory.
    """
    np.empty(LARGE, np.uint8)


class _Gathered:
    """The counts of the batches so far."""

    def __init__(self) -> None:
        self._pending: list[Counts] = []
        self._documents = 0  # of the pending counts
        self._tallies: list[Tally] = []  # the first is of all that came before the others

    def add(self, counts: Counts) -> None:
        """Take the counts of a batch."""
        self._pending.append(counts)
        self._documents += len(counts.documents)
        if self._documents >= HELD:
            self._collapse()
            first, *others = (len(tally.times) for tally in self._tallies)
            if sum(others) >= first:
                self._tallies = [Tally.merge(self._tallies)]

    def tally(self) -> Tally | None:
        """The tally of all batches, None if there was none."""
        if self._pending:
            self._collapse()
        return Tally.merge(self._tallies) if len(self._tallies) > 1 else next(iter(self._tallies), None)

    def _collapse(self) -> None:
        self._tallies.append(Tally.of(Counts.merge(self._pending)))
        self._pending, self._documents = [], 0
