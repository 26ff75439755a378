"""Score text classification, from reading to the finished `Run`.

The steps are: read, decide whether labels exclude each other, count, rank, and build a `Run`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from isogloss.kernel.counted_corpus import FindInBatch
from isogloss.kernel.findings import Finding
from isogloss.kernel.provenance import RunWarning
from isogloss.records.shards import open_source
from isogloss.records.sources import Progress, Source, is_path
from isogloss.runs.evidence import Evidence, MetricSpec, ResamplingMethod
from isogloss.runs.ranking_evidence import RankingEvidence
from isogloss.runs.run import Run
from isogloss.tasks.classification import metric
from isogloss.tasks.classification.findings import find_label_errors
from isogloss.tasks.classification.inputs import (
    ClassificationInput,
    check_single_labels,
    find_input_warnings,
    open_classification_input,
    split_documents,
)
from isogloss.tasks.classification.label_matrix import LabelledDocuments
from isogloss.tasks.classification.options import (
    DEFAULT_THRESHOLD,
    OTHERS,
    PROFILES,
    ClassificationOptions,
    DefinitionOptions,
)
from isogloss.tasks.classification.profiles import ClassificationScoring, make_scoring
from isogloss.tasks.classification.saved_documents import from_state, merge_tables, to_state
from isogloss.tasks.classification.task import TASK
from isogloss.tasks.counted_system import CountedSystem, PartError, list_counted_files
from isogloss.tasks.document_columns import BUILT_IN_COLUMNS, DocumentFacts, has_own_file, hash_labels
from isogloss.tasks.options import MacroOver, decode_beta, encode_beta
from isogloss.tasks.run_building import build_run, count_with_evidence
from isogloss.tasks.scoring import score_call
from isogloss.tasks.scoring_options import ScoringOptions, SliceColumns

LABELS_DETECTED = "labels-detected"
LABEL_MODE_WARNINGS = {
    True: RunWarning(
        LABELS_DETECTED,
        "The reference has lists or values of labels, so a document may have several labels (multi-label).",
    ),
    False: RunWarning(
        LABELS_DETECTED,
        "The reference has one label per document, so labels exclude each other and the highest score decides.",
    ),
}
TEXT_COLUMNS = frozenset(BUILT_IN_COLUMNS)


def classification(  # noqa: PLR0913  the fixed public call: each option is independent
    reference: Any,
    prediction: Any = None,
    *,
    threshold: float | Mapping[str, float] = DEFAULT_THRESHOLD,
    profile: str | None = None,
    labels: Sequence[str] | None = None,
    multi_label: bool | None = None,
    zero_division: float | None = None,
    beta: float = 1.0,
    macro_over: MacroOver = "union",
    best_threshold: bool = False,
    positive_label: str | None = None,
    by: SliceColumns = (),
    confidence: float | None = None,
    resamples: int = 1000,
    unit: str = "document",
    interval: ResamplingMethod = "auto",
    seed: int = 12345,
    findings: bool | int = False,
    system: str | None = None,
) -> Run:
    """Score text classification.

    Args:
        reference: for each document its label, a list of labels, or a mapping of labels to 0, 1 or None for unknown;
            an array (documents, labels) of 0 and 1; or a path.
        prediction: for each document a mapping of labels to scores, its label, or a list of labels; an array
            (documents, labels) of scores; or a path. Leave it out if `reference` is a path to JSON lines with both.
        threshold: lowest score with which a label is predicted, if documents may have several labels; or a mapping with
            the thresholds of single labels, 0.5 for the others.
        profile: `spacy` for the figures of spaCy, None for the default definition.
        labels: labels of the columns of arrays, in order.
        multi_label: whether a document may have several labels; None for no if the reference has one label per
            document, else yes.
        zero_division: value of 0/0: 0, 1, or None for undefined (nan).
        beta: weight of recall in the F-measure, above 0.
        macro_over: labels that enter a mean: those of both sides (`union`) or of the `reference`.
        best_threshold: whether to search the threshold with the highest F of each label.
        positive_label: with the profile `spacy`, the label whose F is the score, if two labels exclude each other.
        by: columns to slice by, such as `file`; or per column a value for each document.
        confidence: level of the intervals in (0, 1); None for no intervals.
        resamples: number of bootstrap resamples, 1 or more. DeLong intervals of ROC-AUC use none.
        unit: `document`, or the column of clusters, which are resampled as a whole.
        interval: method of the intervals: `auto` for the one that fits each score; `bootstrap`; or `wilson` for
            proportions of independent documents, and the bootstrap for other scores.
        seed: seed of the resamples, 0 or more.
        findings: whether to keep a finding for each wrong label; a number keeps at most so many.
        system: name of the system in tables and comparisons; None for the path of the prediction, or `prediction`.

    Returns:
        The run, with its scores, warnings and signature.

    Raises:
        UsageError: if an option is unknown, has a value that is not allowed, or conflicts with another.
        DataError: if the input cannot be scored; the message says where, what was found and what to do.

    Examples:
        >>> run = classification(["a", "b"], [{"a": 0.9, "b": 0.1}, {"a": 0.6, "b": 0.4}])
        >>> run.scores["overall"].accuracy, run.scores["roc_auc"].macro
        (0.5, 1.0)
    """
    return score_call(TASK, dict(locals()))


def open_systems(
    reference: Any,
    predictions: Sequence[Any],
    options: ClassificationOptions,
    scoring_options: ScoringOptions,
    progress: Progress | None = None,
) -> list[ClassificationInput]:
    """Open the reference and the prediction of each system.

    Args:
        reference: a path or source, or labels of documents.
        predictions: one per system; None, or an empty sequence, if the file of the reference has the scores too.
        options: options of the task, with the labels of columns.
        scoring_options: options of scoring, with the columns of slices.
        progress: called with the number of bytes read.
    """
    shared = open_source(reference) if is_path(reference) else reference  # a source reads standard input only once
    return [
        open_classification_input(
            shared, prediction, options.labels, progress=progress, attributes=scoring_options.attributes
        )
        for prediction in predictions or [None]
    ]


def count(
    classification_input: ClassificationInput, options: ClassificationOptions, scoring_options: ScoringOptions
) -> CountedSystem:
    """Read the documents of one system.

    Areas and labels depend on all documents, so these are counted when they are all there.

    Args:
        classification_input: reference and prediction of the system.
        options: options of the task.
        scoring_options: intervals, slices and findings.

    Raises:
        UsageError: if an option is not allowed, or the profile does not support it.
        DataError: if the input cannot be scored.
    """
    read = classification_input.read(
        scoring_options.findings != 0 or not TEXT_COLUMNS.isdisjoint(scoring_options.needed_columns)
    )
    state: dict[str, Any] = {
        "options": options,
        "own_file": has_own_file(classification_input.sources),
        "read": read,
    }
    if scoring_options.for_partial:
        columns = scoring_options.needed_columns
        state |= {"read": to_state(read, columns), "options": asdict(options)}
    return CountedSystem(
        classification_input.system,
        None,
        {},
        files=list_counted_files(classification_input.sources),
        profile=options.profile,
        state=state,
        numbers=len(read.documents.documents),
        of_input={"columns": classification_input.columns},
    )


def merge_states(parts: Sequence[CountedSystem], merged: CountedSystem) -> CountedSystem:
    """Return the merged parts of a system with the documents of all.

    Args:
        parts: the parts, in order.
        merged: the parts merged, with the state of the first.

    Raises:
        PartError: if the parts have other options, or another kind of labels or predictions.
    """
    first = parts[0].state
    for k, part in enumerate(parts):
        if part.state["options"] != first["options"]:
            raise PartError("it has other options than the first part", part=k, remedy="Count all parts alike.")
    return replace(merged, state={**first, "read": merge_tables([part.state["read"] for part in parts])})


def finish(counted: CountedSystem, scoring_options: ScoringOptions) -> Run:
    """Score the documents of a system.

    Args:
        counted: the system.
        scoring_options: options with which it was read; intervals may differ.

    Raises:
        UsageError: if an option is not allowed, or the profile does not support it.
        DataError: if the documents cannot be scored.
    """
    state = counted.state
    options, read = state["options"], state["read"]
    options = ClassificationOptions(**options) if isinstance(options, Mapping) else options
    read = from_state(read) if isinstance(read, Mapping) else read
    multi_label = read.kind != "label" if options.multi_label is None else options.multi_label
    table = read.documents if multi_label or read.kind == "label" else check_single_labels(read.documents)
    scoring = _make_scoring(options, table, multi_label=multi_label)
    find = _make_finder(options.definition_options(multi_label=multi_label)) if scoring_options.findings != 0 else None
    spec = MetricSpec("classification", _build_metric_arguments(options, table, multi_label=multi_label), make_metric)
    facts: DocumentFacts[LabelledDocuments] = DocumentFacts(
        counted.of_input.get("columns", tuple),
        digest_reference=None if state["own_file"] else digest_labels,
        text_column="text",
    )
    collected, counts = count_with_evidence(
        split_documents(table), scoring.count_metric, find, scoring_options, spec, facts
    )
    evidence: Evidence = counts
    choices: dict[str, str] = {}
    if table.scores is not None:
        evidence = RankingEvidence(counts, scoring.order_metric, scoring.rank(table), scoring_options.resampling)
        resampling = scoring_options.resampling
        choices |= {"roc-auc": "newcombe"} if scoring_options.list_choices() else {}
        choices |= {"average-precision": "logit-t"} if resampling is not None and resampling.method == "auto" else {}
    decided = (LABEL_MODE_WARNINGS[multi_label],) if options.multi_label is None else ()
    return build_run(
        TASK,
        replace(counted, corpus=collected, choices=options.list_choices(multi_label=multi_label), warnings=decided),
        evidence,
        scoring_options,
        choices=choices,
        warnings=find_input_warnings(table, multi_label=multi_label),
        tool_output=None if scoring.tool_output is None else scoring.tool_output(evidence.numbers),
    )


def list_sources(classification_input: ClassificationInput) -> Sequence[tuple[str, Source]]:
    """List role and file of an opened system."""
    return classification_input.sources


def make_metric(definition: Mapping[str, Any], labels: Sequence[str], *, multi_label: bool, order: bool = False) -> Any:
    """Build the metric of a stored run again.

    Args:
        definition: arguments of `ClassificationOptions`, with the default threshold and `thresholds` apart.
        labels: labels of the documents.
        multi_label: whether a document may have several labels.
        order: whether to return the metric of rankings, rather than the metric of counts.
    """
    thresholds = {OTHERS: definition["threshold"], **definition["thresholds"]}
    given = {name: value for name, value in definition.items() if name != "thresholds"} | {"threshold": thresholds}
    options = ClassificationOptions(**decode_beta(given))
    shape = (1, len(labels))
    no_provenance: Any = None  # the definitions look at labels and scores only
    documents = LabelledDocuments(
        np.arange(1), tuple(labels), np.zeros(shape, np.int8), np.zeros(shape), None, no_provenance
    )
    scoring = _make_scoring(options, documents, multi_label=multi_label)
    return scoring.order_metric if order else scoring.count_metric


def _make_scoring(
    options: ClassificationOptions, documents: LabelledDocuments, *, multi_label: bool
) -> ClassificationScoring:
    make = PROFILES.load(options.profile) if options.profile else make_scoring
    scoring: ClassificationScoring = make(options.definition_options(multi_label=multi_label), documents)
    return scoring


def _build_metric_arguments(
    options: ClassificationOptions, table: LabelledDocuments, *, multi_label: bool
) -> dict[str, Any]:
    """Return the arguments with which `make_metric` builds the metric again."""
    names = ("multi_label", "profile", "zero_division", "beta", "macro_over", "best_threshold", "positive_label")
    definition = {name: getattr(options, name) for name in names}
    definition |= {"beta": encode_beta(options.beta)}
    definition |= {"threshold": options.default_threshold, "thresholds": options.thresholds}
    return {"definition": definition, "labels": list(table.labels), "multi_label": multi_label}


def _make_finder(options: DefinitionOptions) -> FindInBatch[LabelledDocuments]:
    def find(batch: LabelledDocuments, limit: int) -> Iterator[Finding]:
        if options.multi_label:
            predicted = metric.choose_labels(batch, options.threshold, options.thresholds)
        else:
            predicted = metric.choose_label(batch)[:, None] == np.arange(len(batch.labels))
        return find_label_errors(batch, predicted, limit, exclusive=not options.multi_label)

    return find


def digest_labels(batch: LabelledDocuments) -> bytes:
    """Return the document and the label of each reference label, as bytes."""
    rows, columns = np.nonzero(batch.gold == 1)
    hashes = hash_labels(batch.labels)[columns]
    order = np.lexsort((hashes, rows))  # independent of labels that only one system knows
    return np.column_stack((batch.documents[rows][order], hashes[order])).tobytes()
