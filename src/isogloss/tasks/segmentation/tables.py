"""Tables of word segmentation: sums over the corpus, means over samples, vocabulary and errors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from isogloss.runs.run import Run
from isogloss.runs.tables import ScoreTable, TableCell, TableColumn, build_spread_table, shorten_system_names

WORD_RATIOS = ("precision", "recall", "f1")
WORD_COUNTS = ("correct", "predicted", "reference")


def build_tables(runs: Sequence[Run]) -> list[ScoreTable]:
    """Build the tables of one run, or of several side by side."""
    found = [_build_systems_table(runs)] if len(runs) > 1 else [_build_sums_table(runs[0])]
    found += [*map(_build_means_table, runs), _build_vocabulary_table(runs), _build_errors_table(runs)]
    return [table for table in found if table.rows]


def _list_groups(run: Run) -> list[str]:
    """List the groups with a precision, `word` first."""
    return sorted((name for name, group in run.scores.items() if "precision" in group), key=lambda name: name != "word")


def _build_sums_table(run: Run) -> ScoreTable:
    interval = _make_interval_columns(run)
    columns = (
        TableColumn("group"),
        *(TableColumn(name, "ratio") for name in WORD_RATIOS),
        *interval,
        *(TableColumn(name, "count") for name in WORD_COUNTS),
    )
    rows = []
    for name in _list_groups(run):
        group = run.scores[name]
        rows.append(
            (
                name,
                *(group[ratio] for ratio in WORD_RATIOS),
                *(_make_interval_cell(run, name) for _ in interval),
                *(group.get(count) for count in WORD_COUNTS),
            ),
        )
    return ScoreTable("Sums over all samples", columns, tuple(rows))


def _build_means_table(run: Run) -> ScoreTable:
    """Build the table of means of precision, recall and F over single samples."""
    rows = ((path, spread) for path, spread in run.per_document.items() if path.rpartition(".")[2] in WORD_RATIOS)
    return build_spread_table(f"Means over single samples: {run.system}", "score", rows, "samples")


def _build_vocabulary_table(runs: Sequence[Run]) -> ScoreTable:
    """Build the table of the recall of words in and out of the vocabulary."""
    columns = (
        TableColumn("words"),
        TableColumn("recall", "ratio"),
        TableColumn("correct", "count"),
        TableColumn("total", "count"),
    )
    rows: list[tuple[TableCell, ...]] = []
    for run, name in zip(runs, shorten_system_names(runs), strict=True):
        for group in ("oov", "iv"):
            if group in run.scores:
                values = run.scores[group]
                title = group if len(runs) == 1 else f"{group}, {name}"
                rows.append((title, values["recall"], values["correct"], values["total"]))
    return ScoreTable("Words out of and in the vocabulary", columns, tuple(rows))


def _build_errors_table(runs: Sequence[Run]) -> ScoreTable:
    kinds = list(dict.fromkeys(chain.from_iterable(run.kinds for run in runs)))
    heads = ["count"] if len(runs) == 1 else shorten_system_names(runs)
    rows = tuple((kind, *(run.kinds.get(kind) for run in runs)) for kind in kinds)
    return ScoreTable("Words and errors", (TableColumn("kind"), *(TableColumn(head, "count") for head in heads)), rows)


def _build_systems_table(runs: Sequence[Run]) -> ScoreTable:
    """Build the table with a row per system: words in full, F of the other groups."""
    first, *others = _list_groups(runs[0])
    interval = _make_interval_columns(runs[0])
    columns = (
        TableColumn("system"),
        *(TableColumn(name, "ratio") for name in WORD_RATIOS),
        *interval,
        *(TableColumn(name, "ratio") for name in others),
    )
    rows = tuple(
        (
            name,
            *(run.scores[first][ratio] for ratio in WORD_RATIOS),
            *(_make_interval_cell(run, first) for _ in interval),
            *(run.scores[other]["f1"] for other in others),
        )
        for run, name in zip(runs, shorten_system_names(runs), strict=True)
    )
    return ScoreTable(f"Sums over all samples ({first}; f1 of the others)", columns, rows)


def _make_interval_columns(run: Run) -> list[TableColumn]:
    """Return a column for the interval of F, none without intervals."""
    return [TableColumn(f"f1 {100 * one.level:g}%", "interval") for one in list(run.intervals.values())[:1]]


def _make_interval_cell(run: Run, group: str) -> TableCell:
    interval = run.intervals.get(f"{group}.f1")
    return None if interval is None else (interval.low, interval.high)
