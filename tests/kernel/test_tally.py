from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from corpora import Arrival, Corpus, Document, arrivals, batch_of, corpora, in_clusters, random_corpus, same, seeded
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from toy_metrics import Quality

from isogloss.kernel import tally
from isogloss.kernel.counts import Counts
from isogloss.kernel.tally import Tally

Hash = Callable[[Counts], NDArray[np.uint64]]
Content = tuple[frozenset[object], float | None]


def constant(counts: Counts) -> NDArray[np.uint64]:
    """All documents collide."""
    return np.zeros(len(counts.documents), np.uint64)


def weak(counts: Counts) -> NDArray[np.uint64]:
    """Documents of one total collide."""
    totals = np.zeros(len(counts.documents), np.int64)
    np.add.at(totals, counts.row, counts.values.sum(axis=1))
    return (totals % 2).astype(np.uint64)


HASHES: list[Hash] = [tally._hash_rows, constant, weak]
hashed = pytest.mark.parametrize("hash_function", HASHES, ids=["real", "constant", "weak"])


def contents(document: Document) -> Content:
    """What of a document is counted by `Quality`."""
    right, total = Counter[str | None](), Counter[str | None]()
    for answer in document.answers:
        right[answer.kind] += answer.right
        total[answer.kind] += 1
    fluency = document.fluency[0]
    return frozenset((kind, right[kind], total[kind]) for kind in total), None if np.isnan(fluency) else fluency


def multiset(tallied: Tally) -> Counter[Content]:
    rows, found = tallied.rows, Counter[Content]()
    for k, times in enumerate(tallied.times.tolist()):
        own = rows.row == k
        cells = [rows.cells[c][0] for c in rows.cell[own].tolist()]
        counted = frozenset((name, *values) for name, values in zip(cells, rows.values[own].tolist(), strict=True))
        found[counted, float(rows.measured[k, 0, 0]) if rows.measured[k, 0, 1] else None] += times
    return found


def counted(corpus: Corpus) -> Counts:
    return Quality().count(batch_of(corpus))


@hashed
@given(corpus=corpora())
def test_a_tally_is_the_multiset_of_documents(hash_function: Hash, corpus: list[Document]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally, "_hash_rows", hash_function)
        found = Tally.from_counts(counted(corpus))
    assert multiset(found) == Counter(map(contents, corpus))
    assert len(found.times) == len(set(map(contents, corpus)))


@hashed
@pytest.mark.parametrize("piece", [1, 2, 5, tally.DOCUMENTS_PER_PIECE])
@given(corpus=corpora(), arrival=arrivals)
def test_tallies_merge_alike_in_any_pieces_and_collisions(
    piece: int,
    hash_function: Hash,
    corpus: list[Document],
    arrival: Arrival,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally, "_hash_rows", hash_function)
        whole = Tally.from_counts(counted(corpus))
        patch.setattr(tally, "DOCUMENTS_PER_PIECE", piece)
        merged = Tally.merge(Tally.from_counts(Quality().count(batch)) for batch in seeded(corpus, arrival))
    assert same(merged.rows, whole.rows)
    assert merged.times.tolist() == whole.times.tolist()


def of_rows(rows: list[list[tuple[str, int]]], measure: list[float] | None = None) -> Counts:
    """Counts of documents that are given as rows (cell, count)."""
    names = ("a", "b", "c")
    flat = [(k, names.index(name), count) for k, row in enumerate(rows) for name, count in row]
    row, code, count = np.array(flat, np.int64).reshape(-1, 3).T
    measures = {} if measure is None else {"m": np.array(measure)}
    return Counts.build(np.arange(len(rows)), {"n": count}, row=row, parts={"k": (code, names)}, measures=measures)


