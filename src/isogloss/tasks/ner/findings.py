"""Findings of named entities, and the events behind them.

The events have each reference and predicted span, paired or alone.

The six kinds, `EVENT_KINDS`, are the six scenarios of SemEval-2013 Task 9.1 (Segura-Bedmar et al. 2013), which are the
MUC-5 outcomes (Chinchor and Sundheim 1993) on spans; all but `correct` are kinds of findings:

    correct                     same bounds, same label
    wrong_type                  same bounds, other label
    wrong_boundary              overlapping, same label
    wrong_type_and_boundary     overlapping, other label
    missed                      a reference span alone
    spurious                    a predicted span alone

With a hierarchy of labels, `LEVEL_KINDS` are two kinds of their own, which are `wrong_type` without it:

    too_coarse                  same bounds, the predicted label is an ancestor
    too_fine                    same bounds, the predicted label is a descendant
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.findings import MAX_DOCUMENT_TEXT, CorrectSpan, Finding, Mark, add_context
from isogloss.kernel.provenance import Side, TextExcerpt, get_excerpts, list_places
from isogloss.kernel.scores import Ints
from isogloss.spans.alignment import align_spans
from isogloss.spans.assignment import TooManyOverlapsError
from isogloss.spans.batches import SpanPairs, Spans
from isogloss.spans.overlaps import MinOverlap

EVENT_KINDS = ("correct", "wrong_type", "wrong_boundary", "wrong_type_and_boundary", "missed", "spurious")
LEVEL_KINDS = ("too_coarse", "too_fine")
KINDS = EVENT_KINDS + LEVEL_KINDS
ClassifyEvents = Callable[["SpanEvents", Sequence[str]], Ints]


@dataclass(frozen=True, eq=False)
class SpanEvents:
    """Pairs first, then missed, then spurious spans.

    Args:
        row: (events,) position of the document in the batch.
        reference: (events,) position of the reference span, -1 for none.
        predicted: (events,) position of the predicted span, -1 for none.
        reference_label: (events,) code of the label of the reference span, -1 for none.
        predicted_label: (events,) code of the label of the predicted span, -1 for none.
        same_bounds: (events,) whether both spans exist and have the same bounds.
    """

    row: Ints
    reference: Ints
    predicted: Ints
    reference_label: Ints
    predicted_label: Ints
    same_bounds: NDArray[np.bool_]

    @classmethod
    def from_batch(cls, batch: SpanPairs, min_overlap: MinOverlap | None = None) -> SpanEvents:
        """Align the spans of a batch.

        Args:
            batch: documents with spans.
            min_overlap: the smallest overlap of a pair; None for one unit.

        Raises:
            DataError: if spans of a document overlap each other too often.
        """
        try:
            pairs = align_spans(batch.reference, batch.predicted, min_overlap)
        except TooManyOverlapsError as error:
            error.where = None if error.row is None else batch.provenance.where(error.row, 0, "reference")
            raise
        return cls.from_pairs(batch, pairs.reference, pairs.predicted)

    @classmethod
    def from_pairs(cls, batch: SpanPairs, i: Ints, j: Ints) -> SpanEvents:
        """Build the events of paired spans.

        Args:
            batch: documents with spans.
            i: (pairs,) positions of reference spans; a span with several partners is repeated.
            j: (pairs,) positions of predicted spans.
        """
        missed, spurious = (
            np.delete(np.arange(len(spans)), paired) for spans, paired in ((batch.reference, i), (batch.predicted, j))
        )
        none_missed, none_spurious = np.full(len(missed), -1), np.full(len(spurious), -1)
        r, p = batch.reference, batch.predicted
        same = (r.start[i] == p.start[j]) & (r.end[i] == p.end[j])
        return cls(
            row=np.concatenate([r.row[i], r.row[missed], p.row[spurious]]),
            reference=np.concatenate([i, missed, none_spurious]),
            predicted=np.concatenate([j, none_missed, spurious]),
            reference_label=np.concatenate([r.label[i], r.label[missed], none_spurious]),
            predicted_label=np.concatenate([p.label[j], none_missed, p.label[spurious]]),
            same_bounds=np.concatenate([same, np.zeros(len(missed) + len(spurious), np.bool_)]),
        )

    def classify(self) -> Ints:
        """Return the position in `EVENT_KINDS` of the kind of each event: (events,)."""
        wrong_label = (self.reference_label != self.predicted_label).astype(np.int64)
        paired = np.where(self.same_bounds, wrong_label, 2 + wrong_label)
        return np.where(self.predicted < 0, 4, np.where(self.reference < 0, 5, paired))


def find_span_errors(
    batch: SpanPairs,
    context: int,
    limit: int | None = None,
    pair: Callable[[SpanPairs], SpanEvents] = SpanEvents.from_batch,
    classify: ClassifyEvents | None = None,
) -> list[Finding]:
    """Find events that are not correct, in order of place.

    Args:
        batch: documents with spans.
        context: words of context on each side.
        limit: maximum number of findings, None for all.
        pair: builds the events of the batch.
        classify: (events, labels of the batch) -> kinds; None for the six kinds.
    """
    events = pair(batch)
    kinds = events.classify() if classify is None else classify(events, batch.labels)
    order = _order_errors(batch, events, kinds)[:limit]
    row, reference, predicted = events.row[order], events.reference[order], events.predicted[order]
    rows, document = np.unique(row, return_inverse=True)  # the text of a document is built once for all of its errors
    excerpts, names = get_excerpts(batch.provenance, rows), [batch.provenance.name(one) for one in rows.tolist()]
    correct = _list_correct(batch, events, kinds, rows, excerpts)
    return [
        add_context(Finding(KINDS[kind], names[k], where, marks), excerpts[k], context, correct[k])
        for k, kind, where, marks in zip(
            document.tolist(),
            kinds[order].tolist(),
            _list_places(batch, row, reference, predicted),
            _list_marks(batch, reference, predicted),
            strict=True,
        )
    ]


def _list_correct(
    batch: SpanPairs, events: SpanEvents, kinds: Ints, rows: Ints, excerpts: Sequence[TextExcerpt | None]
) -> list[tuple[CorrectSpan, ...]]:
    """List the correct spans of some documents, in order of place.

    Documents without a text, or with one that is too long to be kept, have none.

    Args:
        batch: documents with spans.
        events: the events of the batch.
        kinds: (events,) their kinds.
        rows: (documents,) positions of the documents in the batch, ascending.
        excerpts: their texts.
    """
    has_text = np.array([each is not None and len(each.text) <= MAX_DOCUMENT_TEXT for each in excerpts], np.bool_)
    at = np.flatnonzero((kinds == 0) & np.isin(events.row, rows[has_text]))
    spans, chosen = batch.predicted, events.predicted[at]
    order = np.lexsort((spans.end[chosen], spans.start[chosen], events.row[at]))
    document, chosen = np.searchsorted(rows, events.row[at[order]]), chosen[order]
    found: list[list[CorrectSpan]] = [[] for _ in rows]
    columns = (column.tolist() for column in (document, spans.start[chosen], spans.end[chosen], spans.label[chosen]))
    for number, start, end, label in zip(*columns, strict=True):
        excerpt = excerpts[number]
        if excerpt is not None:
            begin, stop = excerpt.locate_span(start, end)
            found[number].append((begin, stop, batch.labels[label]))
    return [tuple(each) for each in found]


def _order_errors(batch: SpanPairs, events: SpanEvents, kinds: Ints) -> Ints:
    """Return the events that are not correct, by document and place: (errors,)."""
    place = np.where(
        events.reference >= 0,
        _get_starts(batch.reference, events.reference),
        _get_starts(batch.predicted, events.predicted),
    )
    order = np.lexsort((kinds, place, events.row))
    errors: Ints = order[kinds[order] != 0]
    return errors


def _list_places(batch: SpanPairs, row: Ints, reference: Ints, predicted: Ints) -> list[str]:
    """List the place of each error.

    It is that of the predicted span if there is one: the user looks at its line.
    """
    is_missed = predicted < 0
    reference_start, predicted_start = _get_starts(batch.reference, reference), _get_starts(batch.predicted, predicted)
    is_found = ~is_missed
    missed = iter(list_places(batch.provenance, row[is_missed], reference_start[is_missed], "reference"))
    matched = iter(list_places(batch.provenance, row[is_found], predicted_start[is_found], "predicted"))
    return [next(missed) if alone else next(matched) for alone in is_missed.tolist()]


def _list_marks(batch: SpanPairs, reference: Ints, predicted: Ints) -> Iterator[tuple[Mark, ...]]:
    """Yield the spans of each error, the reference span first."""
    references = _build_marks(batch, "reference", batch.reference, reference)
    predictions = _build_marks(batch, "predicted", batch.predicted, predicted)
    for first, second in zip(reference.tolist(), predicted.tolist(), strict=True):
        if first < 0:
            yield (next(predictions),)
        elif second < 0:
            yield (next(references),)
        else:
            yield next(references), next(predictions)


def _build_marks(batch: SpanPairs, side: Side, spans: Spans, at: Ints) -> Iterator[Mark]:
    """Yield the mark of each span, nothing at -1."""
    at = at[at >= 0]
    labels = [batch.labels[label] for label in spans.label[at].tolist()]
    return map(Mark, repeat(side), labels, spans.start[at].tolist(), spans.end[at].tolist())


def _get_starts(spans: Spans, at: Ints) -> Ints:
    """Return the start of each span, an arbitrary number at -1: (events,)."""
    return np.append(spans.start, 0)[at]
