"""Arguments as lists of documents: what every reader of Python lists checks first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import countOf
from typing import Any

import numpy as np

from isogloss.batches import Side
from isogloss.exceptions import DataError, MismatchError, UsageError
from isogloss.scores import Ints
from isogloss.text import counted

ARGUMENT: dict[Side, str] = {"reference": "reference", "predicted": "prediction"}
SPAN = 3  # start, end, label
SHOWN = 4  # tags or spans shown on either side of a place
WRAP = "For a single document, wrap it in a list"


@dataclass(frozen=True, eq=False)
class Block:
    """Consecutive documents of both sides.

    Args:
        first: number of the first document, from 0.
        counts: (documents,) tags of each document on both sides; of the reference where the sides may differ.
        reference: (documents,) their reference.
        predicted: (documents,) their prediction.
    """

    first: int
    counts: Ints
    reference: Sequence[Sequence[Any]]
    predicted: Sequence[Sequence[Any]]


def in_list(value: Any, side: Side) -> Sequence[Any]:
    """The argument's documents.

    Args:
        value: a list or any other collection of documents that can be read twice.
        side: which argument it is.

    Raises:
        UsageError: it is none, or a document is where the documents should be.
    """
    name = ARGUMENT[side]
    if not _is_collection(value):
        raise UsageError(f"{name} is of type {type(value).__name__}, but a list of documents is expected")
    documents = value if isinstance(value, (list, tuple)) else list(value)
    first = next(iter(documents), None)
    if isinstance(first, str):
        raise UsageError(f"{name} is a flat list of strings, but a list of documents is expected. {WRAP}: [{name}]")
    if is_span(first):
        raise UsageError(f"{name} is a flat list of spans, but a list of documents is expected. {WRAP}: [{name}]")
    return documents


def is_span(value: Any) -> bool:
    """Whether a value is a span and not a document: (start, end, label), a dict or an object."""
    if isinstance(value, Mapping):
        return True
    if isinstance(value, (tuple, list)) and value and not hasattr(value, "start"):
        return len(value) == SPAN and not isinstance(value[0], str) and isinstance(value[-1], str)
    return hasattr(value, "start") and hasattr(value, "end") and not isinstance(value, str)


def same_number(reference: Sequence[Any], predicted: Sequence[Any]) -> None:
    """Fails unless both sides have as many documents.

    Raises:
        MismatchError: they have not; it shows the first document without a partner.
    """
    if len(reference) == len(predicted):
        return
    at = min(len(reference), len(predicted))
    longer: Side = "reference" if len(reference) > at else "predicted"
    rest = in_document((reference if longer == "reference" else predicted)[at], at, longer)
    raise MismatchError(
        f"the reference has {counted(len(reference), 'document')}, the prediction {len(predicted)}",
        where=f"prediction[{at}]",
        detail=f"{ARGUMENT[longer]}[{at}] has no partner: {list(islice(rest, 2 * SHOWN))}",
        remedy="Give one predicted list for each reference list, in the same order; [] where nothing is predicted.",
    )


def blocks(reference: Sequence[Any], predicted: Sequence[Any], most_documents: int, most_units: int) -> Iterator[Block]:
    """Both sides in blocks of whole documents.

    Args:
        reference: documents, as many as `predicted`.
        predicted: documents.
        most_documents: how many documents a block may hold.
        most_units: how many tags or spans of the reference it may hold, unless its only document has more.

    Raises:
        DataError: a document is none, such as a string in the middle.
    """
    first = 0
    while first < len(reference):
        chunk = reference[first : first + most_documents]
        counts = _counts(chunk, first)  # (documents,)
        size = max(1, int(np.searchsorted(np.cumsum(counts), most_units, side="right")))
        documents = _in_documents(chunk if size >= len(chunk) else chunk[:size], first, "reference")
        other = _in_documents(predicted[first : first + size], first, "predicted")
        yield Block(first, counts[:size], documents, other)
        first += size


def _counts(chunk: Sequence[Any], first: int) -> Ints:
    """Units (documents,) of each document of the reference, none of which is converted for it."""
    try:
        return np.fromiter(map(len, chunk), np.int64, len(chunk))
    except TypeError:  # in_document says which one is no document
        return np.array([len(in_document(document, first + row, "reference")) for row, document in enumerate(chunk)])


def _in_documents(chunk: Sequence[Any], first: int, side: Side) -> Sequence[Sequence[Any]]:
    """Consecutive documents as lists or tuples, which is what they nearly always are."""
    if countOf(map(type, chunk), list) == len(chunk) or set(map(type, chunk)) <= {list, tuple}:
        return chunk
    return [in_document(document, first + row, side) for row, document in enumerate(chunk)]


def in_document(value: Any, number: int, side: Side) -> Sequence[Any]:
    """A document as a list or tuple.

    Args:
        value: a collection of tags or spans.
        number: the document's number, from 0.
        side: which argument it is in.

    Raises:
        DataError: it is no collection.
    """
    if isinstance(value, (list, tuple)):
        return value
    if not _is_collection(value):
        raise DataError(
            f"{value!r} is of type {type(value).__name__}, but a document is a list of tags or of spans",
            where=f"{ARGUMENT[side]}[{number}]",
            remedy=f"{WRAP}; an empty list stands for a document without any.",
        )
    return list(value.tolist() if hasattr(value, "tolist") else value)


def _is_collection(value: Any) -> bool:
    """Whether a value can be read twice as a list."""
    if isinstance(value, (str, bytes, Mapping)) or getattr(value, "ndim", 1) == 0:
        return False
    return hasattr(value, "__iter__") and hasattr(value, "__len__")
