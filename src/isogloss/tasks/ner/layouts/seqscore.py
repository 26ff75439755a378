"""The table of seqscore 0.9.0, `seqscore score --reference REFERENCE FILE...`, byte for byte.

What is reproduced
    1. Percentages with two decimals, the exact value of the ratio rounded half up. `ALL` comes first, then the labels,
       ascending.
    2. Several systems: each under its name; then the mean F1 of all and of each label, with its standard error, over
       the systems that have the label.

Exceptions
    1. A label is as wide as it has characters. So it is in seqscore unless `wcwidth` is installed by accident.
    2. The standard error of a single system is `nan`. seqscore ends with a Python error there.
    3. There are no `--score-format`, `--error-counts` and `--full-precision`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from statistics import mean, stdev

from isogloss.runs.run import Run
from isogloss.tasks.ner.layouts import ChunkCounts, ReportLayout, RunChunks, count_chunks

NAME = "seqscore"
ALL_LABELS = "ALL"
TABLE_HEADS = ("Type", "Precision", "Recall", "F1", "Reference", "Predicted", "Correct")
SUMMARY_HEADS = ("Type", "Mean F1", "SE", "Reference")
COLUMN_PADDING = 2  # characters that a column is wider than its head
CENT = Decimal("0.01")


def format_seqscore(run: Run) -> str:
    """Format the table of one system."""
    return _format_table(TABLE_HEADS, [_format_row(label, own) for label, own in _list_chunks(run).items()])


def format_seqscore_systems(runs: Sequence[Run]) -> str:
    """Format the tables of several systems, and their means."""
    tables = [f"{run.system}\n{format_seqscore(run)}" for run in runs]
    return "\n".join([*tables, f"Summary\n{_format_summary([_list_chunks(run) for run in runs])}"])


def _list_chunks(run: Run) -> dict[str, ChunkCounts]:
    chunks: RunChunks = count_chunks(run, NAME, NAME)
    return {ALL_LABELS: chunks.overall, **chunks.by_label}


def _format_row(label: str, own: ChunkCounts) -> list[str]:
    ratios = (_format_percent(_round_percent(ratio)) for ratio in _compute_ratios(own))
    return [label, *ratios, str(own.possible), str(own.actual), str(own.correct)]


def _format_summary(systems: Sequence[Mapping[str, ChunkCounts]]) -> str:
    labels = [ALL_LABELS, *sorted({label for system in systems for label in system} - {ALL_LABELS})]
    rows = []
    for label in labels:
        own = [_compute_ratios(system[label])[-1] for system in systems if label in system]
        error = stdev(own) / math.sqrt(len(own)) if len(own) > 1 else math.nan
        reference = systems[0][label].possible if label in systems[0] else 0
        rows.append([label, _format_percent(mean(own) * 100), _format_percent(error * 100), str(reference)])
    return _format_table(SUMMARY_HEADS, rows)


def _compute_ratios(own: ChunkCounts) -> tuple[float, float, float]:
    precision = own.correct / own.actual if own.actual else 0.0
    recall = own.correct / own.possible if own.possible else 0.0
    f1 = 2 * (precision * recall) / (precision + recall) if precision and recall else 0.0
    return precision, recall, f1


def _round_percent(ratio: float) -> Decimal:
    return (Decimal(ratio) * 100).quantize(CENT, rounding=ROUND_HALF_UP)


def _format_percent(percent: Decimal | float) -> str:
    return f"{percent:6.2f}"


def _format_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format a table with bars between columns: the first aligned left, numbers aligned right."""
    widths = [max(len(head) + COLUMN_PADDING, *map(len, column)) for head, *column in zip(heads, *rows, strict=True)]
    lines = [[cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])] for cells in (heads, *rows)]
    drawn = [f"| {' | '.join(line)} |" for line in lines]
    rule = f"|{'|'.join('-' * (width + 2) for width in widths)}|"
    return "\n".join([drawn[0], rule, *drawn[1:]]) + "\n"


LAYOUT = ReportLayout(NAME, profile=NAME, format_run=format_seqscore, format_runs=format_seqscore_systems)
