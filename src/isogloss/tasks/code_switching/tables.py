"""The tables of code-switching. What is strict and what is excused stand side by side: the truth lies between."""

from __future__ import annotations

from collections.abc import Sequence

from isogloss.runs.run import Run
from isogloss.runs.tables import ScoreTable, TableCell, TableColumn, shorten_system_names

TABLE_UNITS = ("words", "sentences", "texts")
RATES_TITLE = "Broken: strict, and with names and the like excused"
TABLE_SIDES = ("strict", "excused")
SCORE_TITLES = {"cmi": "cmi (of 100)"}
OTHER_GROUPS = ("mixing", "pass_rate", "scripts", "third_scripts")


def build_tables(runs: Sequence[Run]) -> list[ScoreTable]:
    """The tables of one run, or of several side by side."""
    found = [_build_systems_table(runs)] if len(runs) > 1 else [_build_units_table(runs[0])]
    found += [
        _build_reasons_table(runs),
        *(_build_group_table(runs, name) for name in OTHER_GROUPS),
        _build_kinds_table(runs),
    ]
    return [table for table in found if table.rows]


def _build_units_table(run: Run) -> ScoreTable:
    sides = [side for side in TABLE_SIDES if f"{side}_rate" in run.scores["words"]]
    interval = _list_interval_titles(run)
    columns = [TableColumn("unit")]
    for side in sides:
        columns += [TableColumn(side, "ratio"), *(TableColumn(f"{side} {title}", "interval") for title in interval)]
    columns += [*(TableColumn(f"{side} count", "count") for side in sides), TableColumn("total", "count")]
    rows = []
    for unit in TABLE_UNITS:
        group = run.scores[unit]
        row: list[TableCell] = [unit]
        for side in sides:
            row += [group[f"{side}_rate"], *(_make_interval_cell(run, f"{unit}.{side}_rate") for _ in interval)]
        rows.append((*row, *(group[f"{side}_count"] for side in sides), group["total"]))
    return ScoreTable(
        RATES_TITLE if len(sides) > 1 else "Broken, with names and the like excused", tuple(columns), tuple(rows)
    )


def _build_systems_table(runs: Sequence[Run]) -> ScoreTable:
    sides = [side for side in TABLE_SIDES if f"{side}_rate" in runs[0].scores["words"]]
    columns = [TableColumn("system")]
    columns += [TableColumn(f"{unit} {side}", "ratio") for unit in TABLE_UNITS for side in sides]
    rows = [
        (name, *(run.scores[unit][f"{side}_rate"] for unit in TABLE_UNITS for side in sides))
        for run, name in zip(runs, shorten_system_names(runs), strict=True)
    ]
    return ScoreTable(
        RATES_TITLE if len(sides) > 1 else "Broken, with names and the like excused", tuple(columns), tuple(rows)
    )


def _build_reasons_table(runs: Sequence[Run]) -> ScoreTable:
    """Words by what excuses them; those that mix scripts are among the kinds."""
    names = sorted({name for run in runs for name in run.by_label if name not in run.kinds})
    heads = ["words"] if len(runs) == 1 else shorten_system_names(runs)
    rows = [(name, *(run.by_label.get(name, {}).get("words", {}).get("count") for run in runs)) for name in names]
    return ScoreTable("Words excused by", _make_columns("reason", heads, "count"), tuple(rows))


def _build_group_table(runs: Sequence[Run], group: str) -> ScoreTable:
    names = list(dict.fromkeys(name for run in runs for name in run.scores.get(group, {})))
    heads = ["score"] if len(runs) == 1 else shorten_system_names(runs)
    rows = [(SCORE_TITLES.get(name, name), *(run.scores.get(group, {}).get(name) for run in runs)) for name in names]
    return ScoreTable(group.replace("_", " ").capitalize(), _make_columns("name", heads, "ratio"), tuple(rows))


def _build_kinds_table(runs: Sequence[Run]) -> ScoreTable:
    names = list(dict.fromkeys(name for run in runs for name in run.kinds))
    heads = ["count"] if len(runs) == 1 else shorten_system_names(runs)
    rows = [(name, *(run.kinds.get(name) for run in runs)) for name in names]
    return ScoreTable("Foreign words by kind", _make_columns("kind", heads, "count"), tuple(rows))


def _make_columns(first: str, heads: Sequence[str], kind: str) -> tuple[TableColumn, ...]:
    return (TableColumn(first), *(TableColumn(head, kind) for head in heads))  # type: ignore[arg-type]  # one of its kinds


def _list_interval_titles(run: Run) -> list[str]:
    """The title of the intervals, when there are any."""
    return [f"{100 * one.level:g}%" for one in list(run.intervals.values())[:1]]


def _make_interval_cell(run: Run, path: str) -> TableCell:
    interval = run.intervals.get(path)
    return None if interval is None else (interval.low, interval.high)
