"""Choice of the main score of runs from the task's catalogue.

The catalogue also says which other scores are shown, and whether higher is better.
"""

from __future__ import annotations

from collections.abc import Sequence

from isogloss.errors import UsageError
from isogloss.kernel.scores import format_path, parse_path
from isogloss.runs.run import Run


def is_higher_better(run: Run, name: str) -> bool:
    """Check whether a higher value of a score is better.

    The score is given by its path.
    """
    key = parse_path(name)
    return run.catalogue.is_higher_better(key[-2 if key[0] == "per_document" else -1])


def choose_main_score(runs: Sequence[Run], requested: str | None = None) -> str:
    """Return the path of the score that represents runs of one task.

    Args:
        runs: runs of one task, at least one.
        requested: path that the user chose; None for the task's default.

    Raises:
        UsageError: if no run has the score that the user chose, or the runs share no ratio.
    """
    if requested is not None:
        if any(get_score_value(run, requested) is not None for run in runs):
            return requested
        having = ", ".join(list_ratios(runs[0])) or "none"
        raise UsageError(f"No run has the score {requested!r}. Overall scores are: {having}.")
    common = (name for name in runs[0].catalogue.main if all(get_score_value(run, name) is not None for run in runs))
    main_score = next(common, None) or next(
        (name for name in list_ratios(runs[0]) if get_score_value(runs[-1], name) is not None),
        None,
    )
    if main_score is None:
        raise UsageError("The runs have no ratio in common. Choose a score with --score PATH.")
    return main_score


def list_side_scores(runs: Sequence[Run], main: str) -> list[str]:
    """Return the paths of the scores shown with the main score.

    Only paths that any run has are returned.
    """
    chosen = runs[0].catalogue.secondary
    return [name for name in chosen if name != main and any(get_score_value(run, name) is not None for run in runs)]


def choose_label_score(runs: Sequence[Run]) -> tuple[str, str] | None:
    """Return group and name of the score that represents labels.

    The result is None without labels.
    """
    for group, name in runs[0].catalogue.by_label:
        if any(group in own and name in own[group] for run in runs for own in run.by_label.values()):
            return group, name
    return None


def format_score_title(run: Run, name: str) -> str:
    """Write a path as a title: `Strict F1`."""
    return run.catalogue.title(parse_path(name))


def list_ratios(run: Run) -> list[str]:
    """Return the paths of the overall ratios of a run."""
    groups = run.scores.items()
    return [
        format_path((group, name)) for group, own in groups for name, value in own.items() if isinstance(value, float)
    ]


def get_score_value(run: Run, name: str) -> float | None:
    """Return the score at a path, nan if undefined; None if missing."""
    try:
        return float(run.score(name))
    except KeyError:
        return None
