"""JSON lines beside the other formats of named entities."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from isogloss.destinations import written
from isogloss.formats.annotation import AnnotationFormat, Annotations, Documents, Head, Options
from isogloss.formats.fields import columns_of
from isogloss.formats.json_lines import Columns
from isogloss.formats.jsonl.reader import File, has_tags
from isogloss.formats.jsonl.rows import Row
from isogloss.formats.span_pairing import SpanDocument
from isogloss.formats.writing import unwritable
from isogloss.sources import Source


def _recognises(head: Head) -> bool:
    return head.data[:1] == b"{" or head.row is not None  # also what is broken: it is told as such


def _read(source: Source, options: Options) -> Annotations:
    options.only("jsonl", "repair_offsets")
    columns = Columns.beside(Row, options.attributes) if options.attributes else None
    file = File(source, options.side, columns=columns, offsets=options.offsets)
    if has_tags(source):
        options.only("jsonl")
        return Annotations(tags=Documents(source.name, file.rows_with_tags), columns=columns_of(source))
    return Annotations(spans=Documents(source.name, file.rows_with_spans), columns=columns_of(source))


def _write(documents: Iterable[SpanDocument], path: str) -> None:
    with written(path) as file:
        for document in documents:
            if document.unlocated:
                raise unwritable(document, "has names that are not in its text", "Leave these names out.")
            row: dict[str, object] = {} if document.id is None else {"id": document.id}
            row |= {} if document.text is None else {"text": document.text}
            row["entities"] = [dict(zip(("start", "end", "label"), span, strict=True)) for span in document.spans]
            file.write(msgspec.json.encode(row) + b"\n")


FORMAT = AnnotationFormat("jsonl", _recognises, _read, _write)
