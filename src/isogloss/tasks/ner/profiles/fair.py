"""Knots: spans of both sides that hang together by overlaps. What tools pair greedily, they pair within knots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Counts, Name, packed
from isogloss.kernel.scores import Floats, Ints, Proportions, Scores, f_measure, ratio
from isogloss.kernel.sums import Sums
from isogloss.spans.batches import SpanPairs, Spans
from isogloss.spans.overlaps import joint_codes, pair_equal
from isogloss.tasks.ner.events import KINDS, Events
from isogloss.tasks.ner.metric import by_code, kinds_of, labels_of, of_spans
from isogloss.tasks.ner.profiles import Profile

Placed = tuple[int, int, int, int]  # start, end, label, position in its side


def knots(reference: Spans, predicted: Spans, *groups: Ints) -> tuple[Ints, Ints]:
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
    codes = packed(zip((np.tile(group, 2), places), sizes, strict=True), len(places))
    order = np.argsort(codes[: len(group)], kind="stable")
    start, end = codes[: len(group)][order], codes[len(group) :][order]
    fresh = np.append(True, start[1:] >= np.maximum.accumulate(end)[:-1])[: len(order)]
    knot = np.empty(len(order), np.int64)
    knot[order] = np.cumsum(fresh) - 1
    return knot[: len(reference)], knot[len(reference) :]


def by_knot(spans: Spans, knot: Ints, wanted: NDArray[np.bool_]) -> Iterator[list[Placed]]:
    """The spans of each wanted knot, ascending, each in their order.

    Args:
        spans: spans of one side.
        knot: (spans,) number of the knot of each.
        wanted: (knots,) which knots are.
    """
    at = np.flatnonzero(wanted[knot])
    at = at[np.argsort(knot[at], kind="stable")]
    columns = spans.start[at], spans.end[at], spans.label[at], at
    placed = list(zip(*(column.tolist() for column in columns), strict=True))
    stop = 0
    for size in np.bincount(knot[at], minlength=len(wanted))[wanted].tolist():
        yield placed[stop : stop + size]
        stop += size


Pairs = tuple[Ints, Ints]


def fair_events(batch: SpanPairs) -> Events:
    """The events of a batch: pairs, in which a span can be several times, then missed, then spurious spans."""
    sides = batch.reference, batch.predicted
    left = np.arange(len(sides[0])), np.arange(len(sides[1]))
    found = []
    for with_label in (True, False):
        pairs = _equal(*(side.take(at) for side, at in zip(sides, left, strict=True)), with_label=with_label)
        found.append((left[0][pairs[0]], left[1][pairs[1]]))
        left = np.delete(left[0], pairs[0]), np.delete(left[1], pairs[1])
    rest = [side.take(at) for side, at in zip(sides, left, strict=True)]
    found += [(left[0][i], left[1][j]) for i, j in _overlapping(*rest)]
    reference, predicted = (np.concatenate(columns) for columns in zip(*found, strict=True))
    return Events.of_pairs(batch, reference, predicted)


def _equal(reference: Spans, predicted: Spans, *, with_label: bool) -> Pairs:
    """Pairs of spans with the same bounds, the n-th of several with the n-th: two (pairs,) positions."""
    if not len(reference) or not len(predicted):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    columns = [(s.row, s.start, s.end - s.start, *([s.label] * with_label)) for s in (reference, predicted)]
    return pair_equal(*joint_codes(*columns))


def _overlapping(reference: Spans, predicted: Spans) -> Iterator[Pairs]:
    """Pairs of spans without equal bounds: two (pairs,) positions at a time."""
    knot = knots(reference, predicted, reference.row, predicted.row)
    number = int(max((k.max(initial=-1) for k in knot), default=-1)) + 1
    sizes = [np.bincount(k, minlength=number) for k in knot]  # (knots,) each
    single = (sizes[0] == 1) & (sizes[1] == 1)
    at = [np.flatnonzero(single[k]) for k in knot]
    yield at[0][np.argsort(knot[0][at[0]])], at[1][np.argsort(knot[1][at[1]])]
    tangled = (sizes[0] > 0) & (sizes[1] > 0) & ~single
    placed = (by_knot(spans, k, tangled) for spans, k in zip((reference, predicted), knot, strict=True))
    pairs = [pair for sides in zip(*placed, strict=True) for pair in _disentangled(*sides)]
    i, j = np.array(pairs, np.int64).reshape(-1, 2).T
    yield i, j


@dataclass(eq=False)
class _Open:
    """A span that looks for partners.

    Args:
        at: its position in its side.
        label: the code of its label.
        length: how many units it has.
        left: those stretches of its knot that it has and no pair has used up, as bits.
    """

    at: int
    label: int
    length: int
    left: int

    def use_up(self, other: _Open) -> None:
        """Take what both share off either."""
        shared = self.left & other.left
        self.left &= ~shared
        other.left &= ~shared


class _Stretches:
    """The units of a knot between the places where spans begin or end: spans share all of such a stretch, or nothing.

    Args:
        spans: of the knot.
    """

    def __init__(self, spans: Sequence[Placed]) -> None:
        places = sorted({place for start, end, _, _ in spans for place in (start, end)})
        self._number = {place: number for number, place in enumerate(places)}
        lengths = [end - start for start, end in pairwise(places)]
        self._digits = [
            sum(1 << number for number, length in enumerate(lengths) if length >> digit & 1)
            for digit in range(max(lengths).bit_length())
        ]

    def opened(self, side: Iterable[Placed]) -> list[_Open]:
        """Spans of a side, shorter ones first."""
        number = self._number
        spans = [
            _Open(at, label, end - start, (1 << number[end]) - (1 << number[start])) for start, end, label, at in side
        ]
        return sorted(spans, key=lambda span: span.length)

    def units(self, stretches: int) -> int:
        """How many units some stretches have: of each binary digit of their lengths, how many have it."""
        return sum((stretches & having).bit_count() << digit for digit, having in enumerate(self._digits))


def _disentangled(reference: Sequence[Placed], predicted: Sequence[Placed]) -> Iterator[tuple[int, int]]:
    """Pairs of the spans of one knot, as positions in their sides."""
    stretches = _Stretches([*reference, *predicted])
    new = [stretches.opened(side) for side in (reference, predicted)]
    paired: list[list[_Open]] = [[], []]
    for same_label in (True, False):
        for span, partner in _matched(new[0], new[1], stretches, same_label=same_label):
            new[1].remove(partner)
            paired[0].append(span)
            paired[1].append(partner)
            yield span.at, partner.at
        for span, partner in _matched(new[0], paired[1], stretches, same_label=same_label):
            paired[0].append(span)
            yield span.at, partner.at
        for partner, span in _matched(new[1], paired[0], stretches, same_label=same_label):
            paired[1].append(partner)
            yield span.at, partner.at


def _matched(
    seeking: list[_Open],
    offered: list[_Open],
    stretches: _Stretches,
    *,
    same_label: bool,
) -> Iterator[tuple[_Open, _Open]]:
    """Each span that finds a partner, with it; it is taken off the list, and what both share is used up."""
    units = stretches.units
    for span in list(seeking):
        suitable = [
            (-units(shared), units(other.left), other.length, k)
            for k, other in enumerate(offered)
            if (span.label == other.label) == same_label and (shared := span.left & other.left)
        ]
        if suitable:
            partner = offered[min(suitable)[-1]]
            span.use_up(partner)
            seeking.remove(span)
            yield span, partner


COLUMNS = ("same_bounds", "overlapping", "unpaired", "smaller", "larger", "found", "expected", "strays")
OF_PREDICTION = ("spurious", "strays")  # what counts for the label of the predicted span
Counted = Mapping[str, Ints]
Figures = dict[str, NDArray[Any]]
Block = tuple[Ints, Ints, Ints, Ints]


@dataclass(frozen=True)
class FairSpans:
    """The metric of Ortmann (2022). It has no options."""

    def count(self, batch: SpanPairs) -> Counts:
        """The events of a batch, and which spans are on the other side, too."""
        r, p = batch.reference, batch.predicted
        found, strays = _found(batch)
        blocks = [
            _of_events(batch),
            _block(r.row, r.label, np.full(len(r), -1), found=found, expected=1),
            _block(p.row, np.full(len(p), -1), p.label, strays=strays),
        ]
        row, reference, predicted, values = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
        parts = {"reference": (reference, batch.labels), "predicted": (predicted, batch.labels)}
        return Counts.build(batch.documents, dict(zip(COLUMNS, values.T, strict=True)), row=row, parts=parts)

    def overall(self, sums: Sums) -> Scores:
        """The three evaluations over all labels."""
        counted = {name: value.sum(axis=-1) for name, value in _by_cell(sums).items()}
        figures = _figures(counted)
        strict = figures["strict"]
        figures["strict"] = {name: strict[name] for name in strict if not name.startswith("correct_")}
        return {(group, name): value for group, own in figures.items() for name, value in own.items()}

    def score(self, sums: Sums) -> Scores:
        """The overall scores, those of each label, and the number of each kind."""
        labels, (reference, predicted) = labels_of(sums)
        scores = self.overall(sums)
        counted = {
            name: by_code(value[..., None], predicted if name in OF_PREDICTION else reference, len(labels))[..., 0]
            for name, value in _by_cell(sums).items()
        }  # (..., labels) each
        for group, own in _figures(counted).items():
            named = {name: value for name, value in own.items() if (group, name) != ("strict", "correct")}
            for k, label in enumerate(labels):
                scores |= {("by_label", label, group, name): value[..., k] for name, value in named.items()}
        total = kinds_of(sums).sum(axis=-2)
        return scores | {("findings", kind): total[..., k] for k, kind in enumerate(KINDS)}

    def proportions(self, sums: Sums) -> Proportions:
        """Precision and recall of the traditional evaluation."""
        return {key: counts for key, counts in of_spans(self.score(sums)).items() if key[-2] == "strict"}

    def confusion(self, sums: Sums) -> dict[tuple[Name, Name], int]:
        """Pairs, missed and spurious spans by (reference label, predicted label)."""
        events = kinds_of(sums).sum(axis=-1)
        return {(cell[0], cell[1]): int(n) for cell, n in zip(sums.cells, events, strict=True) if n}


def _of_events(batch: SpanPairs) -> Block:
    """The events of a batch, and of those that overlap which span lies within the other."""
    events = fair_events(batch)
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
    counted = dict(zip(COLUMNS, columns, strict=False))
    return _block(events.row, events.reference_label, events.predicted_label, **counted)


def _block(row: Ints, reference: Ints, predicted: Ints, **counted: NDArray[np.bool_] | int) -> Block:
    """Rows of documents, labels of both sides, and the columns that are not 0: three (rows,), (rows, columns)."""
    values = np.zeros((len(row), len(COLUMNS)), np.int64)
    for column, number in counted.items():
        values[:, COLUMNS.index(column)] = number
    return row, reference, predicted, values


def _found(batch: SpanPairs) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether each reference span is among the predicted ones; whether each predicted span is not among the others."""
    columns = [(s.row, s.start, s.end - s.start, s.label) for s in (batch.reference, batch.predicted)]
    codes = joint_codes(*columns)
    return np.isin(*codes), np.isin(codes[1], codes[0], invert=True)


