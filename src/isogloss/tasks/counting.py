"""Count batches with what is wanted beside the totals: findings, slices, clusters, single documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

from isogloss.kernel.counting import CountedCorpus, FindInBatch, count_batches
from isogloss.kernel.metric import Metric
from isogloss.runs.evidence import DocumentCounts, TallyEvidence
from isogloss.runs.metric_spec import MetricSpec
from isogloss.tasks.document_columns import DocumentBatch, DocumentColumns, DocumentFacts
from isogloss.tasks.scoring_options import ScoringOptions

B = TypeVar("B", bound=DocumentBatch)


def count_with_evidence(  # noqa: PLR0913  each is independent
    batches: Iterable[B],
    metric: Metric[B],
    find: FindInBatch[B] | None,
    options: ScoringOptions,
    metric_spec: MetricSpec,
    facts: DocumentFacts[B],
    *,
    may_be_empty: bool = False,
) -> tuple[CountedCorpus, TallyEvidence]:
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
    collected = count_corpus(batches, metric, find, options, facts, may_be_empty=may_be_empty)
    return collected, build_evidence(collected, metric, options, metric_spec)


def count_corpus(
    batches: Iterable[B],
    metric: Metric[B],
    find: FindInBatch[B] | None,
    options: ScoringOptions,
    facts: DocumentFacts[B],
    *,
    may_be_empty: bool = False,
) -> CountedCorpus:
    """What a pass over the batches leaves: the arguments and errors of `counted`."""
    columns = DocumentColumns(options, facts)
    collected = count_batches(
        batches,
        metric,
        None if options.findings == 0 or find is None else columns.add_slice_values(find),
        options.findings,
        may_be_empty=may_be_empty,
        describe=columns.describe if options.keep_documents or options.needed_columns else None,
    )
    columns.check_columns()
    return replace(collected, warnings=(*collected.warnings, *options.find_warnings()))


def build_evidence(
    collected: CountedCorpus, metric: Any, options: ScoringOptions, metric_spec: MetricSpec
) -> TallyEvidence:
    """The evidence of what was counted."""
    kept = collected.kept_documents
    return TallyEvidence(
        metric,
        collected.tally,
        options.resampling,
        None if kept is None else DocumentCounts(kept.counts, kept.attributes, metric_spec),
        options.by,
        options.cluster_column,
    )
