"""Export of selected findings.

They are JSON lines, a Parquet file, or tasks in which people correct the gold.

A task of Label Studio or Prodigy shows the text of a finding with the spans of both sides. Findings without a text have
no place to correct; they are left out of these two.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any

import msgspec

from isogloss.errors import UsageError, import_extra
from isogloss.explorer.payloads import ExportFormat
from isogloss.kernel.findings import Finding
from isogloss.runs.frames import build_finding_rows, build_frame, list_finding_columns


def export_findings(findings: Sequence[Finding], form: ExportFormat) -> bytes:
    """Write findings as a file.

    It has one JSON value a line; a Label Studio file is one JSON array.

    Args:
        findings: the findings.
        form: the format.

    Raises:
        UsageError: if no finding has a text and the format needs one.
    """
    if form == "jsonl":
        return b"".join(msgspec.json.encode(finding.to_dict()) + b"\n" for finding in findings)
    if form == "parquet":
        return _write_parquet(findings)
    with_text = [finding for finding in findings if finding.text is not None]
    if findings and not with_text:
        raise UsageError(f"The findings have no text, which {form} needs: choose jsonl.")
    if form == "prodigy":
        return b"".join(msgspec.json.encode(_build_prodigy_task(finding)) + b"\n" for finding in with_text)
    return msgspec.json.encode([_build_label_studio_task(finding) for finding in with_text]) + b"\n"


def _write_parquet(findings: Sequence[Finding]) -> bytes:
    """Write findings as a Parquet file."""
    parquet, file = import_extra("pyarrow.parquet", "a Parquet file", "arrow"), BytesIO()
    rows = build_finding_rows(findings)
    parquet.write_table(build_frame(rows, list_finding_columns(rows), "pyarrow"), file)
    return file.getvalue()


def _build_prodigy_task(finding: Finding) -> dict[str, Any]:
    """Build a task of Prodigy.

    It has the reference as spans, and the prediction in `meta`.
    """
    sides = {side: _list_spans(finding, side) for side in ("reference", "predicted")}
    shown = sides["reference"] or sides["predicted"]
    meta = {"document": finding.document, "where": finding.where, "kind": finding.kind, "predicted": sides["predicted"]}
    return {"text": finding.text, "spans": shown, "meta": meta}


def _build_label_studio_task(finding: Finding) -> dict[str, Any]:
    """Build a task with a pre-annotation for each side."""
    mark_by_side = {mark.side: mark for mark in finding.marks}
    predictions = [
        {
            "model_version": side,
            "result": [
                {
                    "id": side,
                    "type": "labels",
                    "from_name": "label",
                    "to_name": "text",
                    "value": {
                        "start": mark.text_start,
                        "end": mark.text_end,
                        "text": (finding.text or "")[mark.text_start or 0 : mark.text_end or 0],
                        "labels": [mark.label or finding.kind],
                    },
                }
            ],
        }
        for side, mark in mark_by_side.items()
    ]
    meta = {"document": finding.document, "where": finding.where, "kind": finding.kind}
    return {"data": {"text": finding.text}, "meta": meta, "predictions": predictions}


def _list_spans(finding: Finding, side: str) -> list[dict[str, Any]]:
    return [
        {"start": mark.text_start, "end": mark.text_end, "label": mark.label or finding.kind}
        for mark in finding.marks
        if mark.side == side
    ]
