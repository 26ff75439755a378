"""Create the table of digests and the columns of checksums.

Both are computed for the runs that are here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import sqlalchemy as sa
from alembic import op

from isogloss.store.digests import (
    RowDigest,
    compute_checksum,
    digest_parts,
    digest_rows,
    digest_run_row,
    digest_scores,
    digest_tags,
    encode_row,
    encode_score,
)

revision = "0004"
down_revision = "0003"
Long = sa.BigInteger().with_variant(sa.Integer, "sqlite")
ROWS = 10_000  # held at a time
JSON_COLUMNS = ("choices", "document", "native", "rebuilding")
RUN_COLUMNS = ("name", "task", "system", "corpus", "version", "profile", "signature", "documents", "documents_digest")
GROUP_COLUMNS = ("number", "kind", "label", "other_label", "count")
SLICE_COLUMNS = ("number", "slice_column", "value", "count")
runs = sa.table(
    "runs",
    *map(sa.column, ("number", *RUN_COLUMNS, "main_score")),
    sa.column("id", sa.Uuid),
    sa.column("created", sa.DateTime(timezone=True)),
    sa.column("listed", sa.Boolean),
    *(sa.column(name, sa.JSON) for name in JSON_COLUMNS),
)
inputs = sa.table("inputs", *map(sa.column, ("run", "position", "role", "path", "sha256")))
tags = sa.table("tags", *map(sa.column, ("run", "tag")))
scores = sa.table("scores", *map(sa.column, ("run", "path", "value", "low", "high", "checksum")))
packed = sa.table("packed", *map(sa.column, ("run", "what", "position", "data")))
finding_groups = sa.table("finding_groups", *map(sa.column, ("run", "number", "kind", "label", "other_label", "count")))
finding_slices = sa.table("finding_slices", *map(sa.column, ("run", "number", "slice_column", "value", "count")))
findings = sa.table(
    "findings",
    *map(sa.column, ("run", "position", "finding_group", "document", "place", "checksum")),
    sa.column("payload", sa.JSON),
)


def upgrade() -> None:
    """Create the table and the columns, and fill them."""
    digests = op.create_table(
        "digests",
        sa.Column("run", Long, nullable=False, autoincrement=False),
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("run", "part", name="pk_digests"),
        sa.ForeignKeyConstraint(["run"], ["runs.number"], name="fk_digests_run", ondelete="CASCADE"),
    )
    for table in ("scores", "findings"):
        op.add_column(table, sa.Column("checksum", sa.BigInteger(), nullable=False, server_default="0"))
    for number in op.get_bind().scalars(sa.select(runs.c.number).order_by(runs.c.number)).all():
        parts = dict(_digest_parts(number))
        parts["run"] = digest_parts(parts)
        op.bulk_insert(digests, [{"run": number, "part": part, "digest": digest} for part, digest in parts.items()])


def _digest_parts(run: int) -> Iterator[tuple[str, bytes]]:
    (row,) = op.get_bind().execute(sa.select(runs).where(runs.c.number == run)).mappings()
    yield from digest_run_row(row).items()
    yield "inputs", digest_rows(_load(run, inputs, "position", "role", "path", "sha256"))
    yield "tags", digest_tags(tag for (tag,) in _load(run, tags, "tag", "tag"))
    yield "scores", _fill_scores(run)
    yield from _digest_packed(run)
    yield "findings", _fill_findings(run)
    yield "finding_groups", digest_rows(_load(run, finding_groups, "number", *GROUP_COLUMNS))
    yield "finding_slices", digest_rows(_load(run, finding_slices, "number", *SLICE_COLUMNS))


def _load(run: int, table: sa.TableClause, order: str, *columns: str) -> list[tuple[Any, ...]]:
    """Load columns of the rows of a run in order.

    The order is that of one of the columns.
    """
    query = sa.select(*(table.c[name] for name in columns)).where(table.c.run == run).order_by(table.c[order])
    return [tuple(row) for row in op.get_bind().execute(query)]


def _fill_scores(run: int) -> bytes:
    rows: list[Any] = _load(run, scores, "path", "path", "value", "low", "high")
    _update(scores, "path", run, [(row[0], compute_checksum(run, encode_score(*row))) for row in rows])
    return digest_scores(rows)


def _digest_packed(run: int) -> Iterator[tuple[str, bytes]]:
    digests: dict[str, RowDigest] = {}
    column = packed.c
    query = sa.select(column.what, column.data).where(column.run == run).order_by(column.what, column.position)
    for what, data in op.get_bind().execute(query):
        digests.setdefault(what, RowDigest()).add(bytes(data))
    return ((what, digest.to_bytes()) for what, digest in digests.items())


def _fill_findings(run: int) -> bytes:
    digest, column, last = RowDigest(), findings.c, -1
    names = (column.position, column.finding_group, column.document, column.place, column.payload)
    query = sa.select(*names).where(column.run == run).order_by(column.position).limit(ROWS)
    while rows := op.get_bind().execute(query.where(column.position > last)).all():
        last = rows[-1].position
        new = []
        for position, group, document, place, payload in rows:
            data = encode_row((position, group, document, place, msgspec.json.encode(payload).decode()))
            digest.add(data)
            new.append((position, compute_checksum(run, data)))
        _update(findings, "position", run, new)
    return digest.to_bytes()


def _update(table: sa.TableClause, key: str, run: int, rows: list[tuple[Any, int]]) -> None:
    """Write the checksums of rows by their key."""
    if rows:
        query = sa.update(table).where(table.c.run == run, table.c[key] == sa.bindparam("own"))
        values: list[Mapping[str, Any]] = [{"own": own, "new": checksum} for own, checksum in rows]
        op.get_bind().execute(query.values(checksum=sa.bindparam("new")), values)
