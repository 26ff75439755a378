"""Figures of single samples, and their data frame.

The figures are counts, indicators and words of both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import UsageError, import_extra
from isogloss.tasks.segmentation.batches import CodePoints, WordPairs, decode_code_points
from isogloss.tasks.segmentation.inputs import SegmentationInput, build_batches, open_input
from isogloss.tasks.segmentation.metric import (
    WordRegions,
    compute_prf,
    count_characters,
    count_per_document,
    mark_correct_words,
)
from isogloss.tasks.segmentation.options import Align, OnMismatch, SegmentationOptions

if TYPE_CHECKING:
    import pandas as pd

OUTPUT_SEPARATOR = "|"
CHARACTER_COUNTS = ("tp", "fp", "tn", "fn")
SAMPLE_PROFILES = (None, "thai-benchmark", "pythainlp")  # profiles with the figures of the default definition
FrameRow = dict[str, Any]


@dataclass(frozen=True)
class SampleRow:
    """The figures of a sample.

    Args:
        sample: number of the sample from 1.
        where: place of the prediction.
        character_counts: tp, fp, tn, fn of the characters.
        correct: number of words that both sides have.
        predicted: number of words of the prediction.
        reference: number of words of the reference.
        indicators: for each word of the prediction 1 if the reference has it, else 0.
        reference_indicators: for each word of the reference 1 if the prediction has it, else 0.
        expected: the words of the reference joined by `|`.
        actual: the words of the prediction joined by `|`; empty if it has another text.
    """

    sample: int
    where: str
    character_counts: Mapping[str, int]
    correct: int
    predicted: int
    reference: int
    indicators: str
    reference_indicators: str
    expected: str
    actual: str


def build_sample_rows(given: SegmentationInput, definition: SegmentationOptions) -> Iterator[SampleRow]:
    """Compute the figures of the scored samples, in order.

    Args:
        given: reference and prediction.
        definition: options of the task.

    Raises:
        UsageError: if the profile has no figures of single samples.
        DataError: if the input cannot be scored.
    """
    if definition.profile not in SAMPLE_PROFILES:
        known = ", ".join(filter(None, SAMPLE_PROFILES))
        raise UsageError(f"The profile {definition.profile} has no figures of single samples. Choose from {known}.")
    for batch in build_batches(given, definition)[0]:
        yield from _build_batch_rows(batch)


def segmentation_frame(  # noqa: PLR0913  a public call: each option is an argument
    reference: Any,
    prediction: Any,
    *,
    profile: str | None = "thai-benchmark",
    on_mismatch: OnMismatch = "error",
    align: Align = "none",
    input_format: str | None = None,
    prediction_format: str | None = None,
) -> pd.DataFrame:
    """Return a data frame with a row for each sample.

    The columns have the names of a tool.

    Args:
        reference: a path, or a list of words for each sample.
        prediction: the same for the prediction.
        profile: `thai-benchmark`, `pythainlp`, or None for the names of isogloss and the indicators of both sides.
        on_mismatch: how samples whose texts differ are handled: `error`, `skip` or `zero`.
        align: form in which differing texts are compared: `none`, `nfc` or `thai`.
        input_format: format of the files; None to detect it.
        prediction_format: format of the predictions, if it differs.

    Raises:
        UsageError: if an option has a value that is not allowed.
        DataError: if the input cannot be scored.
        MissingExtraError: if pandas is not installed.
    """
    pandas = import_extra("pandas", "A data frame", "pandas")
    definition = SegmentationOptions(profile=profile, on_mismatch=on_mismatch, align=align)
    rows = build_sample_rows(open_input(reference, prediction, input_format, prediction_format), definition)
    data = [{**ROW_FORMATS[profile](row), "expected": row.expected, "actual": row.actual} for row in rows]
    return cast("pd.DataFrame", pandas.DataFrame(data))


def to_thai_benchmark_row(row: SampleRow) -> FrameRow:
    """Name figures as the benchmark of 2019 does."""
    bits = row.character_counts
    return {
        **{f"char_level:{name}": bits[name] for name in ("tp", "fp", "tn", "fn")},
        **_compute_ratios("char_level", bits["tp"], bits["tp"] + bits["fp"], bits["tp"] + bits["fn"]),
        **_compute_ratios("word_level", row.correct, row.predicted, row.reference),
        "global:tokenisation_indicators": row.indicators,
    }


def to_pythainlp_row(row: SampleRow) -> FrameRow:
    """Name figures as `pythainlp.benchmarks` does."""
    return {
        **{f"char_level:{name}": row.character_counts[name] for name in CHARACTER_COUNTS},
        "word_level:correctly_tokenized_words": row.correct,
        "word_level:total_words_in_sample": row.predicted,
        "word_level:total_words_in_ref_sample": row.reference,
        "global_:tokenization_indicators": row.indicators,
    }


def to_default_row(row: SampleRow) -> FrameRow:
    """Name figures as isogloss does."""
    return {
        "sample": row.sample,
        "where": row.where,
        **{f"character.{name}": row.character_counts[name] for name in CHARACTER_COUNTS},
        **{f"word.{name}": getattr(row, name) for name in ("correct", "predicted", "reference")},
        "reference_indicators": row.reference_indicators,
        "predicted_indicators": row.indicators,
    }


ROW_FORMATS: Mapping[str | None, Callable[[SampleRow], FrameRow]] = {
    None: to_default_row,
    "thai-benchmark": to_thai_benchmark_row,
    "pythainlp": to_pythainlp_row,
}


def _compute_ratios(group: str, correct: int, predicted: int, reference: int) -> FrameRow:
    figures = compute_prf(*(np.array(number) for number in (correct, predicted, reference)), zero_division=0.0)
    return {f"{group}:{name}": float(value) for name, value in figures.items()}


def _build_batch_rows(batch: WordPairs) -> Iterator[SampleRow]:
    regions = WordRegions.from_batch(batch)
    bits = {name: column.tolist() for name, column in count_characters(batch, regions).items()}
    ours, theirs = (flags.view(np.uint8) for flags in mark_correct_words(batch, regions))
    correct = count_per_document(regions.correct, batch).tolist()
    edges = [np.append(0, np.cumsum(starts))[batch.offsets].tolist() for starts in (batch.reference, batch.predicted)]
    offsets = batch.offsets.tolist()
    for row, number in enumerate(batch.documents.tolist()):
        low, high = offsets[row], offsets[row + 1]
        tp, fp, fn = (bits[name][row] for name in ("tp", "fp", "fn"))
        yield SampleRow(
            sample=number + 1,
            where=batch.provenance.where(row, 0, "predicted"),
            character_counts={name: bits[name][row] for name in CHARACTER_COUNTS},
            correct=correct[row],
            predicted=tp + fp,
            reference=tp + fn,
            indicators=_format_flags(theirs[edges[1][row] : edges[1][row + 1]]),
            reference_indicators=_format_flags(ours[edges[0][row] : edges[0][row + 1]]),
            expected=_join_words(batch.text[low:high], batch.reference[low:high]),
            actual=_join_words(batch.text[low:high], batch.predicted[low:high]) if batch.compared[row] else "",
        )


def _format_flags(flags: NDArray[np.uint8]) -> str:
    return (flags + ord("0")).astype(np.uint8).tobytes().decode("ascii")


def _join_words(text: CodePoints, starts: NDArray[np.bool_]) -> str:
    """Join words by `|`."""
    characters = decode_code_points(text)
    edges = [*np.flatnonzero(starts).tolist(), len(starts)]
    return OUTPUT_SEPARATOR.join(characters[a:b] for a, b in pairwise(edges))
