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
from isogloss.tasks.ner.layouts import Data, Layout
from isogloss.tasks.ner.layouts.numbers import GROUP, Chunks, Counted, chunks_of, refuse

NAME, PROFILE = "sklearn", "seqeval"
HEADS = ("precision", "recall", "f1-score", "support")
AVERAGES = ("micro avg", "macro avg", "weighted avg")
OWN = ("precision", "recall", "f1")  # what a run calls them
DIGITS = 2


def data(run: Run) -> Data:
    """The dictionary of `output_dict=True`."""
    return {name: dict(zip(HEADS, row, strict=True)) for name, row in _rows(run)}


def text(run: Run) -> str:
    """The string that the function returns."""
    rows = dict(_rows(run))
    width = max(map(len, [*rows, AVERAGES[-1]]))
    lines = [" " * width + " " + "".join(f" {head:>9}" for head in HEADS), ""]
    for name, (*ratios, support) in rows.items():
        lines += [""] * (name == AVERAGES[0])
        lines.append(f"{name:>{width}} " + "".join(f" {ratio:>9.{DIGITS}f}" for ratio in ratios) + f" {support:>9}")
    return "\n".join(lines) + "\n"


def _rows(run: Run) -> Iterator[tuple[str, tuple[float, float, float, int]]]:
    chunks = chunks_of(run, NAME, PROFILE)
    if GROUP not in run.macro:
        refuse(run, NAME, "macro and weighted averages", PROFILE)
    by_label = _ratios(chunks.by_label, {label: groups[GROUP] for label, groups in run.by_label.items()})
    for label, row, own in zip(chunks.by_label, by_label, chunks.by_label.values(), strict=True):
        yield label, (*row.tolist(), own.possible)
    micro = _ratios({AVERAGES[0]: chunks.overall}, {AVERAGES[0]: run.scores[GROUP]})[0]
    for name, row in zip(AVERAGES, (micro, *_means(run, chunks, by_label)), strict=True):
        yield name, (*row.tolist(), chunks.overall.possible)


def _ratios(counted: Mapping[str, Counted], undefined: Mapping[str, Mapping[str, Any]]) -> Floats:
    """Precision, recall and F: (rows, 3). What is undefined is what the run says."""
    table = np.zeros((len(counted), 3))
    for row, (name, own) in zip(table, counted.items(), strict=True):
        row[0] = own.correct / own.actual if own.actual else undefined[name]["precision"]
        row[1] = own.correct / own.possible if own.possible else undefined[name]["recall"]
    precision, recall = table[:, 0], table[:, 1]
    below = precision + recall
    table[:, 2] = 2 * precision * recall / np.where(below == 0, 1, below)
    return table


def _means(run: Run, chunks: Chunks, by_label: Floats) -> tuple[NDArray[Any], NDArray[Any]]:
    """The macro and the weighted average: two (3,). Where there is nothing to weigh by, what the run says."""
    told = (np.array([means[GROUP][name] for name in OWN]) for means in (run.macro, run.weighted))
    macro, weighted = told
    if len(by_label):
        macro = np.array([np.average(column) for column in by_label.T])
    if chunks.overall.possible:
        support = np.array([own.possible for own in chunks.by_label.values()])
        weighted = np.array([np.average(column, weights=support) for column in by_label.T])
    return macro, weighted


LAYOUT = Layout(NAME, profile=PROFILE, text=text, data=data)
