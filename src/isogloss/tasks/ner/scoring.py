"""Score named entities, from reading to the finished `Run`.

The steps are: read, detect the tag scheme once, decode, align, count, and build a `Run`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from os import PathLike
from typing import Any

from isogloss.errors import UsageError
from isogloss.kernel.counted_corpus import FindInBatch
from isogloss.kernel.metric import Metric
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.sums import Sums
from isogloss.records.sources import Progress, Source
from isogloss.runs.evidence import Evidence, MetricSpec, ResamplingMethod
from isogloss.runs.run import Run
from isogloss.runs.run_json import LABELS_ROLE
from isogloss.spans.batches import SpanPairs
from isogloss.spans.label_map import LabelMap, LabelMapper, count_rules, warn_unused_rules
from isogloss.spans.label_names import find_similar_name
from isogloss.spans.overlaps import MinOverlap
from isogloss.spans.scheme_detection import SchemeDecision, decide_schemes, use_named_scheme
from isogloss.spans.schemes import TagRepair
from isogloss.spans.tag_evidence import TagEvidence
from isogloss.tasks.counted_system import CountedFile, CountedSystem, PartError, list_counted_files
from isogloss.tasks.document_columns import add_slices
from isogloss.tasks.ner.aliases import suggest_aliases
from isogloss.tasks.ner.findings import SpanEvents, find_span_errors
from isogloss.tasks.ner.inputs import ReadingOptions, SpanInput, open_ner_inputs, open_shared_reference
from isogloss.tasks.ner.levels import LeveledMetric, classify_levels
from isogloss.tasks.ner.metric import NamedEntities, make_min_overlap
from isogloss.tasks.ner.options import AUTO, PROFILES, NerOptions, OverlapBase
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
from isogloss.tasks.ner.task import TASK
from isogloss.tasks.options import MacroOver, decode_beta
from isogloss.tasks.run_building import build_evidence, build_run, count_corpus
from isogloss.tasks.scoring import score_call
from isogloss.tasks.scoring_options import ScoringOptions, SliceColumns

LABEL_ABSENT, NO_SPANS = "label-absent", "no-spans"
NO_SPANS_MESSAGE = (
    "Neither side has a span to score. Check that the texts are annotated, and that the format and columns are right."
)
TOKEN_COUNTS = frozenset(("tokens_correct", "tokens_total"))  # all other counts are of spans


def ner(  # noqa: PLR0913  the public call: each option is an argument
    reference: Any,
    prediction: Any = None,
    *,
    scheme: str = AUTO,
    repair: TagRepair | None = None,
    profile: str | None = None,
    labels: Iterable[str] | Mapping[str, Any] | str | PathLike[str] | None = None,
    zero_division: float | None = None,
    beta: float = 1.0,
    macro_over: MacroOver = "union",
    min_overlap: float = 0.0,
    min_overlap_of: OverlapBase = "union",
    by: SliceColumns = (),
    training: Any = None,
    confidence: float | None = None,
    resamples: int = 1000,
    unit: str = "document",
    interval: ResamplingMethod = "auto",
    seed: int = 12345,
    findings: bool | int = False,
    context: int = 3,
    input_format: str | None = None,
    prediction_format: str | None = None,
    columns: Sequence[int | str] | None = None,
    ignore_tokens: bool = False,
    strict_spans: bool = False,
    repair_offsets: bool = False,
    offset_unit: str | None = None,
    split: str | None = None,
    answers: str | None = None,
    tokens: Any = None,
    texts: Any = None,
    label_names: Sequence[str] | None = None,
    system: str | None = None,
) -> Run:
    """Score predicted named entities against a reference.

    Args:
        reference: a path, a list of tag lists, or per document a list of spans: half-open `(start, end, label)`, dicts
            with these keys, or objects with these attributes; or rows such as `{"tokens": ..., "tags": ...}`, in the
            shape of any JSON format.
        prediction: the same for the prediction; may be left out if the reference is a CoNLL file with a column of
            predicted tags.
        scheme: tag scheme: `iob1`, `iob2`, `ioe1`, `ioe2`, `iobes`, `bilou`, `bmes`, `bmewo`, `io`, or `auto` to detect
            it.
        repair: how invalid tags are handled, such as I-ORG after O: `begin` a span there (the default), `discard` the
            span, or `error`.
        profile: tool whose figures are reproduced: `seqeval`, `seqeval-strict`, `conlleval`, `seqscore`, `nervaluate`,
            `spacy`, `fair`, `presidio`.
        labels: labels to score, None for all; or rules that rename, merge and drop labels and give their parents: the
            path of a TOML file, or a dictionary with the same keys.
        zero_division: value of 0/0: 0, 1, or None for undefined (nan).
        beta: weight of recall in the F-measure, above 0.
        macro_over: labels that enter a mean: those of both sides (`union`) or of the `reference`.
        min_overlap: smallest overlap of a pair of spans, from 0 to 1; spans that overlap less are missed and spurious.
            0 for any overlap.
        min_overlap_of: what `min_overlap` is a share of: the `union` of both spans, or the `reference` span.
        by: columns to slice by, such as `file` or `entity_length`; or per column a value for each document.
        training: path of the training data for `by="seen"`, in any of the formats.
        confidence: level of the intervals in (0, 1); None for no intervals.
        resamples: number of bootstrap resamples, 1 or more.
        unit: `document`, or the column of clusters, which are resampled as a whole.
        interval: method of the intervals: `auto` for the one that fits each score; `bootstrap`; or `wilson` for
            proportions of independent documents, and the bootstrap for other scores.
        seed: seed of the resamples, 0 or more.
        findings: whether to keep a finding for each wrong span; a number keeps at most so many.
        context: words of context on each side of a finding, 0 or more.
        input_format: format of the files; None to detect it.
        prediction_format: format of the predictions, if it differs.
        columns: columns of CoNLL files, from 1, from the end below 0: (token, tag), or (token, reference, prediction)
            in one file; or the names of columns.
        ignore_tokens: whether the tokens of both files may differ.
        strict_spans: whether discontinuous spans are refused instead of replaced by their hull.
        repair_offsets: whether to fix offsets counted in UTF-16 units or bytes, or shifted by a few characters.
        offset_unit: what offsets of recognisers count: `code-points`, `utf-16`, `utf-8` (bytes), `graphemes` or
            `text-elements` (of .NET); None to find out by the texts of their spans.
        split: split of a folder of Hugging Face datasets, such as `test`; None if it has one split.
        answers: field with the answer of a language model, read as mentions.
        tokens: per document a list of words, for findings: a word for each tag, or the tokens that positions of spans
            count.
        texts: per document its text, for findings, if positions of spans count code points; beside tags, the words
            between white space are the tokens.
        label_names: names of tags that are numbers, from 0.
        system: name of the system in tables and comparisons; None for the path of the prediction, or `prediction`.

    Returns:
        The run, with its scores, warnings and signature.

    Raises:
        UsageError: if an option is unknown, has a value that is not allowed, or conflicts with another.
        DataError: if the input cannot be scored; the message says where, what was found and what to do.

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
    scoring_options: ScoringOptions,
    progress: Progress | None = None,
) -> list[SpanInput]:
    """Open the input of each system.

    Args:
        reference: a path or source, or a list of documents.
        predictions: one per system; None, or an empty list, for a column of the reference file.
        options: format, columns and repairs of the files.
        scoring_options: columns to keep of the documents.
        progress: takes the number of bytes read so far.

    Raises:
        UsageError: if an option applies to no file.
        DataError: if a file cannot be read.
    """
    layout = ReadingOptions(**vars(options), progress=progress, attributes=scoring_options.attributes)
    own = replace(layout, tokens=None, texts=None, label_names=None)
    training = None if options.training is None else open_training_data(options.training, own)
    shared = open_shared_reference(reference, layout) if len(predictions) > 1 else reference
    return [replace(pairs, training=training) for pairs in open_ner_inputs(shared, predictions or [None], layout)]


