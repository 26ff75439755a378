"""Overlaps are found once each, and counted without being listed."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isogloss.spans.batches import Spans
from isogloss.spans.overlaps import (
    CandidateSpans,
    PairCriteria,
    build_candidates,
    count_overlaps,
    encode_rows_jointly,
    find_crowded_spans,
    find_overlaps,
    number_islands,
)

Row = tuple[int, int, int, int]  # row, start, length, label
SIDES = st.sets(st.tuples(st.integers(0, 2), st.integers(0, 8), st.integers(1, 6), st.integers(0, 2)), max_size=12)


def side(rows: set[Row]) -> Spans:
    row, start, length, label = np.array(sorted(rows), dtype=np.int64).reshape(-1, 4).T
    return Spans.from_unsorted(row, start, start + length, label)


def both(one: set[Row], other: set[Row]) -> tuple[CandidateSpans, CandidateSpans]:
    sides = side(one), side(other)
    codes = encode_rows_jointly(*((each.row, each.start, each.end, each.label) for each in sides))
    return build_candidates(sides, codes, (np.arange(len(one)), np.arange(len(other))))


def touch(one: Row, other: Row) -> bool:
    return one[0] == other[0] and min(one[1] + one[2], other[1] + other[2]) > max(one[1], other[1])


def in_order(rows: set[Row]) -> list[Row]:
    return sorted(rows)  # equal to the order of spans: for one start, longer is later


@given(SIDES, SIDES)
def test_each_overlap_is_found_once_in_order(one: set[Row], other: set[Row]) -> None:
    r, p = find_overlaps(*both(one, other))
    expected = [(i, k) for i, a in enumerate(in_order(one)) for k, b in enumerate(in_order(other)) if touch(a, b)]
    assert list(zip(r.tolist(), p.tolist(), strict=True)) == expected


@given(SIDES, SIDES)
def test_degrees_count_the_overlaps_of_a_span(one: set[Row], other: set[Row]) -> None:
    expected = [sum(touch(a, b) for b in other) for a in in_order(one)]
    assert count_overlaps(*both(one, other)).tolist() == expected


@given(SIDES, SIDES)
def test_span_overlapped_by_earlier_span_of_its_side_is_crowded(one: set[Row], other: set[Row]) -> None:
    rows = in_order(one)
    expected = [any(touch(a, b) for b in rows[:i]) for i, a in enumerate(rows)]
    assert find_crowded_spans(both(one, other)[0]).tolist() == expected


@given(SIDES, SIDES)
def test_islands_join_what_overlaps_and_nothing_else(one: set[Row], other: set[Row]) -> None:
    numbers = np.concatenate(number_islands(*both(one, other))).tolist()
    rows = [*in_order(one), *in_order(other)]
    expected = {row: {row} for row in rows}
    for a in rows:
        for b in rows:
            if touch(a, b):
                merged = expected[a] | expected[b]
                expected.update(dict.fromkeys(merged, merged))
    assert all((numbers[i] == numbers[k]) == (b in expected[a]) for i, a in enumerate(rows) for k, b in enumerate(rows))


def test_weights_are_ordered_like_the_criteria() -> None:
    reference, predicted = both({(0, 0, 6, 0)}, {(0, 0, 6, 1), (0, 1, 2, 0), (0, 1, 5, 1), (0, 2, 3, 1)})
    weights = PairCriteria.from_candidates(reference, predicted).compute_weights(0, np.arange(4))
    assert np.argsort(-weights).tolist() == [0, 1, 2, 3]
