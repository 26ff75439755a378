"""A run as the rows of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection

from isogloss.runs.evidence import TallyEvidence
from isogloss.runs.ranking_evidence import RankingEvidence
from isogloss.runs.run import Run
from isogloss.store.connection import add_rows
from isogloss.store.findings import add_findings, rows_of
from isogloss.store.packing import of_attributes, of_counts, of_ranking
from isogloss.store.tables import inputs, packed, runs, scores, tags

PIECE = 2**22  # bytes of packed data in a row


@dataclass(frozen=True, eq=False)
class Entry:
    """All that is written of a run, intervals and packed counts made.

    Args:
        run: the run.
        row: of the table of runs, but for what it is called.
        figures: its scores.
        packed: what new intervals and comparisons need, by what it is.
    """

    run: Run
    row: Mapping[str, Any]
    figures: Sequence[Mapping[str, Any]]
    packed: Sequence[tuple[str, bytes]]

    @classmethod
    def of(cls, run: Run) -> Entry:
        """Of a run, which may take a while."""
        figures = run.to_rows()
        return cls(run, _row(run, figures), figures, tuple(_packed(run)))


def record(
    connection: Connection,
    entry: Entry,
    *,
    name: str | None,
    corpus: str | None,
    own_tags: Iterable[str],
) -> UUID:
    """Write a run in the transaction of a connection.

    Args:
        connection: of a transaction that writes.
        entry: the run.
        name: what it can be asked for by, beside its id.
        corpus: name of the corpus.
        own_tags: its tags.

    Returns:
        Its new id.
    """
    identity = uuid4()
    called = {"id": identity, "name": name, "corpus": corpus, "created": datetime.now(UTC)}
    number = add_run(connection, {**entry.row, **called})
    _details(connection, entry, number)
    if own_tags:
        connection.execute(tags.insert(), [{"run": number, "tag": tag} for tag in sorted(set(own_tags))])
    for what, data in entry.packed:
        add_packed(connection, number, what, data)
    add_findings(connection, number, rows_of(entry.run.findings))
    return identity


def add_run(connection: Connection, row: Mapping[str, Any]) -> int:
    """Write the row of a run; its number in this store."""
    number: int = connection.scalars(runs.insert().returning(runs.c.number), row).one()
    return number


def add_packed(connection: Connection, number: int, what: str, data: bytes) -> None:
    """Write packed data in pieces, which every database can hold."""
    pieces = range(0, len(data), PIECE)
    rows = [(number, what, k, data[low : low + PIECE]) for k, low in enumerate(pieces)]
    add_rows(connection, packed, ("run", "what", "position", "data"), rows)


def _row(run: Run, figures: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "task": run.task,
        "system": run.system,
        "version": run.signature.version,
        "profile": run.profile,
        "signature": str(run.signature),
        "choices": dict(run.signature.choices),
        "documents": run.documents,
        "documents_digest": run.documents_digest,
        "main_score": _main(run, figures),
        "listed": run.list_findings,
        "document": replace(run, findings=(), list_findings=False, tool_output={}).to_dict(),
        "native": dict(run.tool_output),
        "rebuilding": _rebuilding(run),
    }


def _main(run: Run, figures: list[dict[str, Any]]) -> str | None:
    """The path of the score that stands for the run: that of its task, or else its first ratio."""
    values = {row["score"]: row["value"] for row in figures}
    ratios = (name for name, value in values.items() if not isinstance(value, int))
    return next((name for name in run.catalogue.main if name in values), next(ratios, None))


def _details(connection: Connection, entry: Entry, number: int) -> None:
    read = [asdict(file) | {"run": number, "position": k} for k, file in enumerate(entry.run.inputs)]
    if read:
        connection.execute(inputs.insert(), read)
    names = ("value", "low", "high")
    rows = [(number, row["score"], *(_float(row.get(name)) for name in names)) for row in entry.figures]
    if rows:
        add_rows(connection, scores, ("run", "path", *names), rows)


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)


def _packed(run: Run) -> Iterable[tuple[str, bytes]]:
    """What new intervals and comparisons need, by what it is."""
    if run.document_counts is not None:
        yield "counts", of_counts(run.document_counts.counts)
        if run.document_counts.attributes:
            yield "attributes", of_attributes(run.document_counts.attributes)
    if isinstance(run.evidence, RankingEvidence):
        yield "ranking", of_ranking(run.evidence.ranking)


def _rebuilding(run: Run) -> Mapping[str, Any]:
    """How the evidence is made again from what is packed."""
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
