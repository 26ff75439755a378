"""Score named entities: read, decide the tag scheme once, decode, align, count, and hand out a `Run`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from isogloss.errors import UsageError
from isogloss.kernel.counting import FindInBatch
from isogloss.kernel.metric import Metric
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.signature import Signature
from isogloss.records.sources import Progress, Source
from isogloss.runs.evidence import Evidence, ResamplingMethod
from isogloss.runs.metric_spec import MetricSpec
from isogloss.runs.run import Run
from isogloss.spans.batches import SpanPairs
from isogloss.spans.schemes import TagRepair
from isogloss.tasks.calls import score_call
from isogloss.tasks.counting import build_evidence, count_corpus
from isogloss.tasks.document_columns import add_slices
from isogloss.tasks.ner.events import SpanEvents, find_span_errors
from isogloss.tasks.ner.inputs import ReadingOptions, SpanInput, open_ner_inputs
from isogloss.tasks.ner.metric import NamedEntities
from isogloss.tasks.ner.options import AUTO, PROFILES, MacroOver, NerOptions
from isogloss.tasks.ner.profiles import NerProfile
from isogloss.tasks.ner.reading import SpanReading, read_profile_spans, read_spans
from isogloss.tasks.ner.span_slices import (
    SEEN_COLUMN,
    SlicedEntities,
    build_span_facts,
    make_sliced_metric,
    open_training_data,
    read_training_spans,
    split_span_columns,
)
from isogloss.tasks.ner.task import SCORES, TASK
from isogloss.tasks.scoring_options import ScoringOptions, SliceColumns
from isogloss.version import __version__

LABEL_ABSENT = "label-absent"


def ner(  # noqa: PLR0913  a command's options are its arguments
    reference: Any,
    prediction: Any = None,
    *,
    scheme: str = AUTO,
    repair: TagRepair | None = None,
    profile: str | None = None,
    labels: Iterable[str] | None = None,
    zero_division: float | None = None,
    beta: float = 1.0,
    macro_over: MacroOver = "union",
    by: SliceColumns = (),
    training: Any = None,
    confidence: float | None = None,
    resamples: int = 1000,
    unit: str = "document",
    interval: ResamplingMethod = "bootstrap",
    seed: int = 12345,
    findings: bool | int = False,
    context: int = 3,
    input_format: str | None = None,
    prediction_format: str | None = None,
    columns: Sequence[int | str] | None = None,
    ignore_tokens: bool = False,
    strict_spans: bool = False,
    repair_offsets: bool = False,
    answers: str | None = None,
) -> Run:
    """Score predicted named entities against a reference.

    Args:
        reference: a path, a list of tag lists, or per document a list of spans: `(start, end, label)` half-open, dicts
            with these keys, or objects with these attributes.
        prediction: likewise; may be left out when the reference is a CoNLL file with a column for it.
        scheme: `iob1`, `iob2`, `ioe1`, `ioe2`, `iobes`, `bilou`, `bmes`, `bmewo`, `io`, or `auto`: by the tags.
        repair: what to do about tags that do not fit the scheme: `begin` a span there (the default), `discard` the
            span, or `error`.
        profile: the tool whose figures are wanted: `seqeval`, `seqeval-strict`, `conlleval`, `seqscore`, `nervaluate`,
            `spacy`, `fair`.
        labels: score only spans with these labels.
        zero_division: the value of 0/0: 0, 1, or None for undefined (nan).
        beta: weight of recall in the F-measure, above 0.
        macro_over: whether a mean runs over the labels of both sides (`union`) or of the `reference`.
        by: columns whose values are scored apart, too, such as `file` or `entity_length`; or per column the value of
            each document.
        training: for `by="seen"`, the path of the training data, in any of the formats.
        confidence: level of the bootstrap intervals in (0, 1), None for no intervals.
        resamples: number of resamples.
        unit: `document`, or the column whose values are resampled as a whole.
        interval: how intervals are made: `bootstrap`, or `wilson` for scores that are plain proportions of independent
            units; the others have the bootstrap then, too.
        seed: seed of the resamples.
        findings: whether to keep every wrong span with its context; a number keeps the first so many.
        context: words of context on each side of a finding.
        input_format: the format of the files, such as `brat`; None to recognise it.
        prediction_format: that of the prediction, if it is another.
        columns: columns of CoNLL files, from 1, from the end below 0: (token, tag), or (token, reference, prediction);
            names where columns have names.
        ignore_tokens: whether the tokens of the files may differ.
        strict_spans: whether spans that are not of one piece are refused, and not counted as their hull.
        repair_offsets: whether offsets that are off by a known slip are put right.
        answers: the field with what a model answered, to be read as mentions.

    Returns:
        The run, with scores, warnings and signature.

    Raises:
        UsageError: options or arguments that cannot be meant.
        DataError: input that cannot be scored; it says where, what and what to do.

    Examples:
        >>> run = ner([["B-PER", "I-PER", "O"]], [["B-PER", "O", "O"]])
        >>> run.scores["partial"].f1
        0.5
    """
    return score_call(TASK, dict(locals()))


def open_systems(
    reference: Any,
    predictions: Sequence[Any],
    options: NerOptions,
    wanted: ScoringOptions,
    progress: Progress | None = None,
) -> list[SpanInput]:
    """Open the systems that are compared with a reference.

    Args:
        reference: a path or source, or a list of documents.
        predictions: one per system; None, or no prediction at all, for the column of the reference's own file.
        options: how files are read.
        wanted: what is wanted of documents.
        progress: called now and then with the bytes read.

    Raises:
        UsageError: if an option applies to none of the files.
        DataError: if a file cannot be read.
    """
    layout = ReadingOptions(
        input_format=options.input_format,
        prediction_format=options.prediction_format,
        columns=options.columns,
        ignore_tokens=options.ignore_tokens,
        strict_spans=options.strict_spans,
        repair_offsets=options.repair_offsets,
        answers=options.answers,
        progress=progress,
        attributes=wanted.attributes,
    )
    training = None if options.training is None else open_training_data(options.training, layout)
    shared = Source(reference) if isinstance(reference, str) and len(predictions) > 1 else reference
    return [replace(pairs, training=training) for pairs in open_ner_inputs(shared, predictions or [None], layout)]


def score(span_input: SpanInput, options: NerOptions, scoring_options: ScoringOptions) -> Run:
    """Score one system.

    Args:
        pairs: the input.
        options: what is scored and how.
        wanted: what else.

    Raises:
        UsageError: for options that cannot be meant, or that the profile does not have.
        DataError: for input that cannot be scored.
    """
    reading, metric = _read_input(span_input, options)
    training = span_input.training
    batches, by_span, of_documents = split_span_columns(reading.spans, scoring_options)
    if training is not None and SEEN_COLUMN not in by_span:
        raise UsageError(
            "Training data tells which names are seen, which nobody asked for: say --by seen (by=['seen']).",
        )
    by: SlicedEntities | None = None
    if by_span:
        trained = None if training is None else read_training_spans(training, options.scheme)
        by = metric = make_sliced_metric(metric, by_span, span_input, trained)
    collected = count_corpus(
        batches,
        metric,
        _make_finder(scoring_options.context, options.profile),
        of_documents,
        build_span_facts(span_input),
    )
    ingredients: dict[str, Any] = {"profile": options.profile, "options": options.metric_options()}
    if by is not None:
        by = metric = by.with_frequency(collected.tally.sum_all())
        collected.findings = [add_slices(finding, by.list_slice_values(finding)) for finding in collected.findings]
        ingredients["slices"] = by.to_metric_arguments()
    evidence = build_evidence(collected, metric, of_documents, MetricSpec("ner", ingredients, make_metric))
    choices = {**span_input.choices, **reading.choices, **options.choices(), **scoring_options.list_choices()}
    choices |= {"spans-by": "+".join(by_span)} if by_span else {}
    return Run(
        task="ner",
        system=span_input.system,
        signature=Signature("ner", __version__, choices),
        evidence=evidence,
        profile=options.profile,
        findings=tuple(collected.findings),
        warnings=(*reading.warnings, *collected.warnings, *warn_absent_labels(options.labels, evidence)),
        inputs=span_input.list_input_files(),
        list_findings=scoring_options.findings != 0,
        tool_output=tool_output(options.profile, evidence),
        document_counts=evidence.document_counts,
        documents_digest=collected.digest,
        catalogue=SCORES,
        rescore=lambda: score(span_input, options, scoring_options.reduce_to_documents()),
    )


def make_metric(
    profile: str | None,
    options: Mapping[str, Any],
    slices: Mapping[str, Any] | None = None,
) -> Metric[SpanPairs]:
    """What is counted and scored.

    Args:
        profile: another tool whose definition is meant, None for the default one.
        options: what differs from the defaults, as `NerOptions.metric_options` returns it.
        slices: by which properties of spans they were counted, as `SlicedEntities.ingredients` gives it.
    """
    if profile is None:
        return NamedEntities(**options) if slices is None else SlicedEntities(NamedEntities(**options), **slices)
    tool: NerProfile = PROFILES.load(profile)
    metric: Metric[SpanPairs] = tool.configure_metric(**options)
    return metric


def _read_input(span_input: SpanInput, options: NerOptions) -> tuple[SpanReading, Metric[SpanPairs]]:
    how = span_input, options.scheme, options.repair, options.labels
    metric = make_metric(options.profile, options.metric_options())
    if options.profile is None:
        return read_spans(*how), metric
    return read_profile_spans(PROFILES.load(options.profile), *how), metric


def tool_output(profile: str | None, evidence: Evidence) -> Mapping[str, Any]:
    """Keys and values as the tool of a profile writes them itself; none of other profiles."""
    written = None if profile is None else PROFILES.load(profile).tool_output
    return {} if written is None else written(evidence.numbers)


def warn_absent_labels(labels: Iterable[str] | None, evidence: Evidence) -> tuple[RunWarning, ...]:
    """What to say of labels that were asked for and that no span has."""
    if labels is None:
        return ()  # without the work of scoring, which may never be asked for
    found = {key[1] for key in evidence.numbers if key[0] == "by_label"}
    return tuple(
        RunWarning(LABEL_ABSENT, f"No span has the label {label!r}.") for label in labels if label not in found
    )


def _make_finder(context: int, profile: str | None) -> FindInBatch[SpanPairs]:
    pair = None if profile is None else PROFILES.load(profile).pair_spans
    return lambda batch, limit: find_span_errors(batch, context, limit, pair or SpanEvents.from_batch)
