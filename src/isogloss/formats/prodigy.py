"""Annotations of Prodigy: JSON Lines or one array, as `db-out` writes them.

    {"text": "Ada met Bob", "tokens": [{"text": "Ada", "start": 0, "end": 3, "id": 0}, ...],
     "spans": [{"start": 0, "end": 3, "token_start": 0, "token_end": 0, "label": "PER"}], "answer": "accept",
     "_input_hash": 1886699658, "_task_hash": -1952856502, "_view_id": "ner_manual"}

- `answer` is the decision: rejected and ignored rows say nothing certain about their text, so they are left out on both
  sides and counted, as are spans with such an answer of their own. A row without an answer is scored.
- A row of a binary view shows single spans, and there may be others: a warning counts such rows.
- Without `spans` there are none. A span may give its own `text`, which is checked. A span without a label has the label
  of its row. Offsets count code points; `token_start` and `token_end` are ignored.
- The id of a document is its `id`, which Prodigy keeps if it was imported; the hashes are not ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from isogloss.formats.annotation import (
    AnnotationFormat,
    FormatOptions,
    get_writable_text,
    list_span_objects,
    matches_first_row,
    read_spans,
    write_json_lines,
)
from isogloss.formats.documents import SpanDocument
from isogloss.formats.offsets import MarkedSpan, OffsetMode, place_spans
from isogloss.formats.tagged_documents import read_token_bounds
from isogloss.formats.two_sided_files import leave_out
from isogloss.kernel.provenance import RunWarning
from isogloss.records.json_fields import TEXT, LazyRow, make_column_lister, read_lazy_rows
from isogloss.records.sources import Source

REMEDY = (
    'A row looks like {"text": "Ada met Bob", "spans": [{"start": 0, "end": 3, "label": "PER"}], "answer": "accept"}.'
)
ACCEPT, REJECT, IGNORE = "accept", "reject", "ignore"
LEFT_OUT_MESSAGES = {
    REJECT: "Documents whose annotation was rejected were left out.",
    IGNORE: "Documents that the annotator ignored were left out.",
}
SPANS_LEFT_OUT = "spans-left-out"
INCOMPLETE = "annotations-incomplete"
ATTRIBUTE_FIELDS = ("meta",)


class ProdigySpan(msgspec.Struct, gc=False):
    """A span, with its text if found by pattern or model."""

    start: int
    end: int
    label: str | None = None
    text: str | None = None
    answer: str | None = None


_SPANS = msgspec.json.Decoder(list[ProdigySpan])
_TRUTH = msgspec.json.Decoder(bool)


def _is_row(row: Mapping[str, Any]) -> bool:
    if not isinstance(row.get("text"), str):
        return False
    if {"_input_hash", "_task_hash"} & row.keys() or row.get("answer") in (ACCEPT, *LEFT_OUT_MESSAGES):
        return True
    spans = row.get("spans")
    return isinstance(spans, list) and any(isinstance(span, dict) and "token_start" in span for span in spans)


def _read_documents(source: Source, options: FormatOptions) -> Iterator[SpanDocument]:
    for row in read_lazy_rows(source, REMEDY):
        answer = row.read("answer", TEXT)
        document = SpanDocument(
            row.line,
            row.read_id(),
            row.read_text(),
            (),
            columns=row.read_columns(options.attributes, ATTRIBUTE_FIELDS),
            tokens=read_token_bounds(row),
        )
        if answer in LEFT_OUT_MESSAGES:
            yield leave_out(document, LEFT_OUT_MESSAGES[answer], row.where)
        elif answer in {None, ACCEPT}:
            yield _add_spans(document, row, offsets=options.offsets)
        else:
            raise row.build_error(f"`answer` is {answer!r}", f"An answer is {ACCEPT!r}, {REJECT!r} or {IGNORE!r}.")


def _add_spans(document: SpanDocument, row: LazyRow, *, offsets: OffsetMode) -> SpanDocument:
    spans = row.read("spans", _SPANS) or []
    counted = [span for span in spans if span.answer not in LEFT_OUT_MESSAGES]
    placed_spans, warnings = place_spans(
        document.text or "", list(_read_marked_spans(counted, row)), row.where, offsets=offsets
    )
    all_warnings = [*warnings]
    if len(counted) < len(spans):
        message = "Spans that were rejected or ignored were left out."
        all_warnings.append(RunWarning(SPANS_LEFT_OUT, message, len(spans) - len(counted), row.where))
    if row.read("_is_binary", _TRUTH):
        message = "Documents of a binary view are annotated with single spans, which need not be all."
        all_warnings.append(RunWarning(INCOMPLETE, message, 1, row.where))
    return msgspec.structs.replace(document, spans=placed_spans, warnings=tuple(all_warnings))


def _read_marked_spans(spans: Sequence[ProdigySpan], row: LazyRow) -> Iterator[MarkedSpan]:
    whole = row.read("label", TEXT) if any(span.label is None for span in spans) else None
    for span in spans:
        label = whole if span.label is None else span.label
        if label is None:
            raise row.build_error(f"the span [{span.start}, {span.end}) has no label")
        yield span.start, span.end, label, span.text


def _build_row(document: SpanDocument) -> dict[str, Any]:
    text, spans = get_writable_text(document), list_span_objects(document)
    row = {"text": text, "spans": spans}
    if document.tokens is not None:
        first = {start: number for number, (start, _) in enumerate(document.tokens)}
        last = {end: number for number, (_, end) in enumerate(document.tokens)}
        for span in spans:
            if span["start"] in first and span["end"] in last:
                span |= {"token_start": first[span["start"]], "token_end": last[span["end"]]}
        row["tokens"] = [
            {"text": text[start:end], "start": start, "end": end, "id": number}
            for number, (start, end) in enumerate(document.tokens)
        ]
    return row | {"meta": {}, "answer": ACCEPT}


FORMAT = AnnotationFormat(
    "prodigy",
    matches_first_row(_is_row),
    read_spans(_read_documents, partial(make_column_lister, within=ATTRIBUTE_FIELDS)),
    write_json_lines(_build_row),
    options=("repair_offsets",),
)
