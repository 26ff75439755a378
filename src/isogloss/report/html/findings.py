"""Findings of a run, documents with the most findings first."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from isogloss.kernel.findings import Finding
from isogloss.runs.finding_view import CORRECT, EXCUSED, FindingContext
from isogloss.runs.run import Run
from isogloss.tasks.registry import get_task

MIN_DOCUMENTS = 4  # that share the findings shown


@dataclass(frozen=True)
class DocumentFindings:
    """A document and its findings.

    Args:
        name: its id or number.
        contexts: its findings with their context.
        left_out: number of its findings that are not shown.
    """

    name: str
    contexts: tuple[FindingContext, ...]
    left_out: int


@dataclass(frozen=True)
class FindingsOverview:
    """The findings of a run that a report shows.

    Args:
        documents: ordered from the one with the most findings.
        number: number of findings shown.
        known: number of findings that the run lists.
        total: number of all findings; None if the run does not have it.
    """

    documents: tuple[DocumentFindings, ...]
    number: int
    known: int
    total: int | None


def group_findings(run: Run, max_findings: int) -> FindingsOverview:
    """Group wrong findings by the documents that have the most.

    Args:
        run: a run with findings.
        max_findings: largest number of findings, a quarter of them of one document; a document that is shown whole has
            all its findings.
    """
    view = get_task(run.task).finding_view
    wrong = [finding for finding in run.findings if finding.kind != CORRECT]
    by_document: dict[str, list[Finding]] = defaultdict(list)
    for finding in wrong:
        by_document[finding.document].append(finding)
    ranked = sorted(by_document.items(), key=lambda item: -sum(one.kind != EXCUSED for one in item[1]))
    documents, number, left, share = [], 0, max_findings, -(-max_findings // MIN_DOCUMENTS)
    for document, found in ranked:
        kept = found[: min(left, share)]
        if not kept:
            break
        if view.whole is not None and view.whole(kept) is not None:  # the whole document is shown
            kept = found
        documents.append(DocumentFindings(document, tuple(view.build_contexts(kept)), len(found) - len(kept)))
        number += len(kept)
        left = max(0, left - len(kept))
    total = sum(count for kind, count in run.kinds.items() if kind != CORRECT) if run.kinds else None
    return FindingsOverview(tuple(documents), number, len(wrong), total)
