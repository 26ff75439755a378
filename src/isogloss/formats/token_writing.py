"""Documents with spans as tokens with a tag each, for formats that have nothing else.

    for document, bounds, tags in tagged(documents, "iob2"): ...

The tokens are the document's own, or the words and other characters of its text; where a span begins or ends, a token
does too. Tokens neither begin nor end with white space, nor hold a tab or a line break. What tags cannot say is refused
with the place of its document: overlapping spans, spans that begin or end with white space, labels that are empty.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from isogloss.batches import Spans
from isogloss.formats.span_pairing import SpanDocument, Triple
from isogloss.formats.tokens import Bounds, tokens_of
from isogloss.formats.writing import unwritable, writable_text
from isogloss.tagging import SCHEMES, scheme_of
from isogloss.tagging.encoder import encoded, touching

DOCUMENTS = 1 << 10  # that are encoded at once
UNBROKEN = re.compile(r"[^\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
ONE_TAG = "One tag a token cannot say both: keep one of them, or write a format that has spans, such as jsonl."


class Tagged(NamedTuple):
    """A document as tokens with tags.

    Args:
        document: the document.
        bounds: where each token begins and ends in its text.
        tags: one a token.
    """

    document: SpanDocument
    bounds: Sequence[Bounds]
    tags: Sequence[str]

    @property
    def words(self) -> list[str]:
        """The tokens."""
        text = self.document.text or ""
        return [text[start:end] for start, end in self.bounds]


def tagged(documents: Iterable[SpanDocument], scheme: str) -> Iterator[Tagged]:
    """Documents as tokens with tags.

    Args:
        documents: with texts.
        scheme: name of a tag scheme.

    Raises:
        UsageError: there is no such scheme.
        DataError: a document has no text, or what tags cannot say.
    """
    scheme_of(scheme)
    rest = iter(documents)
    while chunk := list(islice(rest, DOCUMENTS)):
        yield from _tagged(chunk, scheme)


def first_and_last(document: SpanDocument, span: Triple, bounds: Sequence[Bounds]) -> tuple[int, int]:
    """Which token a span begins with, and which it ends with.

    Args:
        document: that the span is of.
        span: a span; tokens begin and end where it does, unless white space is there.
        bounds: where each token begins and ends, in their order.

    Raises:
        DataError: the span begins or ends with white space, which belongs to no token.
    """
    start, end, _ = span
    first, last = bisect_left(bounds, (start,)), bisect_right(bounds, end, key=itemgetter(1)) - 1
    if not first <= last or bounds[first][0] != start or bounds[last][1] != end:
        why = f"has a span that begins or ends with white space, {_shown(span)}"
        raise unwritable(document, why, "White space belongs to no token: --repair-offsets leaves it out of spans.")
    return first, last


def _tagged(documents: Sequence[SpanDocument], scheme: str) -> Iterator[Tagged]:
    bounds = [_bounds(document) for document in documents]
    found = [_in_tokens(*each) for each in zip(documents, bounds, strict=True)]
    offsets = np.cumsum([0, *map(len, bounds)], dtype=np.int64)  # (documents + 1,)
    labels = tuple(sorted({label for spans in found for _, _, label in spans}))
    code = {label: at for at, label in enumerate(labels)}
    table = [(row, start, end, code[label]) for row, spans in enumerate(found) for start, end, label in spans]
    spans = Spans(*np.array(table, np.int64).reshape(-1, 4).T)
    if scheme == "io":
        _check_apart(spans, documents)
    vocabulary, codes = encoded(spans, offsets, labels, SCHEMES[scheme])
    tags = [vocabulary[each] for each in codes.tolist()]
    for document, own, (first, last) in zip(documents, bounds, pairwise(offsets.tolist()), strict=True):
        yield Tagged(document, own, tags[first:last])


def _bounds(document: SpanDocument) -> list[Bounds]:
    text = writable_text(document)
    found = []
    for start, end in tokens_of(text, document.tokens, document.spans):
        for piece in UNBROKEN.finditer(text, start, end):
            inside = piece[0]
            low = piece.start() + len(inside) - len(inside.lstrip())
            if low < piece.end():
                found.append((low, low + len(inside.strip())))
    if any(start < end for (_, end), (start, _) in pairwise(found)):
        raise unwritable(document, "has tokens that overlap, or in another order", "Leave its tokens out.")
    return found


def _in_tokens(document: SpanDocument, bounds: Sequence[Bounds]) -> list[Triple]:
    """The spans of a document in tokens, ascending."""
    found = []
    before: Triple | None = None
    for span in sorted(document.spans):
        first, last = first_and_last(document, span, bounds)
        start, _, label = span
        if not label:
            raise unwritable(document, f"has a span without a label, {_shown(span)}", "Give it one: a tag needs it.")
        if before is not None and start < before[1]:
            raise unwritable(document, f"has overlapping spans, {_shown(before)} and {_shown(span)}", ONE_TAG)
        before = span
        found.append((first, last + 1, label))
    return found


def _check_apart(spans: Spans, documents: Sequence[SpanDocument]) -> None:
    touch = np.flatnonzero(touching(spans))
    if len(touch):
        document = documents[int(spans.row[touch[0]])]
        why = "has spans of one label that touch"
        raise unwritable(document, why, "IO reads them as one: choose another scheme, such as iob2.")


def _shown(span: Triple) -> str:
    start, end, label = span
    return f"[{start}, {end}) {label!r}"


def in_one_line(document: SpanDocument, what: str, text: str, without: str = "") -> str:
    """A text that is written as a field of a line.

    Args:
        document: whose it is.
        what: it is called in errors.
        text: the text.
        without: further characters that it may not have.

    Raises:
        DataError: it has such a character, a tab or a line break, or begins or ends with white space.
    """
    fault = next((character for character in text if character in f"\0\t\n\r{without}"), None)
    if fault is not None or text != text.strip():
        has = "white space at its ends" if fault is None else f"the character {fault!r}"
        raise unwritable(document, f"has {has} in the {what} {text!r}", "Change it, or write a format in JSON.")
    return text
