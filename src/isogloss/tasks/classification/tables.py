"""The tables of classification: all labels together, each label, and the outcomes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain

from isogloss.kernel.scores import format_path
from isogloss.runs.run import Run
from isogloss.runs.tables import (
    MEANS,
    ScoreTable,
    TableCell,
    TableColumn,
    build_kinds_table,
    shorten_system_names,
    write_label_notes,
    write_mean_note,
    write_mean_notes,
)

LABEL_RATIOS = ("precision", "recall", "f1", "f")
RANKING_AREAS = ("roc_auc", "average_precision")
LABEL_COUNTS = ("support", "tp", "fp")
AREA_TITLES = {"average_precision": "AP", "roc_auc": "ROC-AUC"}
INTERVAL_SCORES = ("f1", "f", *RANKING_AREAS)  # what has its interval beside it
MAX_CONFUSION_LABELS = 12  # labels whose confusions are still a table that can be read


def build_tables(runs: Sequence[Run]) -> list[ScoreTable]:
    """The tables of one run, or of several side by side."""
    if len(runs) > 1:
        return [
            table
            for table in (_build_systems_table(runs), _compare_labels(runs), build_kinds_table(runs, "Labels given"))
            if table.rows
        ]
    run = runs[0]
    return [
        table
        for table in (
            _build_overall_table(run),
            _build_labels_table(run),
            _build_confusion_table(run),
            build_kinds_table(runs, "Labels given"),
        )
        if table.rows
    ]


def _build_overall_table(run: Run) -> ScoreTable:
    """Accuracy and the three kinds of means, a row each."""
    ratios = [name for name in LABEL_RATIOS if name in run.scores.get("micro", {})]
    areas = [area for area in RANKING_AREAS if area in run.scores]
    columns = [TableColumn("over labels"), *_make_ratio_columns(run, [*ratios, *areas])]
    rows = [row for mean in ("micro", "macro", "weighted") if (row := _build_mean_row(run, mean, ratios, areas))]
    if "overall" in run.scores:
        accuracy = run.scores["overall"]["accuracy"]
        columns.insert(1, TableColumn("accuracy", "ratio"))
        rows = [(row[0], accuracy if k == 0 else None, *row[1:]) for k, row in enumerate(rows)]
        if run.intervals:
            columns.insert(2, _make_interval_column(run))
            interval = _make_interval_cell(run, "overall.accuracy")
            rows = [(*row[:2], interval if k == 0 else None, *row[2:]) for k, row in enumerate(rows)]
    notes = (*write_mean_notes(run, "label", ratios), *_notes_on_areas(run, areas))
    return ScoreTable("Overall", tuple(columns), tuple(rows), notes)


def _notes_on_areas(run: Run, areas: Sequence[str]) -> tuple[str, ...]:
    """A line for each area whose means over labels skip labels that have none."""
    lines: list[str] = []
    for area in areas:
        values = {label: own["ranking"][area] for label, own in run.by_label.items() if area in own.get("ranking", {})}
        undefined = [label for label, value in values.items() if math.isnan(value)]
        means = [mean for mean in MEANS if mean in run.scores[area] and "labels" in run.scores[area]]
        lines += write_mean_note(f"{' and '.join(means)} {AREA_TITLES[area]}", undefined, len(values)) if means else []
    return tuple(lines)


def _build_mean_row(run: Run, mean: str, ratios: Sequence[str], areas: Sequence[str]) -> tuple[TableCell, ...]:
    group: Mapping[str, TableCell] = run.scores["micro"] if mean == "micro" else getattr(run, mean).get("label", {})
    place = "micro" if mean == "micro" else f"{mean}.label"
    cells = [(name, group.get(name), f"{place}.{name}") for name in ratios]
    cells += [(area, run.scores[area].get(mean), f"{area}.{mean}") for area in areas]
    if all(value is None for _, value, _ in cells):
        return ()
    labels = group.get("labels")
    return (mean if labels is None else f"{mean} ({labels})", *_add_intervals(run, cells))


def _build_labels_table(run: Run) -> ScoreTable:
    """Each label."""
    groups = run.by_label
    some: Mapping[str, Mapping[str, TableCell]] = next(iter(groups.values()), {})
    ratios = [name for name in LABEL_RATIOS if name in some.get("label", {})]
    areas = [area for area in RANKING_AREAS if any(area in group.get("ranking", {}) for group in groups.values())]
    best = ["threshold", ratios[-1]] if any("best" in group for group in groups.values()) else []
    counts = [name for name in LABEL_COUNTS if name in some.get("label", {})]
    columns = [TableColumn("label"), *_make_ratio_columns(run, [*ratios, *areas])]
    columns += [TableColumn(f"best {name}", "ratio") for name in best] + [TableColumn(name, "count") for name in counts]
    rows: list[tuple[TableCell, ...]] = []
    for label, group in groups.items():
        own, ranking, found = (group.get(name, {}) for name in ("label", "ranking", "best"))
        cells = [(name, own.get(name), format_path(("by_label", label, "label", name))) for name in ratios]
        cells += [(area, ranking.get(area), format_path(("by_label", label, "ranking", area))) for area in areas]
        rest = (*(found.get(name) for name in best), *(own.get(name) for name in counts))
        rows.append((label, *_add_intervals(run, cells), *rest))
    return ScoreTable("By label", tuple(columns), tuple(rows))


def _build_confusion_table(run: Run) -> ScoreTable:
    """Documents by the label of the reference (rows) and the label that was given, where there are few labels."""
    names = sorted({name for pair in run.confusion for name in pair}, key=lambda name: (name is None, name or ""))
    if len(names) > MAX_CONFUSION_LABELS:
        return ScoreTable("Confusion", (TableColumn("reference"),), ())
    titles = {name: "none" if name is None else name for name in names}
    rows: list[tuple[TableCell, ...]] = [
        (titles[own], *(run.confusion.get((own, other), 0) for other in names)) for own in names
    ]
    columns = (TableColumn("reference"), *(TableColumn(titles[name], "count") for name in names))
    return ScoreTable("Confusion (columns: the label that was given)", columns, tuple(rows))


def _build_systems_table(runs: Sequence[Run]) -> ScoreTable:
    """A row per system."""
    main = next((name for name in ("f1", "f") if name in runs[0].scores["micro"]), "f1")
    chosen = {
        "accuracy": "overall.accuracy",
        f"micro {main}": f"micro.{main}",
        f"macro {main}": f"macro.label.{main}",
        "ROC-AUC": "roc_auc.macro",
        "AP": "average_precision.macro",
    }
    numbers = [{title: _get_score(run, name) for title, name in chosen.items()} for run in runs]
    titles = [title for title in chosen if any(row[title] is not None for row in numbers)]
    columns: list[TableColumn] = [TableColumn("system")]
    for title in titles:
        columns += [TableColumn(title, "ratio"), *([_make_interval_column(runs[0])] if runs[0].intervals else [])]
    rows: list[tuple[TableCell, ...]] = []
    for name, run, row in zip(shorten_system_names(runs), runs, numbers, strict=True):
        cells: list[TableCell] = [name]
        for title in titles:
            cells += [row[title], *([_make_interval_cell(run, chosen[title])] if runs[0].intervals else [])]
        rows.append(tuple(cells))
    return ScoreTable(
        "Systems (ROC-AUC and AP: macro)", tuple(columns), tuple(rows), write_label_notes(runs, "label", main)
    )


def _compare_labels(runs: Sequence[Run]) -> ScoreTable:
    """The F of each label, a column per system."""
    main = next((name for name in ("f1", "f") if name in runs[0].scores["micro"]), "f1")
    labels = sorted(set(chain.from_iterable(run.by_label for run in runs)))
    rows = [
        (label, *(_get_score(run, format_path(("by_label", label, "label", main))) for run in runs)) for label in labels
    ]
    columns = (TableColumn("label"), *(TableColumn(name, "ratio") for name in shorten_system_names(runs)))
    return ScoreTable(f"{main} by label", columns, tuple(rows))


def _make_ratio_columns(run: Run, names: Sequence[str]) -> list[TableColumn]:
    """A column per ratio, and one for the interval of each that sums up others."""
    columns = []
    for name in names:
        columns.append(TableColumn(AREA_TITLES.get(name, name), "ratio"))
        if run.intervals and name in INTERVAL_SCORES:
            columns.append(_make_interval_column(run))
    return columns


def _add_intervals(run: Run, named: Sequence[tuple[str, TableCell, str]]) -> list[TableCell]:
    """Values by name and path; after those that sum up others, their intervals."""
    cells: list[TableCell] = []
    for name, value, place in named:
        cells.append(value)
        if run.intervals and name in INTERVAL_SCORES:
            cells.append(_make_interval_cell(run, place))
    return cells


def _make_interval_column(run: Run) -> TableColumn:
    level = next(iter(run.intervals.values())).level
    return TableColumn(f"{100 * level:g}%", "interval")


def _make_interval_cell(run: Run, name: str) -> TableCell:
    found = run.intervals.get(name)
    return None if found is None else (found.low, found.high)


def _get_score(run: Run, name: str) -> TableCell:
    try:
        return run.score(name)
    except KeyError:
        return None
