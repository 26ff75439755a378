"""What layouts take from a run: counts of chunks, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from isogloss.errors import UsageError
from isogloss.runs.run import Run

STRICT_GROUP = "strict"


@dataclass(frozen=True)
class ChunkCounts:
    """How many chunks are right, in the reference, and predicted."""

    correct: int
    possible: int
    actual: int


@dataclass(frozen=True)
class RunChunks:
    """Chunks of all labels, and of each that has one on either side, ascending."""

    overall: ChunkCounts
    by_label: Mapping[str, ChunkCounts]


def count_chunks(run: Run, layout: str, profile: str) -> RunChunks:
    """The chunks of a run.

    Args:
        run: a run.
        layout: the layout that asks.
        profile: the profile that has what it asks for.

    Raises:
        UsageError: the run has no profile, no counts of chunks, or no F1.
    """
    group = run.scores.get(STRICT_GROUP, {})
    if run.profile is None:
        refuse_layout(run, layout, "numbers of a tool", profile)
    if "f" in group:
        raise UsageError(f"The layout {layout} shows F1, and {run.system} was scored with beta {group['beta']:g}.")
    if not {"correct", "possible", "actual"} <= group.keys():
        refuse_layout(run, layout, "numbers of chunks", profile)
    labels = {
        label: _read_counts(groups[STRICT_GROUP]) for label, groups in run.by_label.items() if STRICT_GROUP in groups
    }
    shown = {label: own for label, own in sorted(labels.items()) if own.possible or own.actual}
    return RunChunks(_read_counts(group), shown)


def refuse_layout(run: Run, layout: str, what: str, profile: str) -> NoReturn:
    """Say that a layout shows what a run does not have.

    Raises:
        UsageError: it says so.
    """
    shows = f"The layout {layout} shows {what}"
    if run.profile == profile:
        raise UsageError(f"{shows}, and {run.system} has spans and no tags: leave the layout out.")
    by = "without a profile" if run.profile is None else f"with the profile {run.profile}"
    raise UsageError(
        f"{shows}, which {run.system} does not have, scored {by}: add --profile {profile} (profile={profile!r}).",
    )


def _read_counts(group: Mapping[str, Any]) -> ChunkCounts:
    correct = group["correct"] if "correct" in group else group["correct_reference"]
    return ChunkCounts(correct, group["possible"], group["actual"])
