"""Count batches with what is wanted beside the totals: findings, slices, clusters, single documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from isogloss.batches import Columned, Notice, Origin
from isogloss.engines.local import Collected, Described, Find, count
from isogloss.evaluate.wanted import Wanted
from isogloss.exceptions import UsageError
from isogloss.metric import Metric
from isogloss.run import Every, Recipe, TallyEvidence
from isogloss.scores import Ints

NONE = "none"  # the value of a column where a document has none


class Batch(Protocol):
    """What is asked of a batch beside its counts."""

    @property
    def documents(self) -> Ints:
        """(documents,) numbers, ascending from batch to batch."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What was done about the input."""

    @property
    def origin(self) -> Origin:
        """Where the documents come from."""


B = TypeVar("B", bound=Batch)


def counted(
    batches: Iterable[B],
    metric: Metric[B],
    find: Find[B] | None,
    wanted: Wanted,
    recipe: Recipe,
    *,
    may_be_empty: bool = False,
) -> tuple[Collected, TallyEvidence]:
    """Count, and keep what is wanted.

    Args:
        batches: documents, each in one batch only.
        metric: what to count.
        find: gives findings of a batch.
        wanted: what else.
        recipe: how the metric is made again.
        may_be_empty: whether a batch without documents will do.

    Raises:
        UsageError: a column is wanted that the documents do not have.
        DataError: there is no document.
    """
    needed = wanted.kept or wanted.columns
    collected = count(
        batches,
        metric,
        None if wanted.findings == 0 else find,
        wanted.findings,
        may_be_empty=may_be_empty,
        describe=described(wanted.columns) if needed else None,
    )
    return collected, evidence_of(collected, metric, wanted, recipe)


def evidence_of(collected: Collected, metric: Any, wanted: Wanted, recipe: Recipe) -> TallyEvidence:
    """The evidence of what was counted."""
    kept = collected.kept
    return TallyEvidence(
        metric,
        collected.tally,
        wanted.resampling,
        None if kept is None else Every(kept.counts, kept.attributes, recipe),
        wanted.by,
        wanted.clusters,
    )


def described(columns: Sequence[str]) -> Callable[[Batch], Described]:
    """What is known of the documents of a batch: their names, and these columns."""

    def describe(batch: Batch) -> Described:
        origin, rows = batch.origin, range(len(batch.documents))
        return Described([origin.name(row) for row in rows], {name: _values(origin, name, rows) for name in columns})

    return describe


def _values(origin: Origin, column: str, rows: Sequence[int]) -> list[str]:
    if not isinstance(origin, Columned):
        raise UsageError(f"This input has no columns, so that it cannot be sliced or clustered by {column!r}.")
    values = [origin.value(row, column) for row in rows]
    if rows and all(value is None for value in values):
        raise UsageError(f"No document has a value in the column {column!r}.")
    return [NONE if value is None else value for value in values]
