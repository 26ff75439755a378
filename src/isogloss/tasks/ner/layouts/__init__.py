"""Layouts of named entities: print formats of other tools. A layout prints numbers, a profile computes them.

    run = isogloss.ner("gold.conll", "system.conll", profile="conlleval")
    print(format_in_layout([run], "conlleval"), end="")

| layout | printed as by | its profile | JSON |
|---|---|---|---|
| `conlleval` | `conlleval.pl < file` | `conlleval` | |
| `sklearn` | `classification_report` of seqeval, which is scikit-learn's | `seqeval` | `output_dict=True` |
| `spacy` | `spacy evaluate` | `spacy` | its `--output` |
| `seqscore` | `seqscore score` | `seqscore` | |

A layout computes ratios from the counts of the run as the tool does, so that both round alike, and prints the numbers
of any profile that has them. It refuses runs without a profile, because no tool has the definition of isogloss. Several
systems are printed one after the other, each under its name.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from isogloss.errors import UsageError
from isogloss.kernel.registry import Registry
from isogloss.runs.run import Run

_PACKAGE = "isogloss.tasks.ner.layouts"
LAYOUTS = Registry(
    kind="layout",
    group="isogloss.layouts",
    builtin={name: f"{_PACKAGE}.{name}:LAYOUT" for name in ("conlleval", "seqscore", "sklearn", "spacy")},
)
LayoutData = Mapping[str, Any]
STRICT_GROUP = "strict"


def dump_json(data: LayoutData) -> str:
    """Format values as JSON in full precision, undefined as null."""
    return json.dumps(_to_plain(data), ensure_ascii=False, indent=2) + "\n"


@dataclass(frozen=True)
class ReportLayout:
    """The print format of a tool.

    Args:
        name: name in `LAYOUTS`.
        profile: the profile used if the user names none.
        format_run: formats a run as the tool does.
        format_runs: formats several runs; None to format them one by one.
        to_data: returns the values that the tool returns; None if the tool returns no values.
        dump: formats these values as JSON.
    """

    name: str
    profile: str
    format_run: Callable[[Run], str]
    format_runs: Callable[[Sequence[Run]], str] | None = None
    to_data: Callable[[Run], LayoutData] | None = None
    dump: Callable[[LayoutData], str] = dump_json


def load_layout(name: str, form: str = "text") -> ReportLayout:
    """Load a layout.

    Args:
        name: name of the layout.
        form: `text`, or `json` if the layout supports it.

    Raises:
        UsageError: if the layout is unknown, or does not support the form.
    """
    layout: ReportLayout = LAYOUTS.load(name)
    forms = ("text",) if layout.to_data is None else ("text", "json")
    if form not in forms:
        raise UsageError(f"--layout {name} supports {' and '.join(forms)} only: leave out -f {form}.")
    return layout


def format_in_layout(runs: Sequence[Run], name: str, form: str = "text") -> str:
    """Format runs in a layout.

    Args:
        runs: one per system, at least one.
        name: name of the layout.
        form: `text`, or `json` if the layout supports it.

    Raises:
        UsageError: if the layout is unknown, does not support the form, or needs numbers that a run does not have.
    """
    layout = load_layout(name, form)
    if form == "json" and layout.to_data is not None:
        data = [layout.to_data(run) for run in runs]
        reports = [{"system": run.system, "report": own} for run, own in zip(runs, data, strict=True)]
        return layout.dump(data[0]) if len(runs) == 1 else dump_json({"runs": reports})
    if len(runs) == 1:
        return layout.format_run(runs[0])
    if layout.format_runs is not None:
        return layout.format_runs(runs)
    return "\n".join(f"{run.system}\n{layout.format_run(run)}" for run in runs)


def _to_plain(node: Any) -> Any:
    if isinstance(node, Mapping):
        return {name: _to_plain(child) for name, child in node.items()}
    if isinstance(node, list):
        return [_to_plain(child) for child in node]
    return None if isinstance(node, float) and math.isnan(node) else node


@dataclass(frozen=True)
class ChunkCounts:
    """Numbers of correct, reference and predicted chunks."""

    correct: int
    possible: int
    actual: int


@dataclass(frozen=True)
class RunChunks:
    """Counts of all chunks, and of each label with a chunk, ascending."""

    overall: ChunkCounts
    by_label: Mapping[str, ChunkCounts]


def count_chunks(run: Run, layout: str, profile: str) -> RunChunks:
    """Read the counts of chunks from a run.

    Args:
        run: a run.
        layout: name of the layout, for messages.
        profile: a profile with counts of chunks, for messages.

    Raises:
        UsageError: if the run has no profile, no counts of chunks, or no F1.
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
    """Refuse a layout that shows numbers which a run does not have.

    Args:
        run: the run that was to be shown.
        layout: name of the layout.
        what: the numbers that are missing.
        profile: profile of runs that have them.

    Raises:
        UsageError: always.
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
