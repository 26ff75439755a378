"""What a person looks at: each stretch of text that the two sides cut up in different ways."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import Passage, Side, WordPairs
from isogloss.findings import Finding, Mark, in_context
from isogloss.metrics.segmentation.regions import KINDS, Regions

SEPARATOR = "|"


def errors(batch: WordPairs, context: int, limit: int | None = None) -> list[Finding]:
    """The errors of a batch in the order of the text, with the words of both sides.

    Positions are code points of the text as the user gave it. A mark's label shows its words.

    Args:
        batch: documents that both sides cut.
        context: words to show on each side.
        limit: at most so many.
    """
    return list(islice(_errors(batch, context), limit))


def _errors(batch: WordPairs, context: int) -> Iterator[Finding]:
    regions = Regions.of(batch)
    begin = regions.begin
    rows = np.searchsorted(batch.offsets, begin, side="right") - 1  # (wrong,)
    after = np.append(regions.at, len(batch.text)).take(regions.after)
    end = np.minimum(after, batch.offsets[rows + 1])
    for row, low, high, kind in zip(*(column.tolist() for column in (rows, begin, end, regions.kind)), strict=True):
        yield _finding(batch, row, (low, high), KINDS[kind], context)


def _finding(batch: WordPairs, row: int, span: tuple[int, int], kind: str, context: int) -> Finding:
    passage = batch.origin.passage(row)
    assert passage is not None, "words are always those of a text"  # noqa: S101  a promise of the readers
    sides: tuple[tuple[Side, NDArray[np.bool_]], ...] = ("reference", batch.reference), ("predicted", batch.predicted)
    words = {side: _words(passage, starts[slice(*span)], span[0] - int(batch.offsets[row])) for side, starts in sides}
    first = span[0] - int(batch.offsets[row])
    start, end = passage.span(first, first + span[1] - span[0])
    marks = tuple(Mark(side, SEPARATOR.join(cut), start, end) for side, cut in words.items())
    finding = Finding(
        kind=kind,
        document=batch.origin.name(row),
        where=batch.origin.where(row, first, "predicted"),
        marks=marks,
        more={f"{side}_words": cut for side, cut in words.items()},
    )
    return in_context(finding, Passage(passage.text), context)


def _words(passage: Passage, starts: NDArray[np.bool_], first: int) -> list[str]:
    """The words of a stretch as they stand in the text."""
    edges = [*np.flatnonzero(starts).tolist(), len(starts)]
    spans = (passage.span(first + a, first + b) for a, b in pairwise(edges))
    return [passage.text[a:b] for a, b in spans]
