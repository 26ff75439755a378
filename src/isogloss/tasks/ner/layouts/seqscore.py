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
from isogloss.tasks.ner.layouts import Layout
from isogloss.tasks.ner.layouts.numbers import Chunks, Counted, chunks_of

NAME = "seqscore"
ALL = "ALL"
HEADS = ("Type", "Precision", "Recall", "F1", "Reference", "Predicted", "Correct")
SUMMARY = ("Type", "Mean F1", "SE", "Reference")
SPARE = 2  # a column is as wide as its head and so much more
CENT = Decimal("0.01")


def text(run: Run) -> str:
    """The table of one system."""
    return _table(HEADS, [_row(label, own) for label, own in _all_of(run).items()])


def several(runs: Sequence[Run]) -> str:
    """The tables of several systems, and their means."""
    tables = [f"{run.system}\n{text(run)}" for run in runs]
    return "\n".join([*tables, f"Summary\n{_summary([_all_of(run) for run in runs])}"])


def _all_of(run: Run) -> dict[str, Counted]:
    chunks: Chunks = chunks_of(run, NAME, NAME)
    return {ALL: chunks.overall, **chunks.by_label}


def _row(label: str, own: Counted) -> list[str]:
    ratios = (_number(_rounded(ratio)) for ratio in _ratios(own))
    return [label, *ratios, str(own.possible), str(own.actual), str(own.correct)]


def _summary(systems: Sequence[Mapping[str, Counted]]) -> str:
    labels = [ALL, *sorted({label for system in systems for label in system} - {ALL})]
    rows = []
    for label in labels:
        own = [_ratios(system[label])[-1] for system in systems if label in system]
        error = stdev(own) / math.sqrt(len(own)) if len(own) > 1 else math.nan
        reference = systems[0][label].possible if label in systems[0] else 0
        rows.append([label, _number(mean(own) * 100), _number(error * 100), str(reference)])
    return _table(SUMMARY, rows)


def _ratios(own: Counted) -> tuple[float, float, float]:
    precision = own.correct / own.actual if own.actual else 0.0
    recall = own.correct / own.possible if own.possible else 0.0
    f1 = 2 * (precision * recall) / (precision + recall) if precision and recall else 0.0
    return precision, recall, f1


def _rounded(ratio: float) -> Decimal:
    return (Decimal(ratio) * 100).quantize(CENT, rounding=ROUND_HALF_UP)


def _number(percent: Decimal | float) -> str:
    return f"{percent:6.2f}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Bars between the columns: the first to the left, numbers to the right."""
    widths = [max(len(head) + SPARE, *map(len, column)) for head, *column in zip(heads, *rows, strict=True)]
    lines = [[cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])] for cells in (heads, *rows)]
    drawn = [f"| {' | '.join(line)} |" for line in lines]
    rule = f"|{'|'.join('-' * (width + 2) for width in widths)}|"
    return "\n".join([drawn[0], rule, *drawn[1:]]) + "\n"


LAYOUT = Layout(NAME, profile=NAME, text=text, several=several)
