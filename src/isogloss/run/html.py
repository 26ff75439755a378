"""A small HTML table of a run, as notebooks show it."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isogloss.run.run import Run


def table(run: Run) -> str:
    """Overall groups as rows, the names that most of them have as columns, the signature below."""
    groups = {name: group for name, group in run.scores.items() if len(group)}
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    rows = "".join(
        f"<tr><th>{escape(label)}</th>{''.join(f'<td>{_cell(group.get(name))}</td>' for name in names)}</tr>"
        for label, group in groups.items()
    )
    documents = f"{run.documents} document{'' if run.documents == 1 else 's'}"
    caption = f"<caption>{escape(run.system)}, {documents}</caption>"
    return f"<table>{caption}<tr><th></th>{head}</tr>{rows}</table><p><code>{escape(str(run.signature))}</code></p>"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return "&ndash;" if math.isnan(value) else f"{value:.4f}"
    return str(value)
