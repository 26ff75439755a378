"""Rows and documents: findings as a task shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from isogloss.explorer.finding_source import FindingSource
from isogloss.explorer.payloads import (
    DocumentLane,
    DocumentPayload,
    DocumentSpan,
    FindingRow,
    LanePayload,
    MarkPayload,
    PiecePayload,
)
from isogloss.kernel.findings import CorrectSpan, Finding
from isogloss.kernel.provenance import SIDES
from isogloss.runs.finding_columns import DOCUMENT, KEY, SURFACE, Numbers, select_numbers
from isogloss.runs.finding_view import CORRECT, FindingLane, FindingView, get_excerpt_offset, has_place
from isogloss.text.direction import detect_direction


class RowBuilder:
    """Builds rows of a run.

    Args:
        source: the findings of the run.
        view: how the task shows findings.
    """

    def __init__(self, source: FindingSource, view: FindingView) -> None:
        self._source = source
        self._view = view

    def build_rows(self, positions: Sequence[int]) -> list[FindingRow]:
        """Build the rows of findings.

        Args:
            positions: positions in the run.
        """
        if not positions:
            return []
        columns = [self._source.get_column(name)[list(positions)] for name in (DOCUMENT, KEY, SURFACE)]
        findings = self._source.load_findings(positions)
        return [self._build_row(*each) for each in zip(positions, findings, *_to_lists(columns), strict=True)]

    def build_document(self, number: int) -> DocumentPayload:
        """Build a document with all its findings.

        Args:
            number: number of the document.

        Raises:
            ValueError: if there is no such document.
        """
        (name,) = self._source.load_values(DOCUMENT, number, number + 1)
        positions: list[int] = select_numbers(self._source, {DOCUMENT: [number]}).tolist()
        rows, findings = self.build_rows(positions), self._source.load_findings(positions)
        whole = self._source.load_document(number)
        text = find_document_text(findings) if whole.text is None else whole.text
        language = next((row.language for row in rows if row.language), "")
        return DocumentPayload(
            document=name,
            number=number,
            count=len(rows),
            text=text,
            language=language,
            dir=detect_direction(text or "", language),
            rows=rows,
            lanes=[] if text is None else _build_document_lanes(positions, findings, text, whole.correct),
        )

    def _build_row(self, position: int, finding: Finding, document: int, key: int, surface: int) -> FindingRow:
        (context,) = self._view.build_contexts([finding])
        return FindingRow(
            position=position,
            kind=finding.kind,
            document=finding.document,
            document_number=document,
            where=finding.where,
            language=context.language,
            dir=detect_direction(finding.text or "", context.language),
            lanes=[_build_lane(lane, context.language) for lane in context.lanes],
            facts=[(name, list(values)) for name, values in context.facts],
            text=finding.text,
            offset=get_excerpt_offset(finding) if has_place(finding) else None,
            before=finding.before,
            after=finding.after,
            marks=[
                MarkPayload(
                    side=mark.side,
                    label=mark.label,
                    start=mark.start,
                    end=mark.end,
                    text_start=mark.text_start,
                    text_end=mark.text_end,
                )
                for mark in finding.marks
            ],
            key=format_key(key),
            surface=surface,
        )


def format_key(key: int) -> str:
    """Write a key as 16 hexadecimal digits."""
    return f"{key:016x}"


def find_document_text(findings: Iterable[Finding]) -> str | None:
    """Return the whole text of a document from its findings.

    The result is None if no finding has the whole text.
    """
    for finding in findings:
        if finding.document_text is not None:
            return finding.document_text
        if finding.text is not None and not finding.before and not finding.after and has_place(finding):
            return finding.text
    return None


def _to_lists(columns: Iterable[Numbers]) -> Iterator[list[int]]:
    return (column.tolist() for column in columns)


def _build_lane(lane: FindingLane, language: str) -> LanePayload:
    return LanePayload(
        side=lane.side,
        label=lane.label,
        dir=detect_direction("".join(piece.text for piece in lane.pieces), language),
        pieces=[PiecePayload(text=piece.text, role=piece.role) for piece in lane.pieces],
        remarks=list(lane.remarks),
    )


def _build_document_lanes(
    positions: Sequence[int], findings: Sequence[Finding], text: str, correct: Sequence[CorrectSpan]
) -> list[DocumentLane]:
    """Build a lane of the whole text for each side.

    Correct spans are in both.
    """
    lanes: dict[str, list[DocumentSpan]] = {side: [] for side in SIDES} if correct else {}
    for position, finding in zip(positions, findings, strict=True):
        shift = finding.text_start
        if finding.text is None or not text.startswith(finding.text, shift):
            continue  # the excerpt is of another text
        for mark in finding.marks:
            if mark.text_start is None or mark.text_end is None:
                continue
            place = {"start": mark.text_start + shift, "end": mark.text_end + shift}
            span = DocumentSpan(**place, label=mark.label or "", kind=finding.kind, position=position)
            lanes.setdefault(mark.side, []).append(span)
    for begin, stop, label in correct:
        span = DocumentSpan(start=begin, end=stop, label=label or "", kind=CORRECT, position=None)
        for spans in lanes.values():
            spans.append(span)
    return [
        DocumentLane(side=side, spans=sorted(spans, key=lambda span: (span.start, span.end)))
        for side, spans in lanes.items()
    ]
