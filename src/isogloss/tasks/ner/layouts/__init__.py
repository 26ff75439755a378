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

PLACE = "isogloss.tasks.ner.layouts"
LAYOUTS = Registry(
    kind="layout",
    group="isogloss.layouts",
    builtin={name: f"{PLACE}.{name}:LAYOUT" for name in ("conlleval", "seqscore", "sklearn", "spacy")},
)
Data = Mapping[str, Any]


def dumped(data: Data) -> str:
    """JSON in full precision, undefined as null."""
    return json.dumps(_plain(data), ensure_ascii=False, indent=2) + "\n"


@dataclass(frozen=True)
class Layout:
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
    text: Callable[[Run], str]
    several: Callable[[Sequence[Run]], str] | None = None
    data: Callable[[Run], Data] | None = None
    dump: Callable[[Data], str] = dumped


def layout_of(name: str, form: str = "text") -> Layout:
    """A layout.

    Args:
        name: its name.
        form: `text`, or `json` where the layout has it.

    Raises:
        UsageError: there is no such layout, or it has no such form.
    """
    layout: Layout = LAYOUTS.load(name)
    forms = ("text",) if layout.data is None else ("text", "json")
    if form not in forms:
        raise UsageError(f"The layout {name} has the form {' or '.join(forms)}, not {form}: leave out -f {form}.")
    return layout


def printed(runs: Sequence[Run], name: str, form: str = "text") -> str:
    """Runs in a layout.

    Args:
        runs: one per system, at least one.
        name: of the layout.
        form: `text`, or `json` where the layout has it.

    Raises:
        UsageError: there is no such layout, it has no such form, or a run does not have what it shows.
    """
    layout = layout_of(name, form)
    if form == "json" and layout.data is not None:
        data = [layout.data(run) for run in runs]
        reports = [{"system": run.system, "report": own} for run, own in zip(runs, data, strict=True)]
        return layout.dump(data[0]) if len(runs) == 1 else dumped({"runs": reports})
    if len(runs) == 1:
        return layout.text(runs[0])
    if layout.several is not None:
        return layout.several(runs)
    return "\n".join(f"{run.system}\n{layout.text(run)}" for run in runs)


def _plain(node: Any) -> Any:
    if isinstance(node, Mapping):
        return {name: _plain(child) for name, child in node.items()}
    if isinstance(node, list):
        return [_plain(child) for child in node]
    return None if isinstance(node, float) and math.isnan(node) else node
