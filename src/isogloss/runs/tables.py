"""Tables of typed cells: what every printed form of a run shows. The forms differ only in how they draw them.

Each task builds its own tables; the tables of scores over single documents and of slices are the same for all tasks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from isogloss.kernel.scores import Key, keys_of, path
from isogloss.runs.main_scores import main_score, value_of
from isogloss.runs.run import Run
from isogloss.stats.intervals import Spread

TITLE = "Over single documents"
SPREAD = ("mean", "std", "se", "min", "max")
Slice = Mapping[str, Any]
Kind = Literal["text", "ratio", "count", "interval"]
Cell = str | int | float | tuple[float, float] | None
UNDEFINED = "\N{EN DASH}"
DIGITS = 4
INTERVAL_DIGITS = 3
MEANS = ("macro", "weighted")
NAMED = 10  # labels without a value that a note names


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Args:
        title: its head.
        kind: what its cells are. A cell without content is None, in every kind.
    """

    title: str
    kind: Kind = "text"


@dataclass(frozen=True)
class Table:
    """A table; the first column names the rows.

    Args:
        title: what the table shows.
        columns: its columns.
        rows: (rows, columns) cells.
        notes: lines below it.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"each row of {self.title!r} has {len(self.columns)} cells")


def format_cell(cell: Cell, undefined: str = UNDEFINED) -> str:
    """A cell as text: ratios with four digits, counts with thousands separators, undefined as a dash."""
    if cell is None:
        return ""
    if isinstance(cell, tuple):
        ends = ["" if math.isnan(end) else f"{end:.{INTERVAL_DIGITS}f}" for end in cell]
        return (" to " if min(cell) < 0 else undefined).join(ends)
    if isinstance(cell, float):
        return undefined if math.isnan(cell) else f"{cell:.{DIGITS}f}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def over_documents(runs: Sequence[Run]) -> list[Table]:
    """The main score of one run, and its like of other groups; of several systems the main score, a row each."""
    shared = [name for name in runs[0].per_document if all(name in run.per_document for run in runs)]
    main = next((name for name in runs[0].catalogue.main if name in shared), next(iter(shared), None))
    if main is None:
        return []
    if len(runs) > 1:
        rows = [(name, run.per_document[main]) for name, run in zip(short_names(runs), runs, strict=True)]
        return [spread_table(f"{TITLE} ({main})", "system", rows)]
    alike = [name for name in shared if keys_of(name)[-1] == keys_of(main)[-1]]
    return [spread_table(TITLE, "score", ((name, runs[0].per_document[name]) for name in alike))]


def spread_table(title: str, head: str, rows: Iterable[tuple[str, Spread]], units: str = "documents") -> Table:
    """A row for each score over single documents, with the standard error of its mean.

    Args:
        title: of the table.
        head: of the column of names.
        rows: names, and what they are the names of.
        units: what documents are called.
    """
    columns = (Column(head), *(Column(name, "ratio") for name in SPREAD), Column(units, "count"))
    cells: list[tuple[Cell, ...]] = [
        (name, *(getattr(spread, figure) for figure in SPREAD), spread.documents) for name, spread in rows
    ]
    return Table(title, columns, tuple(cells))


def slice_tables(runs: Sequence[Run], drawn: Sequence[str] = ()) -> list[Table]:
    """A table for each column by which one run, or several side by side, were sliced."""
    columns = dict.fromkeys(column for run in runs for column in run.slices)
    return [_of_column(runs, column) for column in columns if column not in drawn]


def _of_column(runs: Sequence[Run], column: str) -> Table:
    main = keys_of(main_score(runs))
    values = list(dict.fromkeys(value for run in runs for value in run.slices.get(column, {})))
    return _of_one(runs[0], column, main) if len(runs) == 1 else _side_by_side(runs, column, values, main)


def _of_one(run: Run, column: str, main: Key) -> Table:
    slices = run.slices[column]
    shown = _shown(run, slices.values(), main)
    groups = dict.fromkeys(key[0] for key in shown)
    title = f"By {column} ({', '.join(groups)})" if len(groups) == 1 else f"By {column}"
    level = next((interval.level for interval in run.intervals.values()), None)
    columns = [Column(column), Column("documents", "count")]
    columns += [Column(_head(key, len(groups)), "ratio") for key in shown]
    columns += [] if level is None else [Column(f"{_head(main, len(groups))} {100 * level:g}%", "interval")]
    rows = []
    for value, own in slices.items():
        ends = [] if level is None else [_ends(run, ("slices", column, value, *main))]
        rows.append((value, own.get("documents"), *(_value(own, key) for key in shown), *ends))
    return Table(title, tuple(columns), tuple(rows))


def _side_by_side(runs: Sequence[Run], column: str, values: Iterable[str], main: Key) -> Table:
    """The main score of each value, a column per system."""
    of_runs = [run.slices.get(column, {}) for run in runs]
    rows = tuple(
        (
            value,
            next((own[value].get("documents") for own in of_runs if value in own), None),
            *(_value(own.get(value, {}), main) for own in of_runs),
        )
        for value in values
    )
    heads = (Column(name, "ratio") for name in short_names(runs))
    return Table(f"{path(main)} by {column}", (Column(column), Column("documents", "count"), *heads), rows)


def _shown(run: Run, slices: Iterable[Slice], main: Key) -> list[Key]:
    """The ratios that any of the slices has."""
    known = list(slices)
    keys = dict.fromkeys((*map(keys_of, run.catalogue.by_slice), main))
    return [key for key in keys if any(_value(own, key) is not None for own in known)]


def _head(key: Key, groups: int) -> str:
    return key[-1] if groups == 1 else path(key).replace("_", " ")


def _value(own: Slice, key: Key) -> Cell:
    value: Cell = own.get(key[0], {}).get(key[1])
    return value


def _ends(run: Run, key: Key) -> Cell:
    interval = run.intervals.get(path(key))
    return None if interval is None else (interval.low, interval.high)


def default_tables(runs: Sequence[Run]) -> list[Table]:
    """Build the tables of a task that declares none: a row per group, or per system, and the kinds of findings."""
    names = list(dict.fromkeys(chain.from_iterable(group for run in runs for group in run.scores.values())))
    if len(runs) == 1:
        rows = [(name, *(group.get(score) for score in names)) for name, group in runs[0].scores.items()]
        overall = Table("Overall", (Column("group"), *(Column(name, _kind(runs, name)) for name in names)), tuple(rows))
    else:
        main = [path for path in runs[0].catalogue.main if all(value_of(run, path) is not None for run in runs)]
        cells = [(name, *(run.score(each) for each in main)) for name, run in zip(short_names(runs), runs, strict=True)]
        overall = Table("Systems", (Column("system"), *(Column(each, "ratio") for each in main)), tuple(cells))
    return [table for table in (overall, kinds_table(runs, "Findings")) if table.rows]


def _kind(runs: Sequence[Run], name: str) -> Kind:
    values = (group[name] for run in runs for group in run.scores.values() if name in group)
    return "count" if all(isinstance(value, int) for value in values) else "ratio"


def kinds_table(runs: Sequence[Run], title: str) -> Table:
    """Build the table of kinds of findings: how many of each kind, a column per system.

    Args:
        runs: of one task.
        title: of the table.
    """
    kinds = list(dict.fromkeys(chain.from_iterable(run.kinds for run in runs)))
    heads = ["count"] if len(runs) == 1 else short_names(runs)
    rows = [(kind.replace("_", " "), *(run.kinds.get(kind) for run in runs)) for kind in kinds]
    return Table(title, (Column("kind"), *(Column(head, "count") for head in heads)), tuple(rows))


def short_names(runs: Sequence[Run]) -> list[str]:
    """The systems without the folders that they share."""
    parts = [run.system.split("/") for run in runs]
    shared = 0
    while all(len(path) > shared + 1 and path[: shared + 1] == parts[0][: shared + 1] for path in parts):
        shared += 1
    return ["/".join(path[shared:]) for path in parts]


def note_on_mean(mean: str, undefined: Sequence[str], total: int, noun: str = "labels") -> list[str]:
    """A line on a mean that skips undefined values, no line for a mean of all values.

    Args:
        mean: what it is called.
        undefined: names of the parts that have no value.
        total: number of parts, with these.
        noun: what the parts are.
    """
    if not undefined:
        return []
    names = ", ".join(undefined[:NAMED]) + (", …" if len(undefined) > NAMED else "")
    return [f"{mean} over {total - len(undefined):,} of {total:,} {noun}: undefined for {names}"]


def notes_on_means(run: Run, group: str, ratios: Iterable[str]) -> tuple[str, ...]:
    """A line for each ratio of a group whose means over labels skip labels for which it is undefined."""
    means = [mean for mean in MEANS if "labels" in getattr(run, mean).get(group, {})]
    if not means:
        return ()
    total = run.macro[group]["labels"] if "macro" in means else run.weighted[group]["labels"]
    names = " and ".join(means)
    return tuple(
        line
        for ratio in ratios
        for line in note_on_mean(f"{names} {ratio}", _undefined(run, group, ratio, total), total)
    )


def notes_on_labels(runs: Sequence[Run], group: str, ratio: str) -> tuple[str, ...]:
    """A line on the number of labels behind the means of each system, where it is not one number for all."""
    means = [mean for mean in MEANS if all("labels" in getattr(run, mean).get(group, {}) for run in runs)]
    if not means:
        return ()
    systems: dict[str, list[str]] = {}
    for run, name in zip(runs, short_names(runs), strict=True):
        total = getattr(run, means[0])[group]["labels"]
        used = total - len(_undefined(run, group, ratio, total))
        systems.setdefault(f"{used:,} labels" if used == total else f"{used:,} of {total:,} labels", []).append(name)
    if len(systems) == 1 and not any(" of " in number for number in systems):
        return ()
    parts = "; ".join(f"over {number}: {', '.join(names)}" for number, names in systems.items())
    return (f"{' and '.join(means)} {ratio} {parts}",)


def _undefined(run: Run, group: str, ratio: str, total: int) -> list[str]:
    """Which of the labels that count for the means have no such ratio.

    Args:
        run: the run.
        group: of the scores of labels.
        ratio: the score.
        total: how many labels count: all that occur, or those of the reference.
    """
    labels = {label: own[group] for label, own in run.by_label.items() if group in own}
    sides = [
        (own.get("possible", own.get("support", 0)), own.get("actual", own.get("fp", 0))) for own in labels.values()
    ]
    counts = [possible + actual > 0 for possible, actual in sides]
    if sum(counts) != total:
        counts = [possible > 0 for possible, _ in sides]
    values = ((label, own.get(ratio, 0.0)) for (label, own), has in zip(labels.items(), counts, strict=True) if has)
    return [label for label, value in values if math.isnan(value)]
