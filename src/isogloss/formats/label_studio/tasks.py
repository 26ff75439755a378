"""Tasks, and which of their annotations counts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import msgspec

from isogloss.formats.fields import Fields, rows_of
from isogloss.sources import Source

REMEDY = (
    'A task looks like {"id": 1, "data": {"text": "Ada met Bob"}, "annotations": [{"result": [{"from_name": "label", '
    '"to_name": "text", "type": "labels", "value": {"start": 0, "end": 3, "labels": ["PER"]}}]}], "predictions": []}.'
)
ANNOTATIONS = ("annotations", "completions")  # the second before version 1.0
MIN = {"annotation_id", "annotator"}  # keys that every row of JSON-MIN has
NOT_DATA = {*MIN, "id", "created_at", "updated_at", "lead_time", "agreement"}  # other keys that it may have


class Result(msgspec.Struct, gc=False):
    """What was said about a part of a task, or about all of it."""

    value: dict[str, Any] | None = None
    from_name: str = ""
    to_name: str = ""

    @property
    def is_region(self) -> bool:
        """Whether it is about a part."""
        return "start" in (self.value or {})


class Annotation(msgspec.Struct, gc=False):
    """What a person or a model said about a task. What only one of both has is absent in the other."""

    result: list[Result] | None = None
    was_cancelled: bool | None = None
    skipped: bool | None = None
    ground_truth: bool | None = None
    created_at: str | float | None = None
    updated_at: str | float | None = None


@dataclass(frozen=True)
class Task:
    """A task.

    Args:
        row: where it stands.
        data: what it is about.
        annotations: by people, without those that were cancelled.
        predictions: by models.
        cancelled: whether people only cancelled it.
    """

    row: Fields
    data: dict[str, Any]
    annotations: Sequence[Annotation]
    predictions: Sequence[Annotation] = ()
    cancelled: bool = False

    @property
    def id(self) -> str | None:
        """What the user calls it, or Label Studio."""
        own = self.data.get("id")
        return str(own) if type(own) in {str, int} else self.row.id()

    def regions(self) -> Iterator[Result]:
        """What was said about parts of it, by anybody."""
        for each in (*self.annotations, *self.predictions):
            yield from (result for result in each.result or () if result.is_region)


_ANNOTATIONS = msgspec.json.Decoder(list[Annotation | int | str])
_WHEN = msgspec.json.Decoder(str | float)


def is_task(row: dict[str, Any] | Any) -> bool:
    """Whether an object is a task, in JSON or in JSON-MIN."""
    judged = any(isinstance(row.get(key), list) for key in (*ANNOTATIONS, "predictions"))
    return (isinstance(row.get("data"), dict) and judged) or row.keys() >= MIN


def tasks_of(source: Source) -> Iterator[Task]:
    """The tasks of a file.

    Args:
        source: JSON or JSON-MIN.

    Raises:
        SourceError: the file cannot be read.
        FormatError: it is no JSON, or a task is not what it should be.
    """
    before: Task | None = None
    for row in rows_of(source, REMEDY):
        task = _whole(row) if row.has("data") else _short(row)
        if before is not None:
            if not row.has("data") and task.row.id() is not None and task.row.id() == before.row.id():
                before = replace(before, annotations=(*before.annotations, *task.annotations))
                continue
            yield before
        before = task
    if before is not None:
        yield before


def chosen(annotations: Sequence[Annotation]) -> Annotation:
    """The annotation that counts: the ground truth, else the one that was changed last; of equals the last.

    Args:
        annotations: of one task, at least one.
    """
    truths = [each for each in annotations if each.ground_truth]
    return max(enumerate(truths or annotations), key=lambda pair: (_changed(pair[1]), pair[0]))[1]


def _changed(annotation: Annotation) -> tuple[float, str]:
    """When it was changed, in seconds since 1970; what is no date sorts before all dates, as text."""
    when = annotation.updated_at if annotation.updated_at is not None else annotation.created_at
    if not isinstance(when, str):
        return (-math.inf if when is None else when), ""
    try:
        date = datetime.fromisoformat(when)
    except ValueError:
        return -math.inf, when
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp(), ""


def _whole(row: Fields) -> Task:
    given = _annotations(row, ANNOTATIONS)
    kept = [each for each in given if not (each.was_cancelled or each.skipped)]
    predictions = _annotations(row, ("predictions",))
    return Task(row, row.mapping("data"), kept, predictions, cancelled=bool(given) and not kept)


def _annotations(row: Fields, keys: Iterable[str]) -> list[Annotation]:
    found = row.first(keys, _ANNOTATIONS) or []
    whole = [each for each in found if isinstance(each, Annotation)]
    if len(whole) < len(found):
        raise row.fault(
            "the task has only the numbers of its annotations or predictions",
            "Export them in full: in a snapshot leave `only_id` off, or use the export JSON.",
        )
    return whole


def _short(row: Fields) -> Task:
    """A row of JSON-MIN: its labels stand under the names of the controls that made them."""
    values = {key: msgspec.json.decode(raw) for key, raw in row.values.items()}
    regions = {key: value for key, value in values.items() if _are_regions(value)}
    results = [Result(each, from_name=key) for key, value in regions.items() for each in value]
    data = {key: value for key, value in values.items() if key not in NOT_DATA.union(regions)}
    if not results and all(values.get(key) is None for key in MIN):  # a task that nobody annotated has a row, too
        return Task(row, data, ())
    created, updated = (row.read(key, _WHEN) for key in ("created_at", "updated_at"))
    return Task(row, data, [Annotation(results, created_at=created, updated_at=updated)])


def _are_regions(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) and "start" in each for each in value)
