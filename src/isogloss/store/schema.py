"""The tables of a store. The newest migration makes exactly these.

A run is a row of `runs`. Its rows in the other tables are deleted with it: scores, so that lists can be sorted by one;
tags; packed counts for new intervals and comparisons; packed findings; the digests of its parts. JSON keeps the order
in which it was written, because reports show it. Notes about findings belong to a corpus; they stay when runs are
deleted.
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

NAMING_CONVENTION = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
}
Long = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows only in an INTEGER column

metadata = MetaData(naming_convention=NAMING_CONVENTION)


def _define_run_table(name: str, *columns: Column[Any] | Index, **how: Any) -> Table:
    """Define a table whose rows belong to a run.

    The rows are deleted with the run.
    """
    run = ForeignKey("runs.number", ondelete="CASCADE")
    return Table(name, metadata, Column("run", Long, run, primary_key=True, autoincrement=False), *columns, **how)


def _define_key(name: str) -> Column[int]:
    """Define a part of the key that the store numbers.

    The database does not number it.
    """
    return Column(name, Integer, primary_key=True, autoincrement=False)


runs = Table(
    "runs",
    metadata,
    Column("number", Long, primary_key=True),  # in the order of saving
    Column("id", Uuid, nullable=False, unique=True),
    Column("name", Text, index=True),
    Column("task", Text, nullable=False),
    Column("system", Text, nullable=False),
    Column("corpus", Text),
    Column("created", DateTime(timezone=True), nullable=False, index=True),  # UTC
    Column("version", Text, nullable=False),
    Column("profile", Text),
    Column("signature", Text, nullable=False),
    Column("choices", JSON, nullable=False),  # of the signature, in their order
    Column("documents", BigInteger, nullable=False),
    Column("documents_digest", Text),
    Column("main_score", Text),  # path of the score that a list shows
    Column("listed", Boolean, nullable=False),  # whether its JSON lists the findings
    Column("document", JSON, nullable=False),  # its JSON without the findings
    Column("native", JSON, nullable=False),  # keys of its JSON that the profile adds
    Column("rebuilding", JSON, nullable=False),  # how to make its metric and resamples
)
inputs = _define_run_table(
    "inputs",
    _define_key("position"),
    Column("role", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("sha256", Text, nullable=False, index=True),
)
tags = _define_run_table(
    "tags",
    Column("tag", Text, primary_key=True, index=True),
)
scores = _define_run_table(
    "scores",
    Column("path", Text, primary_key=True),
    Column("value", Float),  # null where undefined
    Column("low", Float),
    Column("high", Float),
    Column("checksum", BigInteger, nullable=False, server_default="0"),  # of the row, see `isogloss.store.digests`
    Index(None, "path", "value"),
)
packed = _define_run_table(
    "packed",
    Column("what", Text, primary_key=True),  # counts, ranking, attributes; of findings, see `isogloss.store.findings`
    _define_key("position"),
    Column("data", LargeBinary, nullable=False),
)
digests = _define_run_table(
    "digests",
    Column("part", Text, primary_key=True),  # see `isogloss.store.digests`
    Column("digest", LargeBinary, nullable=False),
)
notes = Table(
    "notes",
    metadata,
    Column("corpus_key", Text, primary_key=True),  # of the reference, see `isogloss.runs.run`
    Column("key", Text, primary_key=True),  # of the finding, see `isogloss.runs.finding_columns`
    Column("verdict", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("created", DateTime(timezone=True), nullable=False),  # UTC
    Column("checksum", BigInteger, nullable=False),  # of the row, see `isogloss.store.digests`
)
