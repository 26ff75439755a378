"""The tables of code-switching. What is strict and what is excused stand side by side: the truth lies between."""

from __future__ import annotations

from collections.abc import Sequence

from isogloss.runs.run import Run
from isogloss.runs.tables import Cell, Column, Table, short_names

UNITS = ("words", "sentences", "texts")
TITLE = "Broken: strict, and with names and the like excused"
SIDES = ("strict", "excused")
TITLES = {"cmi": "cmi (of 100)"}
OTHERS = ("mixing", "pass_rate", "scripts", "third_scripts")


def build_tables(runs: Sequence[Run]) -> list[Table]:
    """The tables of one run, or of several side by side."""
    found = [_systems(runs)] if len(runs) > 1 else [_units(runs[0])]
    found += [_reasons(runs), *(_group(runs, name) for name in OTHERS), _kinds(runs)]
    return [table for table in found if table.rows]


def _units(run: Run) -> Table:
    sides = [side for side in SIDES if f"{side}_rate" in run.scores["words"]]
    interval = _interval(run)
    columns = [Column("unit")]
    for side in sides:
        columns += [Column(side, "ratio"), *(Column(f"{side} {title}", "interval") for title in interval)]
    columns += [*(Column(f"{side} count", "count") for side in sides), Column("total", "count")]
    rows = []
    for unit in UNITS:
        group = run.scores[unit]
        row: list[Cell] = [unit]
        for side in sides:
            row += [group[f"{side}_rate"], *(_ends(run, f"{unit}.{side}_rate") for _ in interval)]
        rows.append((*row, *(group[f"{side}_count"] for side in sides), group["total"]))
    return Table(TITLE if len(sides) > 1 else "Broken, with names and the like excused", tuple(columns), tuple(rows))


def _systems(runs: Sequence[Run]) -> Table:
    sides = [side for side in SIDES if f"{side}_rate" in runs[0].scores["words"]]
    columns = [Column("system")]
    columns += [Column(f"{unit} {side}", "ratio") for unit in UNITS for side in sides]
    rows = [
        (name, *(run.scores[unit][f"{side}_rate"] for unit in UNITS for side in sides))
        for run, name in zip(runs, short_names(runs), strict=True)
    ]
    return Table(TITLE if len(sides) > 1 else "Broken, with names and the like excused", tuple(columns), tuple(rows))


def _reasons(runs: Sequence[Run]) -> Table:
    """Words by what excuses them; those that mix scripts are among the kinds."""
    names = sorted({name for run in runs for name in run.by_label if name not in run.kinds})
    heads = ["words"] if len(runs) == 1 else short_names(runs)
    rows = [(name, *(run.by_label.get(name, {}).get("words", {}).get("count") for run in runs)) for name in names]
    return Table("Words excused by", _columns("reason", heads, "count"), tuple(rows))


def _group(runs: Sequence[Run], group: str) -> Table:
    names = list(dict.fromkeys(name for run in runs for name in run.scores.get(group, {})))
    heads = ["score"] if len(runs) == 1 else short_names(runs)
    rows = [(TITLES.get(name, name), *(run.scores.get(group, {}).get(name) for run in runs)) for name in names]
    return Table(group.replace("_", " ").capitalize(), _columns("name", heads, "ratio"), tuple(rows))


def _kinds(runs: Sequence[Run]) -> Table:
    names = list(dict.fromkeys(name for run in runs for name in run.kinds))
    heads = ["count"] if len(runs) == 1 else short_names(runs)
    rows = [(name, *(run.kinds.get(name) for run in runs)) for name in names]
    return Table("Foreign words by kind", _columns("kind", heads, "count"), tuple(rows))


def _columns(first: str, heads: Sequence[str], kind: str) -> tuple[Column, ...]:
    return (Column(first), *(Column(head, kind) for head in heads))  # type: ignore[arg-type]  # one of its kinds


def _interval(run: Run) -> list[str]:
    """The title of the intervals, when there are any."""
    return [f"{100 * one.level:g}%" for one in list(run.intervals.values())[:1]]


def _ends(run: Run, path: str) -> Cell:
    interval = run.intervals.get(path)
    return None if interval is None else (interval.low, interval.high)
