"""Reference and prediction as Python arguments.

An argument is a path, a list of tag lists, or a list of span lists. Here are its kind, and its documents in blocks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import countOf
from typing import Any, Literal

import numpy as np

from isogloss.errors import DataError, MismatchError, UsageError
from isogloss.kernel.provenance import Side
from isogloss.kernel.scores import Ints
from isogloss.text.display import format_count

ArgumentKind = Literal["path", "tags", "spans", "empty"]
ARGUMENT_FORMS = "paths, lists of tag lists, or lists of span lists"
KIND_WORDS: dict[ArgumentKind, str] = {
    "path": "a path",
    "tags": "a list of tag lists",
    "spans": "a list of span lists",
    "empty": "a list of empty lists",
}
ARGUMENT_NAMES: dict[Side, str] = {"reference": "reference", "predicted": "prediction"}
SPAN_LENGTH = 3  # start, end, label
SHOWN = 4  # tags or spans shown on either side of a place
WRAP_REMEDY = "For a single document, wrap it in a list"


def detect_argument_kind(value: Any, side: Side) -> ArgumentKind:
    """Return the kind of an argument, by its first non-empty document.

    Args:
        value: the argument.
        side: which argument it is, for messages.

    Returns:
        "empty" if all documents are: it fits tags and spans.

    Raises:
        UsageError: if it is not of any kind, or is a single document instead of a list of documents.
        DataError: if the first item is neither a tag nor a span.
    """
    if isinstance(value, (str, os.PathLike)):
        return "path"
    for number, document in enumerate(to_document_list(value, side)):
        for first in to_unit_list(document, number, side)[:1]:
            return _detect_item_kind(first, f"{ARGUMENT_NAMES[side]}[{number}][0]")
    return "empty"


def detect_common_kind(reference: Any, prediction: Any) -> ArgumentKind:
    """Return the common kind of both arguments.

    Args:
        reference: the reference argument.
        prediction: the prediction argument.

    Returns:
        "empty" if all documents of both are.

    Raises:
        UsageError: if their kinds differ.
        DataError: if the first item of one is neither a tag nor a span.
    """
    kinds: tuple[ArgumentKind, ArgumentKind] = (
        detect_argument_kind(reference, "reference"),
        detect_argument_kind(prediction, "predicted"),
    )
    known = set(kinds) - {"empty"}
    if len(known) > 1 or ("path" in known and "empty" in kinds):
        raise UsageError(
            f"reference is {KIND_WORDS[kinds[0]]}, but prediction is {KIND_WORDS[kinds[1]]}. Both must be of one kind: "
            f"{ARGUMENT_FORMS}"
        )
    return known.pop() if known else "empty"


def _detect_item_kind(item: Any, where: str) -> ArgumentKind:
    if isinstance(item, str):
        return "tags"
    if is_span(item):
        return "spans"
    remedy = "A tag is a string. A span is a tuple (start, end, label), a dict with these keys, or such an object."
    if isinstance(item, int):
        remedy = "Replace the numbers by the names of their tags, such as 'B-PER'; isogloss.ner takes label_names=."
    raise DataError(f"{item!r} is neither a tag nor a span", where=where, remedy=remedy)


@dataclass(frozen=True, eq=False)
class DocumentBlock:
    """Consecutive documents of both sides.

    Args:
        first: number of the first document, from 0.
        counts: (documents,) tags of each document on both sides; of the reference if the sides may differ.
        reference: (documents,) their reference.
        predicted: (documents,) their prediction.
    """

    first: int
    counts: Ints
    reference: Sequence[Sequence[Any]]
    predicted: Sequence[Sequence[Any]]


def to_document_list(value: Any, side: Side) -> Sequence[Any]:
    """Return the documents of an argument as a list.

    Args:
        value: a list or any other collection of documents that can be read twice.
        side: which argument it is.

    Raises:
        UsageError: if it is not such a collection, or is a single document instead of a list of documents.
    """
    name = ARGUMENT_NAMES[side]
    if not _is_collection(value):
        raise UsageError(f"{name} must be a list of documents, got {type(value).__name__}")
    documents = value if isinstance(value, (list, tuple)) else list(value)
    first = next(iter(documents), None)
    if isinstance(first, str):
        raise UsageError(
            f"{name} is a flat list of strings, but a list of documents is expected. {WRAP_REMEDY}: [{name}]"
        )
    if is_row(first):
        raise UsageError(
            f"{name} is a list of rows, such as {{'tokens': …, 'tags': …}}, but a list of tag lists or span lists is "
            "expected. Give the tags or spans of each row; isogloss.ner takes rows too"
        )
    if is_span(first):
        raise UsageError(
            f"{name} is a flat list of spans, but a list of documents is expected. {WRAP_REMEDY}: [{name}]"
        )
    return documents


def is_row(value: Any) -> bool:
    """Return whether a value is a document as a dict.

    An example is `{"tokens": ..., "tags": ...}`. A span is not a document.
    """
    return isinstance(value, Mapping) and "start" not in value and "end" not in value


def is_span(value: Any) -> bool:
    """Return whether a value is a span and not a document.

    A span is (start, end, label), a dict or an object.
    """
    if isinstance(value, Mapping):
        return True
    if isinstance(value, (tuple, list)) and value and not hasattr(value, "start"):
        return len(value) == SPAN_LENGTH and not isinstance(value[0], str) and isinstance(value[-1], str)
    return hasattr(value, "start") and hasattr(value, "end") and not isinstance(value, str)


def read_blocks(reference: Any, prediction: Any, max_documents: int, max_units: int) -> Iterator[DocumentBlock]:
    """Read both sides in blocks of whole documents.

    Args:
        reference: a list or any other collection of documents that can be read twice.
        prediction: as many documents.
        max_documents: the maximum number of documents of a block.
        max_units: the maximum number of tags or spans of the reference in a block of several documents.

    Raises:
        UsageError: if an argument is not a list of documents.
        MismatchError: if the numbers of documents differ.
        DataError: if a document is not a list, such as a string in the middle.
    """
    documents, others = to_document_list(reference, "reference"), to_document_list(prediction, "predicted")
    _check_document_counts(documents, others)
    first = 0
    while first < len(documents):
        chunk = documents[first : first + max_documents]
        counts = _count_units(chunk, first)  # (documents,)
        size = max(1, int(np.searchsorted(np.cumsum(counts), max_units, side="right")))
        converted = _convert_documents(chunk if size >= len(chunk) else chunk[:size], first, "reference")
        other = _convert_documents(others[first : first + size], first, "predicted")
        yield DocumentBlock(first, counts[:size], converted, other)
        first += size


def _check_document_counts(reference: Sequence[Any], predicted: Sequence[Any]) -> None:
    """Check that both sides have equally many documents.

    The error shows the first document without a partner.
    """
    if len(reference) == len(predicted):
        return
    at = min(len(reference), len(predicted))
    longer: Side = "reference" if len(reference) > at else "predicted"
    rest = to_unit_list((reference if longer == "reference" else predicted)[at], at, longer)
    raise MismatchError(
        f"the reference has {format_count(len(reference), 'document')}, the prediction {len(predicted)}",
        where=f"prediction[{at}]",
        detail=f"{ARGUMENT_NAMES[longer]}[{at}] has no partner: {list(islice(rest, 2 * SHOWN))}",
        remedy="Give one predicted list for each reference list, in the same order; [] where nothing is predicted.",
    )


def _count_units(chunk: Sequence[Any], first: int) -> Ints:
    """Return (documents,) the number of units of each reference document.

    The documents are not converted.
    """
    try:
        return np.fromiter(map(len, chunk), np.int64, len(chunk))
    except TypeError:  # to_unit_list names the item that is not a document
        return np.array([len(to_unit_list(document, first + row, "reference")) for row, document in enumerate(chunk)])


def _convert_documents(chunk: Sequence[Any], first: int, side: Side) -> Sequence[Sequence[Any]]:
    """Return consecutive documents as lists or tuples, which they nearly always are."""
    if countOf(map(type, chunk), list) == len(chunk) or set(map(type, chunk)) <= {list, tuple}:
        return chunk
    return [to_unit_list(document, first + row, side) for row, document in enumerate(chunk)]


def to_unit_list(value: Any, number: int, side: Side) -> Sequence[Any]:
    """Return a document as a list or tuple.

    Args:
        value: a collection of tags or spans.
        number: the number of the document, from 0.
        side: which argument holds it.

    Raises:
        DataError: if it is not a collection.
    """
    if isinstance(value, (list, tuple)):
        return value
    if not _is_collection(value):
        raise DataError(
            f"{value!r} is of type {type(value).__name__}, but a document is a list of tags or of spans",
            where=f"{ARGUMENT_NAMES[side]}[{number}]",
            remedy=f"{WRAP_REMEDY}; an empty list stands for a document without any.",
        )
    return list(value.tolist() if hasattr(value, "tolist") else value)


def _is_collection(value: Any) -> bool:
    """Return whether a value can be read twice as a list."""
    if isinstance(value, (str, bytes, Mapping)) or getattr(value, "ndim", 1) == 0:
        return False
    return hasattr(value, "__iter__") and hasattr(value, "__len__")
