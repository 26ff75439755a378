"""Batches of documents with two sides.

A side has tokens with tags, or texts with labelled spans.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.provenance import SIDES, Provenance, RunWarning, Side
from isogloss.kernel.scores import Ints

Codes = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class TagPairs:
    """Documents of tokens that have a reference and a predicted tag.

    Args:
        documents: (documents,) number of each document.
        offsets: (documents + 1,) position of each document's first token; the last is the number of tokens.
        vocabulary: the tags that codes stand for, "O" first; this batch need not use all.
        reference: (tokens,) codes of the reference.
        predicted: (tokens,) codes of the prediction.
        provenance: source of the documents, for names and places.
        sides: the sides that have tags; the codes of a side without tags are all 0.
    """

    documents: Ints
    offsets: Ints
    vocabulary: tuple[str, ...]
    reference: Codes
    predicted: Codes
    provenance: Provenance
    sides: tuple[Side, ...] = SIDES

    def __post_init__(self) -> None:
        if len(self.offsets) != len(self.documents) + 1 or self.vocabulary[:1] != ("O",):
            raise ValueError("a batch has an offset before and after each document, and 'O' is code 0")
        if not len(self.reference) == len(self.predicted) == self.offsets[-1]:
            raise ValueError(f"{len(self.reference)} and {len(self.predicted)} tags for {self.offsets[-1]} tokens")


@dataclass(frozen=True, eq=False)
class Spans:
    """Labelled spans of a batch, ascending by (row, start, end, label).

    Args:
        row: (spans,) position of the document in the batch.
        start: (spans,) first unit.
        end: (spans,) unit after the last; `end > start`.
        label: (spans,) position in the batch's labels.
    """

    row: Ints
    start: Ints
    end: Ints
    label: Ints

    def __len__(self) -> int:
        return len(self.row)

    @classmethod
    def from_unsorted(cls, row: Ints, start: Ints, end: Ints, label: Ints) -> Spans:
        """Sort spans."""
        order = np.lexsort((label, end, start, row))
        return cls(row[order], start[order], end[order], label[order])

    def take(self, at: Ints | NDArray[np.bool_]) -> Spans:
        """Take the spans at these positions, or of this mask, in order."""
        return Spans(self.row[at], self.start[at], self.end[at], self.label[at])


@dataclass(frozen=True, eq=False)
class TokenMatches:
    """Number of tokens with equal tags on both sides, per document.

    Args:
        correct: (documents,) tokens with equal tags.
        total: (documents,) all tokens.
    """

    correct: Ints
    total: Ints


@dataclass(frozen=True, eq=False)
class SpanPairs:
    """Documents with reference and predicted spans.

    Args:
        documents: (documents,) number of each document.
        labels: the labels that codes stand for, ascending and unique, so that codes sort like labels.
        reference: spans of the reference.
        predicted: spans of the prediction.
        provenance: source of the documents, for names and places.
        tokens: number of equal tags; None without tags, or if labels were changed.
        warnings: warnings about the input.
        lengths: (documents,) number of tokens if `tokens` is None; None if it is unknown.
    """

    documents: Ints
    labels: tuple[str, ...]
    reference: Spans
    predicted: Spans
    provenance: Provenance
    tokens: TokenMatches | None = None
    warnings: tuple[RunWarning, ...] = field(default=())
    lengths: Ints | None = None


DecodeTags = Callable[[TagPairs], SpanPairs]
