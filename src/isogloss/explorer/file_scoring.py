"""Scoring of files for the explorer.

Runs have all findings, intervals, and single documents for comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from isogloss.errors import UsageError
from isogloss.records.sources import Source
from isogloss.runs.run import Run
from isogloss.tasks.registry import get_task
from isogloss.tasks.scoring import build_options, score_system
from isogloss.tasks.scoring_options import ScoringOptions, build_scoring_options
from isogloss.tasks.task import ProgressReceiver, Task

CONFIDENCE, RESAMPLES, SEED, CONTEXT = 0.95, 1000, 12345, 3


def score_files(
    name: str,
    files: Sequence[str],
    progress: ProgressReceiver | None = None,
    options: Mapping[str, Any] | None = None,
    by: Sequence[str] = (),
) -> list[Run]:
    """Score files with the defaults of a task.

    Args:
        name: name of the task.
        files: the reference, if the task has one, and a prediction of each system.
        progress: takes the progress; None for none.
        options: options of the task by name; None for the defaults.
        by: columns to slice by.

    Raises:
        UsageError: if a file is missing, or the task needs an option.
        DataError: if the files cannot be scored.
    """
    task = get_task(name)
    least = 1 if task.reference is None or task.prediction.optional else 2
    if len(files) < least:
        expected = task.prediction.metavar if task.reference is None else f"REFERENCE {task.prediction.metavar}"
        raise UsageError(f"--task {name} needs the files {expected}, got {len(files)}.")
    reference, predictions = (None, files) if task.reference is None else (Source(files[0]), files[1:])
    try:
        built = build_options(task.options, options or {})
    except UsageError as error:  # `isogloss view` has no options of tasks
        raise UsageError(f"{error} To set it, run `isogloss {name} {' '.join(files)} … --view`.") from None
    scoring = replace(build_view_options(task), by=tuple(by))
    systems = task.open_systems(reference, predictions, built, scoring, progress)
    return [score_system(task, system, built, scoring) for system in systems]


def build_view_options(task: Task) -> ScoringOptions:
    """Build scoring options with intervals, all findings and single documents."""
    context = CONTEXT if task.shows_context else 0
    options = build_scoring_options(
        CONFIDENCE, RESAMPLES, SEED, findings=True, context=context, unit=task.default_unit, keep_documents=True
    )
    return replace(options, findings=None)
