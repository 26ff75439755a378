"""Tables of slices: for each column a row per value, with its documents and the main ratios of the task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from isogloss.report.main_scores import main_score
from isogloss.report.tables import Cell, Column, Table, short_names
from isogloss.run import Run
from isogloss.scores import Key, keys_of, path

SHOWN: Mapping[str, tuple[str, ...]] = {
    "ner": ("strict.precision", "strict.recall", "strict.f1", "strict.f"),
    "segmentation": ("word.precision", "word.recall", "word.f1"),
    "entity-translation": ("m_eta.accuracy", "comet.score", "chrf.score", "bleu.score"),
    "code-switching": ("words.strict_rate", "words.excused_rate"),
    "classification": ("overall.accuracy", "micro.f1", "roc_auc.macro", "average_precision.macro"),
}
DRAWN = {"entity-translation": ("language",)}  # columns that the tables of the task have already
Slice = Mapping[str, Any]


def slice_tables(runs: Sequence[Run]) -> list[Table]:
    """A table for each column by which one run, or several side by side, were sliced."""
    columns = dict.fromkeys(column for run in runs for column in run.slices)
    drawn = DRAWN.get(runs[0].task, ())
    return [_of_column(runs, column) for column in columns if column not in drawn]


def _of_column(runs: Sequence[Run], column: str) -> Table:
    main = keys_of(main_score(runs))
    values = list(dict.fromkeys(value for run in runs for value in run.slices.get(column, {})))
    return _of_one(runs[0], column, main) if len(runs) == 1 else _side_by_side(runs, column, values, main)


def _of_one(run: Run, column: str, main: Key) -> Table:
    slices = run.slices[column]
    shown = _shown(run.task, slices.values(), main)
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


def _shown(task: str, slices: Iterable[Slice], main: Key) -> list[Key]:
    """The ratios that any of the slices has."""
    known = list(slices)
    keys = dict.fromkeys((*map(keys_of, SHOWN.get(task, ())), main))
    return [key for key in keys if any(_value(own, key) is not None for own in known)]


def _head(key: Key, groups: int) -> str:
    return key[-1] if groups == 1 else path(key).replace("_", " ")


def _value(own: Slice, key: Key) -> Cell:
    value: Cell = own.get(key[0], {}).get(key[1])
    return value


def _ends(run: Run, key: Key) -> Cell:
    interval = run.intervals.get(path(key))
    return None if interval is None else (interval.low, interval.high)
