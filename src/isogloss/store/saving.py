"""Convert a run to rows, and write the rows.

The run is saved or imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import msgspec
from sqlalchemy import Connection

from isogloss.kernel.findings import Finding
from isogloss.runs.findings import Findings
from isogloss.runs.ranking_evidence import RankingEvidence, get_tally_evidence
from isogloss.runs.run import Run
from isogloss.store.database import add_rows
from isogloss.store.digests import (
    RUN,
    TAGS,
    RowDigest,
    compute_checksum,
    digest_parts,
    digest_rows,
    digest_run_row,
    digest_scores,
    digest_tags,
    encode_score,
)
from isogloss.store.findings import FINDINGS, add_findings
from isogloss.store.packing import pack_attributes, pack_documents, pack_ranking
from isogloss.store.schema import digests, inputs, packed, runs, scores, tags

PIECE_BYTES = 2**22  # of packed data in a row


class RunRow(msgspec.Struct, forbid_unknown_fields=True):
    """The row of a run, see `isogloss.store.schema`."""

    name: str | None
    task: str
    system: str
    corpus: str | None
    version: str
    profile: str | None
    signature: str
    choices: dict[str, str | int | float]
    documents: int
    documents_digest: str | None
    main_score: str | None
    listed: bool
    document: dict[str, Any]
    native: dict[str, Any]
    rebuilding: dict[str, Any]


class RunRecord(msgspec.Struct, tag="run", tag_field="line", forbid_unknown_fields=True):
    """A run as a line of an export.

    It has the row, inputs (role, path, SHA-256), tags, and scores (path, value, low, high).
    """

    id: UUID
    created: datetime
    row: RunRow
    inputs: list[tuple[str, str, str]]
    tags: list[str]
    scores: list[tuple[str, float | None, float | None, float | None]]
    digests: dict[str, str] = {}  # by part, in hexadecimal; files of layout 1 have none
    finding_layout: int = 0  # of the findings behind the digests; files up to layout 3 do not name it


def build_record(run: Run, name: str | None, corpus: str | None, tags: Iterable[str]) -> RunRecord:
    """Convert a run to rows with a new id, created now.

    Its intervals are computed, which may take a while.

    Args:
        run: the run.
        name: its name.
        corpus: name of the corpus.
        tags: its tags.
    """
    figures = run.to_rows()
    return RunRecord(
        id=uuid4(),
        created=datetime.now(UTC),
        row=_build_row(run, name, corpus, figures),
        inputs=[(file.role, file.path, file.sha256) for file in run.inputs],
        tags=sorted(set(tags)),
        scores=[_build_score(entry) for entry in figures],
    )


def add_record(
    connection: Connection,
    record: RunRecord,
    pieces: Iterable[tuple[str, int, bytes]],
    findings: Iterable[Finding],
) -> dict[str, bytes]:
    """Write the rows of a run with their digests.

    Args:
        connection: connection in a transaction that writes.
        record: the run.
        pieces: name, position and data of the pieces of its packed counts.
        findings: its findings.

    Returns:
        The digests by part.
    """
    row = msgspec.structs.asdict(record.row) | {"id": record.id, "created": record.created.astimezone(UTC)}
    number: int = connection.scalars(runs.insert().returning(runs.c.number), row).one()
    files = [(number, k, *file) for k, file in enumerate(record.inputs)]
    add_rows(connection, inputs, ("run", "position", "role", "path", "sha256"), files)
    add_rows(connection, tags, ("run", "tag"), [(number, tag) for tag in record.tags])
    parts = digest_record(record) | {"scores": _add_scores(connection, number, record)}
    parts |= _add_pieces(connection, number, pieces)
    parts[FINDINGS] = add_findings(connection, number, findings)
    parts[RUN] = digest_parts(parts)
    add_rows(connection, digests, ("run", "part", "digest"), [(number, *part) for part in parts.items()])
    return parts


def digest_record(record: RunRecord) -> dict[str, bytes]:
    """Compute the digests of row, inputs and tags of a run."""
    row = msgspec.structs.asdict(record.row) | {"id": record.id, "created": record.created}
    return digest_run_row(row) | {"inputs": digest_rows(record.inputs), TAGS: digest_tags(record.tags)}


def _add_scores(connection: Connection, number: int, record: RunRecord) -> bytes:
    rows = [(number, *entry, compute_checksum(number, encode_score(*entry))) for entry in record.scores]
    add_rows(connection, scores, ("run", "path", "value", "low", "high", "checksum"), rows)
    return digest_scores(record.scores)


def _add_pieces(connection: Connection, number: int, pieces: Iterable[tuple[str, int, bytes]]) -> dict[str, bytes]:
    digests: dict[str, RowDigest] = {}
    for what, position, data in pieces:
        digests.setdefault(what, RowDigest()).add(data)
        add_rows(connection, packed, ("run", "what", "position", "data"), [(number, what, position, data)])
    return {what: digest.to_bytes() for what, digest in digests.items()}


def _build_row(run: Run, name: str | None, corpus: str | None, figures: Sequence[Mapping[str, Any]]) -> RunRow:
    return RunRow(
        name=name,
        task=run.task,
        system=run.system,
        corpus=corpus,
        version=run.signature.version,
        profile=run.profile,
        signature=str(run.signature),
        choices=dict(run.signature.choices),
        documents=run.documents,
        documents_digest=run.documents_digest,
        main_score=_choose_main_score(run, figures),
        listed=run.list_findings,
        document=replace(run, findings=Findings(), list_findings=False, tool_output={}).to_dict(),
        native=dict(run.tool_output),
        rebuilding=_describe_rebuilding(run),
    )


def _build_score(entry: Mapping[str, Any]) -> tuple[str, float | None, float | None, float | None]:
    value, low, high = (None if entry.get(n) is None else float(entry[n]) for n in ("value", "low", "high"))
    return entry["score"], value, low, high


def _choose_main_score(run: Run, figures: Sequence[Mapping[str, Any]]) -> str | None:
    """Choose the main score of the task, or else the first ratio."""
    values = {entry["score"]: entry["value"] for entry in figures}
    ratios = (name for name, value in values.items() if not isinstance(value, int))
    return next((name for name in run.catalogue.main if name in values), next(ratios, None))


def pack_evidence(run: Run) -> Iterator[tuple[str, int, bytes]]:
    """Pack the counts for new intervals and comparisons.

    They are in pieces that every database can hold.
    """
    content: dict[str, bytes] = {}
    if run.document_counts is not None:
        content["counts"] = pack_documents(run.document_counts.tallied)
        if run.document_counts.attributes:
            content["attributes"] = pack_attributes(run.document_counts.attributes)
    if isinstance(run.evidence, RankingEvidence):
        content["ranking"] = pack_ranking(run.evidence.ranking)
    for name, data in content.items():
        for k, low in enumerate(range(0, len(data), PIECE_BYTES)):
            yield name, k, data[low : low + PIECE_BYTES]


def _describe_rebuilding(run: Run) -> dict[str, Any]:
    """Describe how to rebuild metric and resamples from the packed counts."""
    evidence = get_tally_evidence(run.evidence)
    spec = None if run.document_counts is None else run.document_counts.metric_spec
    if spec is None or evidence is None:
        return {}
    return {
        "recipe": {"task": spec.task, "arguments": dict(spec.arguments)},
        "resampling": None if evidence.resampling is None else asdict(evidence.resampling),
        "by": evidence.slice_columns,
        "unit": evidence.unit,
        "measurements": list(run.measurements),
    }
