"""Count batches one after the other in this process.

Memory is bounded by one batch and the tally: the counts of batches are held until they are as many documents as the
tally has distinct ones, then collapsed into it, so that each document is touched a constant number of times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from isogloss.batches import Notice
from isogloss.counts import Counts, Tally
from isogloss.exceptions import DataError
from isogloss.findings import Finding
from isogloss.metric import Metric
from isogloss.scores import Ints

HELD = 2**14  # documents: their counts stay in the processor's cache


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


def count(batches: Iterable[B], metric: Metric[B], find: Find[B] | None = None, limit: int | None = None) -> Collected:
    """Count all batches.

    Args:
        batches: documents, each in one batch only.
        metric: what to count.
        find: gives at most so many findings of a batch; None: findings are not asked for.
        limit: at most so many findings in all, None for all of them.

    Raises:
        DataError: if there is no document.
    """
    pending: list[Counts] = []
    tally: Tally | None = None
    held = 0
    notices: list[Notice] = []
    findings: list[Finding] = []
    for batch in batches:
        pending.append(metric.count(batch))
        held += len(batch.documents)
        if held >= max(HELD, 0 if tally is None else len(tally.times)):
            tally, pending, held = _collapsed(tally, pending), [], 0
        notices.extend(batch.notices)
        if find is not None and (limit is None or len(findings) < limit):
            findings.extend(find(batch, 2**62 if limit is None else limit - len(findings)))
    if pending:
        tally = _collapsed(tally, pending)
    if tally is None or not tally.documents:
        raise DataError("There is no document to score.", remedy="Check that the files are the ones you mean.")
    return Collected(tally, Notice.merge(notices), findings)


def _collapsed(tally: Tally | None, pending: list[Counts]) -> Tally:
    new = Tally.of(Counts.merge(pending))
    return new if tally is None else Tally.merge([tally, new])
