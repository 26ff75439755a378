"""Pack findings in chunks with columns; create the table of notes.

The chunks replace the tables of findings, their groups and their slices. Findings that are not as they were saved get a
digest that no findings have, so that they are still reported as corrupt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import sqlalchemy as sa
from alembic import op

from isogloss.kernel.findings import Finding
from isogloss.store.digests import ROW_ERRORS, UNREADABLE_TEXT, RowDigest, digest_parts, digest_rows, encode_row
from isogloss.store.findings import add_findings
from isogloss.store.former_findings import FORMER_PARTS, to_finding

revision = "0005"
down_revision = "0004"
Long = sa.BigInteger().with_variant(sa.Integer, "sqlite")
ROWS = 10_000  # held at a time
NO_DIGEST = b""
FORMER_TABLES = ("sliced_findings", "finding_slices", "finding_groups", "findings")
GROUP_COLUMNS = ("number", "kind", "label", "other_label", "count")
runs = sa.table("runs", sa.column("number"))
digests = sa.table("digests", *map(sa.column, ("run", "part", "digest")))
packed = sa.table("packed", *map(sa.column, ("run", "what")))
finding_groups = sa.table("finding_groups", *map(sa.column, ("run", *GROUP_COLUMNS)))
findings = sa.table(
    "findings",
    *map(sa.column, ("run", "position", "finding_group", "document", "place")),
    sa.column("payload", sa.JSON),
)


def upgrade() -> None:
    """Pack the findings, drop their tables, and create the table of notes."""
    for run in op.get_bind().scalars(sa.select(runs.c.number).order_by(runs.c.number)).all():
        _pack_run(run)
    for table in FORMER_TABLES:
        op.drop_table(table)
    op.create_table(
        "notes",
        sa.Column("corpus_key", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("checksum", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("corpus_key", "key", name="pk_notes"),
    )


def _pack_run(run: int) -> None:
    saved = _load_digests(run)
    parts = {part: digest for part, digest in saved.items() if part not in FORMER_PARTS}
    parts["findings"] = _pack_findings(run, saved)
    if saved.get("run") == digest_parts(saved):  # otherwise the digests stay corrupt
        parts["run"] = digest_parts(parts)
    op.get_bind().execute(sa.delete(digests).where(digests.c.run == run))
    op.bulk_insert(digests, [{"run": run, "part": part, "digest": digest} for part, digest in parts.items()])


def _load_digests(run: int) -> dict[str, bytes]:
    """Load the digests of a run.

    There are none if one of them cannot be read.
    """
    query = sa.select(digests.c.part, digests.c.digest).where(digests.c.run == run)
    try:
        rows = [tuple(row) for row in op.get_bind().execute(query)]
    except sa.exc.DBAPIError as error:
        if UNREADABLE_TEXT not in str(error):
            raise
        return {}
    is_readable = all(isinstance(part, str) and isinstance(digest, bytes) for part, digest in rows)
    return dict(rows) if is_readable else {}


def _pack_findings(run: int, saved: Mapping[str, bytes]) -> bytes:
    """Pack the findings of a run, and return their new digest."""
    bind, digest = op.get_bind(), RowDigest()
    try:
        groups = _load_groups(run)
        packed_digest = add_findings(bind, run, _read_findings(run, {row[0]: row[1] for row in groups}, digest))
    except (*ROW_ERRORS, msgspec.MsgspecError, sa.exc.DBAPIError) as error:
        if isinstance(error, sa.exc.DBAPIError) and UNREADABLE_TEXT not in str(error):
            raise
        bind.execute(sa.delete(packed).where(packed.c.run == run, packed.c.what.startswith("findings")))
        return NO_DIGEST
    is_saved = saved.get("findings") == digest.to_bytes() and saved.get("finding_groups") == digest_rows(groups)
    return packed_digest if is_saved else NO_DIGEST


def _load_groups(run: int) -> list[tuple[Any, ...]]:
    query = sa.select(*(finding_groups.c[name] for name in GROUP_COLUMNS)).where(finding_groups.c.run == run)
    return [tuple(row) for row in op.get_bind().execute(query.order_by(finding_groups.c.number))]


def _read_findings(run: int, kinds: Mapping[int, str], digest: RowDigest) -> Iterator[Finding]:
    """Yield the findings of a run in their order.

    Their rows are added to the digest.
    """
    column, last = findings.c, -1
    names = (column.position, column.finding_group, column.document, column.place, column.payload)
    query = sa.select(*names).where(column.run == run).order_by(column.position).limit(ROWS)
    while rows := op.get_bind().execute(query.where(column.position > last)).all():
        last = rows[-1].position
        for position, group, document, place, payload in rows:
            digest.add(encode_row((position, group, document, place, msgspec.json.encode(payload).decode())))
            yield to_finding(kinds[group], document, place, payload)