@pytest.mark.parametrize(
    "counts",
    [
        of_rows([[("a", 1)], [("a", 1), ("b", 1)], []]),
        of_rows([[("a", 1)], [("b", 1)]]),
        of_rows([[("a", 1)], [("a", 2)]]),
        of_rows([[("a", 1), ("b", 2)], [("a", 2), ("b", 1)]]),
        Counts.build(np.arange(2), {"n": np.ones(2, np.int64), "m": np.array([1, 2])}),
        of_rows([[("a", 1)], [("a", 1)]], [0.25, 0.5]),
        of_rows([[("a", 1)], [("a", 1)]], [0.0, np.nan]),
        of_rows([[], []], [0.25, np.nan]),
    ],
    ids=["length", "cell", "count", "order of counts", "column", "measure", "has a measure", "measure alone"],
)
def test_colliding_documents_that_differ_stay_apart(
    counts: Counts,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tally, "_hash_rows", constant)
    assert Tally.from_counts(counts).times.tolist() == [1] * len(counts.documents)


def test_the_sign_of_zero_does_not_matter() -> None:
    assert Tally.from_counts(of_rows([[("a", 1)], [("a", 1)]], [0.0, -0.0])).times.tolist() == [2]


def test_a_tally_may_be_empty() -> None:
    assert Tally.from_counts(of_rows([], [])).documents == 0


def test_tallied_counts_have_the_narrowest_type() -> None:
    for largest, width in [(255, 1), (256, 2), (65_536, 4), (2**32, 8), (-1, 8)]:
        found = Tally.from_counts(Counts.build(np.arange(2), {"n": np.array([1, largest])}))
        assert found.rows.values.dtype.itemsize == width
        assert sorted(found.rows.values[:, 0].tolist()) == sorted([1, largest])


def test_sums_of_narrow_counts_are_wide() -> None:
    counts = Counts.build(np.arange(3), {"n": np.array([200, 200, 201]), "m": np.array([0, 0, 255])})
    found = Tally.merge([Tally.from_counts(counts)] * 4)
    assert found.sum_all().values.tolist() == [[4 * 601, 4 * 255]]
    assert found.build_summer().sum_documents(np.array([[1000, 1000]])).values.tolist() == [[[401_000, 255_000]]]
    clustered = in_clusters(found.rows, np.zeros(2, np.int64))
    assert clustered.values.tolist() == [[401, 255]]


@given(corpora())
def test_positions_in_a_tally_are_those_of_documents(corpus: list[Document]) -> None:
    found, kind = Tally.from_counts_with_positions(counted(corpus))
    each = [contents(document) for document in corpus]
    assert [(a == b) for a in kind.tolist() for b in kind.tolist()] == [a == b for a in each for b in each]
    assert np.bincount(kind, minlength=len(found.times)).tolist() == found.times.tolist()


@given(corpora(), st.sets(st.sampled_from(["kind", "length", "right"])))
def test_dropped_parts_leave_no_trace_in_a_tally(corpus: list[Document], names: set[str]) -> None:
    counts = Quality(sliced=True).count(batch_of(corpus))
    found, expected = Tally.from_counts(counts).drop_parts(names), Tally.from_counts(counts.drop_parts(names))
    assert found.times.tolist() == expected.times.tolist()
    assert same(found.rows, expected.rows)


numbers = st.one_of(
    st.integers(0, 9),
    st.integers(2**50, 2**53 + 3),
    st.integers(2**53 - 3, 2**58),
    st.integers(-(2**58), 0),
)


@given(st.lists(numbers, min_size=1, max_size=12))
def test_totals_are_exact_beyond_the_integers_of_floats(values: list[int]) -> None:
    total = Tally.from_counts(Counts.build(np.arange(len(values)), {"n": np.array(values)})).sum_all()
    assert int(total.values.sum()) == sum(values)


@given(st.lists(numbers, min_size=1, max_size=12, unique=True), st.data())
def test_weighted_sums_are_exact_beyond_the_integers_of_floats(values: list[int], data: st.DataObject) -> None:
    found, kind = Tally.from_counts_with_positions(Counts.build(np.arange(len(values)), {"n": np.array(values)}))
    weights = data.draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    placed = np.zeros((1, len(values)), np.int64)
    placed[0, kind] = weights
    expected = sum(weight * value for weight, value in zip(weights, values, strict=True))
    assert int(found.build_summer().sum_documents(placed).values.sum()) == expected


