"""Exports of Label Studio, as JSON or JSON-MIN.

Labelled regions of plain text become spans. A folder of cloud storage has a file for each task, or for each annotation
with its task; annotations of one task belong together.

The annotations of people are the reference, the predictions of models are the prediction. Of several annotations of a
task the ground truth counts, else the one that was updated last.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from isogloss.errors import DataError, FormatError
from isogloss.formats.annotation import (
    AnnotationFile,
    AnnotationFormat,
    FileHead,
    FormatOptions,
    get_id_field,
    get_writable_text,
    write_json_array,
)
from isogloss.formats.documents import LabelledSpan, SpanDocument
from isogloss.formats.folder_files import chain_files, list_folder_files
from isogloss.formats.offsets import MarkedSpan, OffsetMode, place_drawn_spans, place_spans
from isogloss.formats.two_sided_files import NOT_ANNOTATED, AnnotatedSpans, TwoSidedDocument, open_two_sided
from isogloss.kernel.provenance import RunWarning, Side
from isogloss.records.json_fields import LazyRow, check_column_name, choose_text, parse_column_names, read_lazy_rows
from isogloss.records.json_lines import decode_value, is_array
from isogloss.records.json_values import has_value_in_first_line, read_json_values
from isogloss.records.sources import Source

LABELS = "labels"
REFUSED_KINDS = {
    "hypertextlabels": "hyper text, where regions are places in its markup",
    "paragraphlabels": "a dialogue, where regions are places in its turns",
}
UNLABELLED = "regions-without-label"
PLAIN_TEXT_REMEDY = "Export a project whose <Text> shows plain text."
REGION_REMEDY = (
    'A region looks like {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}, in code points of the text.'
)
BLANK = re.compile(r"(?:\s|\\n)+")  # the editor writes a line break as backslash and n


def convert_regions(
    task: Task, text: str, results: Iterable[LabelStudioResult], *, offsets: OffsetMode, by_person: bool
) -> tuple[Sequence[LabelledSpan], tuple[RunWarning, ...]]:
    """Convert the regions of an annotation to spans, and return warnings.

    Args:
        task: the task of the annotation.
        text: the text of the regions.
        results: the regions of this text, and other results, which are ignored.
        offsets: how offsets that are off are handled.
        by_person: whether a person drew them, so that regions without texts may count UTF-16 code units.

    Raises:
        DataError: if a region is not of plain text, or its text is not at its offsets.
    """
    row, without = task.row, 0
    marked: list[MarkedSpan] = []
    for result in results:
        value = result.value or {}
        kind = next((key for key in value if key.endswith(LABELS) and key != LABELS), None)
        if kind is not None:
            raise row.build_error(
                f"the task is {REFUSED_KINDS.get(kind, 'no text')}: a region has `{kind}`", PLAIN_TEXT_REMEDY
            )
        if "start" in value and LABELS in value:
            converted = list(_convert_region(value, text, row))
            without += not converted
            marked += converted
    drawn_warnings: tuple[RunWarning, ...] = ()
    if by_person and all(own is None for *_, own in marked):
        bare, drawn_warnings = place_drawn_spans(text, [span[:3] for span in marked], row.where, offsets=offsets)
        marked = [(*span, None) for span in bare]
    spans, warnings = place_spans(text, marked, row.where, offsets=offsets)
    if without:
        message = "Regions without a label were left out."
        warnings = (*warnings, RunWarning(UNLABELLED, message, without, row.where))
    return spans, (*drawn_warnings, *warnings)


def _convert_region(value: Mapping[str, Any], text: str, row: LazyRow) -> Iterator[MarkedSpan]:
    """Yield a span for each label of a region."""
    start, end, labels, surface = (value.get(key) for key in ("start", "end", LABELS, "text"))
    if isinstance(start, str):
        raise row.build_error(
            f"a region begins at {start!r}, which is {REFUSED_KINDS['hypertextlabels']}", PLAIN_TEXT_REMEDY
        )
    if not (type(start) is int and type(end) is int and isinstance(labels, list)):
        raise row.build_error(f"a region cannot be read: {str(value)[:120]}", REGION_REMEDY)
    own = _align_surface(text, start, end, surface) if isinstance(surface, str) else None
    for label in labels:
        if not isinstance(label, str):
            raise row.build_error(f"a label is {label!r}", REGION_REMEDY)
        yield start, end, label, own


def _align_surface(text: str, start: int, end: int, surface: str) -> str:
    """Return a region's text with the white space of the document.

    The document's white space is used only if nothing else differs.

    Args:
        text: the text of the document.
        start: start of the region, in code points or code units.
        end: end of the region, in the same units.
        surface: the text of the region as the browser gave it.
    """
    if start < 0 or text[start:end] == surface:
        return surface
    units = text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end].decode("utf-16-le", "replace")
    if units == surface:
        return surface
    if _normalize_blanks(text[start:end]) == _normalize_blanks(surface):
        return text[start:end]
    return units if _normalize_blanks(units) == _normalize_blanks(surface) else surface.replace("\\n", "\n")


def _normalize_blanks(text: str) -> str:
    return BLANK.sub(" ", text).strip()


REMEDY = (
    'A task looks like {"id": 1, "data": {"text": "Ada met Bob"}, "annotations": [{"result": [{"from_name": "label", '
    '"to_name": "text", "type": "labels", "value": {"start": 0, "end": 3, "labels": ["PER"]}}]}], "predictions": []}.'
)
ANNOTATIONS = ("annotations", "completions")  # `completions` before version 1.0
JSON_MIN_KEYS = {"annotation_id", "annotator"}  # keys that every row of JSON-MIN has
METADATA_KEYS = {
    *JSON_MIN_KEYS,
    "id",
    "created_at",
    "updated_at",
    "lead_time",
    "agreement",
}  # other keys that it may have


class LabelStudioResult(msgspec.Struct, gc=False):
    """A result about a part of a task or the whole task."""

    value: dict[str, Any] | None = None
    from_name: str = ""
    to_name: str = ""

    @property
    def is_region(self) -> bool:
        """Whether the result is about a part of the task."""
        return "start" in (self.value or {})

    @property
    def is_labelled(self) -> bool:
        """Whether the result gives labels to a part of the task."""
        return any(key.endswith(LABELS) for key in self.value or ())


class LabelStudioAnnotation(msgspec.Struct, gc=False):
    """An annotation or a prediction.

    A field that only one of them has is absent in the other.
    """

    result: list[LabelStudioResult] | None = None
    was_cancelled: bool | None = None
    skipped: bool | None = None
    ground_truth: bool | None = None
    created_at: str | float | None = None
    updated_at: str | float | None = None


@dataclass(frozen=True)
class Task:
    """A task.

    Args:
        row: its row in the file.
        data: the data that was annotated.
        annotations: annotations of people that were not cancelled.
        predictions: predictions of models.
        cancelled: whether all annotations were cancelled.
    """

    row: LazyRow
    data: dict[str, Any]
    annotations: Sequence[LabelStudioAnnotation]
    predictions: Sequence[LabelStudioAnnotation] = ()
    cancelled: bool = False

    @property
    def id(self) -> str | None:
        """The id in the task's data, else Label Studio's own id."""
        own = self.data.get("id")
        return str(own) if type(own) in {str, int} else self.row.read_id()

    def list_regions(self) -> Iterator[LabelStudioResult]:
        """Yield the regions of all annotations and predictions."""
        for each in (*self.annotations, *self.predictions):
            yield from (result for result in each.result or () if result.is_region)

    def list_labelled(self) -> Iterator[str]:
        """Yield what each labelled region is about, in text, images or sound."""
        for each in (*self.annotations, *self.predictions):
            yield from (result.to_name for result in each.result or () if result.is_labelled)


_ANNOTATIONS = msgspec.json.Decoder(list[LabelStudioAnnotation | int | str])
_WHEN = msgspec.json.Decoder(str | float)
_FLAG = msgspec.json.Decoder(bool)
_RESULTS = msgspec.json.Decoder(list[LabelStudioResult])
_FIELDS: msgspec.json.Decoder[Mapping[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])
_TASK = msgspec.json.Decoder(dict[str, msgspec.Raw] | int | str)


def is_label_studio_task(row: Mapping[str, Any]) -> bool:
    """Return whether an object is a task.

    It is one in JSON or JSON-MIN, or an annotation with its task.
    """
    if isinstance(row.get("result"), list) and isinstance(row.get("task"), dict):
        return isinstance(row["task"].get("data"), dict)
    judged = any(isinstance(row.get(key), list) for key in (*ANNOTATIONS, "predictions"))
    return (isinstance(row.get("data"), dict) and judged) or row.keys() >= JSON_MIN_KEYS


def read_label_studio_tasks(source: Source) -> Iterator[Task]:
    """Read the tasks of a file.

    Args:
        source: JSON, JSON-MIN, or a folder of cloud storage.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if it is not JSON, or a task is malformed.
    """
    before: Task | None = None
    annotated: dict[str | None, Task] = {}  # of annotations with their tasks, by id of the task
    for row in _read_rows(source):
        if row.has("task") and row.has("result"):
            _add_annotation(row, annotated)
            continue
        task = _read_task(row) if row.has("data") else _read_json_min(row)
        if before is not None:
            if not row.has("data") and task.row.read_id() is not None and task.row.read_id() == before.row.read_id():
                before = replace(before, annotations=(*before.annotations, *task.annotations))
                continue
            yield before
        before = task
    if before is not None:
        yield before
    yield from annotated.values()


def _read_rows(source: Source) -> Iterator[LazyRow]:
    """Read the objects of a file or folder."""
    if is_folder(source):
        return chain_files(source, list_folder_files(source), _read_rows)
    if is_array(source) or has_value_in_first_line(source):
        return read_lazy_rows(source, REMEDY)
    return (
        LazyRow(
            decode_value(_FIELDS, msgspec.Raw(value.raw), "", source.locate(value.line), REMEDY),
            value.line,
            source.name,
            REMEDY,
        )
        for value in read_json_values(source, REMEDY)
    )


def _add_annotation(row: LazyRow, tasks: dict[str | None, Task]) -> None:
    """Add an annotation to its task, which it has in it."""
    fields = row.read("task", _TASK)
    if not isinstance(fields, dict):
        raise row.build_error("the annotation has only the number of its task", "Export annotations with their tasks.")
    task = _read_task(replace(row, values=fields))
    times = {key: row.read(key, _WHEN) for key in ("created_at", "updated_at")}
    flags = {key: row.read(key, _FLAG) for key in ("was_cancelled", "ground_truth")}
    own = LabelStudioAnnotation(row.read("result", _RESULTS), **flags, **times)
    key = task.id if task.id is not None else row.where
    known = tasks.get(key, task)
    kept = known.annotations if own.was_cancelled else (*known.annotations, own)
    tasks[key] = replace(known, annotations=kept, cancelled=not kept)


def is_folder(source: Source) -> bool:
    """Return whether a source is a folder."""
    return source.path != "-" and Path(source.path).is_dir()


def choose_annotation(annotations: Sequence[LabelStudioAnnotation]) -> LabelStudioAnnotation:
    """Choose the annotation that counts.

    It is the ground truth, else the one updated last; the last of equals.

    Args:
        annotations: the annotations of one task, at least one.
    """
    truths = [each for each in annotations if each.ground_truth]
    return max(enumerate(truths or annotations), key=lambda pair: (_get_change_time(pair[1]), pair[0]))[1]


def _get_change_time(annotation: LabelStudioAnnotation) -> tuple[float, str]:
    """Return the time of the last change for sorting.

    Text that is not a date sorts before all dates.
    """
    when = annotation.updated_at if annotation.updated_at is not None else annotation.created_at
    if not isinstance(when, str):
        return (-math.inf if when is None else when), ""
    try:
        date = datetime.fromisoformat(when)
    except ValueError:
        return -math.inf, when
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp(), ""


def _read_task(row: LazyRow) -> Task:
    given = _read_annotations(row, ANNOTATIONS)
    kept = [each for each in given if not (each.was_cancelled or each.skipped)]
    predictions = _read_annotations(row, ("predictions",))
    return Task(row, row.read_object("data"), kept, predictions, cancelled=bool(given) and not kept)


def _read_annotations(row: LazyRow, keys: Iterable[str]) -> list[LabelStudioAnnotation]:
    annotations = row.read_first(keys, _ANNOTATIONS) or []
    whole = [each for each in annotations if isinstance(each, LabelStudioAnnotation)]
    if len(whole) < len(annotations):
        raise row.build_error(
            "the task has only the numbers of its annotations or predictions",
            "Export them in full: in a snapshot leave `only_id` off, or use the export JSON.",
        )
    return whole


def _read_json_min(row: LazyRow) -> Task:
    """Read a row of JSON-MIN.

    Its labels stand under the names of their controls.
    """
    values = {key: row.read_json(key) for key in row.values}
    regions = {key: value for key, value in values.items() if _is_region_list(value)}
    results = [LabelStudioResult(each, from_name=key) for key, value in regions.items() for each in value]
    data = {key: value for key, value in values.items() if key not in METADATA_KEYS.union(regions)}
    if not results and all(values.get(key) is None for key in JSON_MIN_KEYS):  # the row of a task that nobody annotated
        return Task(row, data, ())
    created, updated = (row.read(key, _WHEN) for key in ("created_at", "updated_at"))
    return Task(row, data, [LabelStudioAnnotation(results, created_at=created, updated_at=updated)])


def _is_region_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) and "start" in each for each in value)


COLUMNS_HELP = "the key of the text in `data` and the name of the labels, such as text,label"
SEVERAL = "several-annotations"
SEVERAL_MESSAGES: Mapping[Side, str] = {
    "reference": "Of several annotations of a task the ground truth counts, else the one that was updated last.",
    "predicted": "Of several predictions of a task the one that was made last counts.",
}
CANCELLED_MESSAGE = "Documents whose annotations were all cancelled were left out."
ATTRIBUTE_FIELDS = ("data", "meta")
CONTROL, TEXT = "label", "text"  # names in the default configuration of Label Studio


def _read(source: Source, options: FormatOptions) -> AnnotationFile:
    key, control = parse_column_names(options.columns, COLUMNS_HELP)
    file = _LabelStudioFile(source, options, key, control)
    return open_two_sided(source, file.read_tasks, options, ATTRIBUTE_FIELDS, partial(_list_columns, source))


def _list_columns(source: Source) -> list[str]:
    """List the columns of the first task."""
    try:
        return next((task.row.list_columns(ATTRIBUTE_FIELDS) for task in read_label_studio_tasks(source)), [])
    except FormatError:
        return []


def _can_read(head: FileHead) -> bool:
    if not head.is_folder:
        return head.first_row is not None and is_label_studio_task(head.first_row)
    first = next(iter(list_folder_files(Source(head.path))), None)
    try:
        block = None if first is None else next(first.blocks(), None)
        if first is None or block is None or block.data.lstrip()[:1] not in {b"{", b"["}:
            return False
        content = next((value.content for value in read_json_values(first, REMEDY)), None)
    except DataError:
        return False
    rows = content if isinstance(content, list) else [content]
    return bool(rows) and isinstance(rows[0], dict) and is_label_studio_task(rows[0])


@dataclass(frozen=True)
class _LabelStudioFile:
    """A file of tasks.

    Args:
        source: the file.
        options: how it is read.
        key: the key of the text in the data, None for the usual one.
        control: the name of the control that made the labels, None for any.
    """

    source: Source
    options: FormatOptions
    key: str | None
    control: str | None

    def read_tasks(self) -> Iterator[TwoSidedDocument]:
        """Read the tasks from the beginning."""
        controls: set[str] = set()
        labelled: set[str] = set()  # what labelled regions are about
        texts: set[str] = set()
        for task in read_label_studio_tasks(self.source):
            meant = (result.to_name for result in task.list_regions())
            key = choose_text(_list_text_keys(task), self.key, task.row, "task", meant)
            if self.control is not None:
                controls.update(result.from_name for result in task.list_regions())
            labelled.update(task.list_labelled())
            texts.update({*_list_text_keys(task)} - {key})
            columns = task.row.read_columns(self.options.attributes, ATTRIBUTE_FIELDS)
            yield TwoSidedDocument(
                SpanDocument(task.row.line, task.id, task.data[key], (), columns=columns, file=self._get_file(task)),
                partial(self._read_spans, task, key, "reference") if task.annotations else None,
                partial(self._read_spans, task, key, "predicted") if task.predictions else None,
                CANCELLED_MESSAGE if task.cancelled else NOT_ANNOTATED,
            )
        if self.key is None and labelled and labelled <= texts:
            message = f"no labelled region is about the text; they are about {', '.join(sorted(labelled))}"
            raise FormatError(message, where=self.source.name, remedy=PLAIN_TEXT_REMEDY)
        if controls and self.control is not None:
            check_column_name(self.control, controls, "labels", self.source.name)

    def _get_file(self, task: Task) -> str | None:
        return None if task.row.name == self.source.name else task.row.name

    def _read_spans(self, task: Task, key: str, side: Side) -> AnnotatedSpans:
        given = task.annotations if side == "reference" else task.predictions
        results = self._select_results(task, key, choose_annotation(given).result or ())
        offsets, by_person = self.options.offsets, side == "reference"
        spans, warnings = convert_regions(task, task.data[key], results, offsets=offsets, by_person=by_person)
        if len(given) > 1:
            warnings = (*warnings, RunWarning(SEVERAL, SEVERAL_MESSAGES[side], 1, task.row.where))
        return spans, warnings

    def _select_results(self, task: Task, key: str, results: Iterable[LabelStudioResult]) -> list[LabelStudioResult]:
        """Select the regions of the wanted labels and text.

        Regions of other texts are left out.
        """
        others = {name for name in _list_text_keys(task) if name != key}
        wanted = [each for each in results if self.control in {None, each.from_name} and each.to_name not in others]
        texts = sorted({each.to_name for each in wanted if each.is_region})
        if others and len(texts) > 1:
            message = f"the regions are of several texts, which are called {', '.join(texts)}"
            raise task.row.build_error(message, "Name the labels of one of them: --columns FIELD,CONTROL.")
        return wanted


def _list_text_keys(task: Task) -> list[str]:
    return [key for key, value in task.data.items() if isinstance(value, str) and key != "id"]


def _build_task(document: SpanDocument) -> dict[str, Any]:
    text = get_writable_text(document)
    results = [
        {
            "id": str(number),
            "from_name": CONTROL,
            "to_name": TEXT,
            "type": "labels",
            "value": {"start": start, "end": end, "text": text[start:end], "labels": [label]},
        }
        for number, (start, end, label) in enumerate(document.spans, 1)
    ]
    annotation = {"result": results, "was_cancelled": False}
    return {"data": get_id_field(document) | {TEXT: text}, "annotations": [annotation], "predictions": []}


FORMAT = AnnotationFormat(
    "label-studio",
    _can_read,
    _read,
    write_json_array(_build_task),
    has_both_sides=True,
    options=("columns", "repair_offsets"),
)
