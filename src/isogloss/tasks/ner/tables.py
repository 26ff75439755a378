"""The tables of named entities: schemas, labels, kinds of findings, and tokens where there are tags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from isogloss.kernel.scores import path
from isogloss.runs.run import Run
from isogloss.runs.tables import Cell, Column, Kind, Table, kinds_table, notes_on_labels, notes_on_means, short_names

RATIOS = ("precision", "recall", "f1", "f")
OUTCOMES = ("correct", "incorrect", "partial")  # missed and spurious are alike in all schemas: they are in the kinds
SIDES = {"possible": "reference", "actual": "predicted"}  # the spans of either side, as they are headed


def build_tables(runs: Sequence[Run]) -> list[Table]:
    """Build the tables of one run, or of several side by side."""
    if len(runs) > 1:
        return [_systems(runs), *_labels_of_systems(runs), kinds_table(runs, "Spans")]
    run = runs[0]
    return [table for table in (_overall(run), _labels(run), kinds_table(runs, "Spans"), _rest(run)) if table.rows]


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
    return Table(f"By label ({schema})", tuple(columns), tuple(rows), notes_on_means(run, schema, ratios))


def _rest(run: Run) -> Table:
    """Overall groups that are no schema, one row each."""
    schemas = _schemas(run)
    groups = {name: group for name, group in run.scores.items() if name not in schemas}
    names = list(dict.fromkeys(chain.from_iterable(groups.values())))
    rows = [(group, *(values.get(name) for name in names)) for group, values in groups.items()]
    return Table("Other", (Column("group"), *_columns(names, "ratio")), tuple(rows))


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
    notes = notes_on_labels(runs, schema, main)
    return [Table(f"{main} by label ({schema})", columns, tuple(rows), notes)] if labels else []


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
