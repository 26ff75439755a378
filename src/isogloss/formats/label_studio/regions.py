"""Regions of a text to spans."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from isogloss.batches import Notice
from isogloss.formats.code_units import drawn
from isogloss.formats.fields import Fields
from isogloss.formats.label_studio.tasks import Result, Task
from isogloss.formats.offsets import Marked, Offsets, placed
from isogloss.formats.span_pairing import Triple

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
    task: Task, text: str, results: Iterable[Result], *, offsets: Offsets, by_person: bool
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
