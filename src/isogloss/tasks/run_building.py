"""Count batches of documents, and build the run from the result.

The batches are counted with findings, slices and clusters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from isogloss.kernel.counted_corpus import CountedCorpus, FindInBatch, count_batches
from isogloss.kernel.metric import Metric
from isogloss.kernel.provenance import RunWarning, Signature
from isogloss.runs.evidence import DocumentCounts, Evidence, MetricSpec, TallyEvidence
from isogloss.runs.findings import Findings
from isogloss.runs.interval_warnings import find_interval_warnings
from isogloss.runs.ranking_evidence import RankingEvidence
from isogloss.runs.run import Run
from isogloss.spans.label_map import RuleCount
from isogloss.tasks.counted_system import CountedSystem
from isogloss.tasks.document_columns import (
    DocumentBatch,
    DocumentColumns,
    DocumentFacts,
    choose_findings,
    find_in_first_documents,
    note_numbered_documents,
)
from isogloss.tasks.scoring_options import ScoringOptions
from isogloss.tasks.task import Task
from isogloss.version import __version__

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
    """Count batches and build the evidence of their scores.

    Args:
        batches: documents, each in one batch only.
        metric: counts a batch and scores the sums.
        find: finds the errors of a batch; None for no findings.
        options: findings, slices, clusters and intervals to compute.
        metric_spec: builds the metric again without the input.
        facts: texts, lengths and columns of the documents.
        may_be_empty: whether zero documents are allowed.

    Raises:
        UsageError: if `options` name a column that no document has.
        DataError: if there is no document.
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
    """Count batches; arguments and errors are those of `count_with_evidence`."""
    columns = DocumentColumns(options, facts)
    is_numbered: list[bool] = []
    if find is not None:
        find = columns.add_slice_values(find)
        if options.finding_kinds or options.finding_labels:
            find = choose_findings(find, options.finding_kinds, options.finding_labels)
        if options.finding_documents is not None:
            find = find_in_first_documents(find, options.finding_documents)
        find = note_numbered_documents(find, is_numbered) if options.for_partial else find
    collected = count_batches(
        batches,
        metric,
        None if options.findings == 0 else find,
        options.findings,
        may_be_empty=may_be_empty or options.for_partial,  # another part may have documents
        describe=columns.describe if options.keep_documents or options.needed_columns else None,
        keep_reference=options.for_partial,
    )
    if not options.for_partial:  # another part may have the column
        columns.check_columns()
    warnings = (*collected.warnings, *(() if options.for_partial else options.find_warnings()))
    return replace(collected, warnings=warnings, is_numbered=is_numbered)


def build_evidence(
    collected: CountedCorpus, metric: Any, options: ScoringOptions, metric_spec: MetricSpec
) -> TallyEvidence:
    """Build the evidence of a counted corpus."""
    kept = collected.kept_documents
    return TallyEvidence(
        metric,
        collected.tally,
        options.resampling,
        None if kept is None else DocumentCounts(kept.tallied, kept.attributes, metric_spec),
        options.by,
        options.cluster_column,
        unit_known=options.unit is not None,
    )


def build_run(  # noqa: PLR0913  each is a part of a run
    task: Task,
    counted: CountedSystem,
    evidence: Evidence,
    scoring_options: ScoringOptions,
    *,
    choices: Mapping[str, str | int | float] | None = None,
    warnings: Iterable[RunWarning] = (),
    tool_output: Mapping[str, Any] | None = None,
    digest: str | None = None,
    label_rules: Sequence[RuleCount] = (),
) -> Run:
    """Build the run of a system that was counted.

    Args:
        task: gives the run its name, its catalogue of scores and the start of its signature.
        counted: the counted system.
        evidence: source of the scores.
        scoring_options: intervals, and whether findings were requested.
        choices: choices for the signature after those of `counted` and `scoring_options`.
        warnings: further warnings.
        tool_output: keys and values that the tool of the profile writes; None without such a tool.
        digest: digest of the documents and of a reference without a file; None for that of the counts.
        label_rules: the number of spans that each rule for labels touched.
    """
    corpus = counted.counts
    of_tally = evidence.tally_evidence if isinstance(evidence, RankingEvidence) else evidence
    all_warnings = [*counted.file_warnings, *counted.warnings, *corpus.warnings, *warnings]
    if isinstance(of_tally, TallyEvidence):
        extreme = evidence.extreme_intervals if isinstance(evidence, RankingEvidence) else {}
        all_warnings += find_interval_warnings(of_tally, {**of_tally.intervals, **extreme})
    all_choices = {**counted.choices, **scoring_options.list_choices(), **(choices or {})}
    return Run(
        task=task.name,
        system=counted.system,
        signature=Signature(task.name, __version__, all_choices, task.definition.version),
        evidence=evidence,
        profile=counted.profile,
        findings=Findings(corpus.findings, task.name),
        warnings=RunWarning.merge(all_warnings),
        inputs=counted.inputs,
        label_rules=tuple(label_rules),
        list_findings=scoring_options.findings != 0,
        tool_output=tool_output or {},
        document_counts=of_tally.document_counts if isinstance(of_tally, TallyEvidence) else None,
        documents_digest=digest or corpus.digest,
        catalogue=task.scores,
    )
