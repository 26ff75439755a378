"""The report of seqeval 1.2.2, `classification_report(y_true, y_pred)`, whose form is that of scikit-learn.

What is reproduced
    1. Labels ascend; then come micro, macro and weighted averages. Ratios have two decimals, as by default. The text is
       the string that the function returns.
    2. JSON: the dictionary of `output_dict=True`, number for number.

Exceptions
    1. Without any chunk seqeval ends with a Python error at the text; here it has no labels, and `nan` for the macro
       average, as in the dictionary.
    2. JSON has null for `nan`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.scores import Floats
from isogloss.runs.run import Run
from isogloss.tasks.ner.layouts import (
    STRICT_GROUP,
    ChunkCounts,
    LayoutData,
    ReportLayout,
    RunChunks,
    count_chunks,
    refuse_layout,
)

NAME, PROFILE = "sklearn", "seqeval"
REPORT_HEADS = ("precision", "recall", "f1-score", "support")
AVERAGES = ("micro avg", "macro avg", "weighted avg")
RATIO_NAMES = ("precision", "recall", "f1")  # names in a run
REPORT_DIGITS = 2


def to_sklearn_data(run: Run) -> LayoutData:
    """Return the dictionary of `output_dict=True`."""
    return {name: dict(zip(REPORT_HEADS, row, strict=True)) for name, row in _build_rows(run)}


def format_sklearn(run: Run) -> str:
    """Format the string that the function returns."""
    rows = dict(_build_rows(run))
    width = max(map(len, [*rows, AVERAGES[-1]]))
    lines = [" " * width + " " + "".join(f" {head:>9}" for head in REPORT_HEADS), ""]
    for name, (*ratios, support) in rows.items():
        lines += [""] * (name == AVERAGES[0])
        lines.append(
            f"{name:>{width}} " + "".join(f" {ratio:>9.{REPORT_DIGITS}f}" for ratio in ratios) + f" {support:>9}"
        )
    return "\n".join(lines) + "\n"


def _build_rows(run: Run) -> Iterator[tuple[str, tuple[float, float, float, int]]]:
    chunks = count_chunks(run, NAME, PROFILE)
    if STRICT_GROUP not in run.macro:
        refuse_layout(run, NAME, "macro and weighted averages", PROFILE)
    by_label = _compute_ratios(chunks.by_label, {label: groups[STRICT_GROUP] for label, groups in run.by_label.items()})
    for label, row, own in zip(chunks.by_label, by_label, chunks.by_label.values(), strict=True):
        yield label, (*row.tolist(), own.possible)
    micro = _compute_ratios({AVERAGES[0]: chunks.overall}, {AVERAGES[0]: run.scores[STRICT_GROUP]})[0]
    for name, row in zip(AVERAGES, (micro, *_average_labels(run, chunks, by_label)), strict=True):
        yield name, (*row.tolist(), chunks.overall.possible)


def _compute_ratios(counted: Mapping[str, ChunkCounts], undefined: Mapping[str, Mapping[str, Any]]) -> Floats:
    """Compute precision, recall and F: (rows, 3). Undefined ones are taken from the run."""
    table = np.zeros((len(counted), 3))
    for row, (name, own) in zip(table, counted.items(), strict=True):
        row[0] = own.correct / own.actual if own.actual else undefined[name]["precision"]
        row[1] = own.correct / own.possible if own.possible else undefined[name]["recall"]
    precision, recall = table[:, 0], table[:, 1]
    below = precision + recall
    table[:, 2] = 2 * precision * recall / np.where(below == 0, 1, below)
    return table


def _average_labels(run: Run, chunks: RunChunks, by_label: Floats) -> tuple[NDArray[Any], NDArray[Any]]:
    """Compute the macro and the weighted average: two (3,). Undefined ones are taken from the run."""
    macro, weighted = (
        np.array([means[STRICT_GROUP][name] for name in RATIO_NAMES]) for means in (run.macro, run.weighted)
    )
    if len(by_label):
        macro = np.array([np.average(column) for column in by_label.T])
    if chunks.overall.possible:
        support = np.array([own.possible for own in chunks.by_label.values()])
        weighted = np.array([np.average(column, weights=support) for column in by_label.T])
    return macro, weighted


LAYOUT = ReportLayout(NAME, profile=PROFILE, format_run=format_sklearn, to_data=to_sklearn_data)
