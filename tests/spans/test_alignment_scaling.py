"""Large documents: sizes at which anything that grows with the square of the spans would not end, or not fit."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence

import numpy as np
import pytest

from isogloss.spans.alignment import align_spans
from isogloss.spans.batches import Spans
from isogloss.spans.overlaps import ListedOverlaps

Span = tuple[int, int, int]  # start, end, label
LABELS = 200


def one_document(spans: Sequence[Span]) -> Spans:
    table = np.array(spans, dtype=np.int64).reshape(-1, 3)
    return Spans.from_unsorted(np.zeros(len(table), dtype=np.int64), *table.T)


def pairs(reference: Sequence[Span], predicted: Sequence[Span]) -> list[tuple[Span, Span]]:
    """The paired spans; both sides are expected in order."""
    alignment = align_spans(one_document(reference), one_document(predicted))
    one, other = sorted(reference), sorted(predicted)
    return [(one[r], other[p]) for r, p in zip(alignment.reference.tolist(), alignment.predicted.tolist(), strict=True)]


def small(count: int, *, shift: int = 0, turn: int = 0) -> list[Span]:
    """Spans in a row with gaps, with many labels."""
    return [(10 * at + shift, 10 * at + 6 + shift, (at + turn) % LABELS) for at in range(count)]


def test_exact_hits_under_covering_spans_that_differ() -> None:
    spans, end = small(300_000), 3_000_000
    assert pairs([(0, end, 1), *spans], [(0, end + 1, 2), *spans]) == sorted(
        [((0, end, 1), (0, end + 1, 2)), *zip(spans, spans, strict=True)]
    )


@pytest.mark.parametrize("turn", [0, 1], ids=["same labels", "other labels"])
def test_wrong_bounds_under_covering_spans(turn: int) -> None:
    reference, predicted, end = small(20_000), small(20_000, shift=1, turn=turn), 200_000
    covers = (0, end, LABELS), (0, end + 1, LABELS + 1)
    found = pairs([covers[0], *reference], [covers[1], *predicted])
    assert found == sorted([covers, *zip(reference, predicted, strict=True)])


def test_tied_chain_under_covers_is_paired_from_its_start() -> None:
    count = 10_000
    reference = [(10 * at, 10 * at + 10, 0) for at in range(count)]
    predicted = [(10 * at + 5, 10 * at + 15, 0) for at in range(count - 1)]
    covers = (0, 10 * count, 1), (0, 10 * count, 2)
    found = pairs([covers[0], *reference], [covers[1], *predicted])
    assert found == sorted([covers, *zip(reference, predicted, strict=False)])


def test_equal_places_with_other_labels() -> None:
    reference = [(0, 5, at % LABELS) for at in range(200_000)]
    predicted = [(0, 5, LABELS + at % LABELS) for at in range(200_000)]
    assert pairs(reference, predicted) == list(zip(sorted(reference), sorted(predicted), strict=True))


def test_equal_places_of_unequal_number_with_many_labels() -> None:
    reference = sorted((0, 5, at % LABELS) for at in range(20_000))
    predicted = sorted((1, 5, at % LABELS) for at in range(19_000))
    found = pairs(reference, predicted)
    assert len(found) == 19_000
    assert all(one[2] == other[2] for one, other in found)


@pytest.mark.parametrize("nested", [False, True])
def test_one_predicted_span_over_many_reference_spans(nested: bool) -> None:  # noqa: FBT001 - a parameter of the test
    inner = [(start + 1, end - 1, label) for start, end, label in small(200_000)[::7]] if nested else []
    reference = small(200_000) + inner
    found = pairs(reference, [(0, 2_000_000, 5)])
    assert found == [((50, 56, 5), (0, 2_000_000, 5))]


def test_a_long_flat_chain() -> None:
    count = 200_000
    reference = [(10 * at, 10 * at + 10, at % 3) for at in range(count)]
    predicted = [(10 * at + 4, 10 * at + 14, at % 3) for at in range(count)]
    assert pairs(reference, predicted) == list(zip(reference, predicted, strict=True))


def lookups(count: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many overlaps are looked at for wrong bounds under three covering spans, two of one and one of the other."""
    looked_at = 0
    original = ListedOverlaps._list_neighbours

    def counted(self: ListedOverlaps, owner: int, bound: int) -> tuple[list[int], list[int]]:
        nonlocal looked_at
        found = original(self, owner, bound)
        looked_at += len(found[0])
        return found

    monkeypatch.setattr(ListedOverlaps, "_list_neighbours", counted)
    covers = [(0, 10 * count, 1), (1, 10 * count, 2)]
    pairs([*covers, *small(count)], [(0, 10 * count + 1, 2), *small(count, shift=1, turn=1)])
    monkeypatch.undo()
    return looked_at


def test_searches_under_covering_spans_grow_with_the_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = lookups(500, monkeypatch), lookups(4000, monkeypatch)
    assert 0 < many <= 9 * few


def test_memory_does_not_grow_with_the_overlaps() -> None:
    count = 700
    reference = [(at, at + 1000, at % 7) for at in range(count)]
    predicted = [(at, at + 1001, at % 7) for at in range(count)]
    tracemalloc.start()
    found = pairs(reference, predicted)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == list(zip(reference, predicted, strict=True))
    assert peak < 8 * count**2  # one number for each overlap
