"""The tables of word segmentation.

Sums over the corpus and means over samples stand apart, each under its name.
"""

from __future__ import annotations

from collections.abc import Sequence

from isogloss.runs.run import Run
from isogloss.runs.score_tables import (
    ScoreColumn,
    ScoreTable,
    TableColumn,
    build_kinds_table,
    build_score_table,
    build_spread_table,
    list_system_rows,
    make_columns,
    shorten_system_names,
)

WORD_RATIOS = ("precision", "recall", "f1")
MEAN_TITLE = "mean f1"  # over single samples
WORD_COUNTS = ("correct", "predicted", "reference")


def build_tables(runs: Sequence[Run]) -> list[ScoreTable]:
    """Build the tables of one run, or of several side by side."""
    tables = [
        _build_sums_table(runs),
        *map(_build_means_table, runs),
        _build_vocabulary_table(runs),
        build_kinds_table(runs, "Words and errors"),
    ]
    return [table for table in tables if table.rows]


def _build_sums_table(runs: Sequence[Run]) -> ScoreTable:
    """Build a table of sums over the corpus.

    It has a row per group of one system, or a row per system.
    """
    groups = [name for name, group in runs[0].scores.items() if "precision" in group]
    first, *others = sorted(groups, key=lambda name: name != "word")
    intervals = {"f1": "f1"}
    if len(runs) == 1:
        columns = [*make_columns(WORD_RATIOS, intervals=intervals), *make_columns(WORD_COUNTS, "count")]
        rows = [(name, runs[0], (name,)) for name in (first, *others)]
        return _add_means(build_score_table("Sums over all samples", "group", columns, rows), rows)
    columns = make_columns(WORD_RATIOS, place=(first,), intervals=intervals)
    columns += [ScoreColumn(other, (other, "f1")) for other in others]
    title = f"Sums over all samples ({first}; f1 of the others)"
    rows = [(name, run, (first,)) for name, run, _ in list_system_rows(runs)]
    return _add_means(build_score_table(title, "system", columns, list_system_rows(runs)), rows)


def _add_means(table: ScoreTable, rows: Sequence[tuple[str, Run, tuple[str, ...]]]) -> ScoreTable:
    """Add a column with the mean of F1 over single samples.

    Args:
        table: a table.
        rows: name, run and group of each row.
    """
    spreads = [run.per_document.get(f"{group}.f1") for _, run, (group,) in rows]
    if not any(spreads):
        return table
    means = (None if spread is None else spread.mean for spread in spreads)
    return ScoreTable(
        table.title,
        (*table.columns, TableColumn(MEAN_TITLE, "ratio")),
        tuple((*row, mean) for row, mean in zip(table.rows, means, strict=True)),
        table.notes,
        tuple((*keys, None) for keys in table.keys),
    )


def _build_means_table(run: Run) -> ScoreTable:
    """Build a row for precision, recall and F of single samples."""
    rows = ((path, spread) for path, spread in run.per_document.items() if path.rpartition(".")[2] in WORD_RATIOS)
    return build_spread_table(f"Means over single samples: {run.system}", "score", rows, "samples")


def _build_vocabulary_table(runs: Sequence[Run]) -> ScoreTable:
    """Build a table of recall inside and outside a training vocabulary."""
    rows = [
        (group if len(runs) == 1 else f"{group}, {name}", run, (group,))
        for run, name in zip(runs, shorten_system_names(runs), strict=True)
        for group in ("oov", "iv")
        if group in run.scores
    ]
    columns = [*make_columns(["recall"]), *make_columns(["correct", "total"], "count")]
    return build_score_table("Words out of and in the vocabulary", "words", columns, rows)
