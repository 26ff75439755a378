"""Knots: spans of both sides that hang together by overlaps. What tools pair greedily, they pair within knots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import CellName, Counts, pack_codes
from isogloss.kernel.scores import Floats, Ints, Proportions, Scores, compute_f_measure, divide
from isogloss.kernel.sums import Sums
from isogloss.spans.batches import SpanPairs, Spans
from isogloss.spans.overlaps import encode_rows_jointly, pair_equal
from isogloss.tasks.ner.events import EVENT_KINDS, SpanEvents
from isogloss.tasks.ner.metric import count_event_kinds, find_cell_labels, select_span_proportions, sum_by_label
from isogloss.tasks.ner.profiles import NerProfile

PlacedSpan = tuple[int, int, int, int]  # start, end, label, position in its side


def group_overlapping_spans(reference: Spans, predicted: Spans, *groups: Ints) -> tuple[Ints, Ints]:
    """Number of the knot that each span belongs to.

    Args:
        reference: spans.
        predicted: spans.
        groups: (reference,) and (predicted,) group of each span; knots do not go beyond one.

    Returns:
        (reference,) and (predicted,) numbers from 0, ascending with the group and the place.
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
    knot = np.empty(len(order), np.int64)
    knot[order] = np.cumsum(fresh) - 1
    return knot[: len(reference)], knot[len(reference) :]


def split_by_group(spans: Spans, group: Ints, selected: NDArray[np.bool_]) -> Iterator[list[PlacedSpan]]:
    """The spans of each wanted knot, ascending, each in their order.

    Args:
        spans: spans of one side.
        knot: (spans,) number of the knot of each.
        wanted: (knots,) which knots are.
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
    """The events of a batch: pairs, in which a span can be several times, then missed, then spurious spans."""
    sides = batch.reference, batch.predicted
    left = np.arange(len(sides[0])), np.arange(len(sides[1]))
    found = []
    for with_label in (True, False):
        pairs = _pair_equal(*(side.take(at) for side, at in zip(sides, left, strict=True)), with_label=with_label)
        found.append((left[0][pairs[0]], left[1][pairs[1]]))
        left = np.delete(left[0], pairs[0]), np.delete(left[1], pairs[1])
    rest = [side.take(at) for side, at in zip(sides, left, strict=True)]
    found += [(left[0][i], left[1][j]) for i, j in _pair_overlapping(*rest)]
    reference, predicted = (np.concatenate(columns) for columns in zip(*found, strict=True))
    return SpanEvents.from_pairs(batch, reference, predicted)


def _pair_equal(reference: Spans, predicted: Spans, *, with_label: bool) -> SpanPositions:
    """Pairs of spans with the same bounds, the n-th of several with the n-th: two (pairs,) positions."""
    if not len(reference) or not len(predicted):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    columns = [(s.row, s.start, s.end - s.start, *([s.label] * with_label)) for s in (reference, predicted)]
    return pair_equal(*encode_rows_jointly(*columns))


def _pair_overlapping(reference: Spans, predicted: Spans) -> Iterator[SpanPositions]:
    """Pairs of spans without equal bounds: two (pairs,) positions at a time."""
    knot = group_overlapping_spans(reference, predicted, reference.row, predicted.row)
    number = int(max((k.max(initial=-1) for k in knot), default=-1)) + 1
    sizes = [np.bincount(k, minlength=number) for k in knot]  # (knots,) each
    single = (sizes[0] == 1) & (sizes[1] == 1)
    at = [np.flatnonzero(single[k]) for k in knot]
    yield at[0][np.argsort(knot[0][at[0]])], at[1][np.argsort(knot[1][at[1]])]
    tangled = (sizes[0] > 0) & (sizes[1] > 0) & ~single
    placed = (split_by_group(spans, k, tangled) for spans, k in zip((reference, predicted), knot, strict=True))
    pairs = [pair for sides in zip(*placed, strict=True) for pair in _pair_group(*sides)]
    i, j = np.array(pairs, np.int64).reshape(-1, 2).T
    yield i, j


@dataclass(eq=False)
class _OpenSpan:
    """A span that looks for partners.

    Args:
        at: its position in its side.
        label: the code of its label.
        length: how many units it has.
        left: those stretches of its knot that it has and no pair has used up, as bits.
    """

    position: int
    label: int
    length: int
    remaining: int

    def remove_overlap(self, other: _OpenSpan) -> None:
        """Take what both share off either."""
        shared = self.remaining & other.remaining
        self.remaining &= ~shared
        other.remaining &= ~shared


class _Segments:
    """The units of a knot between the places where spans begin or end: spans share all of such a stretch, or nothing.

    Args:
        spans: of the knot.
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
        """Spans of a side, shorter ones first."""
        number = self._number
        spans = [
            _OpenSpan(at, label, end - start, (1 << number[end]) - (1 << number[start]))
            for start, end, label, at in side
        ]
        return sorted(spans, key=lambda span: span.length)

    def count_units(self, stretches: int) -> int:
        """How many units some stretches have: of each binary digit of their lengths, how many have it."""
        return sum((stretches & having).bit_count() << digit for digit, having in enumerate(self._digits))