def count(span_input: SpanInput, options: NerOptions, scoring_options: ScoringOptions) -> CountedSystem:
    """Count one system.

    Args:
        span_input: the opened input.
        options: definition of the scores.
        scoring_options: intervals, findings, slices and clusters.

    Raises:
        UsageError: if options conflict, or the profile does not support an option.
        DataError: if the input cannot be scored.
    """
    profile: NerProfile | None = None if options.profile is None else PROFILES.load(options.profile)
    if scoring_options.for_partial and options.labels is None and profile and profile.scored_labels == "reference":
        raise UsageError(
            f"--profile {profile.name} scores the labels of the whole reference, which a part does not have: "
            "name them with --label PER --label LOC (labels=[...])."
        )
    parents = {} if options.label_map is None else options.label_map.parents
    arguments: dict[str, Any] = {"profile": options.profile, "options": options.metric_options()}
    arguments |= {"parents": parents} if parents else {}
    metric = make_metric(**arguments)
    how = span_input, options.scheme, options.repair, options.labels, options.label_map
    reading = read_spans(*how) if profile is None else read_profile_spans(profile, *how)
    training = span_input.training
    if training is not None:
        span_input = replace(span_input, warnings=(*span_input.warnings, *training.warnings))
    batches, by_span, of_documents = split_span_columns(reading.spans, scoring_options)
    if training is not None and SEEN_COLUMN not in by_span:
        raise UsageError("--training has no effect without --by seen: add it (by=['seen']).")
    by: SlicedEntities | None = None
    if by_span:
        trained = None if training is None else read_training_spans(training, options.scheme, options.label_map)
        by = metric = make_sliced_metric(metric, by_span, span_input, trained)
        arguments["slices"] = by.to_metric_arguments()
    collected = count_corpus(
        batches,
        metric,
        _make_finder(profile, options, scoring_options.context, parents),
        of_documents,
        build_span_facts(span_input),
    )
    if by is not None:
        collected.findings = [add_slices(finding, by.list_slice_values(finding)) for finding in collected.findings]
    return CountedSystem(
        span_input.system,
        collected,
        {**span_input.choices, **reading.choices, **options.choices()},
        arguments,
        (*list_counted_files(span_input.sources), *_list_label_files(options.label_map)),
        options.profile,
        reading.warnings,
        span_input.warnings,
        _build_state(reading, options, scoring_options, by_span),
        collected.tally.documents,
        {"list_labels": lambda: _list_labels(span_input, options)},
    )


