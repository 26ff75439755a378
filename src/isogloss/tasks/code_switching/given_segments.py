"""Parse the sentences, tokens and entities given with a row's text.

    {"text": "Ada ran. Bob sat.", "sentences": [[0, 8], {"start": 9, "end": 17}],
     "tokens": ["Ada", "ran", ".", [9, 12], {"start": 13, "end": 16}], "entities": [[0, 3], [9, 12, "PER"]]}

Spans are half-open and count code points of the whole text. A token that is a string is searched for after the end of
the token before it. Sentences and tokens are disjoint and in the order of the text, and each token is within one
sentence. Entities may be in any order and overlap; they need no label. A null value counts as absent. Without
sentences, tokens make the text one sentence: from its first to its last character that is not whitespace, and further
if a token is outside.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, cast, overload

import msgspec

from isogloss.errors import DataError, FormatError

SEGMENT_KEYS = ("sentences", "tokens", "entities")
REMEDY = (
    'A row looks like {"text": "Ada ran", "sentences": [[0, 7]], "tokens": ["Ada", "ran"], "entities": [[0, 3]]}. '
    "Rename a field that means something else."
)
HALF_OPEN = "A span begins at `start` and ends before `end`; both count code points of the text from 0, not bytes."
SHOWN = 40  # code points of the text to show in a message
T = TypeVar("T")
TextSpan = tuple[int, int]
EntitySpan = tuple[int, int, str | None]


MANY_SPANS = 1 << 12  # as tuples, more of them take too many bytes


class PackedSpans(Sequence[TextSpan]):
    """Spans of 16 bytes each, a tenth of those of a tuple.

    Args:
        places: start and end of the first span, of the second, and so on.
    """

    def __init__(self, places: array[int]) -> None:
        self._places = places

    def __len__(self) -> int:
        return len(self._places) // 2

    def __iter__(self) -> Iterator[TextSpan]:
        places = iter(self._places)
        return zip(places, places, strict=True)

    @overload
    def __getitem__(self, at: int) -> TextSpan: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[TextSpan]: ...
    def __getitem__(self, at: int | slice) -> TextSpan | Sequence[TextSpan]:
        chosen = range(len(self))[at]
        if isinstance(chosen, range):
            return tuple([self[each] for each in chosen])
        return self._places[2 * chosen], self._places[2 * chosen + 1]


class SpanObject(msgspec.Struct, gc=False):
    """A span written as an object."""

    start: int
    end: int


class EntityObject(SpanObject, gc=False):
    """An entity written as an object."""

    label: str | None = None


class Segments(NamedTuple):
    """Sentences, tokens and entities of a text.

    A field is None if the row does not give it.
    """

    sentences: Sequence[TextSpan] | None
    tokens: Sequence[TextSpan] | None
    entities: tuple[EntitySpan, ...] | None


def parse_segments(row: Mapping[str, Any], text: str, where: str) -> Segments:
    """Parse sentences, tokens and entities of a row.

    Args:
        row: values of the fields in `SEGMENT_KEYS`.
        text: the text.
        where: place of the row, for messages.

    Raises:
        FormatError: if a value has a wrong type.
        DataError: if a span is outside the text, or spans do not fit each other.
    """
    sentences: Sequence[TextSpan] | None = None
    tokens: Sequence[TextSpan] | None = None
    entities = None
    if (value := row.get("sentences")) is not None:
        given = _convert_value(value, list[TextSpan | SpanObject], "sentences", where)
        sentences = tuple([(item.start, item.end) if isinstance(item, SpanObject) else item for item in given])
        _check_order(sentences, text, "sentences", where)
    if (value := row.get("tokens")) is not None:
        tokens = _locate_tokens(_convert_value(value, list[TextSpan | SpanObject | str], "tokens", where), text, where)
        _check_order(tokens, text, "tokens", where)
    if (value := row.get("entities")) is not None:
        items = _convert_value(value, list[tuple[int | str | None, ...] | EntityObject], "entities", where)
        entities = tuple([_parse_entity(item, f"entities[{at}]", where) for at, item in enumerate(items)])
        for at, (start, end, _) in enumerate(entities):
            _check_inside((start, end), text, f"`entities[{at}]`", where)
    if tokens is not None and sentences is not None:
        _check_within(tokens, sentences, where)
    elif tokens is not None:
        sentences = _make_single_sentence(text, tokens)
    return Segments(sentences, tokens, entities)


def _convert_value(value: Any, kind: type[T], key: str, where: str) -> T:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$")
        message = f"`{key}{path.rstrip('`')}`: {what[:1].lower()}{what[1:]}"
        raise FormatError(message, where=where, remedy=REMEDY) from error


def _locate_tokens(given: Sequence[TextSpan | SpanObject | str], text: str, where: str) -> Sequence[TextSpan]:
    """Return tokens as spans."""
    if set(map(type, given)) == {tuple}:
        return cast("tuple[TextSpan, ...]", tuple(given))  # twice as fast
    places, end = array("q"), 0
    for at, item in enumerate(given):
        if isinstance(item, str):
            span = _find_token(item, text, end, at, where)
        else:
            span = (item.start, item.end) if isinstance(item, SpanObject) else item
            _check_inside(span, text, f"`tokens[{at}]`", where)
        places.extend(span)
        end = span[1]
    return PackedSpans(places) if len(given) > MANY_SPANS else tuple(PackedSpans(places))


def _parse_entity(item: tuple[int | str | None, ...] | EntityObject, entry: str, where: str) -> EntitySpan:
    match item:
        case EntityObject():
            return item.start, item.end, item.label
        case int(start), int(end):
            return start, end, None
        case int(start), int(end), (str() | None) as label:
            return start, end, label
    raise FormatError(f"`{entry}` is neither [start, end] nor [start, end, label]", where=where, remedy=REMEDY)


def _find_token(token: str, text: str, start: int, number: int, where: str) -> TextSpan:
    at = text.find(token, start) if token else -1
    if at < 0:
        raise DataError(
            f"`tokens[{number}]`, {token!r}, is not in the text from code point {start} on",
            where=where,
            detail=f"There {text[start : start + SHOWN]!r} follows {text[max(start - SHOWN, 0) : start]!r}.",
            remedy="List the tokens as they are written in the text, in their order.",
        )
    return at, at + len(token)


def _check_order(spans: Sequence[TextSpan], text: str, key: str, where: str) -> None:
    """Refuse spans that are outside the text, overlap or are not ascending."""
    last, before = len(text), 0
    for at, (start, end) in enumerate(spans):
        if before <= start < end <= last:
            before = end
            continue
        entry = f"`{key}[{at}]`"
        _check_inside((start, end), text, entry, where)
        raise DataError(
            f"{entry}, [{start}, {end}), begins before the end of `{key}[{at - 1}]`, which is {before}",
            where=where,
            remedy=f"List {key} in the order of the text, without overlap.",
        )


def _check_inside(span: TextSpan, text: str, entry: str, where: str) -> None:
    start, end = span
    if 0 <= start < end <= len(text):
        return
    fault = f"is not within the text, which has {len(text)} code points"
    if start >= end:
        fault = f"{'is empty' if start == end else 'ends before it begins'}"
    raise DataError(f"{entry}, [{start}, {end}), {fault}", where=where, remedy=HALF_OPEN)


def _check_within(tokens: Sequence[TextSpan], sentences: Sequence[TextSpan], where: str) -> None:
    """Refuse tokens that are not within one sentence."""
    upcoming = iter([*enumerate(sentences), (len(sentences), (1 << 62, 1 << 62))])
    number, (first, last) = next(upcoming)
    for at, (start, end) in enumerate(tokens):
        while last <= start:
            number, (first, last) = next(upcoming)
        if start < first or end > last:
            fault = "is in no sentence" if end <= first else f"is not within `sentences[{number}]`, [{first}, {last})"
            raise DataError(
                f"`tokens[{at}]`, [{start}, {end}), {fault}",
                where=where,
                remedy="Each token must be within one sentence; leave `sentences` out to make the text one sentence.",
            )


def _make_single_sentence(text: str, tokens: Sequence[TextSpan]) -> tuple[TextSpan, ...]:
    """Return the text as one sentence.

    There is no sentence if the text has neither tokens nor other characters than whitespace.
    """
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    if tokens:
        first, last = min(first, tokens[0][0]), max(last, tokens[-1][1])
    return ((first, last),) if first < last else ()
