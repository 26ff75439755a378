"""The tables of classification: all labels together, each label, and the confusions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from isogloss.kernel.scores import ScoreKey
from isogloss.runs.run import Run
from isogloss.runs.score_tables import (
    MEANS,
    ScoreColumn,
    ScoreTable,
    TableCell,
    TableColumn,
    build_comparison_table,
    build_kinds_table,
    build_score_table,
    get_score,
    list_system_rows,
    make_columns,
    select_names,
    write_label_notes,
    write_mean_note,
    write_mean_notes,
)

LABEL_RATIOS = ("precision", "recall", "f1", "f")
RANKING_AREAS = ("roc_auc", "average_precision")
LABEL_COUNTS = ("support", "tp", "fp")
AREA_TITLES = {"average_precision": "AP", "roc_auc": "ROC-AUC"}
INTERVALS = dict.fromkeys(("f1", "f", *RANKING_AREAS), "")  # scores with intervals beside them
MAX_CONFUSION_LABELS = 12  # labels whose confusions are still a table that can be read


def build_tables(runs: Sequence[Run]) -> list[ScoreTable]:
    """Build the tables of one run, or of several side by side."""
    if len(runs) > 1:
        tables = _build_system_tables(runs)
    else:
        (run,) = runs
        tables = [_build_overall_table(run), _build_labels_table(run), _build_confusion_table(run)]
    return [table for table in (*tables, build_kinds_table(runs, "Labels given")) if table.rows]


def _build_overall_table(run: Run) -> ScoreTable:
    """Build a row for each kind of mean, accuracy in the first."""
    ratios = select_names([run.scores.get("micro", {})], LABEL_RATIOS)
    areas = select_names([run.scores], RANKING_AREAS)
    names = [*ratios, *areas]
    means = [
        mean
        for mean in ("micro", *MEANS)
        if any(get_score(run, _get_mean_key(mean, (name,))) is not None for name in names)
    ]
    rows = []
    for mean in means:
        labels = get_score(run, _get_mean_key(mean, ("labels",)))
        title = mean if labels is None else f"{mean} ({labels})"
        rows.append((title, run, partial(_get_mean_key, mean, has_accuracy=mean == means[0])))
    columns = [ScoreColumn("accuracy", ("accuracy",), interval="")] if "overall" in run.scores else []
    columns += make_columns(names, titles=AREA_TITLES, intervals=INTERVALS)
    notes = [*write_mean_notes(run, "label", ratios), *_list_area_notes(run, areas)]
    return build_score_table("Overall", "over labels", columns, rows, notes)


def _get_mean_key(mean: str, name: ScoreKey, *, has_accuracy: bool = False) -> ScoreKey:
    if name == ("accuracy",):
        return ("overall", *name) if has_accuracy else ()
    if name[0] in RANKING_AREAS:
        return (*name, mean)
    return (mean, *name) if mean == "micro" else (mean, "label", *name)


def _list_area_notes(run: Run, areas: Sequence[str]) -> list[str]:
    """List a line for each area whose means skip labels.

    The means are over labels, and skip labels that have no such area.
    """
    lines: list[str] = []
    for area in areas:
        values = {label: own["ranking"][area] for label, own in run.by_label.items() if area in own.get("ranking", {})}
        undefined = [label for label, value in values.items() if math.isnan(value)]
        means = [mean for mean in MEANS if mean in run.scores[area] and "labels" in run.scores[area]]
        lines += write_mean_note(f"{' and '.join(means)} {AREA_TITLES[area]}", undefined, len(values)) if means else []
    return lines


def _build_labels_table(run: Run) -> ScoreTable:
    """Build a row for each label."""
    groups = list(run.by_label.values())
    own = [group.get("label", {}) for group in groups[:1]]
    ratios = select_names(own, LABEL_RATIOS)
    areas = select_names((group.get("ranking", {}) for group in groups), RANKING_AREAS)
    best = ["threshold", ratios[-1]] if any("best" in group for group in groups) else []
    columns = [
        *make_columns(ratios, place=("label",), intervals=INTERVALS),
        *make_columns(areas, place=("ranking",), titles=AREA_TITLES, intervals=INTERVALS),
        *(ScoreColumn(f"best {name}", ("best", name)) for name in best),
        *make_columns(select_names(own, LABEL_COUNTS), "count", place=("label",)),
    ]
    return build_score_table(
        "By label", "label", columns, [(label, run, ("by_label", label)) for label in run.by_label]
    )


def _build_confusion_table(run: Run) -> ScoreTable:
    """Count documents by reference label (rows) and given label.

    There are no rows for many labels.
    """
    names = sorted({name for pair in run.confusion for name in pair}, key=lambda name: (name is None, name or ""))
    if len(names) > MAX_CONFUSION_LABELS:
        names = []
    titles = {name: "none" if name is None else name for name in names}
    rows: list[tuple[TableCell, ...]] = [
        (titles[own], *(run.confusion.get((own, other), 0) for other in names)) for own in names
    ]
    columns = (TableColumn("reference"), *(TableColumn(titles[name], "count") for name in names))
    return ScoreTable("Confusion (columns: the label that was given)", columns, tuple(rows), is_confusion=True)


def _build_system_tables(runs: Sequence[Run]) -> list[ScoreTable]:
    """Build a row per system, and a table of F by label.

    The table has a row per label and a column per system.
    """
    main = "f" if "f" in runs[0].scores["micro"] else "f1"
    columns = [
        ScoreColumn("accuracy", ("overall", "accuracy"), interval=""),
        ScoreColumn(f"micro {main}", ("micro", main), interval=""),
        ScoreColumn(f"macro {main}", ("macro", "label", main), interval=""),
        *(ScoreColumn(AREA_TITLES[area], (area, "macro"), interval="") for area in RANKING_AREAS),
    ]
    shown = [column for column in columns if any(get_score(run, column.key) is not None for run in runs)]
    notes = write_label_notes(runs, "label", main)
    rows = [(label, ("by_label", label, "label", main)) for label in sorted(select_names(run.by_label for run in runs))]
    return [
        build_score_table("Systems (ROC-AUC and AP: macro)", "system", shown, list_system_rows(runs), notes),
        build_comparison_table(f"{main} by label", "label", runs, rows),
    ]
