"""The tables of word segmentation. Sums over the corpus and means over samples stand apart, each under its name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from isogloss.runs.run import Run
from isogloss.runs.tables import Cell, Column, Table, short_names, spread_table

RATIOS = ("precision", "recall", "f1")
COUNTS = ("correct", "predicted", "reference")


def build_tables(runs: Sequence[Run]) -> list[Table]:
    """The tables of one run, or of several side by side."""
    found = [_systems(runs)] if len(runs) > 1 else [_sums(runs[0])]
    found += [*map(_means, runs), _vocabulary(runs), _errors(runs)]
    return [table for table in found if table.rows]


def _groups(run: Run) -> list[str]:
    """Groups that have a precision, words first."""
    return sorted((name for name, group in run.scores.items() if "precision" in group), key=lambda name: name != "word")


def _sums(run: Run) -> Table:
    interval = _interval(run)
    columns = (
        Column("group"),
        *(Column(name, "ratio") for name in RATIOS),
        *interval,
        *(Column(name, "count") for name in COUNTS),
    )
    rows = []
    for name in _groups(run):
        group = run.scores[name]
        rows.append(
            (
                name,
                *(group[ratio] for ratio in RATIOS),
                *(_ends(run, name) for _ in interval),
                *(group.get(count) for count in COUNTS),
            ),
        )
    return Table("Sums over all samples", columns, tuple(rows))


def _means(run: Run) -> Table:
    """Precision, recall and F of single samples."""
    rows = ((path, spread) for path, spread in run.per_document.items() if path.rpartition(".")[2] in RATIOS)
    return spread_table(f"Means over single samples: {run.system}", "score", rows, "samples")


def _vocabulary(runs: Sequence[Run]) -> Table:
    """Recall of words that a training list has and has not."""
    columns = (Column("words"), Column("recall", "ratio"), Column("correct", "count"), Column("total", "count"))
    rows: list[tuple[Cell, ...]] = []
    for run, name in zip(runs, short_names(runs), strict=True):
        for group in ("oov", "iv"):
            if group in run.scores:
                values = run.scores[group]
                title = group if len(runs) == 1 else f"{group}, {name}"
                rows.append((title, values["recall"], values["correct"], values["total"]))
    return Table("Words out of and in the vocabulary", columns, tuple(rows))


def _errors(runs: Sequence[Run]) -> Table:
    kinds = list(dict.fromkeys(chain.from_iterable(run.kinds for run in runs)))
    heads = ["count"] if len(runs) == 1 else short_names(runs)
    rows = tuple((kind, *(run.kinds.get(kind) for run in runs)) for kind in kinds)
    return Table("Words and errors", (Column("kind"), *(Column(head, "count") for head in heads)), rows)


def _systems(runs: Sequence[Run]) -> Table:
    """A row per system: words in full, F of the other groups."""
    first, *others = _groups(runs[0])
    interval = _interval(runs[0])
    columns = (
        Column("system"),
        *(Column(name, "ratio") for name in RATIOS),
        *interval,
        *(Column(name, "ratio") for name in others),
    )
    rows = tuple(
        (
            name,
            *(run.scores[first][ratio] for ratio in RATIOS),
            *(_ends(run, first) for _ in interval),
            *(run.scores[other]["f1"] for other in others),
        )
        for run, name in zip(runs, short_names(runs), strict=True)
    )
    return Table(f"Sums over all samples ({first}; f1 of the others)", columns, rows)


def _interval(run: Run) -> list[Column]:
    """A column for the interval of F, when there are intervals."""
    return [Column(f"f1 {100 * one.level:g}%", "interval") for one in list(run.intervals.values())[:1]]


def _ends(run: Run, group: str) -> Cell:
    interval = run.intervals.get(f"{group}.f1")
    return None if interval is None else (interval.low, interval.high)
