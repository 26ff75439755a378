"""Findings that have notes, and scores without documents whose gold is disputed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from isogloss.explorer.finding_rows import format_key
from isogloss.explorer.finding_source import list_facet_values
from isogloss.explorer.payloads import NotedFinding, NotePayload, ScorePoint, UndisputedPayload
from isogloss.explorer.run_payloads import build_summary, to_number
from isogloss.explorer.run_sources import ExplorerRun
from isogloss.kernel.scores import parse_path
from isogloss.runs.evidence import TallyEvidence
from isogloss.runs.finding_columns import DOCUMENT, KEY, KIND, LABEL
from isogloss.runs.ranking_evidence import get_tally_evidence

GOLD_ERROR = "gold error"
MAX_NOTED_RUNS = 10  # latest runs of a reference in which a finding is looked up


def find_noted_findings(runs: Sequence[ExplorerRun], notes: Sequence[NotePayload]) -> list[NotedFinding]:
    """Find each noted finding in the latest run that has it.

    Args:
        runs: runs, the latest first.
        notes: the notes.
    """
    wanted: dict[str, set[str]] = {}
    for note in notes:
        wanted.setdefault(note.corpus_key, set()).add(note.key)
    noted_findings = []
    for corpus_key, keys in wanted.items():
        for run in [run for run in runs if run.corpus_key == corpus_key][:MAX_NOTED_RUNS]:
            own = find_keys(run, keys)
            keys -= {each.key for each in own}
            noted_findings += own
    return noted_findings


def find_keys(run: ExplorerRun, keys: Collection[str]) -> list[NotedFinding]:
    """Find the first finding of a run with each of some keys.

    Args:
        run: the run.
        keys: keys of findings, 16 hexadecimal digits.
    """
    source = run.source
    column = source.get_column(KEY)  # (findings,)
    wanted = np.array([int(key, 16) for key in keys], np.uint64)
    positions = np.flatnonzero(np.isin(column, wanted))
    first = np.sort(positions[np.unique(column[positions], return_index=True)[1]]).tolist()
    kinds, labels = (list_facet_values(source, name) for name in (KIND, LABEL))
    found_keys = []
    for position in first:
        number = int(source.get_column(DOCUMENT)[position])
        (document,) = source.load_values(DOCUMENT, number, number + 1)
        found_keys.append(
            NotedFinding(
                corpus_key=run.corpus_key,
                key=format_key(int(column[position])),
                run=run.id,
                run_name=run.name,
                position=position,
                document=document,
                document_number=number,
                kind=kinds[source.get_column(KIND)[position]],
                label=labels[source.get_column(LABEL)[position]],
            )
        )
    return found_keys


def score_undisputed(run: ExplorerRun, runs: Sequence[ExplorerRun], notes: Sequence[NotePayload]) -> UndisputedPayload:
    """Score a run without documents whose gold was marked as wrong.

    Args:
        run: the run.
        runs: runs, the latest first: a disputed finding may be one of another run.
        notes: all notes.
    """
    disputed = [note for note in notes if note.verdict == GOLD_ERROR and note.corpus_key == run.corpus_key]
    names = {each.document for each in find_noted_findings([run, *runs], disputed)}
    own = None if run.load_documents is None else run.load_documents()
    evidence = None if own is None else get_tally_evidence(own.evidence)
    if own is None or evidence is None or own.document_counts is None:
        reason = "The run does not have its single documents."
        return UndisputedPayload(documents=run.run.documents, left_out=sorted(names), scores={}, note=reason)
    known = own.document_counts.name_documents(np.arange(own.documents))
    keep = np.array([name not in names for name in known], np.bool_)  # (documents,)
    return UndisputedPayload(
        documents=int(keep.sum()),
        left_out=[name for name in known if name in names],
        scores=_score_documents(
            replace(evidence, document_counts=own.document_counts), keep, list(build_summary(run).scores)
        ),
    )


def _score_documents(
    evidence: TallyEvidence, keep: np.typing.NDArray[np.bool_], paths: Sequence[str]
) -> dict[str, ScorePoint]:
    """Score the documents of a mask: (documents,).

    The scores have intervals if the run has them. Scores that are no ratio of sums are left out.
    """
    scores: dict[str, ScorePoint] = {}
    for view in reversed(evidence.views):
        if view.document_counts is None:
            continue
        chosen = view.document_counts.tallied.select(keep)
        part = replace(
            view,
            tally=chosen.tally,
            resampling=evidence.resampling,
            document_counts=replace(view.document_counts, tallied=chosen),
            slice_columns=(),
        )
        for path in paths:
            if (key := parse_path(path)) in part.numbers:
                interval = part.intervals.get(path)
                low, high = (None, None) if interval is None else (to_number(interval.low), to_number(interval.high))
                scores[path] = ScorePoint(value=to_number(part.numbers[key]), low=low, high=high)
    return {path: scores[path] for path in paths if path in scores}
