"""Tables of named entities: schemas, labels, kinds of findings, and tokens if there are tags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from isogloss.kernel.scores import format_path
from isogloss.runs.run import Run
from isogloss.runs.tables import (
    CellKind,
    ScoreTable,
    TableCell,
    TableColumn,
    kinds_table,
    notes_on_labels,
    notes_on_means,
    shorten_system_names,
)

RATIOS = ("precision", "recall", "f1", "f")
OUTCOMES = ("correct", "incorrect", "partial")  # missed and spurious are equal in all schemas; another table has them
SPAN_COUNT_TITLES = {"possible": "reference", "actual": "predicted"}  # heads of the columns


def build_tables(runs: Sequence[Run]) -> list[ScoreTable]:
    """Build the tables of one run, or of several side by side."""
    if len(runs) > 1:
        return [_build_system_table(runs), *_build_system_labels(runs), kinds_table(runs, "Spans")]
    run = runs[0]
    return [
        table
        for table in (
            _build_overall_table(run),
            _build_label_table(run),
            kinds_table(runs, "Spans"),
            _build_other_table(run),
        )
        if table.rows
    ]


def _get_schemas(run: Run) -> dict[str, Mapping[str, TableCell]]:
    """Return the overall groups with precision and recall."""
    return {name: group for name, group in run.scores.items() if "precision" in group}


def _build_overall_table(run: Run) -> ScoreTable:
    groups = _get_schemas(run)
    ratios = _select_present(groups.values(), RATIOS)
    outcomes = _select_present(groups.values(), OUTCOMES)
    counts = outcomes if len(outcomes) > 1 else [*outcomes, *_select_present(groups.values(), SPAN_COUNT_TITLES)]
    interval = _build_interval_columns(run, ratios)
    columns = [TableColumn("schema"), *_build_columns(ratios, "ratio"), *interval, *_build_columns(counts, "count")]
    rows = [
        (
            name,
            *(group.get(r) for r in ratios),
            *_get_interval_cells(run, interval, name, ratios),
            *(group.get(c) for c in counts),
        )
        for name, group in groups.items()
    ]
    return ScoreTable("Overall", tuple(columns), tuple(rows))


def _build_label_table(run: Run) -> ScoreTable:
    """Build the table of labels and means over labels, in the first schema."""
    schema = next(iter(_get_schemas(run)), "strict")
    groups = {label: group.get(schema, {}) for label, group in run.by_label.items()}
    ratios = _select_present(groups.values(), RATIOS)
    counts = _select_present(groups.values(), SPAN_COUNT_TITLES)
    interval = _build_interval_columns(run, ratios)
    columns = [TableColumn("label"), *_build_columns(ratios, "ratio"), *interval, *_build_columns(counts, "count")]
    rows: list[tuple[TableCell, ...]] = [
        (
            label,
            *(group.get(r) for r in ratios),
            *_get_interval_cells(run, interval, format_path(("by_label", label, schema)), ratios),
            *(group.get(c) for c in counts),
        )
        for label, group in groups.items()
    ]
    for name, means in (("macro", run.macro), ("weighted", run.weighted)):
        if schema in means:
            values = means[schema]
            title = f"{name} ({values['labels']})" if "labels" in values else name
            row = (
                title,
                *(values.get(r) for r in ratios),
                *_get_interval_cells(run, interval, f"{name}.{schema}", ratios),
            )
            rows.append((*row, *(None for _ in counts)))
    return ScoreTable(f"By label ({schema})", tuple(columns), tuple(rows), notes_on_means(run, schema, ratios))


def _build_other_table(run: Run) -> ScoreTable:
    """Build the table of overall groups that are not schemas, one row each."""
    schemas = _get_schemas(run)
    groups = {name: group for name, group in run.scores.items() if name not in schemas}
    names = list(dict.fromkeys(chain.from_iterable(groups.values())))
    rows = [(group, *(values.get(name) for name in names)) for group, values in groups.items()]
    return ScoreTable("Other", (TableColumn("group"), *_build_columns(names, "ratio")), tuple(rows))


def _build_system_table(runs: Sequence[Run]) -> ScoreTable:
    """Build the table with a row per system: the first schema in full, the main score of the others."""
    schemas = list(dict.fromkeys(chain.from_iterable(_get_schemas(run) for run in runs)))
    first = schemas[0] if schemas else "strict"
    ratios = _select_present((run.scores.get(first, {}) for run in runs), RATIOS)
    main = ratios[-1] if ratios else "f1"
    interval = _build_interval_columns(runs[0], ratios)
    columns = [
        TableColumn("system"),
        *_build_columns(ratios, "ratio"),
        *interval,
        *_build_columns(schemas[1:], "ratio"),
    ]
    rows = [
        (
            name,
            *(run.scores[first].get(r) for r in ratios),
            *_get_interval_cells(run, interval, first, ratios),
            *(run.scores[schema].get(main) for schema in schemas[1:]),
        )
        for name, run in zip(shorten_system_names(runs), runs, strict=True)
    ]
    title = f"Systems ({first}" + (f"; {main} of the other schemas)" if schemas[1:] else ")")
    return ScoreTable(title, tuple(columns), tuple(rows))


def _build_system_labels(runs: Sequence[Run]) -> list[ScoreTable]:
    """Build the table of main scores by label and of their means, with a column per system."""
    schema = next(iter(_get_schemas(runs[0])), "strict")
    main = "f" if "f" in runs[0].scores.get(schema, {}) else "f1"
    labels = sorted(set(chain.from_iterable(run.by_label for run in runs)))
    rows = [(label, *(_get_label_score(run.by_label, label, schema, main) for run in runs)) for label in labels]
    means = {"macro": [run.macro for run in runs], "weighted": [run.weighted for run in runs]}
    for name, groups in means.items():
        if all(schema in group for group in groups):
            rows += [(name, *(group[schema].get(main) for group in groups))]
    columns = (TableColumn("label"), *_build_columns(shorten_system_names(runs), "ratio"))
    notes = notes_on_labels(runs, schema, main)
    return [ScoreTable(f"{main} by label ({schema})", columns, tuple(rows), notes)] if labels else []


def _get_label_score(
    by_label: Mapping[str, Mapping[str, Mapping[str, TableCell]]], label: str, schema: str, main: str
) -> TableCell:
    return by_label.get(label, {}).get(schema, {}).get(main)


def _select_present(groups: Iterable[Mapping[str, TableCell]], names: Iterable[str]) -> list[str]:
    """Return the names that occur in a group, in the order of `names`."""
    found = set(chain.from_iterable(groups))
    return [name for name in names if name in found]


def _build_columns(names: Iterable[str], kind: CellKind) -> list[TableColumn]:
    return [TableColumn(SPAN_COUNT_TITLES.get(name, name), kind) for name in names]


def _build_interval_columns(run: Run, ratios: Sequence[str]) -> list[TableColumn]:
    """Return a column for the interval of the main ratio, none without intervals."""
    if not run.intervals or not ratios:
        return []
    level = next(iter(run.intervals.values())).level
    return [TableColumn(f"{ratios[-1]} {100 * level:g}%", "interval")]


def _get_interval_cells(run: Run, columns: Sequence[TableColumn], group: str, ratios: Sequence[str]) -> list[TableCell]:
    if not columns:
        return []
    interval = run.intervals.get(f"{group}.{ratios[-1]}")
    return [None if interval is None else (interval.low, interval.high)]
