"""Where the sentences, tokens and names of a text stand, as its row says.

    {"text": "Ada ran. Bob sat.", "sentences": [[0, 8], {"start": 9, "end": 17}],
     "tokens": ["Ada", "ran", ".", [9, 12], {"start": 13, "end": 16}], "entities": [[0, 3], [9, 12, "PER"]]}

Positions are half-open and count code points of the whole text. A token that is a string is looked for after the end of
the one before it. Sentences and tokens are disjoint and in the order of the text, and each token is within one
sentence. Entities may be in any order and overlap; their label may be left out. What is null is not there. Without
sentences, tokens make the text one sentence: from its first to its last character that is not whitespace, and further
where a token is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, cast

import msgspec

from isogloss.errors import DataError, FormatError

KEYS = ("sentences", "tokens", "entities")
REMEDY = (
    'A row looks like {"text": "Ada ran", "sentences": [[0, 7]], "tokens": ["Ada", "ran"], "entities": [[0, 3]]}. '
    "Rename a field that means something else."
)
HALF_OPEN = "A span begins at `start` and ends before `end`; both count code points of the text from 0, not bytes."
SHOWN = 40  # code points of the text around a fault
T = TypeVar("T")
Span = tuple[int, int]
Labelled = tuple[int, int, str | None]


class Extent(msgspec.Struct, gc=False):
    """A span written as an object."""

    start: int
    end: int


class Entity(msgspec.Struct, gc=False):
    """An entity written as an object."""

    start: int
    end: int
    label: str | None = None


class Segments(NamedTuple):
    """What a row says of its text; None where it says nothing."""

    sentences: tuple[Span, ...] | None
    tokens: tuple[Span, ...] | None
    entities: tuple[Labelled, ...] | None


def segments_of(row: Mapping[str, Any], text: str, where: str) -> Segments:
    """Sentences, tokens and entities of a row.

    Args:
        row: what it holds under the names in `KEYS`.
        text: its text.
        where: its place, for errors.

    Raises:
        FormatError: one of them is not of the type that it should be.
        DataError: a position is not within the text, or they do not fit each other.
    """
    sentences = _sentences(row.get("sentences"), text, where)
    tokens = _tokens(row.get("tokens"), text, where)
    entities = _entities(row.get("entities"), text, where)
    if tokens is not None and sentences is None:
        sentences = _whole(text, tokens)
    elif tokens is not None and sentences is not None:
        _check_within(tokens, sentences, where)
    return Segments(sentences, tokens, entities)


def _sentences(value: Any, text: str, where: str) -> tuple[Span, ...] | None:
    if value is None:
        return None
    spans = _spans(_typed(value, list[Span | Extent], "sentences", where))
    _check_order(spans, text, "sentences", where)
    return spans


def _tokens(value: Any, text: str, where: str) -> tuple[Span, ...] | None:
    if value is None:
        return None
    spans = _placed(_typed(value, list[Span | Extent | str], "tokens", where), text, where)
    _check_order(spans, text, "tokens", where)
    return spans


def _placed(given: Sequence[Span | Extent | str], text: str, where: str) -> tuple[Span, ...]:
    """Tokens as spans: strings are looked for, each after the token before it."""
    if set(map(type, given)) == {tuple}:
        return cast("tuple[Span, ...]", tuple(given))  # twice as fast
    spans: list[Span] = []
    end = 0
    for at, item in enumerate(given):
        span = _searched(item, text, end, at, where) if isinstance(item, str) else item
        spans.append((span.start, span.end) if isinstance(span, Extent) else span)
        _check_inside(spans[-1], text, f"`tokens[{at}]`", where)
        end = spans[-1][1]
    return tuple(spans)


def _spans(given: Sequence[Span | Extent]) -> tuple[Span, ...]:
    return tuple([(item.start, item.end) if isinstance(item, Extent) else item for item in given])


def _entities(value: Any, text: str, where: str) -> tuple[Labelled, ...] | None:
    if value is None:
        return None
    given = _typed(value, list[tuple[int | str | None, ...] | Entity], "entities", where)
    spans = tuple([_entity(item, f"entities[{at}]", where) for at, item in enumerate(given)])
    for at, (start, end, _) in enumerate(spans):
        _check_inside((start, end), text, f"`entities[{at}]`", where)
    return spans


def _entity(item: tuple[int | str | None, ...] | Entity, entry: str, where: str) -> Labelled:
    match item:
        case Entity():
            return item.start, item.end, item.label
        case int(start), int(end):
            return start, end, None
        case int(start), int(end), (str() | None) as label:
            return start, end, label
    raise FormatError(f"`{entry}` is neither [start, end] nor [start, end, label]", where=where, remedy=REMEDY)


def _typed(value: Any, kind: type[T], key: str, where: str) -> T:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$")
        message = f"`{key}{path.rstrip('`')}`: {what[:1].lower()}{what[1:]}"
        raise FormatError(message, where=where, remedy=REMEDY) from error


def _searched(token: str, text: str, start: int, number: int, where: str) -> Span:
    """Where a token stands from here on."""
    at = text.find(token, start) if token else -1
    if at < 0:
        raise DataError(
            f"`tokens[{number}]`, {token!r}, is not in the text from code point {start} on",
            where=where,
            detail=f"There {text[start : start + SHOWN]!r} follows {text[max(start - SHOWN, 0) : start]!r}.",
            remedy="List the tokens as they are written in the text, in their order.",
        )
    return at, at + len(token)


def _check_order(spans: Sequence[Span], text: str, key: str, where: str) -> None:
    """Fails unless spans are within the text, disjoint and ascending."""
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


def _check_inside(span: Span, text: str, entry: str, where: str) -> None:
    start, end = span
    if 0 <= start < end <= len(text):
        return
    fault = f"is not within the text, which has {len(text)} code points"
    if start >= end:
        fault = f"{'is empty' if start == end else 'ends before it begins'}"
    raise DataError(f"{entry}, [{start}, {end}), {fault}", where=where, remedy=HALF_OPEN)


def _check_within(tokens: Sequence[Span], sentences: Sequence[Span], where: str) -> None:
    """Fails unless each token is within one sentence."""
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


def _whole(text: str, tokens: Sequence[Span]) -> tuple[Span, ...]:
    """The text as one sentence; none where it has nothing but whitespace and no tokens."""
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    if tokens:
        first, last = min(first, tokens[0][0]), max(last, tokens[-1][1])
    return ((first, last),) if first < last else ()
