"""What people and models answered to the questions of a record, whatever version of Argilla wrote it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import msgspec

from isogloss.formats.fields import TEXT, Fields

RESPONSES, SUGGESTION = ".responses", ".suggestion"  # after the name of a question in a flat record
SUBMITTED, DISCARDED = "submitted", "Discarded"
Given = tuple[str | None, str | None, Any]
ONLY = ""  # the question of a record of Argilla 1 that has no names for questions


class Answer(msgspec.Struct, gc=False):
    """A response of Argilla 2, to one question, or of Argilla 1, to all; or a suggestion."""

    value: Any = None
    values: dict[str, Any] | None = None
    status: str | None = None
    question_name: str = ONLY


_ANY: msgspec.json.Decoder[Any] = msgspec.json.Decoder()
_RESPONSES = msgspec.json.Decoder(dict[str, list[Answer] | None] | list[Answer])
_SUGGESTIONS = msgspec.json.Decoder(dict[str, Answer | None] | list[Answer])
_LIST = msgspec.json.Decoder(list[Any])
_STATES = msgspec.json.Decoder(list[str | None])


@dataclass(frozen=True)
class Answers:
    """Values by question.

    Args:
        people: of each question the values that were submitted, in the order of the file.
        models: of each question the value that a model suggested.
        discarded: whether there is no value because a person discarded the record.
    """

    people: dict[str, list[Any]] = field(default_factory=dict)
    models: dict[str, list[Any]] = field(default_factory=dict)
    discarded: bool = False

    @classmethod
    def of(cls, row: Fields) -> Answers:
        """The answers of a record."""
        if row.has("fields"):
            return _nested(row.read("responses", _RESPONSES), row.read("suggestions", _SUGGESTIONS))
        if any(key.endswith((RESPONSES, SUGGESTION)) for key in row.values):
            return _flat(row)
        return _of_tokens(row)

    def questions_with_spans(self) -> set[str]:
        """The questions that some value of is spans."""
        return {name for name, value in self._values() if value and all(map(_is_span, value))}

    def questions_without(self) -> set[str]:
        """The questions that some value of is a list without anything in it."""
        return {name for name, value in self._values() if not value}

    def _values(self) -> Iterable[tuple[str, list[Any]]]:
        for answers in (self.people, self.models):
            for name, values in answers.items():
                for value in values:
                    if isinstance(value, list):
                        yield name, value


def _is_span(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and {"start", "end", "label"} <= value.keys())


def _nested(
    responses: Mapping[str, Sequence[Answer] | None] | Sequence[Answer] | None,
    suggestions: Mapping[str, Answer | None] | Sequence[Answer] | None,
) -> Answers:
    """Objects per question, as Argilla 2 has them, or lists, as feedback datasets of Argilla 1 have them."""
    people: dict[str, list[Any]] = {}
    discarded = False
    for name, status, value in _given(responses or ()):
        discarded = discarded or status == DISCARDED.lower()
        if name is not None and status in {None, SUBMITTED}:
            people.setdefault(name, []).append(value)
    return Answers(people, dict(_suggested(suggestions or ())), discarded and not people)


def _given(responses: Mapping[str, Sequence[Answer] | None] | Sequence[Answer]) -> Iterable[Given]:
    """Question, status and value of each response; those that answer nothing have no question."""
    if isinstance(responses, Mapping):
        yield from ((name, each.status, each.value) for name, given in responses.items() for each in given or ())
        return
    for each in responses:
        yield None, each.status, None
        for name, value in (each.values or {}).items():
            yield name, each.status, value.get("value") if isinstance(value, dict) else None


def _suggested(suggestions: Mapping[str, Answer | None] | Sequence[Answer]) -> Iterable[tuple[str, list[Any]]]:
    if isinstance(suggestions, Mapping):
        return ((name, [each.value]) for name, each in suggestions.items() if each is not None)
    return ((each.question_name, [each.value]) for each in suggestions)


def _flat(row: Fields) -> Answers:
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
    return Answers(people, models, discarded and not people)


def _of_tokens(row: Fields) -> Answers:
    """A record of token classification in Argilla 1."""
    if row.read("status", TEXT) == DISCARDED:
        return Answers(models=_one(row, "prediction"), discarded=True)
    return Answers(_one(row, "annotation"), _one(row, "prediction"))


def _one(row: Fields, key: str) -> dict[str, list[Any]]:
    return {ONLY: [row.read(key, _ANY)]} if row.has(key) else {}
