"""The tables of a store. The newest migration makes exactly these.

A run is a row of `runs` and what hangs on it: its scores as rows, so that lists can be sorted by them; its tags; its
findings in their order, each in the group of those of its kind and labels, so that a filter is a choice of groups, and
the positions of those of each slice; and, packed and cut into pieces, what new intervals and comparisons need. JSON is
kept as it was written, in its order, because tables of scores are shown in it.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    Uuid,
)

NAMING = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
}
Long = BigInteger().with_variant(Integer, "sqlite")  # which numbers rows by itself under this name only

metadata = MetaData(naming_convention=NAMING)


def _of_run(name: str, *columns: Column[Any] | Index, **how: Any) -> Table:
    """A table whose rows belong to a run, with which they go."""
    run = ForeignKey("runs.number", ondelete="CASCADE")
    return Table(name, metadata, Column("run", Long, run, primary_key=True, autoincrement=False), *columns, **how)


def _key(name: str) -> Column[int]:
    """A part of the key that is a number, which the store gives and not the database."""
    return Column(name, Integer, primary_key=True, autoincrement=False)


runs = Table(
    "runs",
    metadata,
    Column("number", Long, primary_key=True),  # in the order in which they came into this store
    Column("id", Uuid, nullable=False, unique=True),
    Column("name", Text, index=True),
    Column("task", Text, nullable=False),
    Column("system", Text, nullable=False),
    Column("corpus", Text),
    Column("created", DateTime(timezone=True), nullable=False, index=True),  # UTC
    Column("version", Text, nullable=False),
    Column("profile", Text),
    Column("signature", Text, nullable=False),
    Column("choices", JSON, nullable=False),  # those of the signature, in their order
    Column("documents", BigInteger, nullable=False),
    Column("documents_digest", Text),
    Column("main_score", Text),  # path of the score that a list shows
    Column("listed", Boolean, nullable=False),  # whether its JSON lists the findings
    Column("document", JSON, nullable=False),  # its JSON without the findings
    Column("native", JSON, nullable=False),  # of these, the keys that the tool of the profile writes
    Column("rebuilding", JSON, nullable=False),  # recipes and resampling
)
inputs = _of_run(
    "inputs",
    _key("position"),
    Column("role", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("sha256", Text, nullable=False, index=True),
)
tags = _of_run(
    "tags",
    Column("tag", Text, primary_key=True, index=True),
)
scores = _of_run(
    "scores",
    Column("path", Text, primary_key=True),
    Column("value", Float),  # null where undefined
    Column("low", Float),
    Column("high", Float),
    Index(None, "path", "value"),
)
packed = _of_run(
    "packed",
    Column("what", Text, primary_key=True),  # counts, ranking, attributes
    _key("position"),
    Column("data", LargeBinary, nullable=False),
)
findings = _of_run(
    "findings",
    _key("position"),
    Column("finding_group", Integer, nullable=False),  # of those of its run
    Column("document", Text, nullable=False),
    Column("place", Text, nullable=False),  # file and line
    Column("payload", JSON, nullable=False),  # marks, text and what else there is
    Index(None, "run", "finding_group", "position"),
    Index(None, "run", "document", "position", "finding_group"),
    sqlite_with_rowid=False,
)
finding_groups = _of_run(
    "finding_groups",
    _key("number"),
    Column("kind", Text, nullable=False),
    Column("label", Text),  # of the reference, or else of the prediction
    Column("other_label", Text),  # of the prediction, where both have one and they differ
    Column("count", BigInteger, nullable=False),
)
finding_slices = _of_run(
    "finding_slices",
    _key("number"),
    Column("slice_column", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("count", BigInteger, nullable=False),
    Index(None, "run", "slice_column", "value"),
)
sliced_findings = _of_run(
    "sliced_findings",
    _key("slice"),  # of those of its run
    _key("first"),  # position in this piece
    Column("last", Integer, nullable=False),
    Column("data", LargeBinary, nullable=False),  # positions and their groups, see `isogloss.store.slicing`
)
