"""What each sample contributes: its counts, the indicators of both sides, and both sides as they were compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import UsageError, import_extra
from isogloss.tasks.segmentation.batches import WordPairs
from isogloss.tasks.segmentation.inputs import Sides, cut, opened
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
SAMPLE_PROFILES = (None, "thai-benchmark", "pythainlp")  # profiles that compare samples as the default does
FrameRow = dict[str, Any]


@dataclass(frozen=True)
class SampleRow:
    """A sample.

    Args:
        sample: its number from 1.
        where: place of the prediction.
        bits: tp, fp, tn, fn of its characters.
        correct: words that both sides have.
        predicted: words of the prediction.
        reference: words of the reference.
        indicators: of each word of the prediction, 1 if the reference has it, else 0.
        reference_indicators: likewise of each word of the reference.
        expected: the words of the reference between `|`.
        actual: those of the prediction; empty where it has not the text.
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


def build_sample_rows(sides: Sides, definition: SegmentationOptions) -> Iterator[SampleRow]:
    """The samples that are scored, in their order.

    Raises:
        UsageError: the profile compares no samples.
        DataError: for input that cannot be scored.
    """
    if definition.profile not in SAMPLE_PROFILES:
        raise UsageError(f"The profile {definition.profile} has no figures of single samples in this form.")
    for batch in cut(sides, definition.reading(), definition.pairing()).batches:
        yield from _build_batch_rows(batch)


def segmentation_frame(  # noqa: PLR0913  like `segmentation`
    reference: Any,
    prediction: Any,
    *,
    profile: str | None = "thai-benchmark",
    on_mismatch: OnMismatch = "error",
    align: Align = "none",
    input_format: str | None = None,
    prediction_format: str | None = None,
) -> pd.DataFrame:
    """A row for each sample, under the column names of the tool that the profile names.

    Args:
        reference: a path, or a list of words for each sample.
        prediction: likewise.
        profile: `thai-benchmark`, `pythainlp`, or None for names of our own and the indicators of both sides.
        on_mismatch: what becomes of samples whose texts differ.
        align: in which form texts are compared that differ as they are.
        input_format: of both files, None to recognise each.
        prediction_format: of the prediction, where it is another one.

    Raises:
        UsageError: options that cannot be meant.
        DataError: input that cannot be scored.
        MissingExtraError: pandas is not installed.
    """
    pandas = import_extra("pandas", "A data frame", "pandas")
    definition = SegmentationOptions(profile=profile, on_mismatch=on_mismatch, align=align)
    rows = build_sample_rows(opened(reference, prediction, input_format, prediction_format), definition)
    data = [{**ROW_FORMATS[profile](row), "expected": row.expected, "actual": row.actual} for row in rows]
    return cast("pd.DataFrame", pandas.DataFrame(data))


def to_thai_benchmark_row(row: SampleRow) -> FrameRow:
    """The names of the benchmark of 2019."""
    bits = row.character_counts
    return {
        **{f"char_level:{name}": bits[name] for name in ("tp", "fp", "tn", "fn")},
        **_compute_ratios("char_level", bits["tp"], bits["tp"] + bits["fp"], bits["tp"] + bits["fn"]),
        **_compute_ratios("word_level", row.correct, row.predicted, row.reference),
        "global:tokenisation_indicators": row.indicators,
    }


def to_pythainlp_row(row: SampleRow) -> FrameRow:
    """The names of `pythainlp.benchmarks`."""
    return {
        **{f"char_level:{name}": row.character_counts[name] for name in CHARACTER_COUNTS},
        "word_level:correctly_tokenized_words": row.correct,
        "word_level:total_words_in_sample": row.predicted,
        "word_level:total_words_in_ref_sample": row.reference,
        "global_:tokenization_indicators": row.indicators,
    }


def to_default_row(row: SampleRow) -> FrameRow:
    """Our own names."""
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
            where=batch.origin.where(row, 0, "predicted"),
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


def _join_words(text: NDArray[np.uint16] | NDArray[np.uint32], starts: NDArray[np.bool_]) -> str:
    """Words between `|`."""
    characters = text.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    edges = [*np.flatnonzero(starts).tolist(), len(starts)]
    return OUTPUT_SEPARATOR.join(characters[a:b] for a, b in pairwise(edges))
