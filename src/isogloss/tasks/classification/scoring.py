"""Score text classification: read, decide once whether labels exclude each other, count, rank, and hand out a `Run`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from isogloss.kernel.counting import FindInBatch
from isogloss.kernel.findings import Finding
from isogloss.kernel.provenance import RunWarning, Side, TextExcerpt
from isogloss.records.sources import Progress, Source
from isogloss.runs.evidence import Evidence, ResamplingMethod
from isogloss.runs.metric_spec import MetricSpec
from isogloss.runs.ranking_evidence import RankingEvidence
from isogloss.runs.run import Run
from isogloss.tasks.calls import score_call
from isogloss.tasks.classification import metric
from isogloss.tasks.classification.definition_options import DEFAULT, DefinitionOptions
from isogloss.tasks.classification.findings import find_label_errors
from isogloss.tasks.classification.inputs import Documents, blocks, one_label_each, opened, remarks
from isogloss.tasks.classification.label_matrix import LabelledDocuments
from isogloss.tasks.classification.options import OTHERS, PROFILES, ClassificationOptions
from isogloss.tasks.classification.profiles import make_scoring as default_scoring
from isogloss.tasks.classification.task import TASK
from isogloss.tasks.counting import build_run, count_with_evidence
from isogloss.tasks.document_columns import BUILT_IN_COLUMNS, DocumentFacts
from isogloss.tasks.options import MacroOver
from isogloss.tasks.reference_digest import has_own_file, hash_labels
from isogloss.tasks.scoring_options import ScoringOptions, SliceColumns

LABELS_DETECTED = "labels-detected"
TEXT_COLUMNS = frozenset(BUILT_IN_COLUMNS)


def classification(  # noqa: PLR0913  the fixed public call: each option is independent
    reference: Any,
    prediction: Any = None,
    *,
    threshold: float | Mapping[str, float] = DEFAULT,
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
    interval: ResamplingMethod = "bootstrap",
    seed: int = 12345,
    findings: bool | int = False,
) -> Run:
    """Score text classification.

    Args:
        reference: per document its label, a list of its labels, or a mapping of labels to 0, 1 or None for unknown; an array
            (documents, labels) of 0 and 1; or a path.
        prediction: per document a mapping of labels to numbers, or the label or labels that it is given; an array
            (documents, labels) of numbers; or a path. May be left out when `reference` is a path to JSON lines with both.
        threshold: where a document may have several labels, those are given whose score is at least this; a mapping
            has the thresholds of some labels, 0.5 for the others.
        profile: the tool whose figures are wanted: `spacy`.
        labels: what the columns of arrays stand for.
        multi_label: whether a document may have several labels; None to tell by the reference: not if it is one label each.
        zero_division: value of 0/0: 0, 1, or None for undefined (nan).
        beta: weight of recall in the F-measure, above 0.
        macro_over: labels that enter a mean: those of both sides (`union`) or of the `reference`.
        best_threshold: whether to look for the threshold with the highest F of each label.
        positive_label: with the profile `spacy`, of two labels that exclude each other the one whose F is the score.
        by: columns to slice by, such as `file`; or per column a value for each document.
        confidence: level of the intervals in (0, 1); None for no intervals.
        resamples: number of bootstrap resamples, 1 or more. DeLong intervals of ROC-AUC use none.
        unit: `document`, or the column of clusters, which are resampled as a whole.
        interval: method of the intervals: `bootstrap`, or `wilson` for scores that are proportions of independent
            documents; other scores keep the bootstrap.
        seed: seed of the resamples, 0 or more.
        findings: whether to keep a finding for each wrong label; a number keeps at most so many.

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
    wanted: ScoringOptions,
    progress: Progress | None = None,
) -> list[Documents]:
    """Open the systems that are compared with a reference.

    Args:
        reference: a path or source, or labels of documents.
        predictions: one per system; None, or no prediction at all, where the reference's own file has the scores.
        options: what the columns of arrays are.
        wanted: what is wanted of documents.
        progress: called now and then with the bytes read.
    """
    shared = Source(reference) if isinstance(reference, str) else reference  # keeps standard input for the next system
    return [
        opened(shared, prediction, options.labels, progress=progress, attributes=wanted.attributes)
        for prediction in predictions or [None]
    ]


