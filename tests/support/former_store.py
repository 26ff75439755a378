"""Change a store to the tables of version 0004, or earlier, whose findings are rows."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, text

from isogloss.kernel.findings import Finding
from isogloss.store.database import VERSION_TABLE, Database
from isogloss.store.digests import RowDigest, digest_parts, digest_rows, encode_row, load_digests

TABLES = (
    """CREATE TABLE findings (run BIGINT NOT NULL REFERENCES runs (number) ON DELETE CASCADE, position INTEGER NOT NULL,
    finding_group INTEGER NOT NULL, document TEXT NOT NULL, place TEXT NOT NULL, payload JSON NOT NULL,
    checksum BIGINT DEFAULT '0' NOT NULL, PRIMARY KEY (run, position))""",
    """CREATE TABLE finding_groups (run BIGINT NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    number INTEGER NOT NULL, kind TEXT NOT NULL, label TEXT, other_label TEXT, count BIGINT NOT NULL)""",
    """CREATE TABLE finding_slices (run BIGINT NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    number INTEGER NOT NULL, slice_column TEXT NOT NULL, value TEXT NOT NULL, count BIGINT NOT NULL)""",
    """CREATE TABLE sliced_findings (run BIGINT NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    slice INTEGER NOT NULL, position INTEGER NOT NULL, finding_group INTEGER NOT NULL)""",
)
OLDER = {  # commands that change version 0004 to an earlier one
    "0004": (),
    "0003": (
        "DROP TABLE digests",
        "ALTER TABLE scores DROP COLUMN checksum",
        "ALTER TABLE findings DROP COLUMN checksum",
    ),
}
OLDER["0001"] = (*OLDER["0003"], "DROP TABLE sliced_findings", "DROP TABLE finding_slices")


def downgrade(database: Database, runs: Mapping[int, Sequence[Finding]], version: str) -> None:
    """Change a store to an earlier version.

    Args:
        database: database of the store.
        runs: the findings of each run, by its number.
        version: the earlier version.
    """
    with database.begin_writing() as connection:
        for table in TABLES:
            connection.exec_driver_sql(table)
        for run, findings in runs.items():
            _write_run(connection, run, findings)
        connection.exec_driver_sql("DELETE FROM packed WHERE what >= 'findings' AND what < 'findingt'")
        connection.exec_driver_sql("DROP TABLE notes")
        for command in OLDER[version]:
            connection.exec_driver_sql(command)
        connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = '{version}'")


def _write_run(connection: Connection, run: int, findings: Sequence[Finding]) -> None:
    """Write rows of findings and their groups; the tables of slices stay empty."""
    groups: dict[tuple[str, str | None, str | None], int] = {}
    counts: Counter[int] = Counter()
    digest, parts = RowDigest(), load_digests(connection, run)
    for position, one in enumerate(findings):
        labels = list(dict.fromkeys(mark.label for mark in one.marks if mark.label is not None))
        group = (one.kind, labels[0] if labels else None, labels[1] if len(labels) > 1 else None)
        number = groups.setdefault(group, len(groups))
        counts[number] += 1
        data = encode_row((position, number, one.document, one.where, _encode_payload(one)))
        digest.add(data)
        _insert(
            connection,
            "findings",
            *("run", "position", "finding_group", "document", "place", "payload", "checksum"),
            values=(run, position, number, one.document, one.where, _encode_payload(one), zlib.crc32(data, run)),
        )
    rows = [(number, *group, counts[number]) for group, number in groups.items()]
    for row in rows:
        names = ("run", "number", "kind", "label", "other_label", "count")
        _insert(connection, "finding_groups", *names, values=(run, *row))
    parts |= {"findings": digest.to_bytes(), "finding_groups": digest_rows(rows), "finding_slices": digest_rows([])}
    parts["run"] = digest_parts({part: own for part, own in parts.items() if part != "run"})
    connection.execute(text("DELETE FROM digests WHERE run = :run"), {"run": run})
    for part, own in parts.items():
        _insert(connection, "digests", "run", "part", "digest", values=(run, part, own))


def _insert(connection: Connection, table: str, *names: str, values: Sequence[Any]) -> None:
    places = ", ".join(f":{name}" for name in names)
    command = text(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})")
    connection.execute(command, dict(zip(names, values, strict=True)))


def _encode_payload(one: Finding) -> str:
    payload: dict[str, Any] = {"marks": [msgspec.structs.astuple(mark) for mark in one.marks]}
    if one.text is not None:
        payload |= {"text": one.text, "before": one.before, "after": one.after}
    return msgspec.json.encode(payload | ({"more": one.extra} if one.extra else {})).decode()
