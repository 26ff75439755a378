"""FairEval after Ortmann (2022), which counts each error once: `compare_spans(target_spans, system_spans)`.

Definition of the scores
    1. Each error is a pair of spans or one span alone, see the next part. The kinds are named as in the default; the
       paper's names are in brackets.

           kind                                 spans of a pair
           correct (TP)                         same bounds, same label
           wrong_type (LE, labeling error)      same bounds, other label
           wrong_boundary (BE, boundary error)  other bounds, same label
           wrong_type_and_boundary (LBE)        other bounds, other label
           missed (FN), spurious (FP)           alone

    2. `fair`: each of the three errors of pairs is half a false positive and half a false negative,

           precision = TP / (TP + FP + (LE + BE + LBE) / 2),  recall = TP / (TP + FN + (LE + BE + LBE) / 2).

    3. `fair_weighted`: the paper's other weights. A boundary error is half a true positive; its other half is a false
       negative where the predicted span lies within the reference span (`smaller`, BES), a false positive where it is
       the other way round (`larger`, BEL), and half of either where they cross (`crossing`, BEO).
    4. `strict`: the traditional evaluation. A reference span that is among the predicted ones is a true positive, else
       a false negative; a predicted span that is not among those of the reference is a false positive.
    5. F is the harmonic mean of precision and recall. 0/0 is 0.
    6. By label, an error of a pair counts for the label of the reference span, a spurious span for its own.

Definition of the pairs
    1. Spans with the same bounds and label are pairs; then spans with the same bounds and other labels, in the order of
       labels. They take no part in what follows.
    2. The remaining spans are paired where they overlap, first those of the same label, then those of different ones:
       a. each reference span, shorter ones first, with a predicted span that is not paired yet;
       b. each reference span that is left, with a predicted one that is paired already;
       c. each predicted span that is left, with a reference span that is paired already.
    3. A pair uses up the units that its spans share: b and c ask for a unit that both spans have left. So a span that
       is cut in two is two errors, and a unit is part of one error.
    4. Of several partners that one is taken which shares most units, then the one with fewest other units left, then
       the shortest, then, in a, the one that starts first, then the one whose label comes first; in b and c the one
       that was paired first. Units that are used up do not count.

Spans without an overlap, or with used-up overlaps only, stay alone. The result depends on the spans alone, in the order
of (start, end, label).

Limits, in CPU time of one core. Spans that overlap at most one other span cost what sorting them costs. Larger groups
of overlapping spans are compared pair by pair: 2,000 spans on each side in one group take 1.5 s, 5,000 under
a span that covers them all 12 s. The length of spans costs nothing.

Source: Ortmann (2022), "Fine-Grained Error Analysis and Fair Evaluation of Labeled Spans", LREC, after Manning (2006).

Differences from the default definition
    1. A span can be part of several errors: where one is predicted as two, both are boundary errors. So the counts of
       `fair` do not add up to the numbers of spans, and there is no `possible` and `actual`.
    2. The figures of labels have no sides: precision and recall of a label share the errors of its reference spans.

What is reproduced
    1. The counts of TP, FP, LE, BE, LBE and FN, those of BES, BEL and BEO, and TP, FP and FN of the traditional
       evaluation, overall and by label.
    2. Precision, recall and F of the traditional and the fair evaluation, and of the weighted one with the weights that
       the paper suggests.
    3. `focus=target`, its default: errors of pairs count for the label of the reference.

Exceptions
    1. Tags are read as without a profile. Its own reader wants B where a span begins: it ends with a Python error at
       `O I-P`, and reads `B-P I-L` as one span `P`. Its labels end at the second hyphen: that of `B-A-B` is `A`.
    2. Spans of equal length come in the order of (start, end, label), there in the order of the file. It matters where
       spans are equally good partners: `P[0,2) Q[0,2)` → `R[0,2)` is a labeling error of `P` here, and there of the
       one that comes first; the other is missed.
    3. Spans do not have holes: there are no sets of tokens, and punctuation is not left out.
    4. `focus=system`, other weights and labels left out (`exclude`) are not offered; `labels` keeps some.
    5. Its confusion matrix leaves correct spans out; here they are on the diagonal with the boundary errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import CellName, Counts, pack_codes
from isogloss.kernel.scores import Floats, Ints, Scores, compute_f_measure, divide
from isogloss.kernel.sums import Sums
from isogloss.spans.batches import SpanPairs, Spans
from isogloss.spans.overlaps import encode_rows_jointly, pair_equal
from isogloss.tasks.ner.findings import EVENT_KINDS, SpanEvents
from isogloss.tasks.ner.metric import (
    SchemaFigures,
    count_confusion,
    count_event_kinds,
    find_cell_labels,
    name_figures,
    sum_by_label,
)
from isogloss.tasks.ner.profiles import NerProfile

PlacedSpan = tuple[int, int, int, int]  # start, end, label, position in its side


def group_overlapping_spans(reference: Spans, predicted: Spans, *groups: Ints) -> tuple[Ints, Ints]:
    """Number the groups of spans of both sides connected by overlaps.

    Args:
        reference: spans.
        predicted: spans.
        groups: (reference,) and (predicted,) codes; spans with different codes are never in one group.

    Returns:
        (reference,) and (predicted,) numbers from 0, ascending with code and place.
    """
    start, end, group = (
        np.concatenate(pair) for pair in ((reference.start, predicted.start), (reference.end, predicted.end), groups)
    )
    places = np.concatenate((start, end))  # (2 * spans,) here and below
    sizes = (int(group.max(initial=0)) + 1, int(places.max(initial=0)) + 1)
    codes = pack_codes(zip((np.tile(group, 2), places), sizes, strict=True), len(places))
    order = np.argsort(codes[: len(group)], kind="stable")
    start, end = codes[: len(group)][order], codes[len(group) :][order]
    fresh = np.append(True, start[1:] >= np.maximum.accumulate(end)[:-1])[: len(order)]
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(fresh) - 1
    return number[: len(reference)], number[len(reference) :]


def split_by_group(spans: Spans, group: Ints, selected: NDArray[np.bool_]) -> Iterator[list[PlacedSpan]]:
    """Yield the spans of each selected group, in group order.

    Args:
        spans: spans of one side.
        group: (spans,) number of the group of each span.
        selected: (groups,) whether to yield a group.
    """
    at = np.flatnonzero(selected[group])
    at = at[np.argsort(group[at], kind="stable")]
    columns = spans.start[at], spans.end[at], spans.label[at], at
    placed = list(zip(*(column.tolist() for column in columns), strict=True))
    stop = 0
    for size in np.bincount(group[at], minlength=len(selected))[selected].tolist():
        yield placed[stop : stop + size]
        stop += size


SpanPositions = tuple[Ints, Ints]


def build_fair_events(batch: SpanPairs) -> SpanEvents:
    """Build the events of a batch.

    First come pairs, where a span may be repeated, then missed spans, then spurious spans.
    """
    sides = batch.reference, batch.predicted
    left = np.arange(len(sides[0])), np.arange(len(sides[1]))
    pairs_found = []
    for with_label in (True, False):
        pairs = _pair_equal(*(side.take(at) for side, at in zip(sides, left, strict=True)), with_label=with_label)
        pairs_found.append((left[0][pairs[0]], left[1][pairs[1]]))
        left = np.delete(left[0], pairs[0]), np.delete(left[1], pairs[1])
    rest = [side.take(at) for side, at in zip(sides, left, strict=True)]
    pairs_found += [(left[0][i], left[1][j]) for i, j in _pair_overlapping(*rest)]
    reference, predicted = (np.concatenate(columns) for columns in zip(*pairs_found, strict=True))
    return SpanEvents.from_pairs(batch, reference, predicted)


def _pair_equal(reference: Spans, predicted: Spans, *, with_label: bool) -> SpanPositions:
    """Pair spans with the same bounds.

    The n-th of several spans with the same bounds is paired with the n-th. Both results are (pairs,) positions.
    """
    if not len(reference) or not len(predicted):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    columns = [(s.row, s.start, s.end - s.start, *([s.label] * with_label)) for s in (reference, predicted)]
    return pair_equal(*encode_rows_jointly(*columns))


def _pair_overlapping(reference: Spans, predicted: Spans) -> Iterator[SpanPositions]:
    """Pair overlapping spans without equal bounds: two (pairs,) positions at a time."""
    groups = group_overlapping_spans(reference, predicted, reference.row, predicted.row)
    number = int(max((k.max(initial=-1) for k in groups), default=-1)) + 1
    sizes = [np.bincount(k, minlength=number) for k in groups]  # (groups,) each
    single = (sizes[0] == 1) & (sizes[1] == 1)
    at = [np.flatnonzero(single[k]) for k in groups]
    yield at[0][np.argsort(groups[0][at[0]])], at[1][np.argsort(groups[1][at[1]])]
    larger = (sizes[0] > 0) & (sizes[1] > 0) & ~single
    placed = (split_by_group(spans, k, larger) for spans, k in zip((reference, predicted), groups, strict=True))
    pairs = [pair for sides in zip(*placed, strict=True) for pair in _pair_group(*sides)]
    i, j = np.array(pairs, np.int64).reshape(-1, 2).T
    yield i, j


@dataclass(eq=False)
class _OpenSpan:
    """A span without a partner so far.

    Args:
        position: position in its side.
        label: code of the label.
        length: number of units.
        remaining: segments of the group that the span has and no pair has used up, as bits.
    """

    position: int
    label: int
    length: int
    remaining: int

    def remove_overlap(self, other: _OpenSpan) -> None:
        """Remove the shared segments from both spans."""
        shared = self.remaining & other.remaining
        self.remaining &= ~shared
        other.remaining &= ~shared


class _Segments:
    """The segments of a group between starts and ends of spans.

    Args:
        spans: the spans of the group.
    """

    def __init__(self, spans: Sequence[PlacedSpan]) -> None:
        places = sorted({place for start, end, _, _ in spans for place in (start, end)})
        self._number = {place: number for number, place in enumerate(places)}
        lengths = [end - start for start, end in pairwise(places)]
        self._digits = [
            sum(1 << number for number, length in enumerate(lengths) if length >> digit & 1)
            for digit in range(max(lengths).bit_length())
        ]

    def open_spans(self, side: Iterable[PlacedSpan]) -> list[_OpenSpan]:
        """Return the spans of a side, shorter ones first."""
        number = self._number
        spans = [
            _OpenSpan(at, label, end - start, (1 << number[end]) - (1 << number[start]))
            for start, end, label, at in side
        ]
        return sorted(spans, key=lambda span: span.length)

    def count_units(self, segments: int) -> int:
        """Count the units of segments, by binary digits of their lengths."""
        return sum((segments & having).bit_count() << digit for digit, having in enumerate(self._digits))


def _pair_group(reference: Sequence[PlacedSpan], predicted: Sequence[PlacedSpan]) -> Iterator[tuple[int, int]]:
    """Pair the spans of one group: positions in their sides."""
    segments = _Segments([*reference, *predicted])
    new = [segments.open_spans(side) for side in (reference, predicted)]
    paired: list[list[_OpenSpan]] = [[], []]
    for same_label in (True, False):
        for span, partner in _match_spans(new[0], new[1], segments, same_label=same_label):
            new[1].remove(partner)
            paired[0].append(span)
            paired[1].append(partner)
            yield span.position, partner.position
        for span, partner in _match_spans(new[0], paired[1], segments, same_label=same_label):
            paired[0].append(span)
            yield span.position, partner.position
        for partner, span in _match_spans(new[1], paired[0], segments, same_label=same_label):
            paired[1].append(partner)
            yield span.position, partner.position


def _match_spans(
    seeking: list[_OpenSpan],
    offered: list[_OpenSpan],
    segments: _Segments,
    *,
    same_label: bool,
) -> Iterator[tuple[_OpenSpan, _OpenSpan]]:
    """Yield each span with a partner.

    Remove the span from `seeking`, and use up the shared segments.
    """
    units = segments.count_units
    for span in list(seeking):
        suitable = [
            (-units(shared), units(other.remaining), other.length, k)
            for k, other in enumerate(offered)
            if (span.label == other.label) == same_label and (shared := span.remaining & other.remaining)
        ]
        if suitable:
            partner = offered[min(suitable)[-1]]
            span.remove_overlap(partner)
            seeking.remove(span)
            yield span, partner


FAIR_COLUMNS = ("same_bounds", "overlapping", "unpaired", "smaller", "larger", "found", "expected", "strays")
PREDICTED_COLUMNS = ("spurious", "strays")  # what counts for the label of the predicted span
CellCounts = Mapping[str, Ints]
CountRows = tuple[Ints, Ints, Ints, Ints]


@dataclass(frozen=True)
class FairSpans:
    """The metric of Ortmann (2022), without options."""

    def count(self, batch: SpanPairs) -> Counts:
        """Count the events of a batch, and the spans in common.

        A span is in common if the other side has it too.
        """
        r, p = batch.reference, batch.predicted
        matches, strays = _find_exact_matches(batch)
        blocks = [
            _count_events(batch),
            _build_rows(r.row, r.label, np.full(len(r), -1), found=matches, expected=1),
            _build_rows(p.row, np.full(len(p), -1), p.label, strays=strays),
        ]
        row, reference, predicted, values = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
        parts = {"reference": (reference, batch.labels), "predicted": (predicted, batch.labels)}
        return Counts.build(batch.documents, dict(zip(FAIR_COLUMNS, values.T, strict=True)), row=row, parts=parts)

    def overall(self, sums: Sums) -> Scores:
        """Return the three evaluations over all labels."""
        counted = {name: value.sum(axis=-1) for name, value in _list_cell_counts(sums).items()}
        figures = _compute_figures(counted)
        strict = figures["strict"]
        figures["strict"] = {name: strict[name] for name in strict if not name.startswith("correct_")}
        return {(group, name): value for group, own in figures.items() for name, value in own.items()}

    def score(self, sums: Sums) -> Scores:
        """Return overall scores, scores by label, and counts of each kind."""
        labels, (reference, predicted) = find_cell_labels(sums)
        scores = self.overall(sums)
        counted = {}  # (..., labels) each
        for name, value in _list_cell_counts(sums).items():
            side = predicted if name in PREDICTED_COLUMNS else reference
            counted[name] = sum_by_label(value[..., None], side, len(labels))[..., 0]
        for group, own in _compute_figures(counted).items():
            named = {name: value for name, value in own.items() if (group, name) != ("strict", "correct")}
            scores |= name_figures(("by_label",), labels, group, named)
        total = count_event_kinds(sums).sum(axis=-2)
        return scores | {("findings", kind): total[..., k] for k, kind in enumerate(EVENT_KINDS)}

    def confusion(self, sums: Sums) -> dict[tuple[CellName, CellName], int]:
        """Count pairs, missed and spurious spans by (reference label, predicted label)."""
        return count_confusion(sums)


def _count_events(batch: SpanPairs) -> CountRows:
    """Count the events of a batch.

    For overlapping spans, count also whether one lies within the other.
    """
    events = build_fair_events(batch)
    paired = (events.reference >= 0) & (events.predicted >= 0)
    overlapping = paired & ~events.same_bounds
    i, j = events.reference[overlapping], events.predicted[overlapping]
    r, p = batch.reference, batch.predicted
    within = np.zeros((2, len(paired)), np.bool_)  # predicted in reference, reference in predicted
    within[:, overlapping] = (
        (r.start[i] <= p.start[j]) & (p.end[j] <= r.end[i]),
        (p.start[j] <= r.start[i]) & (r.end[i] <= p.end[j]),
    )
    columns = (events.same_bounds, overlapping, ~paired, *within)
    counted = dict(zip(FAIR_COLUMNS, columns, strict=False))
    return _build_rows(events.row, events.reference_label, events.predicted_label, **counted)


def _build_rows(row: Ints, reference: Ints, predicted: Ints, **counted: NDArray[np.bool_] | int) -> CountRows:
    """Build rows of documents, labels and counts.

    The results are three arrays (rows,), (rows,) and (rows, columns). Counts are 0 in columns not given.
    """
    values = np.zeros((len(row), len(FAIR_COLUMNS)), np.int64)
    for column, number in counted.items():
        values[:, FAIR_COLUMNS.index(column)] = number
    return row, reference, predicted, values


def _find_exact_matches(batch: SpanPairs) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Mark reference spans that are predicted, and spurious predicted spans.

    A predicted span is marked if it is not in the reference.
    """
    columns = [(s.row, s.start, s.end - s.start, s.label) for s in (batch.reference, batch.predicted)]
    codes = encode_rows_jointly(*columns)
    return np.isin(*codes), np.isin(codes[1], codes[0], invert=True)


