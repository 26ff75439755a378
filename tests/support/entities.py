"""Small documents with reference and predicted spans, as batches and as events one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from isogloss.kernel.provenance import Side, TextExcerpt
from isogloss.kernel.scores import Ints
from isogloss.spans.batches import SpanPairs, Spans, TokenMatches

LABELS = ("LOC", "ORG", "PER", "U.S.")
Span = tuple[int, int, str]
Event = tuple[Span | None, Span | None]


@dataclass(frozen=True)
class Entities:
    """A document: spans of both sides, and how many of its tokens have equal tags."""

    reference: tuple[Span, ...] = ()
    predicted: tuple[Span, ...] = ()
    correct: int = 0
    total: int = 0

    def swapped(self) -> Entities:
        """Reference and prediction change places."""
        return replace(self, reference=self.predicted, predicted=self.reference)


@dataclass(frozen=True)
class Words:
    """An provenance whose documents, if they have a text at all, have the words w0, w1, ..."""

    documents: Ints
    words: int | None = None

    def name(self, row: int) -> str:
        """The number of the document, from 1."""
        return str(self.documents[row] + 1)

    def where(self, row: int, position: int, side: Side) -> str:
        """Side, document and unit."""
        return f"{side}:{self.documents[row]}:{position}"

    def get_excerpt(self, row: int) -> TextExcerpt | None:
        """The words, joined."""
        return None if self.words is None else TextExcerpt.from_words(f"w{k}" for k in range(self.words))


def span_pairs(
    corpus: Sequence[Entities],
    at: Ints | None = None,
    *,
    tokens: bool = False,
    words: int | None = None,
    unused: Sequence[str] = (),
) -> SpanPairs:
    """The documents at some positions as a batch with a vocabulary of its own.

    Args:
        corpus: all documents.
        at: positions of those in the batch; all of them when left out.
        tokens: whether there are tags.
        words: number of words of each document's text, None for no text.
        unused: labels that the batch knows without using them.
    """
    at = np.arange(len(corpus)) if at is None else at
    chosen = [corpus[k] for k in at.tolist()]
    known = {label for document in chosen for side in (document.reference, document.predicted) for *_, label in side}
    labels = tuple(sorted(known | set(unused)))
    return SpanPairs(
        documents=at,
        labels=labels,
        reference=_spans([document.reference for document in chosen], labels),
        predicted=_spans([document.predicted for document in chosen], labels),
        provenance=Words(at, words),
        tokens=TokenMatches(
            np.array([document.correct for document in chosen], np.int64),
            np.array([document.total for document in chosen], np.int64),
        )
        if tokens
        else None,
    )


def _spans(sides: Sequence[Sequence[Span]], labels: Sequence[str]) -> Spans:
    table = [(row, start, end, labels.index(label)) for row, side in enumerate(sides) for start, end, label in side]
    return Spans.from_unsorted(*np.array(table, np.int64).reshape(-1, 4).T)


def events(document: Entities) -> list[Event]:
    """Pairs, missed and spurious spans of the best of all one-to-one pairings of overlapping spans."""
    reference, predicted = sorted(document.reference), sorted(document.predicted)
    best = min(_pairings(reference, predicted, 0, ()), key=lambda pairs: _rank(reference, predicted, pairs))
    taken = {i for i, _ in best}, {j for _, j in best}
    paired: list[Event] = [(reference[i], predicted[j]) for i, j in best]
    missed: list[Event] = [(span, None) for i, span in enumerate(reference) if i not in taken[0]]
    return paired + missed + [(None, span) for j, span in enumerate(predicted) if j not in taken[1]]


Pairs = tuple[tuple[int, int], ...]


def _overlap(one: Span, two: Span) -> int:
    return min(one[1], two[1]) - max(one[0], two[0])


def _pairings(reference: Sequence[Span], predicted: Sequence[Span], i: int, taken: Pairs) -> Iterator[Pairs]:
    if i == len(reference):
        yield taken
        return
    yield from _pairings(reference, predicted, i + 1, taken)
    free = set(range(len(predicted))) - {j for _, j in taken}
    for j in free:
        if _overlap(reference[i], predicted[j]) > 0:
            yield from _pairings(reference, predicted, i + 1, (*taken, (i, j)))


def _rank(reference: Sequence[Span], predicted: Sequence[Span], pairs: Pairs) -> tuple[tuple[int, ...], Pairs]:
    both = [(reference[i], predicted[j]) for i, j in pairs]
    better = (
        sum(r == p for r, p in both),
        sum(r[:2] == p[:2] for r, p in both),
        sum(r[2] == p[2] for r, p in both),
        len(both),
        sum(_overlap(r, p) for r, p in both),
    )
    return tuple(-number for number in better), pairs


spans = st.tuples(st.integers(0, 6), st.integers(1, 4), st.sampled_from(LABELS)).map(
    lambda s: (s[0], s[0] + s[1], s[2]),
)
sides = st.lists(spans, max_size=4).map(tuple)
entities = st.builds(
    lambda reference, predicted, correct, wrong: Entities(reference, predicted, correct, correct + wrong),
    sides,
    sides,
    st.integers(0, 3),
    st.integers(0, 3),
)
corpora = st.lists(entities, min_size=1, max_size=6)