def _by_cell(sums: Sums) -> dict[str, Ints]:
    """Counts of each cell: (..., cells) each."""
    kinds = kinds_of(sums)  # (..., cells, kinds)
    counted = {name: kinds[..., k] for k, name in enumerate(KINDS)}
    same_label = np.array([r == p for r, p in zip(sums.names("reference"), sums.names("predicted"), strict=True)])
    boundary = {name: sums.column(name) * same_label.astype(np.int64) for name in ("smaller", "larger")}
    crossing = counted["wrong_boundary"] - boundary["smaller"] - boundary["larger"]
    return counted | boundary | {"crossing": crossing} | {name: sums.column(name) for name in COLUMNS[5:]}


def _figures(counted: Counted) -> dict[str, Figures]:
    """The figures of each group from counts, each (...)."""
    pairs = counted["wrong_type"] + counted["wrong_type_and_boundary"]
    boundary = counted["wrong_boundary"]
    right: Floats = counted["correct"].astype(np.float64)
    fair = right + (pairs + boundary) / 2
    weighted = right + pairs / 2 + boundary / 2 + counted["crossing"] / 4
    kinds: Figures = {name: counted[name] for name in KINDS}
    parts: Figures = {name: counted[name] for name in ("smaller", "larger", "crossing")}
    return {
        "fair": _ratios(right, fair + counted["spurious"], fair + counted["missed"]) | kinds,
        "fair_weighted": _ratios(
            right + boundary / 2,
            weighted + counted["spurious"] + counted["larger"] / 2,
            weighted + counted["missed"] + counted["smaller"] / 2,
        )
        | parts,
        "strict": _strict(counted),
    }


def _strict(counted: Counted) -> Figures:
    correct, possible, spurious = counted["found"], counted["expected"], counted["strays"]
    actual = correct + spurious
    counts = {"correct": correct, "correct_reference": correct, "correct_predicted": correct}
    rest = {"missed": possible - correct, "spurious": spurious, "possible": possible, "actual": actual}
    return _ratios(correct, actual, possible) | counts | rest


def _ratios(credit: Ints | Floats, actual: Ints | Floats, possible: Ints | Floats) -> Figures:
    return {
        "precision": ratio(credit, actual, 0.0),
        "recall": ratio(credit, possible, 0.0),
        "f1": f_measure(credit, actual, credit, possible, zero_division=0.0),
    }


PROFILE = Profile(name="fair", metric=FairSpans(), read=None, pair=fair_events)
