"""Corpora of tag lists as batches, and spans as lists, for the tests of tagging."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from isogloss.kernel.provenance import Side, TextExcerpt
from isogloss.spans.batches import SpanPairs, Spans, TagPairs

Documents = Sequence[Sequence[str]]
Found = list[list[tuple[int, int, str]]]


@dataclass(frozen=True)
class Lists:
    """The origin of documents given as lists; `first` is the number of the first document."""

    first: int = 0

    def name(self, row: int) -> str:
        return str(self.first + row + 1)

    def where(self, row: int, position: int, side: Side) -> str:
        return f"{side}[{self.first + row}][{position}]"

    def get_excerpt(self, row: int) -> TextExcerpt | None:
        return None


def batch_of(
    reference: Documents,
    predicted: Documents | None = None,
    *,
    vocabulary: Sequence[str] | None = None,
    dtype: Any = np.uint8,
    first: int = 0,
) -> TagPairs:
    """Documents as one batch; both sides are the same where only one is given."""
    predicted = reference if predicted is None else predicted
    used = {tag for document in [*reference, *predicted] for tag in document} - {"O"}
    vocabulary = ("O", *sorted(used)) if vocabulary is None else tuple(vocabulary)
    code = {tag: at for at, tag in enumerate(vocabulary)}
    return TagPairs(
        documents=np.arange(first, first + len(reference)),
        offsets=np.cumsum([0, *map(len, reference)]),
        vocabulary=vocabulary,
        reference=np.array([code[tag] for document in reference for tag in document], dtype),
        predicted=np.array([code[tag] for document in predicted for tag in document], dtype),
        origin=Lists(first),
    )


def spans_of(pairs: SpanPairs, side: Side = "predicted") -> Found:
    """Spans by document, as (start, end, label), in the order of the arrays."""
    spans: Spans = getattr(pairs, side)
    found: Found = [[] for _ in pairs.documents]
    for row, start, end, label in zip(spans.row, spans.start, spans.end, spans.label, strict=True):
        found[row].append((int(start), int(end), pairs.labels[label]))
    return found


@pytest.fixture(scope="session")
def batch() -> Callable[..., TagPairs]:
    """Builds a batch from tag lists."""
    return batch_of


@pytest.fixture(scope="session")
def spans() -> Callable[..., Found]:
    """Reads the spans of one side as lists."""
    return spans_of
