"""Tasks to documents, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from isogloss.batches import Notice
from isogloss.formats.annotation import AnnotationFormat, Annotations, Documents, Head, Options
from isogloss.formats.fields import check_name, columns_of, named
from isogloss.formats.label_studio.regions import spans_of
from isogloss.formats.label_studio.tasks import Annotation, Result, Task, chosen, is_task, tasks_of
from isogloss.formats.span_pairing import SpanDocument, Triple
from isogloss.formats.two_sides import NOT_ANNOTATED, Judged, TwoSided, one_side
from isogloss.formats.writing import writable_text, written
from isogloss.sources import Source

NAME = "label-studio"
HOW = "the key of the text in `data` and the name of the labels, such as text,label"
SEVERAL = "several-annotations"
SEVERAL_ANNOTATIONS = "Of several annotations of a task the ground truth counts, else the one that was updated last."
SEVERAL_PREDICTIONS = "Of several predictions of a task the one that was made last counts."
WHY_CANCELLED = "Documents whose annotations were all cancelled were left out."
WITHIN = ("data", "meta")
CONTROL, TEXT = "label", "text"  # the names in the configuration that Label Studio proposes
OWN = {"id", TEXT}  # keys of `data` that no column of a document may take


def _recognises(head: Head) -> bool:
    return head.row is not None and is_task(head.row)


def _read(source: Source, options: Options) -> Annotations:
    options.only(NAME, "columns", "repair_offsets")
    key, control = named(options.columns, HOW)
    file = _File(source, options, key, control)
    read = partial(one_side, source.name, file.tasks, options.side, alone=options.alone)
    return Annotations(spans=Documents(source.name, read), columns=columns_of(source, WITHIN))


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
            key = self._key(task)
            if self.control is not None:
                controls.update(result.from_name for result in task.regions())
            columns = task.row.columns(self.options.attributes, WITHIN)
            yield TwoSided(
                SpanDocument(task.row.line, task.id, task.data[key], (), columns=columns),
                partial(self._judged, task, key, task.annotations, SEVERAL_ANNOTATIONS) if task.annotations else None,
                partial(self._judged, task, key, task.predictions, SEVERAL_PREDICTIONS) if task.predictions else None,
                WHY_CANCELLED if task.cancelled else NOT_ANNOTATED,
            )
        if controls and self.control is not None:
            check_name(self.control, controls, "labels", self.source.name)

    def _judged(self, task: Task, key: str, annotations: Sequence[Annotation], several: str) -> Judged:
        results = self._of_text(task, key, chosen(annotations).result or ())
        spans, notices = spans_of(task, task.data[key], results, repair=self.options.repair_offsets)
        if len(annotations) > 1:
            notices = (*notices, Notice(SEVERAL, several, 1, task.row.where))
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

    def _key(self, task: Task) -> str:
        """The key of the text in the data of a task."""
        texts = _texts(task)
        if self.key is not None:
            if self.key not in texts:
                raise task.row.fault(f"the task has no text {self.key!r}, but {', '.join(texts) or 'none'}")
            return self.key
        if TEXT in texts or len(texts) == 1:
            return TEXT if TEXT in texts else texts[0]
        if not texts:
            raise task.row.fault("the task has no text")
        meant = {result.to_name for result in task.regions()} & {*texts}
        if len(meant) == 1:
            return meant.pop()
        raise task.row.fault(f"the task has several texts: {', '.join(texts)}", "Name one of them: --columns FIELD.")


def _texts(task: Task) -> list[str]:
    return [key for key, value in task.data.items() if isinstance(value, str) and key != "id"]


def _write(documents: Iterable[SpanDocument], path: str) -> None:
    with written(path) as file:
        file.write(b"[")
        for number, document in enumerate(documents):
            file.write((b",\n" if number else b"\n") + msgspec.json.encode(_task(document)))
        file.write(b"\n]\n")


def _task(document: SpanDocument) -> dict[str, Any]:
    text = writable_text(document)
    data = {key: value for key, value in (document.columns or {}).items() if key not in OWN}
    data |= {TEXT: text} if document.id is None else {"id": document.id, TEXT: text}
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
