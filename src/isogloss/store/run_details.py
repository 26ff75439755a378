"""What a page about several runs shows of each, beyond the summary."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, select

from isogloss.errors import StoreError
from isogloss.runs.run import compute_corpus_key
from isogloss.runs.run_json import InputFile
from isogloss.store.digests import (
    RUN,
    digest_bytes,
    digest_parts,
    digest_rows,
    digest_run_row,
    digest_scores,
    raise_corrupt,
    report_corrupt_part,
)
from isogloss.store.findings import FINDINGS, INDEX, decode_index
from isogloss.store.schema import digests, inputs, packed, runs, scores
from isogloss.store.stored_run import Figure, Summary
from isogloss.tasks.registry import get_task

MAX_RUNS = 500  # of one query
FIRST_DEFINITION = 1  # the JSON of a run does not have it


@dataclass(frozen=True)
class RunDetails:
    """A run in a list with its main scores.

    Args:
        summary: the run in a list.
        corpus_key: identifies the reference, see `isogloss.runs.run.compute_corpus_key`.
        language: language of its texts, if it was given as an option.
        definition: number of the definition of its scores.
        findings: number of its findings.
        scores: the scores of the task that can stand for a run or are shown beside them, by path.
    """

    summary: Summary
    corpus_key: str
    language: str | None
    definition: int
    findings: int
    scores: Mapping[str, Figure]


def load_details(connection: Connection, summaries: Sequence[Summary]) -> tuple[list[RunDetails], list[StoreError]]:
    """Load details of runs in the order of their summaries.

    There is an error for each of these runs that is corrupt.

    Args:
        connection: connection in a transaction.
        summaries: the runs.
    """
    loaded, errors = list[RunDetails](), list[StoreError]()
    for low in range(0, len(summaries), MAX_RUNS):
        some = {summary.id: summary for summary in summaries[low : low + MAX_RUNS]}
        rows = connection.execute(select(runs).where(runs.c.id.in_(some))).all()
        details = {}
        parts = _load_parts(connection, [row.number for row in rows])
        for row in rows:
            try:
                if row.id not in some:  # damaged: its index has another id
                    raise_corrupt(connection, row.number, "row")
                details[row.id] = _build_details(connection, some[row.id], row, parts[row.number])
            except StoreError as error:
                errors.append(error)
        loaded += [details[identity] for identity in some if identity in details]
    return loaded, errors


def _load_parts(connection: Connection, numbers: Sequence[int]) -> dict[int, dict[str, list[Any]]]:
    """Load the rows of some parts of runs, by run and part."""
    score, file, piece = scores.c, inputs.c, packed.c
    queries: dict[str, Select[Any]] = {
        "digests": select(digests.c.run, digests.c.part, digests.c.digest),
        "inputs": select(file.run, file.role, file.path, file.sha256).order_by(file.run, file.position),
        "scores": select(score.run, score.path, score.value, score.low, score.high).order_by(score.run, score.path),
        FINDINGS: select(piece.run, piece.data).where(piece.what == INDEX),
    }
    parts: dict[int, dict[str, list[Any]]] = {number: {name: [] for name in queries} for number in numbers}
    for name, query in queries.items():
        for row in connection.execute(query.where(query.selected_columns["run"].in_(numbers))).all():
            if row[0] in parts:  # a damaged number may differ from that of the index
                parts[row[0]][name].append(row[1:])
    return parts


def _build_details(
    connection: Connection, summary: Summary, row: Row[Any], parts: Mapping[str, list[Any]]
) -> RunDetails:
    with report_corrupt_part(connection, row.number, "digests"):
        known = {part: bytes(digest) for part, digest in parts["digests"]}
        is_known = known.get(RUN) == digest_parts(known)
    if not is_known:
        raise_corrupt(connection, row.number, "digests")
    for part, compute_digest in _list_digests(row, parts).items():
        with report_corrupt_part(connection, row.number, part):
            digest = compute_digest()
        if known.get(part) != digest:
            raise_corrupt(connection, row.number, part)
    known_scores = {entry[0]: entry for entry in parts["scores"]}
    catalogue = get_task(row.task).scores
    main = [path for path in dict.fromkeys((*catalogue.main, *catalogue.secondary)) if path in known_scores]
    language = row.choices.get("language")
    return RunDetails(
        summary=summary,
        corpus_key=compute_corpus_key([InputFile(*entry) for entry in parts["inputs"]], row.documents_digest),
        language=language if isinstance(language, str) else None,
        definition=row.document.get("definition", FIRST_DEFINITION),
        findings=decode_index(parts[FINDINGS][0][0]).count,
        scores={path: Figure(*known_scores[path]) for path in main},
    )


def _list_digests(row: Row[Any], parts: Mapping[str, list[Any]]) -> dict[str, Callable[[], bytes]]:
    """List functions that compute the digests of the loaded parts."""
    return {
        "row": lambda: digest_run_row(row._mapping)["row"],  # noqa: SLF001  its public name has the underscore
        "inputs": lambda: digest_rows(parts["inputs"]),
        "scores": lambda: digest_scores(parts["scores"]),
        FINDINGS: lambda: digest_bytes(b"".join(data for (data,) in parts[FINDINGS])),
    }