def test_sums_near_2_to_the_62_are_exact() -> None:
    found, kind = Tally.from_counts_with_positions(Counts.build(np.arange(3), {"n": np.array([2**61, 2**60, 1])}))
    weights = np.zeros((1, 3), np.int64)
    weights[0, kind] = [1, 2, 1]
    assert found.build_summer().sum_documents(weights).values.tolist() == [[[2**62 + 1]]]


@pytest.mark.parametrize("most", [2**24, 2**53], ids=["float32", "float64"])
@pytest.mark.parametrize("beyond", [-1, 0, 1, 3])
@pytest.mark.parametrize("times", [1, 3])
def test_weighted_sums_are_exact_at_the_last_integer_of_a_float(most: int, beyond: int, times: int) -> None:
    """The sum is the last integer that a float holds, or one of those next to it."""
    values = [(most + beyond) // times, (most + beyond) % times]
    found, kind = Tally.from_counts_with_positions(Counts.build(np.arange(2), {"n": np.array(values)}))
    weights = np.zeros((1, 2), np.int64)
    weights[0, kind] = [times, 1]
    assert found.build_summer().sum_documents(weights).values.tolist() == [[[most + beyond]]]


def test_weighted_sums_are_exact_above_2_to_the_24() -> None:
    values = [11_000_384, *range(1, 2_001)]  # in two blocks; 3 * 11,000,384 + 1 + 2 = 33,001,155
    found, kind = Tally.from_counts_with_positions(Counts.build(np.arange(len(values)), {"n": np.array(values)}))
    weights = np.zeros((2, len(values)), np.int64)
    weights[0, kind[:3]] = [3, 1, 1]
    weights[1, kind] = 2
    assert len(values) > tally.BLOCK
    assert found.build_summer().sum_documents(weights).values.ravel().tolist() == [33_001_155, 2 * sum(values)]


@pytest.mark.parametrize("block", [1, 3, 1024])
def test_weighted_sums_do_not_depend_on_the_block_size(
    block: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tally, "BLOCK", block)
    counts = counted(random_corpus(1, 30))
    found, kind = Tally.from_counts_with_positions(counts)
    weights = np.random.default_rng(1).integers(0, 4, (5, len(found.times)))
    sums = found.build_summer().sum_documents(weights)
    for draw, row in enumerate(weights.tolist()):
        for at, cell in enumerate(sums.cells):
            rows = [k for k, c in enumerate(counts.cell.tolist()) if counts.cells[c] == cell]
            expected = sum(row[kind[counts.row[k]]] * counts.values[k] for k in rows)  # no document occurs twice
            assert sums.values[draw, at].tolist() == expected.tolist()


@pytest.mark.parametrize("dense", [1, 40, 2**23])
def test_pieces_of_any_size_hold_every_document_once(dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Tally.from_counts(counted(random_corpus(4, 25)))
    (_, whole), *others = found.iterate_sums()
    assert not others
    monkeypatch.setattr(tally, "MAX_DENSE_NUMBERS", dense)
    pieces = list(found.iterate_sums())
    assert [low for at, _ in pieces for low in range(at.start, at.stop)] == list(range(len(found.times)))
    assert np.concatenate([sums.values for _, sums in pieces]).tolist() == whole.values.tolist()
    assert np.concatenate([sums.measured for _, sums in pieces]).tolist() == whole.measured.tolist()


def test_the_total_is_weighted_by_multiplicity() -> None:
    found = Tally.from_counts(counted(random_corpus(5, 50)))
    total, weighted = found.sum_all(), found.build_summer().sum_documents(found.times[None])
    assert weighted.values[0].tolist() == total.values.tolist()
    assert weighted.measured[0].tolist() == total.measured.tolist()


def test_sums_of_measures_do_not_depend_on_other_draws() -> None:
    corpus = random_corpus(6, 50)
    found = Tally.from_counts(counted(corpus))
    weights = np.random.default_rng(2).integers(0, 3, (7, len(found.times)))
    together = found.build_summer().sum_documents(weights).measured
    alone = np.concatenate([found.build_summer().sum_documents(weights[k : k + 1]).measured for k in range(7)])
    assert together.tobytes() == alone.tobytes()
    exact = sum(Fraction(document.fluency[0]) for document in corpus)
    assert found.sum_all().measured[0].tolist() == pytest.approx([float(exact), 50.0], rel=1e-14)
