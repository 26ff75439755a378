"""Whatever an annotation tool's file holds, it is scored, or refused with an error of ours."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.errors import DataError, UsageError
from isogloss.formats.detection import detect_format
from isogloss.records.sources import Source

SPAN = {"start": 0, "end": 3, "label": "PER"}
REGION = {"from_name": "l", "to_name": "text", "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}}
ROWS: dict[str, list[Any]] = {
    "doccano": [{"id": 1, "text": "Ada met Bob", "label": [[0, 3, "PER"]]}, {"id": 2, "text": "😀", "label": []}],
    "prodigy": [{"text": "Ada", "spans": [SPAN | {"text": "Ada"}], "answer": "accept", "tokens": [SPAN], "meta": {}}],
    "spacy": [{"text": "Ada", "ents": [SPAN], "spans": {"sc": [SPAN]}, "tokens": [SPAN]}, ["Ada", {"entities": []}]],
    "argilla": [
        {
            "id": "a",
            "fields": {"text": "Ada 😀"},
            "suggestions": {"spans": {"value": [SPAN]}},
            "responses": {"spans": [{"value": [SPAN], "user_id": "u"}]},
        },
        {
            "fields": {"text": "Ada 😀"},
            "suggestions": [{"question_name": "spans", "value": [SPAN]}],
            "responses": [{"values": {"spans": {"value": [SPAN]}}, "status": "submitted"}],
        },
        {"text": "Ada", "q.responses": [[SPAN]], "q.responses.status": ["submitted"], "q.suggestion": [SPAN]},
        {"text": "Ada", "tokens": ["Ada"], "prediction": [["PER", 0, 3]], "annotation": [SPAN], "status": "Default"},
    ],
    "label-studio": [
        {"id": 1, "data": {"text": "Ada"}, "annotations": [{"result": [REGION]}], "predictions": [{"result": []}]},
        {"id": 2, "text": "Ada", "l": [REGION["value"]], "annotator": 1, "annotation_id": 1, "updated_at": "2026"},
    ],
}
VALUES: list[Any] = [None, True, 0, -1, 2**70, 1.5, "", "x", [], {}, [1], [[0, 1, "X"]], {"a": 1}, [None], [SPAN]]
VALUES += [{"value": [SPAN]}, {"spans": [None]}, {"spans": [{"value": [[1]]}]}, [{"value": 3}], {"start": 0}]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """All places in a value: what they are in, and under which key."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from places(value[key])


def changed(row: Any, luck: random.Random) -> Any:
    """A row with one or two places gone or replaced."""
    row = copy.deepcopy(row)
    for _ in range(luck.randint(1, 2)):
        found = list(places(row))
        if found:
            holder, key = luck.choice(found)
            holder[key] = copy.deepcopy(luck.choice(VALUES))
            if luck.random() < 0.2:
                del holder[key]
    return row


def outcome(path: Path, name: str, number: int) -> str | None:
    """Where a file is at fault, empty for a call that means nothing, None for one that was scored."""
    try:
        detect_format(Source(path))
        files = (path, path) if number % 3 else (path,)
        isogloss.ner(*files, input_format=name, repair_offsets=bool(number % 5), by=["id"] if number % 7 == 0 else ())
    except DataError as error:
        return error.where or "nowhere"
    except UsageError:
        return ""
    return None


@pytest.mark.parametrize("name", ROWS)
def test_rows_that_something_is_wrong_with_are_scored_or_refused(tmp_path: Path, name: str) -> None:
    luck, path, found = random.Random(7), tmp_path / "f.json", list[str | None]()
    for number in range(300):
        row = luck.choice(ROWS[name])
        copies = [row | {"id": nth} if "id" in row else row for nth in range(luck.randint(2, 4))]
        rows = [copies[0], *(changed(each, luck) for each in copies[1:])]
        path.write_text(json.dumps(rows) if number % 2 else "\n".join(map(json.dumps, rows)), encoding="utf-8")
        found.append(outcome(path, name, number))
    assert None in found
    assert {where for where in found if where and not where.startswith(str(path))} == set()
    assert any(where for where in found)
