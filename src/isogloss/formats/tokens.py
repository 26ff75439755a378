"""Tokens of a text, for formats whose spans are made of tokens.

A token is a run of letters and digits with their marks, or any other character; in scripts without spaces between words
each character is one, so that all files of a text have the same tokens, wherever their spans are. None cuts what a
reader takes for one character, unless a span does: where a span begins or ends, a token does too, so that every span is
whole tokens. White space belongs to no token.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from isogloss.formats.span_pairing import Triple
from isogloss.text import KATAKANA, UNSPACED, graphemes

Bounds = tuple[int, int]
WITHOUT_SPACES = re.compile(f"[{UNSPACED}{KATAKANA}]")


def tokens_of(text: str, own: Iterable[Bounds] | None, spans: Iterable[Triple]) -> list[Bounds]:
    """Start and end of each token, in their order.

    Args:
        text: of a document.
        own: its own tokens in their order, None where it has none. What they leave out becomes tokens too.
        spans: where tokens must begin and end.
    """
    found: list[Bounds] = []
    at = 0
    for start, end in own or ():
        found += _words(text, at, start)
        found.append((start, end))
        at = end
    found += _words(text, at, len(text))
    edges = sorted({position for start, end, _ in spans for position in (start, end)})
    return [piece for token in found for piece in _cut(token, edges)]


def located(words: Iterable[str], text: str) -> list[Bounds] | None:
    """Start and end of words that follow each other in a text, with nothing but white space between; None otherwise.

    Args:
        words: none of them empty.
        text: what they are looked for in.
    """
    found: list[Bounds] = []
    at = 0
    for word in words:
        start = at if text.startswith(word, at) else _after_blanks(text, at)
        if not text.startswith(word, start):
            return None
        at = start + len(word)
        found.append((start, at))
    return found if not text[at:].strip() else None


def _after_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _words(text: str, low: int, high: int) -> Iterator[Bounds]:
    """The words of a part of the text, and its other characters."""
    part = text[low:high]
    if not part or part.isspace():  # as between most tokens
        return
    word: Bounds | None = None
    for begin, end in graphemes(part):
        cluster = text[low + begin : low + end]
        if cluster[0].isalnum() and not WITHOUT_SPACES.match(cluster):
            word = (low + begin if word is None else word[0], low + end)
            continue
        if word is not None:
            yield word
            word = None
        blank = len(cluster) - len(cluster.lstrip())
        if blank < len(cluster):
            yield low + begin + blank, low + end
    if word is not None:
        yield word


def _cut(token: Bounds, edges: Sequence[int]) -> Iterable[Bounds]:
    start, end = token
    return pairwise((start, *edges[bisect_right(edges, start) : bisect_left(edges, end)], end))
