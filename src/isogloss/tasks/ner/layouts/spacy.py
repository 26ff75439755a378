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
from isogloss.tasks.ner.layouts import Data, Layout
from isogloss.tasks.ner.layouts.numbers import refuse

NAME = "spacy"
PARTS = ("p", "r", "f")
KEYS = {"NER": "ents", "SPAN": "spans_sc"}
TITLES = {"NER": "NER (per type)", "SPAN": "SPANS (per type)"}
LINE = 80
GAP = "   "
WIDEST = 30  # columns: longer labels stick out
DECIMALS = 10
FLOAT = re.compile(r"-?\d+\.\d+(e-\d+)?(?=,?$)", re.MULTILINE)


def data(run: Run) -> Data:
    """Keys and values as spaCy has them."""
    keys = [f"{key}_{part}" for key in KEYS.values() for part in (*PARTS, "per_type")]
    if not run.native.keys() >= set(keys):
        refuse(run, NAME, "the keys of spaCy", NAME)
    return {key: None if _is_undefined(run.native[key]) else run.native[key] for key in keys}


def text(run: Run) -> str:
    """The tables that spaCy prints."""
    found = data(run)
    rows = [
        (f"{head} {part.upper()}", _percent(found[f"{key}_{part}"])) for head, key in KEYS.items() for part in PARTS
    ]
    printed = _titled("Results", rows, "ll")
    for head, key in KEYS.items():
        if found[f"{key}_per_type"]:
            own = [(label, *map(_percent, ratios.values())) for label, ratios in found[f"{key}_per_type"].items()]
            printed += _titled(TITLES[head], [("", *(part.upper() for part in PARTS)), *own], "lrrr")
    return printed


def dump(found: Data) -> str:
    """The JSON that spaCy writes."""
    return FLOAT.sub(_ten_decimals, json.dumps(found, indent=2, separators=(",", ":"))) + "\n"


def _is_undefined(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value * 100:.2f}"


def _titled(title: str, rows: Sequence[Sequence[str]], aligns: str) -> str:
    """A table under its head, with empty lines around both."""
    bar = "=" * ((LINE - len(title)) // 2 - 2)
    widths = [min(WIDEST, max(map(len, column))) for column in zip(*rows, strict=True)]
    lines = [GAP.join(_padded(row, widths, aligns)) for row in rows]
    return "\n".join(["", f"{bar} {title} {bar}", "", *lines, "", ""])


def _padded(row: Sequence[str], widths: Sequence[int], aligns: str) -> Iterator[str]:
    for cell, width, align in zip(row, widths, aligns, strict=True):
        yield cell.ljust(width) if align == "l" else cell.rjust(width)


def _ten_decimals(number: re.Match[str]) -> str:
    digits = f"{float(number[0]):.{DECIMALS}f}".rstrip("0")
    return digits + "0" * digits.endswith(".")


LAYOUT = Layout(NAME, profile=NAME, text=text, data=data, dump=dump)
