"""Create the first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
Long = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create all tables."""
    _create_runs()
    _create_details()
    _create_findings()


def _create_runs() -> None:
    op.create_table(
        "runs",
        sa.Column("number", Long, nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text()),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("system", sa.Text(), nullable=False),
        sa.Column("corpus", sa.Text()),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("profile", sa.Text()),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("choices", sa.JSON(), nullable=False),
        sa.Column("documents", sa.BigInteger(), nullable=False),
        sa.Column("documents_digest", sa.Text()),
        sa.Column("main_score", sa.Text()),
        sa.Column("listed", sa.Boolean(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("native", sa.JSON(), nullable=False),
        sa.Column("rebuilding", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_runs"),
        sa.UniqueConstraint("id", name="uq_runs_id"),
    )
    op.create_index("ix_runs_name", "runs", ["name"])
    op.create_index("ix_runs_created", "runs", ["created"])


def _create_run_table(table: str, key: list[str], *columns: sa.Column[object], sqlite_with_rowid: bool = True) -> None:
    """Create a table whose rows are deleted with their run."""
    op.create_table(
        table,
        sa.Column("run", Long, nullable=False, autoincrement=False),
        *columns,
        sa.PrimaryKeyConstraint("run", *key, name=f"pk_{table}"),
        sa.ForeignKeyConstraint(["run"], ["runs.number"], name=f"fk_{table}_run", ondelete="CASCADE"),
        sqlite_with_rowid=sqlite_with_rowid,
    )


def _create_details() -> None:
    _create_run_table(
        "inputs",
        ["position"],
        sa.Column("position", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
    )
    op.create_index("ix_inputs_sha256", "inputs", ["sha256"])
    _create_run_table("tags", ["tag"], sa.Column("tag", sa.Text(), nullable=False))
    op.create_index("ix_tags_tag", "tags", ["tag"])
    _create_run_table(
        "scores",
        ["path"],
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("value", sa.Float()),
        sa.Column("low", sa.Float()),
        sa.Column("high", sa.Float()),
    )
    op.create_index("ix_scores_path_value", "scores", ["path", "value"])
    _create_run_table(
        "packed",
        ["what", "position"],
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
    )


def _create_findings() -> None:
    _create_run_table(
        "findings",
        ["position"],
        sa.Column("position", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("finding_group", sa.Integer(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_findings_run_finding_group_position", "findings", ["run", "finding_group", "position"])
    in_document = ["run", "document", "position", "finding_group"]
    op.create_index("ix_findings_run_document_position_finding_group", "findings", in_document)
    _create_run_table(
        "finding_groups",
        ["number"],
        sa.Column("number", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("label", sa.Text()),
        sa.Column("other_label", sa.Text()),
        sa.Column("count", sa.BigInteger(), nullable=False),
    )
