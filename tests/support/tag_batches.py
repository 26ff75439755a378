"""Batches of tags from lists, and spans as lists."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.kernel.provenance import Side, TextExcerpt
from isogloss.spans.batches import SpanPairs, Spans, TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.scheme_detection import use_named_scheme
from isogloss.spans.schemes import TagRepair

Documents = Sequence[Sequence[str]]
FoundSpans = list[list[tuple[int, int, str]]]


@dataclass(frozen=True)
class ListOrigin:
    """Origin of documents given as lists; `first` is the number of the first document."""

    first: int = 0

    def name(self, row: int) -> str:
        """Number of the document, from 1."""
        return str(self.first + row + 1)

    def where(self, row: int, position: int, side: Side) -> str:
        """Side, document and token."""
        return f"{side}[{self.first + row}][{position}]"

    def get_excerpt(self, row: int) -> TextExcerpt | None:
        """Return no text."""
        return None


def make_batch(
    reference: Documents,
    predicted: Documents | None = None,
    *,
    vocabulary: Sequence[str] | None = None,
    dtype: Any = np.uint8,
    first: int = 0,
) -> TagPairs:
    """Build a batch; without a prediction both sides are the same."""
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
        provenance=ListOrigin(first),
    )


def list_spans(pairs: SpanPairs, side: Side = "predicted") -> FoundSpans:
    """List the spans of each document as (start, end, label), in the order of the arrays."""
    spans: Spans = getattr(pairs, side)
    found: FoundSpans = [[] for _ in pairs.documents]
    for row, start, end, label in zip(spans.row, spans.start, spans.end, spans.label, strict=True):
        found[row].append((int(start), int(end), pairs.labels[label]))
    return found


def decode_tags(
    scheme: str,
    reference: Documents,
    predicted: Documents | None = None,
    *,
    repair: TagRepair = "begin",
    tags: Sequence[str] = (),
    **options: Any,
) -> SpanPairs:
    """Decode documents in a named scheme; `tags` show the notation, `options` are those of `make_batch`."""
    return Decoder(use_named_scheme(scheme, tags), repair)(make_batch(reference, predicted, **options))
