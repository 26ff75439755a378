"""Records to documents, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import msgspec

from isogloss.batches import Notice
from isogloss.exceptions import FormatError
from isogloss.formats.annotation import AnnotationFormat, Annotations, Head, Options
from isogloss.formats.argilla.answers import RESPONSES, SUGGESTION, Answers
from isogloss.formats.code_units import drawn
from isogloss.formats.fields import Fields, check_name, named, rows_of, text_key
from isogloss.formats.span_pairing import SpanDocument, Triple
from isogloss.formats.two_sides import NOT_ANNOTATED, Judged, TwoSided, annotations_of
from isogloss.formats.writing import writable_text, write_array
from isogloss.sources import Source

NAME = "argilla"
REMEDY = (
    'A record looks like {"id": "1", "fields": {"text": "Ada met Bob"}, "responses": {"spans": [{"value": '
    '[{"start": 0, "end": 3, "label": "PER"}]}]}, "suggestions": {}}.'
)
SPAN = 'A span looks like {"start": 0, "end": 3, "label": "PER"}, in older versions also like ["PER", 0, 3].'
HOW = "the names of a field and of a question, such as text,spans"
SEVERAL = Notice("several-annotations", "Of several responses to a record the first counts.")
WHY_DISCARDED = "Documents that were discarded were left out."
WITHIN = ("metadata", "fields")
NO_FIELD = {"id", "status", "_server_id", "external_id", "prediction_agent", "annotation_agent"}
QUESTION, AGENT = "spans", "isogloss"  # of what is written


class Span(msgspec.Struct, gc=False):
    """A span written as an object."""

    start: int
    end: int
    label: str


def _recognises(head: Head) -> bool:
    row = head.row
    if row is None:
        return False
    if isinstance(row.get("fields"), dict):
        return bool({"responses", "suggestions"} & row.keys())
    if any(key.endswith((RESPONSES, SUGGESTION)) for key in row):
        return True
    tokens = row.get("tokens")
    of_strings = isinstance(tokens, list) and all(isinstance(token, str) for token in tokens)
    return of_strings and isinstance(row.get("text"), str) and bool({"prediction", "annotation"} & row.keys())


def _read(source: Source, options: Options) -> Annotations:
    options.only(NAME, "columns", "repair_offsets")
    field, question = named(options.columns, HOW)
    file = _File(source, options, field, question)
    return annotations_of(source, file.records, options, WITHIN)


@dataclass(frozen=True)
class _File:
    """A file of records.

    Args:
        source: the file.
        options: how it is read.
        field: that has the text, None for the usual one.
        asked: the question that has the spans, None for the only one.
    """

    source: Source
    options: Options
    field: str | None
    asked: str | None

    @cached_property
    def question(self) -> str | None:
        """The question that has the spans; None where none has."""
        found, without = set[str](), set[str]()
        for row in rows_of(self.source, REMEDY):
            answers = Answers.of(row)
            found |= answers.questions_with_spans()
            without |= answers.questions_without()
        if self.asked is not None:
            check_name(self.asked, found | without, "spans", self.source.name)
            return self.asked
        if len(found) > 1:
            raise FormatError(
                f"several questions have spans: {', '.join(sorted(found))}",
                where=self.source.name,
                remedy="Name one of them: --columns FIELD,QUESTION.",
            )
        return next(iter(found or sorted(without)), None)

    def records(self) -> Iterator[TwoSided]:
        """The records, from the first at each call."""
        for row in rows_of(self.source, REMEDY):
            columns = row.columns(self.options.attributes, WITHIN)
            text = _text(row, self.field)
            document = SpanDocument(row.line, row.id(("id", "external_id")), text, (), columns=columns)
            yield self._record(row, document, Answers.of(row))

    def _record(self, row: Fields, document: SpanDocument, answers: Answers) -> TwoSided:
        given, suggested = (
            [value for value in values.get(self.question or "", ()) if isinstance(value, list)]
            for values in (answers.people, answers.models)
        )

        judged = partial(drawn, document.text or "", where=row.where, offsets=self.options.offsets)

        def annotated() -> Judged:
            known = _triples(suggested[0], row) if suggested else []
            spans, notices = judged(_triples(given[0], row), exact=known)
            return spans, (*notices, *_several(given, row.where))

        def predicted() -> Judged:
            spans = _triples(suggested[0], row)
            return judged(spans, exact=spans)

        return TwoSided(
            document,
            annotated if given else None,
            predicted if suggested else None,
            WHY_DISCARDED if answers.discarded else NOT_ANNOTATED,
        )


def _several(given: list[Any], where: str) -> tuple[Notice, ...]:
    return (Notice(SEVERAL.code, SEVERAL.message, 1, where),) if len(given) > 1 else ()


def _text(row: Fields, field: str | None) -> str:
    """The text of a record, in one of its fields or in the record itself."""
    holder = row.mapping("fields") if row.has("fields") else None
    if holder is None:
        holder = {key: msgspec.json.decode(raw) for key, raw in row.values.items() if "." not in key}
    names = [key for key, value in holder.items() if isinstance(value, str) and key not in NO_FIELD]
    text: str = holder[text_key(names, field, row, "record")]
    return text


def _triples(spans: list[Any], row: Fields) -> list[Triple]:
    found: list[Triple] = []
    for span in spans:
        try:
            each = msgspec.convert(span if isinstance(span, dict) else _named(span), Span)
        except msgspec.ValidationError as error:
            raise row.fault(f"a span cannot be read: {str(span)[:120]}", SPAN) from error
        found.append((each.start, each.end, each.label))
    return found


def _named(span: Any) -> dict[str, Any]:
    """A span written as label, start, end and perhaps a score."""
    return dict(zip(("label", "start", "end"), span if isinstance(span, list) else (), strict=False))


def _write(documents: Iterable[SpanDocument], path: str) -> None:
    write_array(documents, path, _record)


def _record(document: SpanDocument) -> dict[str, Any]:
    spans = [{"start": start, "end": end, "label": label} for start, end, label in document.spans]
    row: dict[str, Any] = {} if document.id is None else {"id": document.id}
    return row | {
        "fields": {"text": writable_text(document)},
        "metadata": {},
        "suggestions": {QUESTION: {"value": spans, "score": None, "agent": AGENT}},
        "responses": {},
        "vectors": {},
    }


FORMAT = AnnotationFormat(NAME, _recognises, _read, _write, both_sides=True)