def _list_cell_counts(sums: Sums) -> dict[str, Ints]:
    """Return the counts of each cell: (..., cells) each."""
    kinds = count_event_kinds(sums)  # (..., cells, kinds)
    counted = {name: kinds[..., k] for k, name in enumerate(EVENT_KINDS)}
    same_label = np.array(
        [r == p for r, p in zip(sums.get_names("reference"), sums.get_names("predicted"), strict=True)]
    )
    boundary = {name: sums.get_column(name) * same_label.astype(np.int64) for name in ("smaller", "larger")}
    crossing = counted["wrong_boundary"] - boundary["smaller"] - boundary["larger"]
    return counted | boundary | {"crossing": crossing} | {name: sums.get_column(name) for name in FAIR_COLUMNS[5:]}


def _compute_figures(counted: CellCounts) -> dict[str, SchemaFigures]:
    """Compute the figures of each group from counts, each (...)."""
    pairs = counted["wrong_type"] + counted["wrong_type_and_boundary"]
    boundary = counted["wrong_boundary"]
    right: Floats = counted["correct"].astype(np.float64)
    fair = right + (pairs + boundary) / 2
    weighted = right + pairs / 2 + boundary / 2 + counted["crossing"] / 4
    kinds: SchemaFigures = {name: counted[name] for name in EVENT_KINDS}
    parts: SchemaFigures = {name: counted[name] for name in ("smaller", "larger", "crossing")}
    return {
        "fair": _compute_ratios(right, fair + counted["spurious"], fair + counted["missed"]) | kinds,
        "fair_weighted": _compute_ratios(
            right + boundary / 2,
            weighted + counted["spurious"] + counted["larger"] / 2,
            weighted + counted["missed"] + counted["smaller"] / 2,
        )
        | parts,
        "strict": _score_strict(counted),
    }


def _score_strict(counted: CellCounts) -> SchemaFigures:
    correct, possible, spurious = counted["found"], counted["expected"], counted["strays"]
    actual = correct + spurious
    counts = {"correct": correct, "correct_reference": correct, "correct_predicted": correct}
    rest = {"missed": possible - correct, "spurious": spurious, "possible": possible, "actual": actual}
    return _compute_ratios(correct, actual, possible) | counts | rest


def _compute_ratios(credit: Ints | Floats, actual: Ints | Floats, possible: Ints | Floats) -> SchemaFigures:
    return {
        "precision": divide(credit, actual, 0.0),
        "recall": divide(credit, possible, 0.0),
        "f1": compute_f_measure(credit, actual, credit, possible, zero_division=0.0),
    }


PROFILE = NerProfile(name="fair", metric=FairSpans(), make_decoder=None, pair_spans=build_fair_events)
