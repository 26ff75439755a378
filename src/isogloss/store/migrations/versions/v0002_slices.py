"""Findings by slice: of those that are there already, from what was written of each."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
Long = sa.BigInteger().with_variant(sa.Integer, "sqlite")
ROWS = 10_000  # held at a time
findings = sa.table(
    "findings",
    sa.column("run"),
    sa.column("position"),
    sa.column("finding_group"),
    sa.column("payload", sa.JSON),
)


def upgrade() -> None:
    """Make the tables, and fill them."""
    slices = _table(
        "finding_slices",
        ["number"],
        sa.Column("number", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("slice_column", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_finding_slices_run_slice_column_value", "finding_slices", ["run", "slice_column", "value"])
    sliced = _table(
        "sliced_findings",
        ["slice", "first"],
        sa.Column("slice", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("first", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
    )
    for run in op.get_bind().scalars(sa.select(findings.c.run).distinct().order_by(findings.c.run)).all():
        _fill(run, slices, sliced)


def _table(name: str, key: list[str], *columns: sa.Column[Any]) -> sa.Table:
    """A table whose rows go with their run."""
    return op.create_table(
        name,
        sa.Column("run", Long, nullable=False, autoincrement=False),
        *columns,
        sa.PrimaryKeyConstraint("run", *key, name=f"pk_{name}"),
        sa.ForeignKeyConstraint(["run"], ["runs.number"], name=f"fk_{name}_run", ondelete="CASCADE"),
    )


def _fill(run: int, slices: sa.Table, sliced: sa.Table) -> None:
    numbers: dict[tuple[str, str], int] = {}
    counts: dict[tuple[str, str], int] = {}
    for rows in _pages(run):
        found: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for position, group, payload in rows:
            for part in _slices_of(payload):
                found.setdefault(part, []).append((position, group))
        for part, pairs in found.items():
            number = numbers.setdefault(part, len(numbers))
            counts[part] = counts.get(part, 0) + len(pairs)
            ends = {"first": pairs[0][0], "last": pairs[-1][0]}
            op.bulk_insert(sliced, [{"run": run, "slice": number, **ends, "data": _packed(pairs)}])
    names = [
        {"run": run, "number": number, "slice_column": part[0], "value": part[1], "count": counts[part]}
        for part, number in numbers.items()
    ]
    op.bulk_insert(slices, names)


def _packed(pairs: list[tuple[int, int]]) -> bytes:
    """All positions and then all groups, in four bytes each, the lowest first."""
    positions, groups = zip(*pairs, strict=True)
    return struct.pack(f"<{2 * len(pairs)}i", *positions, *groups)


def _pages(run: int) -> Iterator[list[Any]]:
    """Position, group and payload of the findings of a run."""
    column, last = findings.c, -1
    query = sa.select(column.position, column.finding_group, column.payload).where(column.run == run)
    while (
        rows := op.get_bind().execute(query.where(column.position > last).order_by(column.position).limit(ROWS)).all()
    ):
        last = rows[-1][0]
        yield [tuple(row) for row in rows]


def _slices_of(payload: Any) -> list[tuple[str, str]]:
    """Columns and values of a finding."""
    more = payload.get("more") if isinstance(payload, Mapping) else None
    found = more.get("slices") if isinstance(more, Mapping) else None
    if not isinstance(found, Mapping):
        return []
    return [(column, value) for column, value in found.items() if isinstance(value, str)]
