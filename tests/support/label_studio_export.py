"""Exports of Label Studio."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from span_texts import read

from isogloss.formats.documents import SpanDocument

TEXT = "Ada met Bob"


def region(start: int, end: int, label: str, text: str | None = None, **more: Any) -> dict[str, Any]:
    value = {"start": start, "end": end, "labels": [label]} | ({} if text is None else {"text": text})
    return {
        "id": "a",
        "from_name": "label",
        "to_name": "text",
        "type": "labels",
        "provenance": "manual",
        "value": value,
    } | more


def found(text: str, name: str, label: str) -> dict[str, Any]:
    return region(text.index(name), text.index(name) + len(name), label, name)


def annotation(*results: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": 1,
        "completed_by": 1,
        "result": list(results),
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": "2026-03-09T22:16:08.728353Z",
        "updated_at": "2026-03-09T22:16:08.728378Z",
        "lead_time": 4.3,
    } | more


def task(text: str = TEXT, *annotations: dict[str, Any], predictions: Any = (), **more: Any) -> dict[str, Any]:
    return {
        "id": 7,
        "annotations": list(annotations),
        "drafts": [],
        "predictions": list(predictions),
        "data": {"text": text},
        "meta": {},
        "inner_id": 1,
    } | more


def file(folder: Path, *tasks: Any, indent: int | None = None) -> Path:
    path = folder / "export.json"
    path.write_text(json.dumps(tasks, indent=indent, ensure_ascii=False), encoding="utf-8")
    return path


def one(folder: Path, *tasks: Any, **options: Any) -> SpanDocument:
    (single,) = read(file(folder, *tasks), **options)
    return single


def codes(each: SpanDocument) -> list[str]:
    return [warning.code for warning in each.warnings]