def score(classification_input: Documents, options: ClassificationOptions, scoring_options: ScoringOptions) -> Run:
    """Score one system.

    Raises:
        UsageError: for options that cannot be meant, or that the profile does not have.
        DataError: for input that cannot be scored.
    """
    read = classification_input.read(
        scoring_options.findings != 0 or not TEXT_COLUMNS.isdisjoint(scoring_options.needed_columns)
    )
    multi_label = read.kind != "label" if options.multi_label is None else options.multi_label
    terms = options.definition_options(multi_label=multi_label)
    table = read.documents if multi_label or read.kind == "label" else one_label_each(read.documents)
    scoring = (PROFILES.load(options.profile) if options.profile else default_scoring)(terms, table)
    find = None if scoring_options.findings == 0 else _make_finder(terms)
    recipe = MetricSpec("classification", _build_metric_arguments(options, table, multi_label=multi_label), make_metric)
    known = DocumentFacts(
        classification_input.columns,
        digest_reference=None if has_own_file(classification_input.sources) else digest_labels,
        text_column="text",
    )
    collected, counts = count_with_evidence(blocks(table), scoring.count_metric, find, scoring_options, recipe, known)
    evidence: Evidence = counts
    ranked = table.scores is not None
    if ranked:
        evidence = RankingEvidence(counts, scoring.order_metric, scoring.rank(table), scoring_options.resampling)
    decided = _warn_label_mode(multi_label=multi_label) if options.multi_label is None else ()
    choices = _list_choices(options, scoring_options, multi_label=multi_label, ranked=ranked)
    return build_run(
        TASK,
        classification_input.system,
        collected,
        evidence,
        scoring_options,
        choices,
        rescore=lambda: score(classification_input, options, scoring_options.reduce_to_documents()),
        profile=options.profile,
        inputs=classification_input.inputs(),
        warnings=(*decided, *collected.warnings, *remarks(table, multi_label=multi_label)),
        tool_output=None if scoring.tool_output is None else scoring.tool_output(evidence.numbers),
    )


def make_metric(definition: Mapping[str, Any], labels: Sequence[str], *, multi_label: bool, order: bool = False) -> Any:
    """What is counted and scored, or with `order` what scores a ranking.

    Args:
        definition: what `ClassificationOptions` is given.
        labels: those of the documents.
        multi_label: whether a document may have several.
        order: whether the scores of the order of documents are meant.
    """
    options = _options_of(definition).definition_options(multi_label=multi_label)
    made = PROFILES.load(definition["profile"]) if definition["profile"] else default_scoring
    shape = (1, len(labels))
    names = tuple(labels)
    zeros = LabelledDocuments(np.arange(1), names, np.zeros(shape, np.int8), np.zeros(shape), None, _NoProvenance())
    scoring = made(options, zeros)
    return scoring.order_metric if order else scoring.count_metric


def _build_metric_arguments(
    options: ClassificationOptions, table: LabelledDocuments, *, multi_label: bool
) -> dict[str, Any]:
    """Return the arguments with which `measure` builds the metric again."""
    names = ("multi_label", "profile", "zero_division", "beta", "macro_over", "best_threshold", "positive_label")
    chosen = {name: getattr(options, name) for name in names}
    chosen |= {"threshold": options.default_threshold, "thresholds": options.thresholds}
    return {"definition": chosen, "labels": list(table.labels), "multi_label": multi_label}


def _options_of(definition: Mapping[str, Any]) -> ClassificationOptions:
    thresholds = {OTHERS: definition["threshold"], **definition["thresholds"]}
    rest = {name: value for name, value in definition.items() if name not in {"threshold", "thresholds"}}
    return ClassificationOptions(threshold=thresholds, **rest)


class _NoProvenance:
    """The origin of documents that are not there."""

    def name(self, row: int) -> str:
        """Not asked for."""
        raise NotImplementedError

    def where(self, row: int, position: int, side: Side) -> str:
        """Not asked for."""
        raise NotImplementedError

    def passage(self, row: int) -> TextExcerpt | None:
        """Not asked for."""
        raise NotImplementedError


def _list_choices(
    options: ClassificationOptions,
    scoring_options: ScoringOptions,
    *,
    multi_label: bool,
    ranked: bool,
) -> dict[str, str | int | float]:
    drawn = scoring_options.list_choices()
    return options.choices(multi_label=multi_label) | drawn | ({"roc-auc": "delong"} if drawn and ranked else {})


def _make_finder(options: DefinitionOptions) -> FindInBatch[LabelledDocuments]:
    def find(batch: LabelledDocuments, limit: int) -> list[Finding]:
        if options.multi_label:
            taken = metric.choose_labels(batch, options.threshold, options.thresholds)
        else:
            codes = metric.choose_label(batch)
            taken = codes[:, None] == np.arange(len(batch.labels))
        return find_label_errors(batch, taken, limit, exclusive=not options.multi_label)

    return find


def _warn_label_mode(*, multi_label: bool) -> Iterable[RunWarning]:
    if multi_label:
        return [
            RunWarning(
                LABELS_DETECTED, "The gold has lists or values of labels: a document may have several (multi-label)."
            )
        ]
    return [
        RunWarning(
            LABELS_DETECTED,
            "The gold has one label per document: labels exclude each other, the highest score decides.",
        )
    ]


def digest_labels(batch: LabelledDocuments) -> bytes:
    """Document and label of each label of the gold."""
    rows, columns = np.nonzero(batch.gold == 1)
    hashes = hash_labels(batch.labels)[columns]
    order = np.lexsort((hashes, rows))  # systems may know of other labels
    return np.column_stack((batch.documents[rows][order], hashes[order])).tobytes()
