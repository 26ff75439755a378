"""What a person looks at: each stretch of text that the two sides cut up in different ways."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import Passage, Side, WordPairs
from isogloss.findings import Finding, Mark, in_context
from isogloss.metrics.segmentation.regions import KINDS, Regions

SEPARATOR = "|"
LONGEST = 2000  # code points of a sample that is kept whole


def errors(batch: WordPairs, context: int, limit: int | None = None) -> list[Finding]:
    """The errors of a batch in the order of the text, with the words of both sides.

    Positions are code points of the text as the user gave it. A mark's label shows its words. The first error of a
    sample also has the whole sample, where it is not long: its text and where the words of either side stand in it.

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
    last = -1
    for row, low, high, kind in zip(*(column.tolist() for column in (rows, begin, end, regions.kind)), strict=True):
        finding = _finding(batch, row, (low, high), KINDS[kind], context)
        yield finding if row == last else replace(finding, more={**finding.more, **_sample(batch, row)})
        last = row


def _finding(batch: WordPairs, row: int, span: tuple[int, int], kind: str, context: int) -> Finding:
    passage = batch.origin.passage(row)
    assert passage is not None, "words are always those of a text"  # noqa: S101  a promise of the readers
    sides: tuple[tuple[Side, NDArray[np.bool_]], ...] = ("reference", batch.reference), ("predicted", batch.predicted)
    first = span[0] - int(batch.offsets[row])
    words = {
        side: [passage.text[low:high] for low, high in _spans(passage, starts[slice(*span)], first)]
        for side, starts in sides
    }
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


def _sample(batch: WordPairs, row: int) -> dict[str, Any]:
    """The whole sample: its text and the words of both sides, as far as it is short enough."""
    passage = batch.origin.passage(row)
    if passage is None or len(passage.text) > LONGEST:
        return {}
    at = slice(int(batch.offsets[row]), int(batch.offsets[row + 1]))
    sides = {"reference": batch.reference[at], "predicted": batch.predicted[at]}
    return {"sample": {"text": passage.text} | {side: _spans(passage, starts, 0) for side, starts in sides.items()}}


def _spans(passage: Passage, starts: NDArray[np.bool_], first: int) -> list[list[int]]:
    """Where the words of a stretch that begins at its character `first` stand in the text: begin and end of each."""
    edges = [*np.flatnonzero(starts).tolist(), len(starts)]
    return [[*passage.span(first + a, first + b)] for a, b in pairwise(edges)]
