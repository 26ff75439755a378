"""Create the table of slices.

Version 0002 also had a packed index of their findings, which 0003 replaces.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
Long = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the table; 0003 fills it."""
    op.create_table(
        "finding_slices",
        sa.Column("run", Long, nullable=False, autoincrement=False),
        sa.Column("number", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("slice_column", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("run", "number", name="pk_finding_slices"),
        sa.ForeignKeyConstraint(["run"], ["runs.number"], name="fk_finding_slices_run", ondelete="CASCADE"),
    )
    op.create_index("ix_finding_slices_run_slice_column_value", "finding_slices", ["run", "slice_column", "value"])