def _build_state(
    reading: SpanReading, options: NerOptions, scoring_options: ScoringOptions, by_span: Sequence[str]
) -> dict[str, Any]:
    """Return what `finish` needs besides counts."""
    state: dict[str, Any] = {"labels": options.labels, "by_span": by_span}
    if reading.mapper is not None:
        state["label_rules"] = reading.mapper.to_state()
    if scoring_options.for_partial and isinstance(reading.evidence, TagEvidence):
        state["tags"] = reading.evidence.to_state()
    elif scoring_options.for_partial and reading.evidence is not None:
        state["named_tags"] = {"scheme": options.scheme, "tags": reading.evidence}
    return state


def merge_states(parts: Sequence[CountedSystem], merged: CountedSystem) -> CountedSystem:
    """Return the merged parts of a system with their state.

    Args:
        parts: the parts, in order.
        merged: the parts merged, with the state of the first.

    Raises:
        PartError: if all tags together have another scheme than those of a part.
    """
    state = dict(merged.state)
    if "label_rules" in state:
        state["label_rules"] = LabelMapper.from_states([part.state["label_rules"] for part in parts]).to_state()
    decision: SchemeDecision | None = None
    if all("tags" in part.state for part in parts):
        firsts = accumulate((part.numbers for part in parts), initial=0)
        found = [TagEvidence.from_state(part.state["tags"], first) for part, first in zip(parts, firsts, strict=False)]
        evidence = sum(found, TagEvidence())
        decision = decide_schemes(evidence)
        for k, own in enumerate(found):
            _check_decision(k, own, decision)
        state["tags"] = evidence.to_state()
    elif all("named_tags" in part.state for part in parts):
        tags = dict.fromkeys(tag for part in parts for tag in part.state["named_tags"]["tags"])
        decision = use_named_scheme(state["named_tags"]["scheme"], tags)
        state["named_tags"] = {**state["named_tags"], "tags": tuple(tags)}
    profile: NerProfile | None = None if merged.profile is None else PROFILES.load(merged.profile)
    if decision is None or (profile is not None and not profile.schemes and profile.make_decoder is not None):
        return replace(merged, state=state)
    return replace(merged, state=state, warnings=decision.warnings)


