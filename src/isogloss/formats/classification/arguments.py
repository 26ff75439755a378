"""Python values with the labels of documents to one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.batches import Passage, Side
from isogloss.exceptions import DataError, MismatchError, UsageError
from isogloss.formats.classification.sheet import Read, Sheet, is_collection
from isogloss.scores import Floats

BLOCK = 1 << 14  # documents
TABLE = 2  # axes: documents and labels


def listed(gold: Any, scores: Any, labels: Sequence[str] | None = None) -> Read:
    """The documents of two lists.

    Args:
        gold: per document its label, a collection of its labels, or a mapping of labels to 0, 1 or None; or an array
            (documents, labels) of 0 and 1.
        scores: per document a mapping of labels to numbers, its label, or a collection of its labels; or an array
            (documents, labels) of numbers, or a data frame of them.
        labels: what the columns of arrays stand for; a data frame knows it.

    Raises:
        UsageError: arguments that cannot be meant.
        MismatchError: there are not as many of both.
        DataError: a value is not what it should be.
    """
    if labels is None and hasattr(scores, "columns"):
        labels = [str(name) for name in scores.columns]
    own, other = _documents(gold, "gold"), _documents(scores, "scores")
    if len(own) != len(other):
        raise MismatchError(
            f"gold has {len(own)} documents, scores has {len(other)}",
            where=f"scores[{min(len(own), len(other))}]",
            remedy="Give the scores of each document, in the same order.",
        )
    sheet = Sheet()
    if _is_table(other):
        sheet.score_columns(_names(labels, other), _numbers(other))
    else:
        _add_scores(sheet, other)
    if labels is not None and not _is_table(other) and not isinstance(own, np.ndarray):
        raise UsageError(
            "labels are the names of an array's columns, but neither side is an array (documents, labels)."
        )
    if isinstance(own, np.ndarray):
        own = _of_columns(own, _names(labels, own))
    for first in range(0, len(own), BLOCK):
        sheet.know(own[first : first + BLOCK], lambda position, first=first: f"gold[{first + position}]")  # type: ignore[misc]
    return sheet.read(_Lists())


@dataclass(frozen=True)
class _Lists:
    """Lists have indices."""

    def name(self, row: int) -> str:
        """The number of a document, from 1."""
        return str(row + 1)

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002  a label is in no part of a document
        """Its index: `scores[3]`."""
        return f"{'gold' if side == 'reference' else 'scores'}[{row}]"

    def passage(self, row: int) -> Passage | None:  # noqa: ARG002  lists have no texts
        """None."""
        return None


def _documents(value: Any, name: str) -> Any:
    """A list of documents, or an array (documents, labels)."""
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__len__") or not hasattr(value, "__iter__"):
        raise UsageError(f"{name} is of type {type(value).__name__}, but a path or a list of documents is expected.")
    if isinstance(value, np.ndarray):
        return value if value.ndim == TABLE else value.tolist()
    return value if isinstance(value, list | tuple) else list(value)


def _is_table(documents: Any) -> bool:
    """Whether documents are rows of numbers."""
    if isinstance(documents, np.ndarray):
        return True
    first = documents[0] if documents else None
    return isinstance(first, list | tuple | np.ndarray) and bool(len(first)) and not isinstance(first[0], str)


def _numbers(rows: Any) -> Floats:
    """An array of numbers (documents, labels)."""
    try:
        numbers = (
            np.array(rows, np.float64) if not isinstance(rows, np.ndarray) else rows.astype(np.float64, copy=False)
        )
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.ndim != TABLE:
        raise UsageError("scores is no array of numbers (documents, labels): its rows differ in length or kind.")
    return numbers


def _names(labels: Sequence[str] | None, rows: Any) -> Sequence[str]:
    width = len(rows[0]) if len(rows) else len(labels or ())
    if labels is None or isinstance(labels, str) or len(labels) != width or len(set(labels)) != width:
        given = "" if labels is None else f", not {len(labels)}"
        raise UsageError(f"An array with {width} columns needs labels=[...]: {width} different names{given}.")
    return labels


def _of_columns(gold: Any, labels: Sequence[str]) -> list[Mapping[str, Any]]:
    """Rows of 0 and 1 as mappings."""
    return [dict(zip(labels, row, strict=True)) for row in gold.tolist()]


def _add_scores(sheet: Sheet, documents: Sequence[Any]) -> None:
    first_document = documents[0] if len(documents) else {}
    mapped = isinstance(first_document, Mapping)
    kind = dict if mapped else str if isinstance(first_document, str) else list
    for first in range(0, len(documents), BLOCK):
        block = documents[first : first + BLOCK]
        for row, document in enumerate(block, first):
            _check(document, f"scores[{row}]", kind)
        if mapped:
            sheet.score(block)
        else:
            sheet.choose(block)


def _check(document: Any, where: str, kind: type) -> None:
    """Fails unless a document has scores of labels, or names labels, as the first does."""
    if kind is dict:
        good = isinstance(document, Mapping) and set(map(type, document.values())) <= NUMBERS
        expected = "a mapping of labels to numbers"
    else:
        good = isinstance(document, str) if kind is str else is_collection(document)
        expected = "a label" if kind is str else "a list of labels"
    if not good:
        raise DataError(
            f"{document!r} is not {expected}",
            where=where,
            remedy="Give all documents scores of labels, or all of them labels.",
        )


NUMBERS = {float, int, np.float64, np.float32, np.float16, np.int64, np.int32}
