"""Findings of a run by document, the documents with most of them first."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from isogloss.kernel.findings import Finding
from isogloss.runs.finding_view import CORRECT, EXCUSED, FindingContext
from isogloss.runs.run import Run
from isogloss.tasks.registry import get_task

FEWEST_DOCUMENTS = 4  # among which the findings are shared out


@dataclass(frozen=True)
class DocumentFindings:
    """A document and its findings.

    Args:
        name: its id or number.
        contexts: its findings.
        left_out: how many it has that are not shown.
    """

    name: str
    contexts: tuple[FindingContext, ...]
    left_out: int


@dataclass(frozen=True)
class FindingsOverview:
    """What is shown of the findings of a run.

    Args:
        documents: those with the most findings first.
        number: of the findings that are shown.
        known: of those that the run lists.
        total: of those that there are, None where the run does not say.
    """

    documents: tuple[DocumentFindings, ...]
    number: int
    known: int
    total: int | None


def group_findings(run: Run, max_findings: int) -> FindingsOverview:
    """Findings of the documents of a run that have most of them. What is right is left out.

    Args:
        run: with the findings that were asked for.
        most: how many findings at most, a quarter of them of one document; a sample that is shown whole has all of its.
    """
    view = get_task(run.task).finding_view
    wrong = [finding for finding in run.findings if finding.kind != CORRECT]
    by_document: dict[str, list[Finding]] = defaultdict(list)
    for finding in wrong:
        by_document[finding.document].append(finding)
    ranked = sorted(by_document.items(), key=lambda item: -sum(one.kind != EXCUSED for one in item[1]))
    documents, number, left, share = [], 0, max_findings, -(-max_findings // FEWEST_DOCUMENTS)
    for document, found in ranked:
        kept = found[: min(left, share)]
        if not kept:
            break
        if view.whole is not None and view.whole(kept) is not None:  # it shows all there is
            kept = found
        documents.append(DocumentFindings(document, tuple(view.contexts(kept)), len(found) - len(kept)))
        number += len(kept)
        left = max(0, left - len(kept))
    total = sum(count for kind, count in run.kinds.items() if kind != CORRECT) if run.kinds else None
    return FindingsOverview(tuple(documents), number, len(wrong), total)