def _check_decision(part: int, evidence: TagEvidence, whole: SchemeDecision) -> None:
    """Check that a part was read with the scheme of the whole.

    Raises:
        PartError: if it was not.
    """
    own = decide_schemes(evidence)
    if (own.reference, own.predicted, own.notation) == (whole.reference, whole.predicted, whole.notation):
        return
    raise PartError(
        f"its tags were read as {_name_decision(own)}, but the tags of all parts together are {_name_decision(whole)}",
        part=part,
        remedy=f"Count the parts again with --scheme {whole.reference.name}.",
    )


def _name_decision(decision: SchemeDecision) -> str:
    names = dict.fromkeys((decision.reference.name, decision.predicted.name))
    return " and ".join(names) + ("" if decision.notation == "prefix" else f" ({decision.notation})")


def finish(counted: CountedSystem, scoring_options: ScoringOptions) -> Run:
    """Score a counted system.

    Args:
        counted: the system.
        scoring_options: options with which it was counted; intervals may differ.

    Raises:
        UsageError: if no span has the only requested label.
    """
    collected, state, arguments = counted.counts, counted.state, dict(counted.arguments)
    metric = make_metric(**arguments)
    if isinstance(metric, SlicedEntities):
        metric = by = metric.with_frequency(collected.tally.sum_all())
        arguments["slices"] = by.to_metric_arguments()
        collected = replace(collected, findings=[by.add_frequency(finding) for finding in collected.findings])
    by_span = state["by_span"]
    of_documents = replace(scoring_options, by=tuple(name for name in scoring_options.by if name not in by_span))
    evidence = build_evidence(collected, metric, of_documents, MetricSpec("ner", arguments, make_metric))
    absent = _check_labels(state["labels"], evidence, counted.of_input.get("list_labels"))
    mapper = LabelMapper.from_states([state["label_rules"]]) if "label_rules" in state else None
    return build_run(
        TASK,
        replace(counted, corpus=collected),
        evidence,
        scoring_options,
        choices={"spans-by": "+".join(by_span)} if by_span else None,
        warnings=(
            *warn_absent_labels(absent),
            *warn_no_spans(evidence.sums),
            *warn_unused_rules(mapper),
            *suggest_aliases(evidence.sums),
        ),
        tool_output=make_tool_output(counted.profile, evidence),
        label_rules=count_rules(mapper),
    )


def find_min_overlap(options: NerOptions) -> MinOverlap | None:
    """Return the smallest overlap of a pair for findings.

    Profiles measure it by the reference span.
    """
    return make_min_overlap(options.min_overlap, options.min_overlap_of if options.profile is None else "reference")


def list_sources(span_input: SpanInput) -> Sequence[tuple[str, Source]]:
    """List role and file of an opened system."""
    return span_input.sources


def make_metric(
    profile: str | None,
    options: Mapping[str, Any],
    slices: Mapping[str, Any] | None = None,
    parents: Mapping[str, str] | None = None,
) -> Metric[SpanPairs]:
    """Build the metric.

    Args:
        profile: the tool whose definition is used, None for the default definition.
        options: options that differ from the defaults, as `NerOptions.metric_options` returns them.
        slices: span columns of the counts, as `SlicedEntities.to_metric_arguments` returns them.
        parents: the parent of each label that has one; None for no hierarchy.
    """
    options = decode_beta(options)
    if profile is None:
        metric: Metric[SpanPairs] = NamedEntities(**options)
        metric = metric if slices is None else SlicedEntities(NamedEntities(**options), **slices)
    else:
        tool: NerProfile = PROFILES.load(profile)
        metric = tool.configure_metric(**options)
    return LeveledMetric(metric, parents) if parents else metric


