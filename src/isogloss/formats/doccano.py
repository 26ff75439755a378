"""Exports of doccano's sequence labelling: JSON Lines, or one array of rows.

The rows of an array are the same as those of JSON Lines.

    {"id": 1, "text": "Ada met Bob", "label": [[0, 3, "PER"], [8, 11, "PER"]], "Comments": []}

`label` may be called `labels`, as in older versions, and `text` `data`. Projects with relations have objects instead:

    {"id": 1, "text": "Ada met Bob", "entities": [{"id": 7, "label": "PER", "start_offset": 0, "end_offset": 3}],
     "relations": [], "Comments": []}

Relations, comments and categories are ignored. The file does not say what offsets count: spans drawn in doccano count
UTF-16 code units (its issue 2290), imported ones count whatever was imported. They are read as code points, with a
warning if the difference matters, and as code units with `--repair-offsets`, which also trims white space at the ends
of spans. Offsets that count grapheme clusters cannot be recognised and are misread.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from isogloss.formats.annotation import (
    AnnotationFormat,
    FormatOptions,
    get_writable_text,
    matches_first_row,
    read_spans,
    write_json_lines,
)
from isogloss.formats.documents import LabelledSpan, SpanDocument
from isogloss.formats.offsets import place_drawn_spans
from isogloss.records.json_fields import LazyRow, make_column_lister, read_lazy_rows
from isogloss.records.sources import Source

REMEDY = 'A row looks like {"id": 1, "text": "Ada met Bob", "label": [[0, 3, "PER"]]}.'
NUMERIC_LABELS_REMEDY = (
    "Its labels are numbers, and it mixes what several people drew. Export it as `JSONL (Text-Labels)`."
)
TEXTS, LABELS = ("text", "data"), ("label", "labels", "entities")


class DoccanoEntity(msgspec.Struct, gc=False):
    """A span of a project with relations."""

    start_offset: int
    end_offset: int
    label: str


_SPANS = msgspec.json.Decoder(list[DoccanoEntity | tuple[int, int, str]])


def _is_row(row: Mapping[str, Any]) -> bool:
    if not any(isinstance(row.get(key), str) for key in TEXTS) or "tokens" in row:
        return False
    if any(_is_list_of_triples(row.get(key)) for key in ("label", "labels")):
        return True
    entities = row.get("entities", row.get("annotations"))
    if not isinstance(entities, list):
        return False
    return "start_offset" in entities[0] if entities and isinstance(entities[0], dict) else "relations" in row


def _is_list_of_triples(value: object) -> bool:
    if not isinstance(value, list):
        return False
    return all(isinstance(each, list) and [*map(type, each)] == [int, int, str] for each in value)


def _read_documents(source: Source, options: FormatOptions) -> Iterator[SpanDocument]:
    for row in read_lazy_rows(source, REMEDY):
        text = row.read_text(TEXTS)
        spans, warnings = place_drawn_spans(text, _read_spans(row), row.where, offsets=options.offsets)
        yield SpanDocument(row.line, row.read_id(), text, spans, warnings, row.read_columns(options.attributes))


def _read_spans(row: LazyRow) -> list[LabelledSpan]:
    entries = row.read_first(LABELS, _SPANS)
    if entries is None:
        remedy = NUMERIC_LABELS_REMEDY if row.has("annotations") else None
        raise row.build_error("the row has neither `label` nor `entities`", remedy)
    return [
        (each.start_offset, each.end_offset, each.label) if isinstance(each, DoccanoEntity) else each
        for each in entries
    ]


def _build_row(document: SpanDocument) -> dict[str, Any]:
    return {"text": get_writable_text(document), "label": [list(span) for span in document.spans], "Comments": []}


FORMAT = AnnotationFormat(
    "doccano",
    matches_first_row(_is_row),
    read_spans(_read_documents, make_column_lister),
    write_json_lines(_build_row),
    options=("repair_offsets",),
)
