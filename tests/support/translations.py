"""Small references and predictions of entity translation, and the official algorithm in as few words as possible."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def task(key: str, *names: str, **more: Any) -> Row:
    """A row of the reference whose accepted translations are `che NAME?`."""
    return {"id": key, "targets": [{"translation": f"che {name}?", "mention": name} for name in names], **more}


def answer(key: str, text: str | None) -> Row:
    """A row of the prediction."""
    return {"id": key, "prediction": text}


def write(path: Path, rows: Sequence[Mapping[str, Any] | str]) -> Path:
    """A file of JSON lines; a string is a line as it is."""
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def official(tasks: Sequence[Row], answers: Sequence[Row], types: Sequence[str] = ()) -> tuple[int, int]:
    """Right and all sentences by the algorithm of the shared task."""
    names = {
        row["id"]: {target["mention"] for target in row["targets"]}
        for row in tasks
        if row["targets"] and (not types or any(kind in row["entity_types"] for kind in types))
    }
    texts = {}
    for row in answers:
        prefix = re.match("Q[0-9]+_[0-9]", row["id"])
        assert prefix
        texts[prefix[0]] = row["prediction"]
    right = [
        key
        for key, mentions in names.items()
        if key in texts and any(name.casefold() in texts[key].casefold() for name in mentions)
    ]
    return len(right), len(names)
