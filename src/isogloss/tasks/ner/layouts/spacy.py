"""What `spacy evaluate` of spaCy 3.8 prints, and what it writes with `--output`: see the profile `spacy`.

What is reproduced
    1. The table of entities (NER) and of spans (SPAN), then both by label. A percentage has two decimals, undefined is
       `-`, and then there are no labels.
    2. JSON: its keys, ratios with ten decimals at the most, two spaces, no space after a colon.

Exceptions
    1. It is that of a pipeline with `ner` and `spancat`: there is nothing on tokens, tags and speed.
    2. Labels ascend. In spaCy they come in the order of their first span, missed ones in no order.
    3. Heads are not bold: spaCy writes escape sequences around them, also into files. The JSON ends with a newline.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from isogloss.runs.run import Run
from isogloss.tasks.ner.layouts import LayoutData, ReportLayout, refuse_layout

NAME = "spacy"
RATIO_PARTS = ("p", "r", "f")
OUTPUT_KEYS = {"NER": "ents", "SPAN": "spans_sc"}
TABLE_TITLES = {"NER": "NER (per type)", "SPAN": "SPANS (per type)"}
LINE_WIDTH = 80
COLUMN_GAP = "   "
MAX_COLUMN_WIDTH = 30  # longer labels exceed their column
DECIMALS = 10
FLOAT_NUMBER = re.compile(r"-?\d+\.\d+(e-\d+)?(?=,?$)", re.MULTILINE)


def to_spacy_data(run: Run) -> LayoutData:
    """Return keys and values as spaCy writes them."""
    keys = [f"{key}_{part}" for key in OUTPUT_KEYS.values() for part in (*RATIO_PARTS, "per_type")]
    if not run.tool_output.keys() >= set(keys):
        refuse_layout(run, NAME, "the keys of spaCy", NAME)
    return {key: None if _is_undefined(run.tool_output[key]) else run.tool_output[key] for key in keys}


def format_spacy(run: Run) -> str:
    """Format the tables that spaCy prints."""
    found = to_spacy_data(run)
    rows = [
        (f"{head} {part.upper()}", _format_percent(found[f"{key}_{part}"]))
        for head, key in OUTPUT_KEYS.items()
        for part in RATIO_PARTS
    ]
    printed = _format_titled_table("Results", rows, "ll")
    for head, key in OUTPUT_KEYS.items():
        if found[f"{key}_per_type"]:
            own = [
                (label, *map(_format_percent, ratios.values())) for label, ratios in found[f"{key}_per_type"].items()
            ]
            printed += _format_titled_table(
                TABLE_TITLES[head], [("", *(part.upper() for part in RATIO_PARTS)), *own], "lrrr"
            )
    return printed


def dump_spacy_json(found: LayoutData) -> str:
    """Format the JSON that spaCy writes."""
    return FLOAT_NUMBER.sub(_format_decimals, json.dumps(found, indent=2, separators=(",", ":"))) + "\n"


def _is_undefined(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _format_percent(value: float | None) -> str:
    return "-" if value is None else f"{value * 100:.2f}"


def _format_titled_table(title: str, rows: Sequence[Sequence[str]], aligns: str) -> str:
    """Format a table under its title, with empty lines around both."""
    bar = "=" * ((LINE_WIDTH - len(title)) // 2 - 2)
    widths = [min(MAX_COLUMN_WIDTH, max(map(len, column))) for column in zip(*rows, strict=True)]
    lines = [COLUMN_GAP.join(_pad_row(row, widths, aligns)) for row in rows]
    return "\n".join(["", f"{bar} {title} {bar}", "", *lines, "", ""])


def _pad_row(row: Sequence[str], widths: Sequence[int], aligns: str) -> Iterator[str]:
    for cell, width, align in zip(row, widths, aligns, strict=True):
        yield cell.ljust(width) if align == "l" else cell.rjust(width)


def _format_decimals(number: re.Match[str]) -> str:
    digits = f"{float(number[0]):.{DECIMALS}f}".rstrip("0")
    return digits + "0" * digits.endswith(".")


LAYOUT = ReportLayout(NAME, profile=NAME, format_run=format_spacy, to_data=to_spacy_data, dump=dump_spacy_json)
