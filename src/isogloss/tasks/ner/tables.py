"""The tables of named entities.

They show schemas, labels, levels, kinds of findings, rules for labels, and tokens where there are tags.
"""

from __future__ import annotations

from collections.abc import Sequence

from isogloss.runs.run import Run
from isogloss.runs.score_tables import (
    MEANS,
    ScoreColumn,
    ScoreRow,
    ScoreTable,
    TableColumn,
    build_comparison_table,
    build_kinds_table,
    build_score_table,
    list_system_rows,
    make_columns,
    select_names,
    write_label_notes,
    write_mean_notes,
)

RATIOS = ("precision", "recall", "f1", "f")
LEVEL_NOTE = "level 0 has the roots of the labels, the last level the labels as they are"
OUTCOMES = ("correct", "incorrect", "partial")  # missed and spurious are alike in all schemas: they are in the kinds
SPAN_COUNT_TITLES = {"possible": "reference", "actual": "predicted"}  # the spans of either side, as they are headed


def build_tables(runs: Sequence[Run]) -> list[ScoreTable]:
    """Build the tables of one run, or of several side by side."""
    schemas = select_names([name for name, group in run.scores.items() if "precision" in group] for run in runs)
    if len(runs) > 1:
        tables = [
            _build_system_table(runs, schemas),
            _build_system_labels(runs, schemas),
            _build_system_levels(runs, schemas),
            build_kinds_table(runs, "Spans"),
        ]
        return [table for table in tables if table.rows]
    (run,) = runs
    others = [name for name in run.scores if name not in schemas]
    columns = make_columns(select_names(run.scores[name] for name in others))
    tables = [
        _build_overall_table(run, schemas),
        _build_label_table(run, schemas),
        _build_level_table(run, schemas),
        build_kinds_table(runs, "Spans"),
        build_score_table("Other", "group", columns, [(name, run, (name,)) for name in others]),
        _build_rule_table(run),
    ]
    return [table for table in tables if table.rows]


def _build_overall_table(run: Run, schemas: Sequence[str]) -> ScoreTable:
    groups = [run.scores[schema] for schema in schemas]
    counts = select_names(groups, OUTCOMES)
    counts += select_names(groups, SPAN_COUNT_TITLES) if len(counts) < 2 else []  # noqa: PLR2004  one tells too little
    columns = _make_columns(select_names(groups, RATIOS), counts)
    return build_score_table("Overall", "schema", columns, [(schema, run, (schema,)) for schema in schemas])


def _build_label_table(run: Run, schemas: Sequence[str]) -> ScoreTable:
    """Build a row for each label and mean, in the first schema.

    The means are over labels.
    """
    schema = _choose_label_group([run], schemas)
    groups = [group.get(schema, {}) for group in run.by_label.values()]
    ratios = select_names(groups, RATIOS)
    means = {mean: getattr(run, mean)[schema] for mean in MEANS if schema in getattr(run, mean)}
    titles = {mean: f"{mean} ({own['labels']})" if "labels" in own else mean for mean, own in means.items()}
    rows: list[ScoreRow] = [(label, run, ("by_label", label, schema)) for label in run.by_label]
    rows += [(title, run, (mean, schema)) for mean, title in titles.items()]
    columns = _make_columns(ratios, select_names(groups, SPAN_COUNT_TITLES))
    return build_score_table(f"By label ({schema})", "label", columns, rows, write_mean_notes(run, schema, ratios))


def _build_level_table(run: Run, schemas: Sequence[str]) -> ScoreTable:
    """Build a row for each level of labels, in the first schema."""
    schema = next(iter(schemas), "strict")
    groups = [level.get(schema, {}) for level in run.by_level.values()]
    columns = _make_columns(select_names(groups, RATIOS), select_names(groups, OUTCOMES))
    rows: list[ScoreRow] = [(level, run, ("by_level", level, schema)) for level in run.by_level]
    return build_score_table(f"By level ({schema})", "level", columns, rows, (LEVEL_NOTE,))


def _build_system_levels(runs: Sequence[Run], schemas: Sequence[str]) -> ScoreTable:
    """Build the main score of each level, with a column per system."""
    schema = next(iter(schemas), "strict")
    main = "f" if "f" in runs[0].scores.get(schema, {}) else "f1"
    levels = select_names(run.by_level for run in runs)
    rows = [(level, ("by_level", level, schema, main)) for level in levels]
    return build_comparison_table(f"{main} by level ({schema})", "level", runs, rows, "ratio", notes=(LEVEL_NOTE,))


def _build_rule_table(run: Run) -> ScoreTable:
    """Build a row for each rule, with the spans that it touched."""
    columns = (
        *map(TableColumn, ("rule", "label", "to")),
        TableColumn("reference", "count"),
        TableColumn("predicted", "count"),
    )
    rows = tuple((each.rule, each.label, each.to, each.reference, each.predicted) for each in run.label_rules)
    return ScoreTable("Spans touched by the rules for labels", columns, rows)


def _choose_label_group(runs: Sequence[Run], schemas: Sequence[str]) -> str:
    """Choose the group of scores by label.

    It is that of the first schema that labels have.
    """
    groups = select_names(group for run in runs for group in run.by_label.values())
    return next((name for name in (*schemas, *groups) if name in groups), next(iter(schemas), "strict"))


def _make_columns(ratios: Sequence[str], counts: Sequence[str] = (), place: tuple[str, ...] = ()) -> list[ScoreColumn]:
    """Make columns for ratios, the interval of the last one, and counts."""
    columns = make_columns(ratios, place=place, intervals={name: name for name in ratios[-1:]})
    return columns + make_columns(counts, "count", place=place, titles=SPAN_COUNT_TITLES)


def _build_system_table(runs: Sequence[Run], schemas: Sequence[str]) -> ScoreTable:
    """Build a row per system, with the first schema in full.

    The other schemas have only their main score.
    """
    first = next(iter(schemas), "strict")
    ratios = select_names((run.scores.get(first, {}) for run in runs), RATIOS)
    main = ratios[-1] if ratios else "f1"
    columns = [
        *_make_columns(ratios, place=(first,)),
        *(ScoreColumn(schema, (schema, main)) for schema in schemas[1:]),
    ]
    title = f"Systems ({first}" + (f"; {main} of the other schemas)" if schemas[1:] else ")")
    return build_score_table(title, "system", columns, list_system_rows(runs))


def _build_system_labels(runs: Sequence[Run], schemas: Sequence[str]) -> ScoreTable:
    """Build the main scores of labels and means, by system.

    The means are over labels. There is a column per system.
    """
    schema = _choose_label_group(runs, schemas)
    main = "f" if any("f" in group.get(schema, {}) for group in runs[0].by_label.values()) else "f1"
    labels = sorted(select_names(run.by_label for run in runs))
    means = [mean for mean in MEANS if labels and all(schema in getattr(run, mean) for run in runs)]
    rows = [*((label, ("by_label", label, schema, main)) for label in labels), *((m, (m, schema, main)) for m in means)]
    notes = write_label_notes(runs, schema, main)
    return build_comparison_table(f"{main} by label ({schema})", "label", runs, rows, notes=notes)
