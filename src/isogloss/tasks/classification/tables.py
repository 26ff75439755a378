"""The tables of classification: all labels together, each label, and the outcomes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain

from isogloss.kernel.scores import path
from isogloss.runs.run import Run
from isogloss.runs.tables import (
    MEANS,
    Cell,
    Column,
    Table,
    kinds_table,
    note_on_mean,
    notes_on_labels,
    notes_on_means,
    short_names,
)

RATIOS = ("precision", "recall", "f1", "f")
AREAS = ("roc_auc", "average_precision")
COUNTS = ("support", "tp", "fp")
TITLES = {"average_precision": "AP", "roc_auc": "ROC-AUC"}
SUMMING = ("f1", "f", *AREAS)  # what has its interval beside it
WIDEST = 12  # labels whose confusions are still a table that can be read


def build_tables(runs: Sequence[Run]) -> list[Table]:
    """The tables of one run, or of several side by side."""
    if len(runs) > 1:
        return [
            table
            for table in (_systems(runs), _labels_of_systems(runs), kinds_table(runs, "Labels given"))
            if table.rows
        ]
    run = runs[0]
    return [
        table
        for table in (_overall(run), _labels(run), _confusion(run), kinds_table(runs, "Labels given"))
        if table.rows
    ]


def _overall(run: Run) -> Table:
    """Accuracy and the three kinds of means, a row each."""
    ratios = [name for name in RATIOS if name in run.scores.get("micro", {})]
    areas = [area for area in AREAS if area in run.scores]
    columns = [Column("over labels"), *_ratio_columns(run, [*ratios, *areas])]
    rows = [row for mean in ("micro", "macro", "weighted") if (row := _mean(run, mean, ratios, areas))]
    if "overall" in run.scores:
        accuracy = run.scores["overall"]["accuracy"]
        columns.insert(1, Column("accuracy", "ratio"))
        rows = [(row[0], accuracy if k == 0 else None, *row[1:]) for k, row in enumerate(rows)]
        if run.intervals:
            columns.insert(2, _interval_column(run))
            interval = _interval(run, "overall.accuracy")
            rows = [(*row[:2], interval if k == 0 else None, *row[2:]) for k, row in enumerate(rows)]
    notes = (*notes_on_means(run, "label", ratios), *_notes_on_areas(run, areas))
    return Table("Overall", tuple(columns), tuple(rows), notes)


def _notes_on_areas(run: Run, areas: Sequence[str]) -> tuple[str, ...]:
    """A line for each area whose means over labels skip labels that have none."""
    lines: list[str] = []
    for area in areas:
        values = {label: own["ranking"][area] for label, own in run.by_label.items() if area in own.get("ranking", {})}
        undefined = [label for label, value in values.items() if math.isnan(value)]
        means = [mean for mean in MEANS if mean in run.scores[area] and "labels" in run.scores[area]]
        lines += note_on_mean(f"{' and '.join(means)} {TITLES[area]}", undefined, len(values)) if means else []
    return tuple(lines)


def _mean(run: Run, mean: str, ratios: Sequence[str], areas: Sequence[str]) -> tuple[Cell, ...]:
    group: Mapping[str, Cell] = run.scores["micro"] if mean == "micro" else getattr(run, mean).get("label", {})
    place = "micro" if mean == "micro" else f"{mean}.label"
    cells = [(name, group.get(name), f"{place}.{name}") for name in ratios]
    cells += [(area, run.scores[area].get(mean), f"{area}.{mean}") for area in areas]
    if all(value is None for _, value, _ in cells):
        return ()
    labels = group.get("labels")
    return (mean if labels is None else f"{mean} ({labels})", *_with_intervals(run, cells))


def _labels(run: Run) -> Table:
    """Each label."""
    groups = run.by_label
    some: Mapping[str, Mapping[str, Cell]] = next(iter(groups.values()), {})
    ratios = [name for name in RATIOS if name in some.get("label", {})]
    areas = [area for area in AREAS if any(area in group.get("ranking", {}) for group in groups.values())]
    best = ["threshold", ratios[-1]] if any("best" in group for group in groups.values()) else []
    counts = [name for name in COUNTS if name in some.get("label", {})]
    columns = [Column("label"), *_ratio_columns(run, [*ratios, *areas])]
    columns += [Column(f"best {name}", "ratio") for name in best] + [Column(name, "count") for name in counts]
    rows: list[tuple[Cell, ...]] = []
    for label, group in groups.items():
        own, ranking, found = (group.get(name, {}) for name in ("label", "ranking", "best"))
        cells = [(name, own.get(name), path(("by_label", label, "label", name))) for name in ratios]
        cells += [(area, ranking.get(area), path(("by_label", label, "ranking", area))) for area in areas]
        rest = (*(found.get(name) for name in best), *(own.get(name) for name in counts))
        rows.append((label, *_with_intervals(run, cells), *rest))
    return Table("By label", tuple(columns), tuple(rows))


def _confusion(run: Run) -> Table:
    """Documents by the label of the reference (rows) and the label that was given, where there are few labels."""
    names = sorted({name for pair in run.confusion for name in pair}, key=lambda name: (name is None, name or ""))
    if len(names) > WIDEST:
        return Table("Confusion", (Column("reference"),), ())
    titles = {name: "none" if name is None else name for name in names}
    rows: list[tuple[Cell, ...]] = [
        (titles[own], *(run.confusion.get((own, other), 0) for other in names)) for own in names
    ]
    columns = (Column("reference"), *(Column(titles[name], "count") for name in names))
    return Table("Confusion (columns: the label that was given)", columns, tuple(rows))


def _systems(runs: Sequence[Run]) -> Table:
    """A row per system."""
    main = next((name for name in ("f1", "f") if name in runs[0].scores["micro"]), "f1")
    chosen = {
        "accuracy": "overall.accuracy",
        f"micro {main}": f"micro.{main}",
        f"macro {main}": f"macro.label.{main}",
        "ROC-AUC": "roc_auc.macro",
        "AP": "average_precision.macro",
    }
    numbers = [{title: _score(run, name) for title, name in chosen.items()} for run in runs]
    titles = [title for title in chosen if any(row[title] is not None for row in numbers)]
    columns: list[Column] = [Column("system")]
    for title in titles:
        columns += [Column(title, "ratio"), *([_interval_column(runs[0])] if runs[0].intervals else [])]
    rows: list[tuple[Cell, ...]] = []
    for name, run, row in zip(short_names(runs), runs, numbers, strict=True):
        cells: list[Cell] = [name]
        for title in titles:
            cells += [row[title], *([_interval(run, chosen[title])] if runs[0].intervals else [])]
        rows.append(tuple(cells))
    return Table("Systems (ROC-AUC and AP: macro)", tuple(columns), tuple(rows), notes_on_labels(runs, "label", main))


def _labels_of_systems(runs: Sequence[Run]) -> Table:
    """The F of each label, a column per system."""
    main = next((name for name in ("f1", "f") if name in runs[0].scores["micro"]), "f1")
    labels = sorted(set(chain.from_iterable(run.by_label for run in runs)))
    rows = [(label, *(_score(run, path(("by_label", label, "label", main))) for run in runs)) for label in labels]
    columns = (Column("label"), *(Column(name, "ratio") for name in short_names(runs)))
    return Table(f"{main} by label", columns, tuple(rows))


def _ratio_columns(run: Run, names: Sequence[str]) -> list[Column]:
    """A column per ratio, and one for the interval of each that sums up others."""
    columns = []
    for name in names:
        columns.append(Column(TITLES.get(name, name), "ratio"))
        if run.intervals and name in SUMMING:
            columns.append(_interval_column(run))
    return columns


def _with_intervals(run: Run, named: Sequence[tuple[str, Cell, str]]) -> list[Cell]:
    """Values by name and path; after those that sum up others, their intervals."""
    cells: list[Cell] = []
    for name, value, place in named:
        cells.append(value)
        if run.intervals and name in SUMMING:
            cells.append(_interval(run, place))
    return cells


def _interval_column(run: Run) -> Column:
    level = next(iter(run.intervals.values())).level
    return Column(f"{100 * level:g}%", "interval")


def _interval(run: Run, name: str) -> Cell:
    found = run.intervals.get(name)
    return None if found is None else (found.low, found.high)


def _score(run: Run, name: str) -> Cell:
    try:
        return run.score(name)
    except KeyError:
        return None
