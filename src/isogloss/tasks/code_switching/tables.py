"""The tables of code-switching: rates, reasons, and kinds of findings.

Rates are given with and without excused words.
"""

from __future__ import annotations

from collections.abc import Sequence

from isogloss.runs.run import Run
from isogloss.runs.score_tables import (
    ScoreColumn,
    ScoreTable,
    build_comparison_table,
    build_score_table,
    list_system_rows,
    select_names,
)

TABLE_UNITS = ("words", "sentences", "texts")
TABLE_SIDES = ("strict", "excused")
SCORE_TITLES = {"cmi": "cmi (of 100)"}
RATE_TITLES = {"lpr": "Line pass rate", "wpr": "Word pass rate", "acc": "Accuracy of lines"}
OTHER_GROUPS = ("mixing", "pass_rate", "other_language", "scripts", "third_scripts")


def build_tables(runs: Sequence[Run]) -> list[ScoreTable]:
    """Build the tables of one run, or of several side by side."""
    kinds = [(kind, ("findings", kind)) for kind in select_names(run.kinds for run in runs)]
    reasons = sorted({name for run in runs for name in run.by_label if name not in run.kinds})
    counts = [(reason, ("by_label", reason, "words", "count")) for reason in reasons]
    if all("words" not in run.scores for run in runs):
        return _build_benchmark_tables(runs)
    tables = [
        _build_rates_table(runs),
        build_comparison_table("Words excused by", "reason", runs, counts, "count", single="words"),
        *(_build_group_table(runs, name) for name in OTHER_GROUPS),
        build_comparison_table("Foreign words by kind", "kind", runs, kinds, "count"),
    ]
    return [table for table in tables if table.rows]


def _build_benchmark_tables(runs: Sequence[Run]) -> list[ScoreTable]:
    """Build the tables of the profile `language-confusion`."""
    groups = sorted({name for run in runs for name in run.by_label}, key=lambda name: name.split("/"))
    rates = [(name, ("benchmark", name)) for name in RATE_TITLES]
    tables = [build_comparison_table("Language confusion", "rate", runs, rates, single="score")]
    for rate, title in RATE_TITLES.items():
        rows = [(name, ("by_label", name, "benchmark", rate)) for name in groups]
        tables.append(build_comparison_table(title, "source/language", runs, rows, single=rate))
    return [table for table in tables if table.rows]


def _build_rates_table(runs: Sequence[Run]) -> ScoreTable:
    """Build the table of rates.

    It has a row per unit for a single system, and a row per system for several.
    """
    sides = [side for side in TABLE_SIDES if f"{side}_rate" in runs[0].scores["words"]]
    title = f"Broken{': strict, and' if len(sides) > 1 else ','} with names and the like excused"
    title += " (words are characters)" if runs[0].signature.choices.get("count") == "characters" else ""
    if len(runs) == 1:
        columns = [ScoreColumn(side, (f"{side}_rate",), interval=side) for side in sides]
        columns += [ScoreColumn(f"{side} count", (f"{side}_count",), "count") for side in sides]
        columns += [ScoreColumn("total", ("total",), "count")]
        return build_score_table(title, "unit", columns, [(unit, runs[0], (unit,)) for unit in TABLE_UNITS])
    columns = [ScoreColumn(f"{unit} {side}", (unit, f"{side}_rate")) for unit in TABLE_UNITS for side in sides]
    return build_score_table(title, "system", columns, list_system_rows(runs))


def _build_group_table(runs: Sequence[Run], group: str) -> ScoreTable:
    names = select_names(run.scores.get(group, {}) for run in runs)
    rows = [(SCORE_TITLES.get(name, name), (group, name)) for name in names]
    return build_comparison_table(group.replace("_", " ").capitalize(), "name", runs, rows, single="score")
