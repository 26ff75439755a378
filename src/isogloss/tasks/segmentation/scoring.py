"""Score word segmentation: read, compare the texts, count, and build a `Run`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from isogloss.kernel.metric import Metric
from isogloss.records.shards import open_source
from isogloss.records.sources import Progress, Source, is_path
from isogloss.runs.evidence import MetricSpec, ResamplingMethod
from isogloss.runs.run import Run
from isogloss.tasks.counted_system import CountedSystem, list_counted_files
from isogloss.tasks.document_columns import DocumentFacts, add_words_to_digest
from isogloss.tasks.run_building import build_evidence, build_run, count_corpus
from isogloss.tasks.scoring import score_call
from isogloss.tasks.scoring_options import ScoringOptions, SliceColumns
from isogloss.tasks.segmentation.batches import WordPairs, decode_code_points
from isogloss.tasks.segmentation.inputs import SegmentationInput, build_batches, open_input
from isogloss.tasks.segmentation.metric import find_segmentation_errors
from isogloss.tasks.segmentation.options import SegmentationOptions
from isogloss.tasks.segmentation.pairing import LEFT_OUT
from isogloss.tasks.segmentation.task import TASK


def segmentation(  # noqa: PLR0913  the fixed public call: each option is independent
    reference: Any,
    prediction: Any,
    *,
    profile: str | None = None,
    vocabulary: Any = None,
    on_mismatch: str = "error",
    align: str = "none",
    whitespace: str | None = None,
    zero_division: float | None = None,
    by: SliceColumns = (),
    confidence: float | None = None,
    resamples: int = 1000,
    unit: str = "document",
    interval: ResamplingMethod = "auto",
    seed: int = 12345,
    findings: bool | int = False,
    context: int = 3,
    input_format: str | None = None,
    prediction_format: str | None = None,
    system: str | None = None,
) -> Run:
    """Score word segmentation against a reference.

    Args:
        reference: a path, or a list of words for each sample.
        prediction: the same for the prediction; its format may differ from the reference.
        profile: tool whose figures are reproduced: `thai-benchmark`, `pythainlp`, `conll18`, `sighan`, `spacy`.
        vocabulary: words of the training data, as a collection or the path of a file with one word a line; adds the
            recall of words in (`iv`) and out of (`oov`) the vocabulary.
        on_mismatch: how samples whose texts differ are handled: `error`, `skip` them, or `zero` for a score of 0.
        align: form in which differing texts are compared: `none`, `nfc` or `thai`.
        whitespace: how whitespace is handled: `ignore` it (the default), let it `separate` words, or `keep` it as text.
        zero_division: value of 0/0: 0, 1, or None for undefined (nan).
        by: columns to slice by, such as `file`; or per column a value for each sample.
        confidence: level of the intervals in (0, 1); None for no intervals.
        resamples: number of bootstrap resamples, 1 or more.
        unit: `document`, or the column of clusters, which are resampled as a whole.
        interval: method of the intervals: `auto` for the one that fits each score; `bootstrap`; or `wilson` for
            proportions of independent documents, and the bootstrap for other scores.
        seed: seed of the resamples, 0 or more.
        findings: whether to keep a finding for each split, merge and shift; a number keeps at most so many.
        context: words of context on each side of a finding, 0 or more.
        input_format: format of the files; None to detect it.
        prediction_format: format of the predictions, if it differs.
        system: name of the system in tables and comparisons; None for the path of the prediction, or `prediction`.

    Returns:
        The run, with its scores, warnings and signature.

    Raises:
        UsageError: if an option is unknown, has a value that is not allowed, or conflicts with another.
        DataError: if the input cannot be scored; the message says where, what was found and what to do.

    Examples:
        >>> run = segmentation([["ab", "c"]], [["a", "b", "c"]])
        >>> run.scores["word"].recall
        0.5
    """
    return score_call(TASK, dict(locals()))


def open_systems(
    reference: Any,
    predictions: Sequence[Any],
    options: SegmentationOptions,
    scoring_options: ScoringOptions,
    progress: Progress | None = None,
) -> list[SegmentationInput]:
    """Open the input of each system.

    Args:
        reference: a path or source, or a list of words for each sample.
        predictions: one per system, in the same forms.
        options: format of the files.
        scoring_options: columns to keep of the samples.
        progress: takes the number of bytes read so far.
    """
    shared = open_source(reference) if is_path(reference) else reference  # all systems share standard input
    formats = options.input_format, options.prediction_format
    return [
        open_input(shared, prediction, *formats, progress, scoring_options.attributes) for prediction in predictions
    ]


def count(
    source_input: SegmentationInput, options: SegmentationOptions, scoring_options: ScoringOptions
) -> CountedSystem:
    """Count one system.

    Args:
        source_input: reference and prediction.
        options: options of the task.
        scoring_options: which scores, intervals and findings to compute.

    Raises:
        UsageError: if options conflict, or the profile does not support an option.
        DataError: if the input cannot be scored.
    """
    batches, warnings = build_batches(source_input, options)
    collected = count_corpus(
        batches,
        options.make_metric(),
        lambda batch, limit: find_segmentation_errors(batch, scoring_options.context, limit),
        scoring_options,
        DocumentFacts(source_input.list_columns, _read_texts, _count_words, document_count=source_input.sample_count),
    )
    left_out = sum(warning.count for warning in collected.warnings if warning.message in LEFT_OUT)
    return CountedSystem(
        source_input.system,
        collected,
        options.list_choices(),
        options.to_metric_arguments(),
        list_counted_files(source_input.files),
        options.profile,
        tuple(warnings),
        numbers=collected.tally.documents + left_out,
        of_input={"listed_reference": source_input.listed_reference},
    )


def finish(counted: CountedSystem, scoring_options: ScoringOptions) -> Run:
    """Score a counted system.

    Args:
        counted: the system.
        scoring_options: options with which it was counted; intervals may differ.
    """
    metric = make_metric(**counted.arguments)
    spec = MetricSpec("segmentation", counted.arguments, make_metric)
    evidence = build_evidence(counted.counts, metric, scoring_options, spec)
    profile = SegmentationOptions(profile=counted.profile).load_profile()
    return build_run(
        TASK,
        counted,
        evidence,
        scoring_options,
        tool_output=None if profile is None or profile.tool_output is None else profile.tool_output(evidence.numbers),
        digest=add_words_to_digest(counted.counts.digest, counted.of_input.get("listed_reference")),
    )


def list_sources(source_input: SegmentationInput) -> Sequence[tuple[str, Source]]:
    """List role and file of an opened system."""
    source_input.mark_line_records()
    return source_input.files


def make_metric(profile: str | None, zero_division: int | None, *, vocabulary: bool) -> Metric[Any]:
    """Build the metric for scoring stored counts.

    Stored counts do not need the words of the vocabulary.

    Args:
        profile: the tool whose definition is used, None for the default definition.
        zero_division: value of 0/0, None for undefined.
        vocabulary: whether words were counted by vocabulary.
    """
    words = frozenset(("word",)) if vocabulary else None
    return SegmentationOptions(profile=profile, vocabulary=words, zero_division=zero_division).make_metric()


def _count_words(batch: WordPairs) -> list[int | None]:
    """Return the number of reference words of each document: (documents,)."""
    before = np.append(0, np.cumsum(batch.reference))
    return [*np.diff(before[batch.offsets]).tolist()]


def _read_texts(batch: WordPairs) -> list[str | None]:
    """Return the compared text of each document: (documents,)."""
    text = decode_code_points(batch.text)
    return [text[a:b] for a, b in pairwise(batch.offsets.tolist())]
