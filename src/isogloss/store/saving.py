"""Convert a run to rows, and write the rows of a saved or an imported run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from sqlalchemy import Connection

from isogloss.runs.evidence import TallyEvidence
from isogloss.runs.ranking_evidence import RankingEvidence
from isogloss.runs.run import Run
from isogloss.store.database import add_rows
from isogloss.store.findings import FindingRow, add_findings, to_finding_rows
from isogloss.store.packing import pack_attributes, pack_counts, pack_ranking
from isogloss.store.schema import inputs, packed, runs, scores, tags

PIECE_BYTES = 2**22  # of packed data in a row


@dataclass(frozen=True, eq=False)
class RunRecord:
    """The rows of a run.

    Args:
        row: of the table of runs.
        inputs: role, path and SHA-256 of its files.
        tags: its tags.
        scores: path, value, low, high.
        packed: name, position and data of the pieces of its packed counts.
        findings: its findings.
    """

    row: Mapping[str, Any]
    inputs: Sequence[tuple[str, str, str]]
    tags: Iterable[str]
    scores: Sequence[tuple[str, float | None, float | None, float | None]]
    packed: Iterable[tuple[str, int, bytes]]
    findings: Iterable[FindingRow]


def build_record(run: Run, tags: Iterable[str]) -> RunRecord:
    """Convert a run to rows, without its id, name, corpus and time.

    Its intervals are computed and its counts packed, which may take a while.

    Args:
        run: the run.
        tags: its tags.
    """
    figures = run.to_rows()
    return RunRecord(
        row=_build_row(run, figures),
        inputs=[(file.role, file.path, file.sha256) for file in run.inputs],
        tags=sorted(set(tags)),
        scores=[_build_score(entry) for entry in figures],
        packed=tuple(_pack_evidence(run)),
        findings=to_finding_rows(run.findings),
    )


def add_record(connection: Connection, record: RunRecord) -> None:
    """Write the rows of a run.

    Args:
        connection: of a transaction that writes.
        record: the rows.
    """
    number: int = connection.scalars(runs.insert().returning(runs.c.number), record.row).one()
    files = [(number, k, *file) for k, file in enumerate(record.inputs)]
    add_rows(connection, inputs, ("run", "position", "role", "path", "sha256"), files)
    add_rows(connection, tags, ("run", "tag"), [(number, tag) for tag in record.tags])
    add_rows(connection, scores, ("run", "path", "value", "low", "high"), [(number, *entry) for entry in record.scores])
    for piece in record.packed:
        add_rows(connection, packed, ("run", "what", "position", "data"), [(number, *piece)])
    add_findings(connection, number, record.findings)


def _build_row(run: Run, figures: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "task": run.task,
        "system": run.system,
        "version": run.signature.version,
        "profile": run.profile,
        "signature": str(run.signature),
        "choices": dict(run.signature.choices),
        "documents": run.documents,
        "documents_digest": run.documents_digest,
        "main_score": _choose_main_score(run, figures),
        "listed": run.list_findings,
        "document": replace(run, findings=(), list_findings=False, tool_output={}).to_dict(),
        "native": dict(run.tool_output),
        "rebuilding": _describe_rebuilding(run),
    }


def _build_score(entry: Mapping[str, Any]) -> tuple[str, float | None, float | None, float | None]:
    value, low, high = (None if entry.get(n) is None else float(entry[n]) for n in ("value", "low", "high"))
    return entry["score"], value, low, high


def _choose_main_score(run: Run, figures: Sequence[Mapping[str, Any]]) -> str | None:
    """Choose the main score of the task, or else the first ratio."""
    values = {entry["score"]: entry["value"] for entry in figures}
    ratios = (name for name, value in values.items() if not isinstance(value, int))
    return next((name for name in run.catalogue.main if name in values), next(ratios, None))


def _pack_evidence(run: Run) -> Iterator[tuple[str, int, bytes]]:
    """Pack the counts for new intervals and comparisons, in pieces that every database can hold."""
    content: dict[str, bytes] = {}
    if run.document_counts is not None:
        content["counts"] = pack_counts(run.document_counts.counts)
        if run.document_counts.attributes:
            content["attributes"] = pack_attributes(run.document_counts.attributes)
    if isinstance(run.evidence, RankingEvidence):
        content["ranking"] = pack_ranking(run.evidence.ranking)
    for name, data in content.items():
        for k, low in enumerate(range(0, len(data), PIECE_BYTES)):
            yield name, k, data[low : low + PIECE_BYTES]


def _describe_rebuilding(run: Run) -> Mapping[str, Any]:
    """Describe how to make the metric and the resamples again from the packed counts."""
    evidence = run.evidence.tally_evidence if isinstance(run.evidence, RankingEvidence) else run.evidence
    if (
        run.document_counts is None
        or run.document_counts.metric_spec is None
        or not isinstance(evidence, TallyEvidence)
    ):
        return {}
    return {
        "recipe": {
            "task": run.document_counts.metric_spec.task,
            "arguments": dict(run.document_counts.metric_spec.arguments),
        },
        "resampling": None if evidence.resampling is None else asdict(evidence.resampling),
        "by": evidence.slice_columns,
        "unit": evidence.unit,
    }
