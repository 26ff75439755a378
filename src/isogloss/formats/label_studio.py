"""Regions of a text to spans."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import msgspec

from isogloss.formats.annotation import AnnotationFormat, Annotations, Head, Options, writable_text, write_array
from isogloss.formats.documents import SpanDocument, Triple
from isogloss.formats.offsets import Marked, Offsets, drawn, placed
from isogloss.formats.two_sides import NOT_ANNOTATED, Judged, Kind, TwoSided, annotations_of
from isogloss.kernel.provenance import Notice
from isogloss.records.json_rows import Fields, check_name, named, read_lazy_rows, text_key
from isogloss.records.sources import Source

LABELS = "labels"
REFUSED = {
    "hypertextlabels": "hyper text, where regions are places in its markup",
    "paragraphlabels": "a dialogue, where regions are places in its turns",
}
UNLABELLED = "regions-without-label"
PLAIN = "Export a project whose <Text> shows plain text."
REGION = 'A region looks like {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}, in code points of the text.'
BLANK = re.compile(r"(?:\s|\\n)+")  # the editor writes a line break as a backslash and an n


def spans_of(
    task: Task,
    text: str,
    results: Iterable[Result],
    *,
    offsets: Offsets,
    by_person: bool,
) -> tuple[Sequence[Triple], tuple[Notice, ...]]:
    """The spans of an annotation, and what was done about them.

    Args:
        task: that it is of.
        text: that the regions are of.
        results: the regions of this text, and what else was said.
        offsets: what is done about offsets that are off.
        by_person: whether a person drew them, so that regions without texts may count UTF-16 code units.

    Raises:
        DataError: a region is not of plain text, or its text is not where it should be.
    """
    row, without = task.row, 0
    marked: list[Marked] = []
    for result in results:
        value = result.value or {}
        kind = next((key for key in value if key.endswith(LABELS) and key != LABELS), None)
        if kind is not None:
            raise row.fault(f"the task is {REFUSED.get(kind, 'no text')}: a region has `{kind}`", PLAIN)
        if "start" in value and LABELS in value:
            found = list(_marked(value, text, row))
            without += not found
            marked += found
    told: tuple[Notice, ...] = ()
    if by_person and all(own is None for *_, own in marked):
        bare, told = drawn(text, [span[:3] for span in marked], row.where, offsets=offsets)
        marked = [(*span, None) for span in bare]
    spans, notices = placed(text, marked, row.where, offsets=offsets)
    if without:
        message = "Regions without a label were left out."
        notices = (*notices, Notice(UNLABELLED, message, without, row.where))
    return spans, (*told, *notices)


def _marked(value: Mapping[str, Any], text: str, row: Fields) -> Iterator[Marked]:
    """A span for each label of a region."""
    start, end, labels, surface = (value.get(key) for key in ("start", "end", LABELS, "text"))
    if isinstance(start, str):
        raise row.fault(f"a region begins at {start!r}, which is {REFUSED['hypertextlabels']}", PLAIN)
    if not (type(start) is int and type(end) is int and isinstance(labels, list)):
        raise row.fault(f"a region cannot be read: {str(value)[:120]}", REGION)
    own = _as_in_text(text, start, end, surface) if isinstance(surface, str) else None
    for label in labels:
        if not isinstance(label, str):
            raise row.fault(f"a label is {label!r}", REGION)
        yield start, end, label, own


def _as_in_text(text: str, start: int, end: int, surface: str) -> str:
    """The text of a region with the white space that its document has, if that is all that is different.

    Args:
        text: of the document.
        start: of the region, in code points or code units.
        end: likewise.
        surface: its text as the browser gave it.
    """
    if start < 0 or text[start:end] == surface:
        return surface
    units = text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end].decode("utf-16-le", "replace")
    if units == surface:
        return surface
    if _flat(text[start:end]) == _flat(surface):
        return text[start:end]
    return units if _flat(units) == _flat(surface) else surface.replace("\\n", "\n")


def _flat(text: str) -> str:
    return BLANK.sub(" ", text).strip()


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
    for row in read_lazy_rows(source, REMEDY):
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


NAME = "label-studio"
HOW = "the key of the text in `data` and the name of the labels, such as text,label"
SEVERAL = "several-annotations"
WHICH: Mapping[Kind, str] = {
    "annotated": "Of several annotations of a task the ground truth counts, else the one that was updated last.",
    "predicted": "Of several predictions of a task the one that was made last counts.",
}
WHY_CANCELLED = "Documents whose annotations were all cancelled were left out."
WITHIN = ("data", "meta")
CONTROL, TEXT = "label", "text"  # the names in the configuration that Label Studio proposes


def _recognises(head: Head) -> bool:
    return head.row is not None and is_task(head.row)


def _read(source: Source, options: Options) -> Annotations:
    options.only(NAME, "columns", "repair_offsets")
    key, control = named(options.columns, HOW)
    file = _File(source, options, key, control)
    return annotations_of(source, file.tasks, options, WITHIN)


@dataclass(frozen=True)
class _File:
    """A file of tasks.

    Args:
        source: the file.
        options: how it is read.
        key: of the text in the data, None for the usual one.
        control: that made the labels, None for any.
    """

    source: Source
    options: Options
    key: str | None
    control: str | None

    def tasks(self) -> Iterator[TwoSided]:
        """The tasks, from the first at each call."""
        controls: set[str] = set()
        for task in tasks_of(self.source):
            meant = (result.to_name for result in task.regions())
            key = text_key(_texts(task), self.key, task.row, "task", meant)
            if self.control is not None:
                controls.update(result.from_name for result in task.regions())
            columns = task.row.columns(self.options.attributes, WITHIN)
            yield TwoSided(
                SpanDocument(task.row.line, task.id, task.data[key], (), columns=columns),
                partial(self._judged, task, key, "annotated") if task.annotations else None,
                partial(self._judged, task, key, "predicted") if task.predictions else None,
                WHY_CANCELLED if task.cancelled else NOT_ANNOTATED,
            )
        if controls and self.control is not None:
            check_name(self.control, controls, "labels", self.source.name)

    def _judged(self, task: Task, key: str, kind: Kind) -> Judged:
        given = task.annotations if kind == "annotated" else task.predictions
        results = self._of_text(task, key, chosen(given).result or ())
        offsets, by_person = self.options.offsets, kind == "annotated"
        spans, notices = spans_of(task, task.data[key], results, offsets=offsets, by_person=by_person)
        if len(given) > 1:
            notices = (*notices, Notice(SEVERAL, WHICH[kind], 1, task.row.where))
        return spans, notices

    def _of_text(self, task: Task, key: str, results: Iterable[Result]) -> list[Result]:
        """Regions of the labels that are wanted, and of the text, where others are named like other texts."""
        others = {name for name in _texts(task) if name != key}
        wanted = [each for each in results if self.control in {None, each.from_name} and each.to_name not in others]
        texts = sorted({each.to_name for each in wanted if each.is_region})
        if others and len(texts) > 1:
            message = f"the regions are of several texts, which are called {', '.join(texts)}"
            raise task.row.fault(message, "Name the labels of one of them: --columns FIELD,CONTROL.")
        return wanted


def _texts(task: Task) -> list[str]:
    return [key for key, value in task.data.items() if isinstance(value, str) and key != "id"]


def _write(documents: Iterable[SpanDocument], path: str) -> None:
    write_array(documents, path, _task)


def _task(document: SpanDocument) -> dict[str, Any]:
    text = writable_text(document)
    data = {TEXT: text} if document.id is None else {"id": document.id, TEXT: text}
    results = [_result(number, text, span) for number, span in enumerate(document.spans, 1)]
    return {"data": data, "annotations": [{"result": results, "was_cancelled": False}], "predictions": []}


def _result(number: int, text: str, span: Triple) -> dict[str, Any]:
    start, end, label = span
    return {
        "id": str(number),
        "from_name": CONTROL,
        "to_name": TEXT,
        "type": "labels",
        "value": {"start": start, "end": end, "text": text[start:end], "labels": [label]},
    }


FORMAT = AnnotationFormat(NAME, _recognises, _read, _write, both_sides=True)
