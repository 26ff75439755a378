"""Which score stands for runs, which are shown beside it, and which way is better, by the catalogue of their task."""

from __future__ import annotations

from collections.abc import Sequence

from isogloss.errors import UsageError
from isogloss.kernel.scores import format_path, parse_path
from isogloss.runs.run import Run


def is_higher_better(run: Run, name: str) -> bool:
    """Whether more of the score at this path, or of its mean over documents, is better."""
    key = parse_path(name)
    return run.catalogue.is_higher_better(key[-2 if key[0] == "per_document" else -1])


def main_score(runs: Sequence[Run], wanted: str | None = None) -> str:
    """Return the path of the score that stands for runs of one task.

    Args:
        runs: at least one, of one task.
        wanted: the path that the user chose; None for the task's own.

    Raises:
        UsageError: if no run has the score the user chose, or the runs have no ratio in common.
    """
    if wanted is not None:
        if any(value_of(run, wanted) is not None for run in runs):
            return wanted
        having = ", ".join(ratios_of(runs[0])) or "none"
        raise UsageError(f"No run has the score {wanted!r}. Overall scores are: {having}.")
    common = (name for name in runs[0].catalogue.main if all(value_of(run, name) is not None for run in runs))
    found = next(common, None) or next(
        (name for name in ratios_of(runs[0]) if value_of(runs[-1], name) is not None),
        None,
    )
    if found is None:
        raise UsageError(
            "The runs have no score in common that could stand for them; isogloss compare and report have --score PATH.",
        )
    return found


def scores_beside(runs: Sequence[Run], main: str) -> list[str]:
    """Return the paths shown beside the main score: those that any of the runs has."""
    chosen = runs[0].catalogue.beside
    return [name for name in chosen if name != main and any(value_of(run, name) is not None for run in runs)]


def score_of_labels(runs: Sequence[Run]) -> tuple[str, str] | None:
    """Return group and name of the score that stands for labels; None where labels have none."""
    for group, name in runs[0].catalogue.by_label:
        if any(group in own and name in own[group] for run in runs for own in run.by_label.values()):
            return group, name
    return None


def score_title(run: Run, name: str) -> str:
    """Write a path as people read it: `Strict F1`."""
    return run.catalogue.title(parse_path(name))


def ratios_of(run: Run) -> list[str]:
    """Return the paths of the overall scores of a run that are not counts."""
    groups = run.scores.items()
    return [
        format_path((group, name)) for group, own in groups for name, value in own.items() if isinstance(value, float)
    ]


def value_of(run: Run, name: str) -> float | None:
    """Return the score at a path, nan where it is undefined and None where the run has none."""
    try:
        return float(run.score(name))
    except KeyError:
        return None
