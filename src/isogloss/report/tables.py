"""The tables of runs: those of their task, then scores over single documents and slices."""

from __future__ import annotations

from collections.abc import Sequence

from isogloss.runs.run import Run
from isogloss.runs.tables import ScoreTable, build_slice_tables, build_spread_tables
from isogloss.tasks.registry import get_task


def build_tables(runs: Sequence[Run]) -> list[ScoreTable]:
    """Build the tables of one run, or of several of one task side by side."""
    task = get_task(runs[0].task)
    means = build_spread_tables(runs) if task.shows_document_means else []
    return [*task.build_tables(runs), *means, *build_slice_tables(runs, task.columns_in_tables)]