def _make_finder(
    profile: NerProfile | None,
    options: NerOptions,
    context: int,
    parents: Mapping[str, str],
) -> FindInBatch[SpanPairs]:
    """Make the function that finds the errors of a batch.

    Args:
        profile: the tool whose events are used; None for the default definition.
        options: options with the smallest overlap of a pair.
        context: words of context on each side of a finding.
        parents: the parent of each label that has one.
    """
    pair_spans = (profile and profile.pair_spans) or partial(
        SpanEvents.from_batch, min_overlap=find_min_overlap(options)
    )
    classify = partial(classify_levels, parents=parents) if parents else None
    return lambda batch, limit: find_span_errors(batch, context, limit, pair_spans, classify)


def _list_label_files(label_map: LabelMap | None) -> tuple[CountedFile, ...]:
    """List the file with the rules for labels, if there is one."""
    source = None if label_map is None else label_map.source
    if source is None:
        return ()
    return (CountedFile(LABELS_ROLE, source.name, ((source.name, source.sha256 or ""),)),)


def make_tool_output(profile: str | None, evidence: Evidence) -> Mapping[str, Any]:
    """Return keys and values as the tool of a profile does.

    They are as the tool writes them, and empty without such a tool.
    """
    build = None if profile is None else PROFILES.load(profile).tool_output
    return {} if build is None else build(evidence.numbers)


def find_absent_labels(labels: Iterable[str] | None, evidence: Evidence) -> list[str]:
    """Find the requested labels that no span has."""
    if labels is None:
        return []  # `evidence.numbers` would score, which may never be needed
    present = {key[1] for key in evidence.numbers if key[0] == "by_label"}
    return [label for label in labels if label not in present]


def warn_absent_labels(labels: Iterable[str]) -> tuple[RunWarning, ...]:
    """Warn about requested labels that no span has."""
    return tuple(RunWarning(LABEL_ABSENT, f"No span has the label {label!r}.") for label in labels)


def warn_no_spans(sums: Sums) -> tuple[RunWarning, ...]:
    """Warn if neither side has a span."""
    has_spans = any(sums.get_column(name).any() for name in sums.columns if name not in TOKEN_COUNTS)
    return () if has_spans else (RunWarning(NO_SPANS, NO_SPANS_MESSAGE),)


def _check_labels(
    requested: Sequence[str] | None, evidence: Evidence, list_labels: Callable[[], list[str]] | None
) -> list[str]:
    """List the requested labels that no span has.

    If the only one is missing, the input is read again for the labels that it has.

    Raises:
        UsageError: if no span has the only requested label.
    """
    absent = find_absent_labels(requested, evidence)
    if not absent or len(requested or ()) > 1:
        return absent
    if list_labels is None:
        raise UsageError(f"No span has the label {absent[0]!r}. Check --labels.")
    labels = list_labels()
    close = find_similar_name(absent[0], labels)
    meant = "." if close is None else f"; did you mean {close}?"
    choices = f"Its labels are {', '.join(labels)}." if labels else "It has no spans."
    raise UsageError(f"No span has the label {absent[0]!r}{meant} {choices}")


def _list_labels(span_input: SpanInput, options: NerOptions) -> list[str]:
    """List the labels of an input, which is read again."""
    spans = read_spans(span_input, options.scheme, options.repair, None, options.label_map).spans
    return sorted({known for batch in spans for known in batch.labels})


def count_passes(span_input: SpanInput, options: NerOptions) -> int:
    """Count the passes over the input of a system.

    Args:
        span_input: the opened input.
        options: definition of the scores.
    """
    profile: NerProfile | None = None if options.profile is None else PROFILES.load(options.profile)
    own_decoder = profile is not None and profile.make_decoder is not None
    detects_scheme = span_input.read_tags is not None and not (own_decoder and profile and not profile.schemes)
    lists_labels = own_decoder and options.labels is None and profile and profile.scored_labels == "reference"
    return 1 + bool(detects_scheme) + bool(lists_labels)