def _pair_group(reference: Sequence[PlacedSpan], predicted: Sequence[PlacedSpan]) -> Iterator[tuple[int, int]]:
    """Pairs of the spans of one knot, as positions in their sides."""
    stretches = _Segments([*reference, *predicted])
    new = [stretches.open_spans(side) for side in (reference, predicted)]
    paired: list[list[_OpenSpan]] = [[], []]
    for same_label in (True, False):
        for span, partner in _match_spans(new[0], new[1], stretches, same_label=same_label):
            new[1].remove(partner)
            paired[0].append(span)
            paired[1].append(partner)
            yield span.position, partner.position
        for span, partner in _match_spans(new[0], paired[1], stretches, same_label=same_label):
            paired[0].append(span)
            yield span.position, partner.position
        for partner, span in _match_spans(new[1], paired[0], stretches, same_label=same_label):
            paired[1].append(partner)
            yield span.position, partner.position


def _match_spans(
    seeking: list[_OpenSpan],
    offered: list[_OpenSpan],
    stretches: _Segments,
    *,
    same_label: bool,
) -> Iterator[tuple[_OpenSpan, _OpenSpan]]:
    """Each span that finds a partner, with it; it is taken off the list, and what both share is used up."""
    units = stretches.count_units
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
FairFigures = dict[str, NDArray[Any]]
CountRows = tuple[Ints, Ints, Ints, Ints]


@dataclass(frozen=True)
class FairSpans:
    """The metric of Ortmann (2022). It has no options."""

    def count(self, batch: SpanPairs) -> Counts:
        """The events of a batch, and which spans are on the other side, too."""
        r, p = batch.reference, batch.predicted
        found, strays = _find_exact_matches(batch)
        blocks = [
            _count_events(batch),
            _build_rows(r.row, r.label, np.full(len(r), -1), found=found, expected=1),
            _build_rows(p.row, np.full(len(p), -1), p.label, strays=strays),
        ]
        row, reference, predicted, values = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
        parts = {"reference": (reference, batch.labels), "predicted": (predicted, batch.labels)}
        return Counts.build(batch.documents, dict(zip(FAIR_COLUMNS, values.T, strict=True)), row=row, parts=parts)

    def overall(self, sums: Sums) -> Scores:
        """The three evaluations over all labels."""
        counted = {name: value.sum(axis=-1) for name, value in _list_cell_counts(sums).items()}
        figures = _compute_figures(counted)
        strict = figures["strict"]
        figures["strict"] = {name: strict[name] for name in strict if not name.startswith("correct_")}
        return {(group, name): value for group, own in figures.items() for name, value in own.items()}

    def score(self, sums: Sums) -> Scores:
        """The overall scores, those of each label, and the number of each kind."""
        labels, (reference, predicted) = find_cell_labels(sums)
        scores = self.overall(sums)
        counted = {
            name: sum_by_label(value[..., None], predicted if name in PREDICTED_COLUMNS else reference, len(labels))[
                ..., 0
            ]
            for name, value in _list_cell_counts(sums).items()
        }  # (..., labels) each
        for group, own in _compute_figures(counted).items():
            named = {name: value for name, value in own.items() if (group, name) != ("strict", "correct")}
            for k, label in enumerate(labels):
                scores |= {("by_label", label, group, name): value[..., k] for name, value in named.items()}
        total = count_event_kinds(sums).sum(axis=-2)
        return scores | {("findings", kind): total[..., k] for k, kind in enumerate(EVENT_KINDS)}

    def proportions(self, sums: Sums) -> Proportions:
        """Precision and recall of the traditional evaluation."""
        return {key: counts for key, counts in select_span_proportions(self.score(sums)).items() if key[-2] == "strict"}

    def confusion(self, sums: Sums) -> dict[tuple[CellName, CellName], int]:
        """Pairs, missed and spurious spans by (reference label, predicted label)."""
        events = count_event_kinds(sums).sum(axis=-1)
        return {(cell[0], cell[1]): int(n) for cell, n in zip(sums.cells, events, strict=True) if n}


