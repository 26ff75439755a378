"""Scores and findings as data frames with flat columns only.

The data frames are those of pandas, polars or pyarrow.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from isogloss.errors import MissingExtraError, import_extra
from isogloss.kernel.argument_checks import check_choice
from isogloss.kernel.findings import Finding, Mark
from isogloss.kernel.provenance import SIDES
from isogloss.kernel.scores import parse_path

LIBRARIES = {"pandas": "pandas", "polars": "polars", "pyarrow": "arrow"}  # in order of preference, with their extras
LABEL_PART, LEVEL_PART, SLICE_PART = "by_label", "by_level", "slices"
PARTS = (LABEL_PART, LEVEL_PART, "macro", "weighted", SLICE_PART, "per_document", "findings")
SCORE_COLUMNS: Mapping[str, type] = {
    **dict.fromkeys(("system", "task", "score", "part", "label", "slice_column", "slice_value", "group", "name"), str),
    **dict.fromkeys(("value", "low", "high"), float),
}
SIDE_COLUMNS: Mapping[str, type] = {"label": str, "start": int, "end": int, "words": str}
FINDING_COLUMNS: Mapping[str, type] = {
    **dict.fromkeys(("kind", "document", "where"), str),
    **{f"{side}_{name}": kind for side in SIDES for name, kind in SIDE_COLUMNS.items()},
    "text": str,
}
Row = Mapping[str, Any]


def build_score_rows(task: str, rows: Iterable[Row]) -> list[Row]:
    """Add the parts of paths to rows of scores.

    Args:
        task: name of the task.
        rows: rows with `system`, `score`, `value`, and `low` and `high` if there are intervals.
    """
    return [{"task": task, **row, **_split_path(row["score"])} for row in rows]


def _split_path(path: str) -> Row:
    part, *rest = key = parse_path(path)
    if part not in PARTS:
        part, rest = "overall", [*key]
    row: dict[str, Any] = {"part": part}
    level = [rest.pop(0)] if part == LEVEL_PART else []
    if level and rest[0] == LABEL_PART:
        part = rest.pop(0)
    if part == LABEL_PART:
        row["label"], *rest = rest
    elif part == SLICE_PART:
        row["slice_column"], row["slice_value"], *rest = rest
    *group, row["name"] = rest
    return row | {"group": ".".join((*level, *group)) or None}


def build_finding_rows(findings: Iterable[Finding]) -> list[Row]:
    """Build a flat row for each finding.

    Args:
        findings: the findings.
    """
    return [_build_finding_row(finding) for finding in findings]


def _build_finding_row(finding: Finding) -> Row:
    row: dict[str, Any] = {"kind": finding.kind, "document": finding.document, "where": finding.where}
    for mark in finding.marks:
        values = (mark.label, mark.start, mark.end, _get_words(finding, mark))
        row |= {f"{mark.side}_{name}": value for name, value in zip(SIDE_COLUMNS, values, strict=True)}
    facts = dict(finding.extra)
    slices = facts.pop("slices", None)
    facts |= slices if isinstance(slices, Mapping) else {}
    return facts_to_columns(facts, row) | row | {"text": finding.text}


def facts_to_columns(facts: Row, row: Row) -> dict[str, str]:
    """Return further facts as text.

    A fact whose name the row already has is left out.
    """
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        for name, value in facts.items()
        if value is not None and name not in row
    }


def _get_words(finding: Finding, mark: Mark) -> str | None:
    return None if finding.text is None else finding.text[mark.text_start : mark.text_end]


def list_finding_columns(rows: Iterable[Row]) -> Mapping[str, type]:
    """Return the columns of a data frame of findings.

    They are the columns that all findings have, and those of further facts, which are text.

    Args:
        rows: rows of findings.
    """
    return {**FINDING_COLUMNS, **{name: str for row in rows for name in row if name not in FINDING_COLUMNS}}


def build_frame(rows: Sequence[Row], columns: Mapping[str, type], library: str | None = None) -> Any:
    """Build a data frame.

    A value that a row does not have is missing in the data frame.

    Args:
        rows: values by the names of columns.
        columns: type of each column, in order: `str`, `int` or `float`.
        library: `pandas`, `polars` or `pyarrow`; None for the first of these that is installed.

    Raises:
        UsageError: if the library is unknown.
        MissingExtraError: if it is not installed.
    """
    chosen = library or _find_installed_library()
    check_choice("library", chosen, tuple(LIBRARIES))
    module = import_extra(chosen, "A data frame", LIBRARIES[chosen])
    values = {name: [row.get(name) for row in rows] for name in columns}
    if chosen == "pandas":
        return module.DataFrame(
            {name: module.Series(values[name], dtype=PANDAS_TYPES[kind]) for name, kind in columns.items()}
        )
    if chosen == "polars":
        types = {str: module.String, int: module.Int64, float: module.Float64}
        return module.DataFrame(
            {name: module.Series(name, values[name], types[kind], strict=False) for name, kind in columns.items()}
        )
    kinds = {str: module.string(), int: module.int64(), float: module.float64()}
    return module.table({name: module.array(values[name], kinds[kind]) for name, kind in columns.items()})


PANDAS_TYPES = {str: "object", int: "Int64", float: "float64"}


def _find_installed_library() -> str:
    installed_library = next((name for name in LIBRARIES if find_spec(name) is not None), None)
    if installed_library is None:
        raise MissingExtraError("A data frame", "isogloss[pandas]")
    return installed_library
