"""Scores over single documents, as every printed form has them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from isogloss.kernel.scores import Key, keys_of, path
from isogloss.runs.main_scores import MAIN, main_score
from isogloss.runs.run import Run
from isogloss.stats.intervals import Spread

TITLE = "Over single documents"
SPREAD = ("mean", "std", "se", "min", "max")


def over_documents(runs: Sequence[Run]) -> list[Table]:
    """The main score of one run, and its like of other groups; of several systems the main score, a row each."""
    shared = [name for name in runs[0].per_document if all(name in run.per_document for run in runs)]
    main = next((name for name in MAIN.get(runs[0].task, ()) if name in shared), next(iter(shared), None))
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


Kind = Literal["text", "ratio", "count", "interval"]
Cell = str | int | float | tuple[float, float] | None
UNDEFINED = "\N{EN DASH}"
DIGITS = 4
INTERVAL_DIGITS = 3
RATIOS = ("precision", "recall", "f1", "f")
OUTCOMES = ("correct", "incorrect", "partial")  # missed and spurious are alike in all schemas: they are in the kinds
SIDES = {"possible": "reference", "actual": "predicted"}  # the spans of either side, as they are headed


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
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

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


def tables(runs: Sequence[Run]) -> list[Table]:
    """The tables of one run, or of several side by side."""
    means = [] if runs[0].task == "segmentation" else over_documents(runs)  # which has means of more scores
    return [*_of_task(runs), *means, *(slice_tables(runs) if any(run.slices for run in runs) else [])]


def _of_task(runs: Sequence[Run]) -> list[Table]:
    if runs[0].task == "classification":
        from isogloss.tasks.classification.tables import tables_of  # noqa: PLC0415  which is made of the tables here

        return tables_of(runs)
    if runs[0].task == "segmentation":
        from isogloss.tasks.segmentation.tables import tables_of as of_segmentation  # noqa: PLC0415  likewise

        return of_segmentation(runs)
    if runs[0].task == "entity-translation":
        from isogloss.tasks.entity_translation.tables import tables_of as of_translations  # noqa: PLC0415  likewise

        return of_translations(runs)
    if runs[0].task == "code-switching":
        from isogloss.tasks.code_switching.tables import tables_of as of_texts  # noqa: PLC0415  likewise

        return of_texts(runs)
    if len(runs) > 1:
        return [_systems(runs), *_labels_of_systems(runs), _kinds(runs)]
    run = runs[0]
    return [table for table in (_overall(run), _labels(run), _kinds(runs), _rest(run)) if table.rows]


def _schemas(run: Run) -> dict[str, Mapping[str, Cell]]:
    """The overall groups that have precision and recall."""
    return {name: group for name, group in run.scores.items() if "precision" in group}


def _overall(run: Run) -> Table:
    groups = _schemas(run)
    ratios = _present(groups.values(), RATIOS)
    outcomes = _present(groups.values(), OUTCOMES)
    counts = outcomes if len(outcomes) > 1 else [*outcomes, *_present(groups.values(), SIDES)]
    interval = _interval_columns(run, ratios)
    columns = [Column("schema"), *_columns(ratios, "ratio"), *interval, *_count_columns(counts)]
    rows = [
        (
            name,
            *(group.get(r) for r in ratios),
            *_intervals(run, interval, name, ratios),
            *(group.get(c) for c in counts),
        )
        for name, group in groups.items()
    ]
    return Table("Overall", tuple(columns), tuple(rows))


def _labels(run: Run) -> Table:
    """Each label and the means over them, in the first schema."""
    schema = next(iter(_schemas(run)), "strict")
    groups = {label: group.get(schema, {}) for label, group in run.by_label.items()}
    ratios = _present(groups.values(), RATIOS)
    counts = _present(groups.values(), SIDES)
    interval = _interval_columns(run, ratios)
    columns = [Column("label"), *_columns(ratios, "ratio"), *interval, *_count_columns(counts)]
    rows: list[tuple[Cell, ...]] = [
        (
            label,
            *(group.get(r) for r in ratios),
            *_intervals(run, interval, path(("by_label", label, schema)), ratios),
            *(group.get(c) for c in counts),
        )
        for label, group in groups.items()
    ]
    for name, means in (("macro", run.macro), ("weighted", run.weighted)):
        if schema in means:
            values = means[schema]
            title = f"{name} ({values['labels']})" if "labels" in values else name
            row = (title, *(values.get(r) for r in ratios), *_intervals(run, interval, f"{name}.{schema}", ratios))
            rows.append((*row, *(None for _ in counts)))
    return Table(f"By label ({schema})", tuple(columns), tuple(rows))


def _kinds(runs: Sequence[Run]) -> Table:
    kinds = list(dict.fromkeys(chain.from_iterable(run.kinds for run in runs)))
    heads = ["count"] if len(runs) == 1 else short_names(runs)
    rows = [(kind.replace("_", " "), *(run.kinds.get(kind) for run in runs)) for kind in kinds]
    return Table("Spans", (Column("kind"), *_columns(heads, "count")), tuple(rows))


def _rest(run: Run) -> Table:
    """Overall groups that are no schema, one row each."""
    schemas = _schemas(run)
    groups = {name: group for name, group in run.scores.items() if name not in schemas}
    names = list(dict.fromkeys(chain.from_iterable(groups.values())))
    rows = [(group, *(values.get(name) for name in names)) for group, values in groups.items()]
    return Table("Other", (Column("group"), *_columns(names, "ratio")), tuple(rows))


def short_names(runs: Sequence[Run]) -> list[str]:
    """The systems without the folders that they share."""
    parts = [run.system.split("/") for run in runs]
    shared = 0
    while all(len(path) > shared + 1 and path[: shared + 1] == parts[0][: shared + 1] for path in parts):
        shared += 1
    return ["/".join(path[shared:]) for path in parts]


def _systems(runs: Sequence[Run]) -> Table:
    """A row per system: the first schema in full, the main score of the others."""
    schemas = list(dict.fromkeys(chain.from_iterable(_schemas(run) for run in runs)))
    first = schemas[0] if schemas else "strict"
    ratios = _present((run.scores.get(first, {}) for run in runs), RATIOS)
    main = ratios[-1] if ratios else "f1"
    interval = _interval_columns(runs[0], ratios)
    columns = [
        Column("system"),
        *_columns(ratios, "ratio"),
        *interval,
        *_columns(schemas[1:], "ratio"),
    ]
    rows = [
        (
            name,
            *(run.scores[first].get(r) for r in ratios),
            *_intervals(run, interval, first, ratios),
            *(run.scores[schema].get(main) for schema in schemas[1:]),
        )
        for name, run in zip(short_names(runs), runs, strict=True)
    ]
    title = f"Systems ({first}" + (f"; {main} of the other schemas)" if schemas[1:] else ")")
    return Table(title, tuple(columns), tuple(rows))


def _labels_of_systems(runs: Sequence[Run]) -> list[Table]:
    """The main score of each label and of the means over them, a column per system."""
    schema = next(iter(_schemas(runs[0])), "strict")
    main = "f" if "f" in runs[0].scores.get(schema, {}) else "f1"
    labels = sorted(set(chain.from_iterable(run.by_label for run in runs)))
    rows = [(label, *(_main_of(run.by_label, label, schema, main) for run in runs)) for label in labels]
    means = {"macro": [run.macro for run in runs], "weighted": [run.weighted for run in runs]}
    for name, groups in means.items():
        if all(schema in group for group in groups):
            rows += [(name, *(group[schema].get(main) for group in groups))]
    columns = (Column("label"), *_columns(short_names(runs), "ratio"))
    return [Table(f"{main} by label ({schema})", columns, tuple(rows))] if labels else []


def _main_of(by_label: Mapping[str, Mapping[str, Mapping[str, Cell]]], label: str, schema: str, main: str) -> Cell:
    return by_label.get(label, {}).get(schema, {}).get(main)


def _present(groups: Iterable[Mapping[str, Cell]], names: Iterable[str]) -> list[str]:
    """Those of the names that occur in a group, in their order."""
    found = set(chain.from_iterable(groups))
    return [name for name in names if name in found]


def _columns(names: Iterable[str], kind: Kind) -> list[Column]:
    return [Column(name, kind) for name in names]


def _count_columns(names: Iterable[str]) -> list[Column]:
    return _columns((SIDES.get(name, name) for name in names), "count")


def _interval_columns(run: Run, ratios: Sequence[str]) -> list[Column]:
    """A column for the interval of the main ratio, when there are intervals."""
    if not run.intervals or not ratios:
        return []
    level = next(iter(run.intervals.values())).level
    return [Column(f"{ratios[-1]} {100 * level:g}%", "interval")]


def _intervals(run: Run, columns: Sequence[Column], group: str, ratios: Sequence[str]) -> list[Cell]:
    if not columns:
        return []
    interval = run.intervals.get(f"{group}.{ratios[-1]}")
    return [None if interval is None else (interval.low, interval.high)]
