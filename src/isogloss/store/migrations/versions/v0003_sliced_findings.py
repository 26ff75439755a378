"""List the findings of each slice in rows.

The rows come from the payload of each finding and replace the packed pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
Long = sa.BigInteger().with_variant(sa.Integer, "sqlite")
ROWS = 10_000  # held at a time
findings = sa.table(
    "findings",
    sa.column("run"),
    sa.column("position"),
    sa.column("finding_group"),
    sa.column("payload", sa.JSON),
)
finding_slices = sa.table("finding_slices", *map(sa.column, ("run", "number", "slice_column", "value", "count")))


def upgrade() -> None:
    """Create the table, and fill it and the table of slices."""
    op.execute("DROP TABLE IF EXISTS sliced_findings")  # the packed pieces of a store of version 0002
    op.execute("DELETE FROM finding_slices")
    sliced = op.create_table(
        "sliced_findings",
        sa.Column("run", Long, nullable=False, autoincrement=False),
        sa.Column("slice", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("position", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("finding_group", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("run", "slice", "position", name="pk_sliced_findings"),
        sa.ForeignKeyConstraint(["run"], ["runs.number"], name="fk_sliced_findings_run", ondelete="CASCADE"),
        sqlite_with_rowid=False,
    )
    for run in op.get_bind().scalars(sa.select(findings.c.run).distinct().order_by(findings.c.run)).all():
        _fill_run(run, sliced)


def _fill_run(run: int, sliced: sa.Table) -> None:
    numbers: dict[tuple[str, str], int] = {}
    counts: dict[tuple[str, str], int] = {}
    for rows in _read_pages(run):
        new = []
        for position, group, payload in rows:
            for part in _get_slices(payload):
                number = numbers.setdefault(part, len(numbers))
                counts[part] = counts.get(part, 0) + 1
                new.append({"run": run, "slice": number, "position": position, "finding_group": group})
        op.bulk_insert(sliced, new)
    parts = [
        {"run": run, "number": number, "slice_column": column, "value": value, "count": counts[column, value]}
        for (column, value), number in numbers.items()
    ]
    op.bulk_insert(finding_slices, parts)


def _read_pages(run: int) -> Iterator[list[Any]]:
    """Read position, group and payload of the findings of a run."""
    column, last = findings.c, -1
    query = sa.select(column.position, column.finding_group, column.payload).where(column.run == run)
    query = query.order_by(column.position).limit(ROWS)
    while rows := op.get_bind().execute(query.where(column.position > last)).all():
        last = rows[-1][0]
        yield [tuple(row) for row in rows]


def _get_slices(payload: Any) -> list[tuple[str, str]]:
    """Return the columns and values of a finding."""
    more = payload.get("more") if isinstance(payload, Mapping) else None
    slices = more.get("slices") if isinstance(more, Mapping) else None
    if not isinstance(slices, Mapping):
        return []
    return [(column, value) for column, value in slices.items() if isinstance(value, str)]
