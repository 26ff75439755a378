"""A list of stored runs: as a table, JSON and CSV."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import TextIO

import msgspec

from isogloss.report.terminal import open_console, print_table
from isogloss.report.text_formats import format_csv
from isogloss.runs.run_json import format_json
from isogloss.runs.score_tables import ScoreTable, TableCell, TableColumn
from isogloss.store import Summary
from isogloss.text.display import format_count

FIELDS = (*(field.name for field in fields(Summary)), "value", "low", "high")


def print_run_list(runs: Sequence[Summary], stream: TextIO) -> None:
    """Print one table of runs without empty columns, however wide.

    Times are in the local time zone.

    Args:
        runs: summaries in the order of the list.
        stream: the stream to print to.
    """
    title, console = format_count(len(runs), "run"), open_console(stream)
    if not runs:
        console.print(title, style="bold")
        return
    columns = (
        *map(TableColumn, ("run", "saved", "task", "system", "corpus", "name", "score")),
        TableColumn("value", "ratio"),
        TableColumn("interval", "interval"),
        TableColumn("tags"),
    )
    rows = [_build_row(run) for run in runs]
    used = [k for k in range(len(columns)) if k == 0 or any(row[k] not in (None, "") for row in rows)]
    chosen = tuple(columns[k] for k in used)
    print_table(ScoreTable(title, chosen, tuple(tuple(row[k] for k in used) for row in rows)), console, split=False)


def format_list_json(runs: Sequence[Summary]) -> str:
    """Format runs as `{"runs": [...]}`.

    Args:
        runs: summaries in the order of the list.
    """
    return format_json({"runs": [run.to_dict() for run in runs]}) + "\n"


def format_list_csv(runs: Sequence[Summary]) -> str:
    """Format one line per run.

    Tags are a list in JSON, because a tag may contain any character.

    Args:
        runs: summaries in the order of the list.
    """
    rows = []
    for run in runs:
        score = run.score
        row = run.to_dict() | {"tags": msgspec.json.encode(run.tags).decode() if run.tags else None, "score": None}
        if score is not None:
            row |= {"score": score.path, "value": score.value, "low": score.low, "high": score.high}
        rows.append(row)
    return format_csv(FIELDS, rows)


def _build_row(run: Summary) -> tuple[TableCell, ...]:
    """Build the cells of a run."""
    saved = run.created.astimezone().strftime("%Y-%m-%d %H:%M")
    figure = run.score
    score: tuple[TableCell, ...] = (None, None, None)
    if figure is not None:
        value = math.nan if figure.value is None else figure.value
        score = (figure.path, value, None if figure.low is None or figure.high is None else (figure.low, figure.high))
    return (run.short, saved, run.task, run.system, run.corpus, run.name, *score, ", ".join(run.tags))