def _count_events(batch: SpanPairs) -> CountRows:
    """The events of a batch, and of those that overlap which span lies within the other."""
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
    """Rows of documents, labels of both sides, and the columns that are not 0: three (rows,), (rows, columns)."""
    values = np.zeros((len(row), len(FAIR_COLUMNS)), np.int64)
    for column, number in counted.items():
        values[:, FAIR_COLUMNS.index(column)] = number
    return row, reference, predicted, values


def _find_exact_matches(batch: SpanPairs) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether each reference span is among the predicted ones; whether each predicted span is not among the others."""
    columns = [(s.row, s.start, s.end - s.start, s.label) for s in (batch.reference, batch.predicted)]
    codes = encode_rows_jointly(*columns)
    return np.isin(*codes), np.isin(codes[1], codes[0], invert=True)


def _list_cell_counts(sums: Sums) -> dict[str, Ints]:
    """Counts of each cell: (..., cells) each."""
    kinds = count_event_kinds(sums)  # (..., cells, kinds)
    counted = {name: kinds[..., k] for k, name in enumerate(EVENT_KINDS)}
    same_label = np.array(
        [r == p for r, p in zip(sums.get_names("reference"), sums.get_names("predicted"), strict=True)]
    )
    boundary = {name: sums.get_column(name) * same_label.astype(np.int64) for name in ("smaller", "larger")}
    crossing = counted["wrong_boundary"] - boundary["smaller"] - boundary["larger"]
    return counted | boundary | {"crossing": crossing} | {name: sums.get_column(name) for name in FAIR_COLUMNS[5:]}


def _compute_figures(counted: CellCounts) -> dict[str, FairFigures]:
    """The figures of each group from counts, each (...)."""
    pairs = counted["wrong_type"] + counted["wrong_type_and_boundary"]
    boundary = counted["wrong_boundary"]
    right: Floats = counted["correct"].astype(np.float64)
    fair = right + (pairs + boundary) / 2
    weighted = right + pairs / 2 + boundary / 2 + counted["crossing"] / 4
    kinds: FairFigures = {name: counted[name] for name in EVENT_KINDS}
    parts: FairFigures = {name: counted[name] for name in ("smaller", "larger", "crossing")}
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


def _score_strict(counted: CellCounts) -> FairFigures:
    correct, possible, spurious = counted["found"], counted["expected"], counted["strays"]
    actual = correct + spurious
    counts = {"correct": correct, "correct_reference": correct, "correct_predicted": correct}
    rest = {"missed": possible - correct, "spurious": spurious, "possible": possible, "actual": actual}
    return _compute_ratios(correct, actual, possible) | counts | rest


def _compute_ratios(credit: Ints | Floats, actual: Ints | Floats, possible: Ints | Floats) -> FairFigures:
    return {
        "precision": divide(credit, actual, 0.0),
        "recall": divide(credit, possible, 0.0),
        "f1": compute_f_measure(credit, actual, credit, possible, zero_division=0.0),
    }


PROFILE = NerProfile(name="fair", metric=FairSpans(), make_decoder=None, pair_spans=build_fair_events)
