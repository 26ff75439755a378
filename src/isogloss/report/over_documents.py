"""Scores over single documents, as every printed form has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from isogloss.report.tables import Cell, Column, Table, short_names
from isogloss.resampling import Spread
from isogloss.run import Run
from isogloss.run.main_scores import MAIN
from isogloss.scores import keys_of

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
