"""A list of stored runs: for a terminal, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import TextIO

from isogloss.report.terminal import open_console, print_table
from isogloss.runs.tables import ScoreTable, TableCell, TableColumn
from isogloss.store import Summary

FIELDS = (
    "id",
    "name",
    "task",
    "system",
    "corpus",
    "tags",
    "created",
    "version",
    "profile",
    "signature",
    "documents",
    "score",
    "value",
    "low",
    "high",
)


def print_run_list(runs: Sequence[Summary], stream: TextIO) -> None:
    """Print a table of runs, times in the zone of this machine. Columns in which no run has anything are left out."""
    title, console = f"{len(runs)} run{'' if len(runs) == 1 else 's'}", open_console(stream)
    if not runs:
        console.print(title, style="bold")
        return
    columns = (
        TableColumn("run"),
        TableColumn("saved"),
        TableColumn("task"),
        TableColumn("system"),
        TableColumn("corpus"),
        TableColumn("name"),
        TableColumn("score"),
        TableColumn("value", "ratio"),
        TableColumn("interval", "interval"),
        TableColumn("tags"),
    )
    rows = [_build_row(run) for run in runs]
    used = [k for k in range(len(columns)) if k == 0 or any(row[k] not in (None, "") for row in rows)]
    chosen = tuple(columns[k] for k in used)
    print_table(ScoreTable(title, chosen, tuple(tuple(row[k] for k in used) for row in rows)), console)


def format_list_json(runs: Sequence[Summary]) -> str:
    """`{"runs": [...]}`."""
    import msgspec  # noqa: PLC0415  only curves need it

    document = {"runs": [run.to_dict() for run in runs]}
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def format_list_csv(runs: Sequence[Summary]) -> str:
    """One line per run; tags are a list in JSON, because they may hold anything. What a run does not have is empty."""
    import msgspec  # noqa: PLC0415  only curves need it

    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=FIELDS, lineterminator="\n")
    writer.writeheader()
    for run in runs:
        figure = run.score
        row = run.to_dict() | {"tags": msgspec.json.encode(run.tags).decode() if run.tags else None, "score": None}
        if figure is not None:
            row |= {"score": figure.path, "value": figure.value, "low": figure.low, "high": figure.high}
        writer.writerow(row)
    return out.getvalue()


def _build_row(run: Summary) -> tuple[TableCell, ...]:
    """The cells of a run."""
    saved = run.created.astimezone().strftime("%Y-%m-%d %H:%M")
    figure = run.score
    score: tuple[TableCell, ...] = (None, None, None)
    if figure is not None:
        value = math.nan if figure.value is None else figure.value
        score = (figure.path, value, None if figure.low is None or figure.high is None else (figure.low, figure.high))
    return (run.short, saved, run.task, run.system, run.corpus, run.name, *score, ", ".join(run.tags))
