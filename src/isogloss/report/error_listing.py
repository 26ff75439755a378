"""Errors on a terminal, those of one sentence together.

A sentence of several systems is drawn once, with a line for each system.

Several errors are drawn on one text if the task shows spans with labels, and the text fits or its spans leave room. A
system's line has its wrong spans, and the reference spans that it found: those that no error of it names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from isogloss.kernel.findings import Finding, Mark
from isogloss.report.drawing import (
    MAX_LINE_TEXT,
    OTHER_STYLE,
    STYLES,
    DrawingLine,
    LaneSpan,
    draw_finding,
    draw_lanes,
    fits_width,
)
from isogloss.runs.finding_selection import FindingSelection, merge_document_order
from isogloss.runs.finding_view import FindingView, describe_cut_clusters
from isogloss.runs.run import Run
from isogloss.runs.score_tables import shorten_system_names
from isogloss.tasks.registry import get_task

REFERENCE, PREDICTED = "reference", "predicted"
MAX_SHARE = 0.5  # of a line that brackets and spans may take if the rest of the text is cut
Drawing = list[DrawingLine]


def draw_findings(findings: Iterable[Finding], view: FindingView, width: int, encoding: str) -> Iterator[Drawing]:
    """Draw findings in order, those of one document together if possible.

    They are drawn together if they fit.

    Args:
        findings: findings, documents in order.
        view: how the task shows them.
        width: cells of a line.
        encoding: encoding of the output.
    """
    for _, group in groupby(findings, key=lambda finding: finding.document):
        of_document = list(group)
        together = _draw_together(of_document, view, width, encoding) if len(of_document) > 1 else None
        if together is not None:
            yield together
            continue
        for finding in of_document:
            yield draw_finding(finding, width=width, encoding=encoding, sides=view.names_sides)


def _draw_together(findings: Sequence[Finding], view: FindingView, width: int, encoding: str) -> Drawing | None:
    """Draw findings of one document on its text.

    Return None if that would hide something.
    """
    text = _find_text(findings, view)
    if text is None:
        return None
    lanes = {side: _list_spans(findings, side) for side in (REFERENCE, PREDICTED)}
    lanes = {side: spans for side, spans in lanes.items() if spans}
    if not _has_room(text, lanes, width, encoding):
        return None
    return draw_lanes([("", finding) for finding in findings], lanes, text, width=width, encoding=encoding)


def _find_text(findings: Sequence[Finding], view: FindingView) -> str | None:
    """Return the text of a document if it can show all findings.

    It can if brackets and labels alone are enough to draw all findings on it.
    """
    texts = {finding.document_text for finding in findings}
    if any(len(text or "") > MAX_LINE_TEXT for text in texts):
        return None
    cut = any(
        describe_cut_clusters(finding.text or "", mark.text_start or 0, mark.text_end or 0)
        for finding in findings
        for mark in finding.marks
    )
    return texts.pop() if len(texts) == 1 and view.shows_labelled_spans and not cut else None


def _list_spans(findings: Iterable[Finding], side: str) -> list[LaneSpan]:
    """List the spans of one side, each once."""
    spans: dict[tuple[int, int, str], LaneSpan] = {}
    for finding in findings:
        style = STYLES.get(finding.kind, OTHER_STYLE)
        for mark in finding.marks:
            if mark.side == side:
                span = _to_span(finding, mark, style)
                spans.setdefault((span.start, span.end, span.label), span)
    return sorted(spans.values(), key=lambda span: (span.start, -span.end, span.label))


def _to_span(finding: Finding, mark: Mark, style: str) -> LaneSpan:
    shift = finding.text_start
    return LaneSpan(shift + (mark.text_start or 0), shift + (mark.text_end or 0), mark.label or "", style)


def _has_room(text: str, lanes: Mapping[str, Sequence[LaneSpan]], width: int, encoding: str) -> bool:
    """Return whether the text fits, or its spans leave room.

    Spans leave room if they take a small part of a line.
    """
    marked = max(
        sum(span.end - span.start + len(span.label) + len("[ ]") for span in spans) for spans in lanes.values()
    )
    return marked <= width * MAX_SHARE or fits_width(text, lanes, width, encoding)


def find_known_documents(runs: Sequence[Run], selection: FindingSelection) -> frozenset[str] | None:
    """Return the documents of which all errors of all systems are known.

    The result is None if that is every document.

    Args:
        runs: one per system, with its single documents.
        selection: for how many documents findings were kept.
    """
    if selection.documents is None or runs[0].document_counts is None:
        return None
    last = [run.findings[-1].document for run in runs if selection.lacks_findings(run.findings)]
    if not last:
        return None
    names = {finding.document: None for run in runs for finding in run.findings}
    positions = runs[0].document_counts.find_positions(names)
    end = min(positions[name] for name in last)
    return frozenset(name for name, position in positions.items() if position <= end)


def select_shared_documents(
    runs: Sequence[Run], selection: FindingSelection, drawn: Collection[str], known: frozenset[str] | None
) -> tuple[list[str], int]:
    """Select the documents with errors of any system.

    Args:
        runs: one per system, with all findings.
        selection: which findings are shown; its number counts documents.
        drawn: documents that are shown already.
        known: documents of which all errors are known; None for every document.

    Returns:
        The documents, and how many there are to select from.
    """
    wrong = [[finding.document for finding in selection.filter(run.findings)] for run in runs]
    documents = [
        document
        for document in merge_document_order(wrong)
        if document not in drawn and (known is None or document in known)
    ]
    return selection.select_documents(documents), len(documents)


def draw_shared_documents(
    runs: Sequence[Run], documents: Sequence[str], width: int, encoding: str
) -> Iterator[Drawing]:
    """Draw documents with the errors of several systems, each document once.

    Args:
        runs: one per system, with all findings.
        documents: the documents, in order.
        width: cells of a line.
        encoding: encoding of the output.
    """
    view = get_task(runs[0].task).finding_view
    wanted = set(documents)
    by_document: dict[str, dict[str, list[Finding]]] = {document: {} for document in documents}
    for run, name in zip(runs, shorten_system_names(runs), strict=True):
        for document in documents:
            by_document[document][name] = []
        for finding in run.findings:
            if finding.document in wanted:
                by_document[finding.document][name].append(finding)
    for by_system in by_document.values():
        yield from _draw_systems(by_system, view, width, encoding)


def _draw_systems(
    by_system: Mapping[str, Sequence[Finding]], view: FindingView, width: int, encoding: str
) -> Iterator[Drawing]:
    """Draw one document with the errors of several systems.

    It has a line for each system, or else the errors of each system in turn.
    """
    findings = [(system, finding) for system, own in by_system.items() for finding in own]
    text = _find_text([finding for _, finding in findings], view)
    lanes = {REFERENCE: _list_spans((finding for _, finding in findings), REFERENCE)}
    lanes |= {system: _list_system_spans(own, lanes[REFERENCE]) for system, own in by_system.items()}
    if text is not None and _has_room(text, lanes, width, encoding):
        yield draw_lanes(findings, lanes, text, width=width, encoding=encoding)
        return
    for system, finding in findings:
        lines = draw_finding(finding, width=width, encoding=encoding, sides=view.names_sides)
        yield [DrawingLine(((f"{system}: ", ""), *lines[0].pieces)), *lines[1:]]


def _list_system_spans(findings: Sequence[Finding], reference: Sequence[LaneSpan]) -> list[LaneSpan]:
    """List the wrong spans of a system, and those it found.

    The spans that it found are the reference spans that no error names.
    """
    wrong = {(span.start, span.end, span.label) for span in _list_spans(findings, REFERENCE)}
    right = [
        LaneSpan(span.start, span.end, span.label, STYLES["correct"])
        for span in reference
        if (span.start, span.end, span.label) not in wrong
    ]
    return sorted([*right, *_list_spans(findings, PREDICTED)], key=lambda span: (span.start, -span.end, span.label))
