"""Encode spans as tags, the inverse of the decoder.

A scheme gives every token of a span a letter by its *role*: the only token of the span, or its first, last or an inside
token. Two schemes also look at neighbours: IOB1 has B at the first token of a span that touches one of the same label
before it, IOE1 has E at the last token of one that touches such a span after it.

Decoding the tags gives the same spans in every scheme except IO, which joins touching spans of one label.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import DataError
from isogloss.kernel.scores import Ints
from isogloss.spans.batches import Codes, Spans
from isogloss.spans.schemes import CONTINUED_LETTERS, CONTINUING_LETTERS, OUTSIDE, TagNotation, TagScheme, join_tag


@dataclass(frozen=True)
class RoleLetters:
    """Letters of a scheme by a token's role in its span.

    Args:
        alone: letter of the only token.
        first: letter of the first of several tokens.
        inside: letter of the tokens between first and last.
        last: letter of the last of several tokens.
    """

    alone: str
    first: str
    inside: str
    last: str


@dataclass(frozen=True, eq=False)
class SpanLetters:
    """Letters of all tokens in spans.

    Args:
        positions: (tokens of spans,) position in the batch, ascending.
        letter: (tokens of spans,) position in the letters of the scheme.
        span: (tokens of spans,) position of the token's span.
    """

    positions: Ints
    letter: NDArray[np.uint8]
    span: Ints


@cache
def find_role_letters(scheme: TagScheme) -> RoleLetters:
    """Find the letters of a scheme by role, ignoring neighbours."""

    def only(letters: set[str] | frozenset[str]) -> str:
        (letter,) = letters - set(scheme.separator)
        return letter

    opens, closes, letters = set(scheme.first_letters), set(scheme.last_letters), set(scheme.letters)
    inside = only(letters & CONTINUED_LETTERS & CONTINUING_LETTERS)
    return RoleLetters(
        alone=only(opens & closes),
        first=only(opens & CONTINUED_LETTERS),
        inside=inside,
        last=only(closes & CONTINUING_LETTERS),
    )


def find_touching_spans(spans: Spans) -> NDArray[np.bool_]:
    """Find spans that directly follow one of their label: (spans - 1,).

    Args:
        spans: spans that do not overlap, ascending.
    """
    same = (spans.row[1:] == spans.row[:-1]) & (spans.label[1:] == spans.label[:-1])
    touch: NDArray[np.bool_] = same & (spans.start[1:] == spans.end[:-1])
    return touch


def assign_letters(spans: Spans, offsets: Ints, scheme: TagScheme) -> SpanLetters:
    """Assign a letter to every token of a span.

    Args:
        spans: spans that do not overlap, ascending, in tokens of their document.
        offsets: (documents + 1,) position of each document's first token; the last is the number of tokens.
        scheme: tag scheme.

    Raises:
        DataError: if spans overlap or reach beyond their document.
    """
    _check_spans(spans, offsets)
    roles, code = find_role_letters(scheme), {letter: at for at, letter in enumerate(scheme.letters)}
    length = spans.end - spans.start  # (spans,)
    after = np.cumsum(length)  # (spans,) tokens of the spans up to each
    last, first = after - 1, after - length  # (spans,) among the tokens of spans
    span = np.repeat(np.arange(len(spans)), length)  # (tokens of spans,)
    begin = offsets.take(spans.row) + spans.start  # (spans,) position in the batch
    at = np.arange(len(span)) + (begin - first).take(span)  # (tokens of spans,)
    letter = np.full(len(span), code[roles.inside], np.uint8)  # (tokens of spans,)
    letter[first], letter[last] = code[roles.first], code[roles.last]
    letter[first[length == 1]] = code[roles.alone]
    if scheme.separator:
        edge = first[1:] if scheme.separator in CONTINUED_LETTERS else last[:-1]
        letter[edge[find_touching_spans(spans)]] = code[scheme.separator]
    return SpanLetters(at, letter, span)


def encode_spans(
    spans: Spans,
    offsets: Ints,
    labels: tuple[str, ...],
    scheme: TagScheme,
    notation: TagNotation = "prefix",
) -> tuple[tuple[str, ...], Codes]:
    """Encode spans as tags of all tokens.

    Args:
        spans: spans that do not overlap, ascending, in tokens of their document.
        offsets: (documents + 1,) position of each document's first token; the last is the number of tokens.
        labels: labels that the spans refer to.
        scheme: tag scheme.
        notation: how tags are written; bare labels are for IO only.

    Returns:
        The tags that codes stand for, O first, and (tokens,) codes.

    Raises:
        DataError: if spans overlap or reach beyond their document.
        TagError: if a bare label is O.
        ValueError: if labels are bare in another scheme than IO.
    """
    if notation == "bare" and scheme.name != "io":
        raise ValueError(f"bare labels need the scheme IO, got {scheme.title}")
    assigned = assign_letters(spans, offsets, scheme)
    letters = scheme.letters
    vocabulary = (OUTSIDE, *(join_tag(letter, label, notation) for label in labels for letter in letters))
    codes = np.zeros(int(offsets[-1]), np.min_scalar_type(len(vocabulary)))  # (tokens,)
    codes[assigned.positions] = 1 + len(letters) * spans.label.take(assigned.span) + assigned.letter
    return vocabulary, codes


def _check_spans(spans: Spans, offsets: Ints) -> None:
    beyond = (spans.start < 0) | (spans.end <= spans.start) | (spans.end > np.diff(offsets).take(spans.row))  # (spans,)
    if beyond.any():
        at = int(beyond.argmax())
        raise DataError(
            f"{_format_span(spans, at)} of document {int(spans.row[at]) + 1} is empty or reaches beyond its tokens",
        )
    overlap = (spans.row[1:] == spans.row[:-1]) & (spans.start[1:] < spans.end[:-1])  # (spans - 1,)
    if overlap.any():
        at = int(overlap.argmax())
        raise DataError(
            f"{_format_span(spans, at)} and {_format_span(spans, at + 1)} of document {int(spans.row[at]) + 1} overlap",
            remedy="A token has only one tag: keep one of the spans, or write a format with spans, such as jsonl.",
        )


def _format_span(spans: Spans, at: int) -> str:
    return f"the span [{int(spans.start[at])}, {int(spans.end[at])})"
