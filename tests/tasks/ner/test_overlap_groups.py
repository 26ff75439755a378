from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
from entities import Entities, corpora, span_pairs
from hypothesis import given

from isogloss.tasks.ner.profiles.fair import group_overlapping_spans, split_by_group


def joined(spans: list[tuple[int, int, int]]) -> set[frozenset[int]]:
    """Sets of spans (row, start, end) that hang together by overlaps, found by joining two at a time."""
    sets = [frozenset({k}) for k in range(len(spans))]
    for i, j in combinations(range(len(spans)), 2):
        (row, start, end), (other, begin, stop) = spans[i], spans[j]
        if row == other and start < stop and begin < end:
            both = frozenset().union(*(own for own in sets if {i, j} & own))
            sets = [own for own in sets if not own & both] + [both]
    return set(sets)


@given(corpus=corpora)
def test_connected_spans_have_one_group_number(corpus: list[Entities]) -> None:
    batch = span_pairs(corpus)
    numbers = np.concatenate(
        group_overlapping_spans(batch.reference, batch.predicted, batch.reference.row, batch.predicted.row)
    ).tolist()
    sides = batch.reference, batch.predicted
    spans = [s for side in sides for s in zip(side.row.tolist(), side.start.tolist(), side.end.tolist(), strict=True)]
    groups = {frozenset(k for k, own in enumerate(numbers) if own == number) for number in numbers}
    assert groups == joined(spans)
    assert sorted(set(numbers)) == list(range(len(groups)))


@given(corpus=corpora)
def test_groups_of_huge_offsets_are_the_same(corpus: list[Entities]) -> None:
    batch = span_pairs(corpus)
    sides = batch.reference, batch.predicted
    far = [replace(side, start=side.start * 2**58, end=side.end * 2**58) for side in sides]
    rows = batch.reference.row, batch.predicted.row
    assert [knot.tolist() for knot in group_overlapping_spans(far[0], far[1], *rows)] == [
        knot.tolist() for knot in group_overlapping_spans(*sides, *rows)
    ]


@given(corpus=corpora)
def test_split_by_group_yields_ordered_spans_with_positions(corpus: list[Entities]) -> None:
    batch = span_pairs(corpus)
    own, other = group_overlapping_spans(batch.reference, batch.predicted, batch.reference.row, batch.predicted.row)
    wanted = np.arange(1 + max([-1, *own.tolist(), *other.tolist()])) % 2 == 0
    found = list(split_by_group(batch.reference, own, wanted))
    assert len(found) == np.count_nonzero(wanted)
    for placed in found:
        positions = [at for *_, at in placed]
        assert positions == sorted(positions)
        spans = batch.reference.take(np.array(positions, np.int64))
        assert [span[:3] for span in placed] == list(
            zip(spans.start.tolist(), spans.end.tolist(), spans.label.tolist(), strict=True)
        )
    assert sorted(at for placed in found for *_, at in placed) == np.flatnonzero(wanted[own]).tolist()
