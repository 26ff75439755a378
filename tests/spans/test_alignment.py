"""The alignment is what its definition says, whatever the spans look like."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.spans import alignment as nested
from isogloss.spans import assignment
from isogloss.spans.alignment import Alignment, align_spans
from isogloss.spans.batches import Spans
from isogloss.spans.overlaps import MinOverlap

Span = tuple[int, int, int]  # start, end, label
Document = tuple[list[Span], list[Span]]
Pair = tuple[int, int]


def spans(documents: Iterable[Sequence[Span]]) -> Spans:
    rows = [(row, *span) for row, document in enumerate(documents) for span in document]
    table = np.array(rows, dtype=np.int64).reshape(-1, 4)
    return Spans.from_unsorted(*table.T)


def aligned(documents: Sequence[Document], min_overlap: MinOverlap | None = None) -> list[list[Pair]]:
    """The pairs of each document, as positions in its two sorted sides."""
    reference, predicted = spans(one for one, _ in documents), spans(other for _, other in documents)
    alignment = align_spans(reference, predicted, min_overlap)
    first = np.searchsorted(reference.row, np.arange(len(documents)))
    other_first = np.searchsorted(predicted.row, np.arange(len(documents)))
    pairs: list[list[Pair]] = [[] for _ in documents]
    for r, p in zip(alignment.reference.tolist(), alignment.predicted.tolist(), strict=True):
        row = int(reference.row[r])
        assert row == predicted.row[p]
        pairs[row].append((r - int(first[row]), p - int(other_first[row])))
    return pairs


def criteria(document: Document, pairs: Iterable[Pair]) -> tuple[int, ...]:
    """The five numbers of the definition."""
    reference, predicted = sorted(document[0]), sorted(document[1])
    total = [0] * 5
    for r, p in pairs:
        (start, end, label), (other_start, other_end, other_label) = reference[r], predicted[p]
        same_span, same_label = (start, end) == (other_start, other_end), label == other_label
        overlap = min(end, other_end) - max(start, other_start)
        each = (same_span and same_label, same_span, same_label, 1, overlap)
        total = [one + int(more) for one, more in zip(total, each, strict=True)]
    return tuple(total)


def overlapping(document: Document) -> list[Pair]:
    reference, predicted = sorted(document[0]), sorted(document[1])
    return [
        (r, p)
        for r, one in enumerate(reference)
        for p, other in enumerate(predicted)
        if min(one[1], other[1]) > max(one[0], other[0])
    ]


def overlapping_enough(document: Document, min_overlap: MinOverlap) -> list[Pair]:
    """The pairs with enough units in common, counted one by one in exact fractions."""
    reference, predicted = sorted(document[0]), sorted(document[1])
    least, found = Fraction(repr(min_overlap.share)), []
    for r, p in overlapping(document):
        own, other = (set(range(*span[:2])) for span in (reference[r], predicted[p]))
        if Fraction(len(own & other), len(own | other if min_overlap.of == "union" else own)) >= least:
            found.append((r, p))
    return found


def searched(document: Document, min_overlap: MinOverlap | None = None) -> list[Pair]:
    """The definition, word by word: of all pairings the best, of these the first.

    Pairings are built reference span by reference span; what the later ones add depends on the partners used before.
    """
    possible = overlapping(document) if min_overlap is None else overlapping_enough(document, min_overlap)

    @cache
    def best(r: int, used: frozenset[int]) -> tuple[tuple[int, ...], tuple[Pair, ...]]:
        if r == len(document[0]):
            return (0,) * 5, ()
        choices = [best(r + 1, used)]
        for pair in possible:
            if pair[0] == r and pair[1] not in used:
                total, pairs = best(r + 1, used | {pair[1]})
                worth = criteria(document, [pair])
                choices.append((tuple(one - more for one, more in zip(total, worth, strict=True)), (pair, *pairs)))
        return min(choices)

    return list(best(0, frozenset())[1])


Maker = Callable[[random.Random], list[Span]]


def flat(rng: random.Random) -> list[Span]:
    cuts = sorted(rng.sample(range(15), rng.randint(0, 7)))
    return [(start, end, rng.randrange(2)) for start, end in pairwise(cuts) if rng.random() < 0.8]


def touching(rng: random.Random) -> list[Span]:
    cuts = sorted(rng.sample(range(1, 9), rng.randint(1, 5)))
    return [(start, end, rng.randrange(2)) for start, end in pairwise([0, *cuts])]


def within(places: int, longest: int, labels: int) -> Maker:
    """Spans anywhere, which nest and cross."""

    def make(rng: random.Random) -> list[Span]:
        starts = [rng.randrange(places) for _ in range(rng.randint(0, 5))]
        return [(start, start + rng.randint(1, longest), rng.randrange(labels)) for start in starts]

    return make


def laminar(rng: random.Random) -> list[Span]:
    covers = [(0, 12, rng.randrange(2)), (1, 11, rng.randrange(2))]
    return rng.sample(covers, rng.randint(0, 2)) + flat(rng)[:4]


def copies(rng: random.Random) -> list[Span]:
    kinds = [(0, 3, 0), (0, 4, 1), (1, 3, 0), (1, 4, 0), (1, 5, 1), (2, 4, 0)]
    return rng.choices(rng.sample(kinds, 3), k=rng.randint(2, 7))


REGIMES: dict[str, tuple[Maker, Maker]] = {
    "flat": (flat, flat),
    "touching": (touching, touching),
    "nested": (within(12, 8, 2), within(12, 8, 2)),
    "covers": (laminar, laminar),
    "flat against nested": (flat, within(12, 10, 2)),
    "nested against flat": (within(12, 10, 2), flat),
    "duplicates": (within(2, 2, 2), within(2, 2, 2)),
    "copies": (copies, copies),
    "equal spans only": (within(1, 1, 2), within(1, 1, 3)),
    "several labels on a span": (within(3, 2, 4), within(3, 2, 4)),
    "dense": (within(3, 20, 3), within(3, 20, 3)),
    "ties": (within(8, 4, 1), within(8, 4, 1)),
}


@cache
def random_documents(regime: str, count: int) -> list[Document]:
    rng = random.Random(regime)
    one, other = REGIMES[regime]
    documents = []
    for _ in range(count):
        reference, predicted = one(rng), other(rng)
        if regime != "copies" and rng.random() < 0.3:  # spans in common, which two independent sides rarely have
            predicted = predicted[: 5 - len(reference)] + reference if "flat" not in regime else list(reference)
        documents.append((reference, predicted))
    return documents


def test_it_is_what_an_exhaustive_search_finds() -> None:
    for regime in REGIMES:
        documents = random_documents(regime, 1000)
        assert aligned(documents) == [searched(document) for document in documents]


SHARES = [0.1, 0.25, 0.3, 1 / 3, 0.5, 0.6, 0.7, 0.75, 0.9, 1.0]


@pytest.mark.parametrize("of", ["union", "reference"])
def test_only_pairs_that_overlap_enough_are_searched(of: Literal["union", "reference"]) -> None:
    rng = random.Random(of)
    for regime in REGIMES:
        for share in SHARES:
            least, documents = MinOverlap(share, of), rng.sample(random_documents(regime, 1000), 60)
            assert aligned(documents, least) == [searched(document, least) for document in documents]


@pytest.mark.parametrize("of", ["union", "reference"])
def test_a_smallest_overlap_does_not_depend_on_how_overlaps_are_kept(
    of: Literal["union", "reference"], monkeypatch: pytest.MonkeyPatch
) -> None:
    least = MinOverlap(0.5, of)
    documents = [document for regime in REGIMES for document in random_documents(regime, 100)]
    expected = aligned(documents, least)
    monkeypatch.setattr(nested, "MAX_LISTED_OVERLAPS", 1)
    monkeypatch.setattr(nested, "LISTED_PER_SPAN", -1)
    assert aligned(documents, least) == expected


def test_each_quotient_is_at_least_itself_as_a_decimal() -> None:
    for length in range(1, 101):
        for overlap in range(1, length + 1):
            if 100 * overlap % length == 0:  # a share with at most two decimals
                least = MinOverlap(float(f"{100 * overlap // length / 100}"))
                assert aligned([([(0, length, 0)], [(0, overlap, 0)])], least) == [[(0, 0)]]


@pytest.mark.parametrize("regime", ["nested", "covers", "copies", "dense", "ties"])
@pytest.mark.parametrize(("batch", "few"), [(3, 8), (1, -1)], ids=["small batches", "overlaps that are not listed"])
def test_it_does_not_depend_on_how_overlaps_are_kept(
    regime: str, batch: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = random_documents(regime, 400)
    expected = aligned(documents)
    monkeypatch.setattr(nested, "MAX_LISTED_OVERLAPS", batch)
    monkeypatch.setattr(nested, "LISTED_PER_SPAN", few)
    assert aligned(documents) == expected


def test_it_does_not_depend_on_when_a_queue_is_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = random_documents("dense", 400) + random_documents("nested", 400)
    expected = aligned(documents)
    monkeypatch.setattr(assignment, "MAX_QUEUE_RATIO", 0)
    assert aligned(documents) == expected


def test_documents_are_aligned_one_at_a_time() -> None:
    for regime in REGIMES:
        documents = random_documents(regime, 100)
        assert aligned(documents) == [aligned([document])[0] for document in documents]


def test_it_does_not_depend_on_which_side_has_more_spans() -> None:
    for surplus in [0, 1]:
        for regime in ["nested", "covers", "copies", "dense", "ties"]:
            documents = random_documents(regime, 300)
            many, few = [(0, end, 0) for end in range(10, 3000)], [(0, 9, 0), (0, 8, 0)]
            filler = (few, many) if surplus else (many, few)
            assert aligned([*documents, filler])[:-1] == [searched(document) for document in documents]


def test_offsets_of_any_size_are_exact() -> None:
    for regime in ["flat", "covers", "duplicates", "dense"]:
        for scale in [2**30, 2**55]:
            documents = random_documents(regime, 200)
            far = [
                ([(s * scale, e * scale, x) for s, e, x in one], [(s * scale, e * scale, x) for s, e, x in other])
                for one, other in documents
            ]
            assert aligned(far) == aligned(documents)


def test_one_unit_of_overlap_decides_between_huge_spans() -> None:
    huge = 2**60
    assert aligned([([(0, huge, 0)], [(0, huge // 2, 1), (huge // 2, huge - 1, 1), (huge - 1, huge, 1)])]) == [[(0, 0)]]
    assert aligned([([(0, huge, 0)], [(0, huge // 2, 1), (huge // 2 - 1, huge, 1)])]) == [[(0, 1)]]


@st.composite
def documents_of_spans(draw: st.DrawFn) -> Document:
    def side() -> list[Span]:
        span = st.tuples(st.integers(0, 10), st.integers(1, 8), st.integers(0, 3))
        return [(start, start + length, label) for start, length, label in draw(st.lists(span, max_size=12))]

    return side(), side()


@given(st.lists(documents_of_spans(), max_size=4), st.randoms())
def test_the_order_of_the_input_does_not_show(documents: list[Document], rng: random.Random) -> None:
    shuffled = [(rng.sample(one, len(one)), rng.sample(other, len(other))) for one, other in documents]
    assert aligned(shuffled) == aligned(documents)


@given(st.lists(documents_of_spans(), max_size=4), st.lists(st.integers(1, 2**40), min_size=4, max_size=4))
def test_codes_of_labels_show_only_by_their_order(documents: list[Document], steps: list[int]) -> None:
    codes = np.cumsum(steps).tolist()
    renamed = [tuple([(start, end, codes[x]) for start, end, x in side] for side in each) for each in documents]
    assert aligned([(one, other) for one, other in renamed]) == aligned(documents)


@given(documents_of_spans())
def test_each_span_is_used_once(document: Document) -> None:
    (pairs,) = aligned([document])
    reference, predicted = [r for r, _ in pairs], [p for _, p in pairs]
    assert reference == sorted(set(reference))
    assert len(set(predicted)) == len(predicted)


@given(documents_of_spans())
def test_only_overlapping_spans_are_paired(document: Document) -> None:
    assert set(aligned([document])[0]) <= set(overlapping(document))


@given(documents_of_spans())
def test_no_pair_can_be_added(document: Document) -> None:
    (pairs,) = aligned([document])
    reference, predicted = {r for r, _ in pairs}, {p for _, p in pairs}
    assert all(r in reference or p in predicted for r, p in overlapping(document))


@given(documents_of_spans())
def test_swapping_the_sides_changes_no_criterion(document: Document) -> None:
    swapped = document[1], document[0]
    assert criteria(swapped, aligned([swapped])[0]) == criteria(document, aligned([document])[0])


@given(documents_of_spans())
def test_an_exact_hit_is_never_stolen(document: Document) -> None:
    hits = sum(min(document[0].count(span), document[1].count(span)) for span in set(document[0]))
    assert criteria(document, aligned([document])[0])[0] == hits


@given(documents_of_spans())
def test_a_perfect_prediction_is_paired_span_by_span(document: Document) -> None:
    perfect = document[0], document[0]
    assert aligned([perfect]) == [[(at, at) for at in range(len(document[0]))]]


@given(documents_of_spans(), documents_of_spans())
def test_neighbouring_documents_do_not_touch(one: Document, other: Document) -> None:
    assert aligned([one, ([], []), other]) == [*aligned([one]), [], *aligned([other])]


@pytest.mark.parametrize("document", [([], []), ([(0, 1, 0)], []), ([], [(0, 1, 0)])])
def test_an_empty_side_has_no_pairs(document: Document) -> None:
    alignment = align_spans(spans([document[0]]), spans([document[1]]))
    assert isinstance(alignment, Alignment)
    assert alignment.reference.dtype == alignment.predicted.dtype == np.int64
    assert not len(alignment.reference)
    assert not len(alignment.predicted)


@pytest.mark.parametrize(
    ("reference", "predicted", "pairs"),
    [
        pytest.param([(0, 2, 0)], [(2, 4, 0)], [], id="touching spans do not overlap"),
        pytest.param([(0, 4, 0)], [(0, 3, 1), (3, 4, 0)], [(0, 1)], id="label before overlap"),
        pytest.param([(0, 4, 0)], [(0, 4, 1), (3, 4, 0)], [(0, 0)], id="equal span before label"),
        pytest.param(
            [(0, 2, 0), (2, 9, 0)], [(0, 3, 0), (3, 9, 1)], [(0, 0), (1, 1)], id="two pairs before one longer"
        ),
        pytest.param([(0, 4, 0)], [(0, 2, 0), (2, 4, 0)], [(0, 0)], id="the earlier of two halves"),
        pytest.param([(0, 2, 0), (2, 4, 0)], [(1, 3, 0)], [(0, 0)], id="the earlier of two references"),
        pytest.param(
            [(1, 3, 0), (1, 3, 0)], [(0, 3, 0), (1, 3, 0)], [(0, 0), (1, 1)], id="first duplicate, first partner"
        ),
        pytest.param([(0, 5, 1), (0, 5, 2)], [(0, 5, 3), (0, 5, 4)], [(0, 0), (1, 1)], id="other labels in order"),
        pytest.param([(0, 5, 1), (0, 5, 2)], [(0, 5, 3), (1, 2, 1)], [(0, 1), (1, 0)], id="a leftover finds its label"),
    ],
)
def test_pairs_by_hand(reference: list[Span], predicted: list[Span], pairs: list[Pair]) -> None:
    assert aligned([(reference, predicted)]) == [pairs]


def test_a_tie_moves_no_more_copies_than_there_are() -> None:
    copies = [(2, 3, 0)] * 2, [(0, 5, 0), (1, 2, 0), (1, 4, 0), (1, 4, 0)]  # all overlaps are worth the same
    filler = [(0, end, 0) for end in range(10, 30)], [(0, 9, 0)]  # so that the prediction is the smaller side
    assert aligned([copies, filler])[0] == [(0, 0), (1, 2)]
