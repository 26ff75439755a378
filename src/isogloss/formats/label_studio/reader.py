"""Tasks to documents, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from isogloss.batches import Notice
from isogloss.formats.annotation import AnnotationFormat, Annotations, Head, Options
from isogloss.formats.fields import check_name, named, text_key
from isogloss.formats.label_studio.regions import spans_of
from isogloss.formats.label_studio.tasks import Result, Task, chosen, is_task, tasks_of
from isogloss.formats.span_pairing import SpanDocument, Triple
from isogloss.formats.two_sides import NOT_ANNOTATED, Judged, Kind, TwoSided, annotations_of
from isogloss.formats.writing import writable_text, write_array
from isogloss.sources import Source

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
