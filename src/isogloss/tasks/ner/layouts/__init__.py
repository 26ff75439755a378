"""Runs of named entities as other tools print them: a layout shows numbers, a profile makes them.

    run = isogloss.ner("gold.conll", "system.conll", profile="conlleval")
    print(printed([run], "conlleval"), end="")

| layout | printed as by | its profile | JSON |
|---|---|---|---|
| `conlleval` | `conlleval.pl < file` | `conlleval` | |
| `sklearn` | `classification_report` of seqeval, which is scikit-learn's | `seqeval` | `output_dict=True` |
| `spacy` | `spacy evaluate` | `spacy` | its `--output` |
| `seqscore` | `seqscore score` | `seqscore` | |

A layout computes its ratios from the counts of the run in the order in which the tool does, so that they are rounded
alike, and prints the numbers of any profile that has all that it shows. It refuses runs without a profile: no tool has
our own definition. Several systems come one after the other, each under its name.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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


def dump_json(data: LayoutData) -> str:
    """JSON in full precision, undefined as null."""
    return json.dumps(_to_plain(data), ensure_ascii=False, indent=2) + "\n"


@dataclass(frozen=True)
class ReportLayout:
    """How another tool prints.

    Args:
        name: its name in `LAYOUTS`.
        profile: the profile whose numbers it shows unless another one is asked for.
        text: what the tool prints of a run.
        several: what it prints of several.
        data: what it gives as values, None where it gives none.
        dump: these values as JSON.
    """

    name: str
    profile: str
    format_run: Callable[[Run], str]
    format_runs: Callable[[Sequence[Run]], str] | None = None
    to_data: Callable[[Run], LayoutData] | None = None
    dump: Callable[[LayoutData], str] = dump_json


def load_layout(name: str, form: str = "text") -> ReportLayout:
    """A layout.

    Args:
        name: its name.
        form: `text`, or `json` where the layout has it.

    Raises:
        UsageError: there is no such layout, or it has no such form.
    """
    layout: ReportLayout = LAYOUTS.load(name)
    forms = ("text",) if layout.to_data is None else ("text", "json")
    if form not in forms:
        raise UsageError(f"The layout {name} has the form {' or '.join(forms)}, not {form}: leave out -f {form}.")
    return layout


def format_in_layout(runs: Sequence[Run], name: str, form: str = "text") -> str:
    """Runs in a layout.

    Args:
        runs: one per system, at least one.
        name: of the layout.
        form: `text`, or `json` where the layout has it.

    Raises:
        UsageError: there is no such layout, it has no such form, or a run does not have what it shows.
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
