"""Argilla's records of any version: spans from people and models.

The responses of people are the reference, the suggestions of models are the prediction. Three layouts are read: objects
or lists per question (Argilla 2 and feedback datasets), flat keys such as `spans.responses`, and the records of token
classification in Argilla 1 (`annotation`, `prediction`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import zip_longest
from typing import Any

import msgspec

from isogloss.errors import FormatError
from isogloss.formats.annotation import (
    AnnotationFile,
    AnnotationFormat,
    FormatOptions,
    get_id_field,
    get_writable_text,
    list_span_objects,
    matches_first_row,
    write_json_array,
)
from isogloss.formats.documents import LabelledSpan, SpanDocument
from isogloss.formats.offsets import place_drawn_spans
from isogloss.formats.two_sided_files import NOT_ANNOTATED, AnnotatedSpans, TwoSidedDocument, open_two_sided
from isogloss.kernel.provenance import RunWarning
from isogloss.records.json_fields import (
    TEXT,
    LazyRow,
    check_column_name,
    choose_text,
    parse_column_names,
    read_lazy_rows,
)
from isogloss.records.sources import Source

RESPONSES, SUGGESTION = ".responses", ".suggestion"  # suffixes of question names in a flat record
SUBMITTED, DISCARDED = "submitted", "Discarded"
ResponseValue = tuple[str | None, str | None, Any]
UNNAMED_QUESTION = ""  # stands for the only, unnamed question of Argilla 1


class ArgillaAnswer(msgspec.Struct, gc=False):
    """A response or a suggestion.

    It answers one question, or in Argilla 1 all questions.
    """

    value: Any = None
    values: dict[str, Any] | None = None
    status: str | None = None
    question_name: str = UNNAMED_QUESTION


_ANY: msgspec.json.Decoder[Any] = msgspec.json.Decoder()
_RESPONSES = msgspec.json.Decoder(dict[str, list[ArgillaAnswer] | None] | list[ArgillaAnswer])
_SUGGESTIONS = msgspec.json.Decoder(dict[str, ArgillaAnswer | None] | list[ArgillaAnswer])
_LIST = msgspec.json.Decoder(list[Any])
_STATES = msgspec.json.Decoder(list[str | None])


@dataclass(frozen=True)
class ArgillaAnswers:
    """The answers of a record by question.

    Args:
        people: per question the values that people submitted, in the order of the file.
        models: per question the value that a model suggested.
        discarded: whether there is no value because a person discarded the record.
    """

    people: dict[str, list[Any]] = field(default_factory=dict)
    models: dict[str, list[Any]] = field(default_factory=dict)
    discarded: bool = False

    @classmethod
    def from_row(cls, row: LazyRow) -> ArgillaAnswers:
        """Read the answers of a record in any layout."""
        if row.has("fields"):
            return _read_nested_answers(row.read("responses", _RESPONSES), row.read("suggestions", _SUGGESTIONS))
        if any(key.endswith((RESPONSES, SUGGESTION)) for key in row.values):
            return _read_flat_answers(row)
        return _read_token_answers(row)

    def find_span_questions(self) -> set[str]:
        """Return the questions with a value that is a list of spans."""
        return {name for name, value in self._iterate_lists() if value and all(map(_is_span, value))}

    def find_empty_questions(self) -> set[str]:
        """Return the questions with a value that is an empty list."""
        return {name for name, value in self._iterate_lists() if not value}

    def _iterate_lists(self) -> Iterable[tuple[str, list[Any]]]:
        for answers in (self.people, self.models):
            for name, values in answers.items():
                for value in values:
                    if isinstance(value, list):
                        yield name, value


def _is_span(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and {"start", "end", "label"} <= value.keys())


def _read_nested_answers(
    responses: Mapping[str, Sequence[ArgillaAnswer] | None] | Sequence[ArgillaAnswer] | None,
    suggestions: Mapping[str, ArgillaAnswer | None] | Sequence[ArgillaAnswer] | None,
) -> ArgillaAnswers:
    """Read answers as objects per question, or as lists.

    Argilla 2 has objects per question, the feedback datasets of Argilla 1 have lists.
    """
    people: dict[str, list[Any]] = {}
    discarded = False
    for name, status, value in _iterate_responses(responses or ()):
        discarded = discarded or status == DISCARDED.lower()
        if name is not None and status in {None, SUBMITTED}:
            people.setdefault(name, []).append(value)
    return ArgillaAnswers(people, dict(_read_suggestions(suggestions or ())), discarded and not people)


def _iterate_responses(
    responses: Mapping[str, Sequence[ArgillaAnswer] | None] | Sequence[ArgillaAnswer],
) -> Iterable[ResponseValue]:
    """Yield question, status and value of each response.

    A response in a list also gives its status with None as the question, even if it answers nothing.
    """
    if isinstance(responses, Mapping):
        yield from ((name, each.status, each.value) for name, given in responses.items() for each in given or ())
        return
    for each in responses:
        yield None, each.status, None
        for name, value in (each.values or {}).items():
            yield name, each.status, value.get("value") if isinstance(value, dict) else None


def _read_suggestions(
    suggestions: Mapping[str, ArgillaAnswer | None] | Sequence[ArgillaAnswer],
) -> Iterable[tuple[str, list[Any]]]:
    if isinstance(suggestions, Mapping):
        return ((name, [each.value]) for name, each in suggestions.items() if each is not None)
    return ((each.question_name, [each.value]) for each in suggestions)


def _read_flat_answers(row: LazyRow) -> ArgillaAnswers:
    people: dict[str, list[Any]] = {}
    models: dict[str, list[Any]] = {}
    discarded = False
    for key in row.values:
        if key.endswith(SUGGESTION) and row.has(key):
            models[key.removesuffix(SUGGESTION)] = [row.read(key, _ANY)]
        if key.endswith(RESPONSES):
            values, states = row.read(key, _LIST) or [], row.read(f"{key}.status", _STATES) or []
            kept = [value for value, state in zip_longest(values, states) if state in {None, SUBMITTED}]
            discarded = discarded or DISCARDED.lower() in states
            people |= {key.removesuffix(RESPONSES): kept} if kept else {}
    return ArgillaAnswers(people, models, discarded and not people)


def _read_token_answers(row: LazyRow) -> ArgillaAnswers:
    """Read a record of token classification in Argilla 1."""
    if row.read("status", TEXT) == DISCARDED:
        return ArgillaAnswers(models=_read_single_answer(row, "prediction"), discarded=True)
    return ArgillaAnswers(_read_single_answer(row, "annotation"), _read_single_answer(row, "prediction"))


def _read_single_answer(row: LazyRow, key: str) -> dict[str, list[Any]]:
    return {UNNAMED_QUESTION: [row.read(key, _ANY)]} if row.has(key) else {}


REMEDY = (
    'A record looks like {"id": "1", "fields": {"text": "Ada met Bob"}, "responses": {"spans": [{"value": '
    '[{"start": 0, "end": 3, "label": "PER"}]}]}, "suggestions": {}}.'
)
SPAN = 'A span looks like {"start": 0, "end": 3, "label": "PER"}, in older versions also like ["PER", 0, 3].'
COLUMNS_HELP = "the names of a field and of a question, such as text,spans"
SEVERAL_RESPONSES = "several-annotations"
SEVERAL_RESPONSES_MESSAGE = "Of several responses to a record the first counts."
DISCARDED_MESSAGE = "Documents that were discarded were left out."
ATTRIBUTE_FIELDS = ("metadata", "fields")
NON_TEXT_FIELDS = {"id", "status", "_server_id", "external_id", "prediction_agent", "annotation_agent"}
QUESTION, AGENT = "spans", "isogloss"  # names in written records


class ArgillaSpan(msgspec.Struct, gc=False):
    """A span written as an object."""

    start: int
    end: int
    label: str


def _is_row(row: Mapping[str, Any]) -> bool:
    if isinstance(row.get("fields"), dict):
        return bool({"responses", "suggestions"} & row.keys())
    if any(key.endswith((RESPONSES, SUGGESTION)) for key in row):
        return True
    tokens = row.get("tokens")
    of_strings = isinstance(tokens, list) and all(isinstance(token, str) for token in tokens)
    return of_strings and isinstance(row.get("text"), str) and bool({"prediction", "annotation"} & row.keys())


def _read(source: Source, options: FormatOptions) -> AnnotationFile:
    field, question = parse_column_names(options.columns, COLUMNS_HELP)
    file = _ArgillaFile(source, options, field, question)
    return open_two_sided(source, file.read_records, options, ATTRIBUTE_FIELDS)


@dataclass(frozen=True)
class _ArgillaFile:
    """A file of records.

    Args:
        source: the file.
        options: how it is read.
        field: the field that holds the text, None for the usual one.
        named_question: the question that holds the spans, None for the only one.
    """

    source: Source
    options: FormatOptions
    field: str | None
    named_question: str | None

    @cached_property
    def question(self) -> str | None:
        """The question that holds the spans, None without such a question."""
        span_questions, without = set[str](), set[str]()
        for row in read_lazy_rows(self.source, REMEDY):
            answers = ArgillaAnswers.from_row(row)
            span_questions |= answers.find_span_questions()
            without |= answers.find_empty_questions()
        if self.named_question is not None:
            check_column_name(self.named_question, span_questions | without, "spans", self.source.name)
            return self.named_question
        if len(span_questions) > 1:
            raise FormatError(
                f"several questions have spans: {', '.join(sorted(span_questions))}",
                where=self.source.name,
                remedy="Name one of them: --columns FIELD,QUESTION.",
            )
        return next(iter(span_questions or sorted(without)), None)

    def read_records(self) -> Iterator[TwoSidedDocument]:
        """Read the records from the beginning."""
        for row in read_lazy_rows(self.source, REMEDY):
            columns = row.read_columns(self.options.attributes, ATTRIBUTE_FIELDS)
            text = _read_text(row, self.field)
            document = SpanDocument(row.line, row.read_id(("id", "external_id")), text, (), columns=columns)
            yield self._read_record(row, document, ArgillaAnswers.from_row(row))

    def _read_record(self, row: LazyRow, document: SpanDocument, answers: ArgillaAnswers) -> TwoSidedDocument:
        given, suggested = (
            [value for value in values.get(self.question or "", ()) if isinstance(value, list)]
            for values in (answers.people, answers.models)
        )

        judged = partial(place_drawn_spans, document.text or "", where=row.where, offsets=self.options.offsets)

        def read_annotation() -> AnnotatedSpans:
            known = _read_spans(suggested[0], row) if suggested else []
            spans, warnings = judged(_read_spans(given[0], row), exact=known)
            if len(given) > 1:
                warnings = (*warnings, RunWarning(SEVERAL_RESPONSES, SEVERAL_RESPONSES_MESSAGE, 1, row.where))
            return spans, warnings

        def read_prediction() -> AnnotatedSpans:
            spans = _read_spans(suggested[0], row)
            return judged(spans, exact=spans)

        return TwoSidedDocument(
            document,
            read_annotation if given else None,
            read_prediction if suggested else None,
            DISCARDED_MESSAGE if answers.discarded else NOT_ANNOTATED,
        )


def _read_text(row: LazyRow, field: str | None) -> str:
    """Return the text of an Argilla record.

    The text is one of the record's `fields`; without `fields`, it is a value of the record itself.
    """
    holder = row.read_object("fields") if row.has("fields") else None
    if holder is None:
        holder = {key: row.read_json(key) for key in row.values if "." not in key}
    names = [key for key, value in holder.items() if isinstance(value, str) and key not in NON_TEXT_FIELDS]
    text: str = holder[choose_text(names, field, row, "record")]
    return text


def _read_spans(spans: list[Any], row: LazyRow) -> list[LabelledSpan]:
    labelled: list[LabelledSpan] = []
    for span in spans:
        try:
            each = msgspec.convert(span if isinstance(span, dict) else _convert_span_list(span), ArgillaSpan)
        except msgspec.ValidationError as error:
            raise row.build_error(f"a span cannot be read: {str(span)[:120]}", SPAN) from error
        labelled.append((each.start, each.end, each.label))
    return labelled


def _convert_span_list(span: Any) -> dict[str, Any]:
    """Convert a span written as label, start, end and perhaps a score."""
    return dict(zip(("label", "start", "end"), span if isinstance(span, list) else (), strict=False))


def _build_record(document: SpanDocument) -> dict[str, Any]:
    spans = list_span_objects(document)
    return get_id_field(document) | {
        "fields": {"text": get_writable_text(document)},
        "metadata": {},
        "suggestions": {QUESTION: {"value": spans, "score": None, "agent": AGENT}},
        "responses": {},
        "vectors": {},
    }


FORMAT = AnnotationFormat(
    "argilla",
    matches_first_row(_is_row),
    _read,
    write_json_array(_build_record),
    has_both_sides=True,
    options=("columns", "repair_offsets"),
)
