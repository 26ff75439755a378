"""Python lists of spans to batches.

Spans are tuples `(start, end, label)`, dicts or objects with these names; an object whose `label` is a number and that
has a `label_` (spaCy's `Span`) is called by that. Duplicates, nested and overlapping spans and several labels on one
span are kept as they are.

A block of spans of one kind is taken apart as columns; only where a column holds something unexpected is each span
looked at by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter, index, itemgetter
from typing import Any, SupportsIndex

import numpy as np

from isogloss.batches import Side, SpanPairs
from isogloss.exceptions import DataError
from isogloss.formats.lists.documents import ARGUMENT, SPAN, Block, blocks, in_list, same_number
from isogloss.formats.span_pairing import SpanColumns, Triple
from isogloss.formats.span_pairing import span_pairs as batch_of

DOCUMENTS = 1 << 14  # of a batch
SPANS = 1 << 17  # reference spans of a batch
KEYS = ("start", "end", "label")
FORMS = "A span is a tuple (start, end, label), a dict with these keys, or an object with these attributes."


def span_pairs(reference: Any, prediction: Any) -> Iterator[SpanPairs]:
    """Span lists of both sides in batches of whole documents.

    Args:
        reference: per document a list of spans; positions count any unit that both sides share.
        prediction: likewise, with as many documents.

    Yields:
        Batches with the labels that occur in them.

    Raises:
        UsageError: an argument is no list of documents.
        MismatchError: another number of documents.
        DataError: something is no span, or `end <= start`, or `start < 0`.
    """
    documents = in_list(reference, "reference"), in_list(prediction, "predicted")
    same_number(*documents)
    for block in blocks(*documents, DOCUMENTS, SPANS):
        yield batch_of(
            np.arange(block.first, block.first + len(block.counts)),
            _columns(block.reference, block.first, "reference"),
            _columns(block.predicted, block.first, "predicted"),
            SpanListOrigin(block),
        )


@dataclass(frozen=True, eq=False)
class SpanListOrigin:
    """Span lists have no text, and places are indices.

    Args:
        block: the documents.
    """

    block: Block

    def name(self, row: int) -> str:
        """The document's number, from 1."""
        return str(self.block.first + row + 1)

    def where(self, row: int, position: int, side: Side) -> str:
        """The indices of the first span that starts there; of the document where none does."""
        spans = (self.block.reference if side == "reference" else self.block.predicted)[row]
        document = f"{ARGUMENT[side]}[{self.block.first + row}]"
        starts = (_getters(span)[0](span) for span in spans)
        return next((f"{document}[{at}]" for at, start in enumerate(starts) if start == position), document)

    def passage(self, row: int) -> None:
        """There is no text."""


def _columns(documents: Sequence[Sequence[Any]], first: int, side: Side) -> SpanColumns:
    """Checked columns of the spans of consecutive documents, the first of which has the number `first`."""

    def place(row: int, at: int) -> str:
        return f"{ARGUMENT[side]}[{first + row}][{at}]"

    columns = _columns_of_kind(documents)
    if columns is None:
        exact = [[_exact(span, place(row, at)) for at, span in enumerate(spans)] for row, spans in enumerate(documents)]
        columns = SpanColumns.of(exact, place)
    columns.check(place)
    return columns


def _columns_of_kind(documents: Sequence[Sequence[Any]]) -> SpanColumns | None:
    """Columns of spans that are all of one kind, with plain numbers and labels; None of others."""
    spans = list(chain.from_iterable(documents))
    kinds = set(map(type, spans))
    if len(kinds) != 1 or (kinds <= {tuple, list} and set(map(len, spans)) != {SPAN}):
        return None
    try:
        starts, ends, labels = (list(map(getter, spans)) for getter in _getters(spans[0]))
        if {*map(type, starts), *map(type, ends)} != {int} or set(map(type, labels)) != {str}:
            return None
        counts = np.fromiter(map(len, documents), np.int64, len(documents))  # (documents,)
        return SpanColumns(counts, np.array(starts, np.int64), np.array(ends, np.int64), labels)
    except (LookupError, AttributeError, OverflowError):
        return None


def _getters(span: Any) -> tuple[Callable[[Any], Any], ...]:
    """What gets start, end and label from spans of the same kind."""
    if isinstance(span, Mapping):
        return tuple(itemgetter(key) for key in KEYS)
    if isinstance(span, (tuple, list)) and not hasattr(span, "start"):
        return tuple(itemgetter(at) for at in range(SPAN))
    label = "label_" if isinstance(getattr(span, "label", ""), int) and hasattr(span, "label_") else "label"
    return attrgetter("start"), attrgetter("end"), attrgetter(label)


def _exact(span: Any, where: str) -> Triple:
    try:
        start, end, label = (getter(span) for getter in _getters(span))
    except (LookupError, AttributeError):
        start = end = label = None
    if label is None or (isinstance(span, (tuple, list)) and len(span) != SPAN and not hasattr(span, "start")):
        raise DataError(f"{span!r} is no span", where=where, remedy=FORMS)
    if not isinstance(label, str):
        raise DataError(
            f"a label is a string, but {label!r} is of type {type(label).__name__}", where=where, remedy=FORMS
        )
    return _position(start, where), _position(end, where), str(label)


def _position(value: Any, where: str) -> int:
    if isinstance(value, SupportsIndex) and not isinstance(value, (bool, np.bool_)):
        return index(value)
    message = f"a position is a whole number, but {value!r} is of type {type(value).__name__}"
    raise DataError(message, where=where, remedy=FORMS)
