"""Count batches with what is wanted beside the totals: findings, slices, clusters, single documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

from isogloss.kernel.counting import Collected, Find, count
from isogloss.kernel.metric import Metric
from isogloss.runs.evidence import Every, TallyEvidence
from isogloss.runs.metric_spec import Recipe
from isogloss.tasks.document_columns import Batch, Columns, Known
from isogloss.tasks.scoring_options import Wanted

B = TypeVar("B", bound=Batch)


def counted(  # noqa: PLR0913  each is independent
    batches: Iterable[B],
    metric: Metric[B],
    find: Find[B] | None,
    wanted: Wanted,
    recipe: Recipe,
    known: Known[B],
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
        known: what is known of the documents.
        may_be_empty: whether a batch without documents will do.

    Raises:
        UsageError: a column is wanted that the documents do not have.
        DataError: there is no document.
    """
    collected = collect(batches, metric, find, wanted, known, may_be_empty=may_be_empty)
    return collected, evidence_of(collected, metric, wanted, recipe)


def collect(
    batches: Iterable[B],
    metric: Metric[B],
    find: Find[B] | None,
    wanted: Wanted,
    known: Known[B],
    *,
    may_be_empty: bool = False,
) -> Collected:
    """What a pass over the batches leaves: the arguments and errors of `counted`."""
    columns = Columns(wanted, known)
    collected = count(
        batches,
        metric,
        None if wanted.findings == 0 or find is None else columns.told(find),
        wanted.findings,
        may_be_empty=may_be_empty,
        describe=columns.describe if wanted.kept or wanted.columns else None,
    )
    columns.check()
    return replace(collected, notices=(*collected.notices, *wanted.notices()))


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
