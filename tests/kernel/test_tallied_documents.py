from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from corpora import Corpus, batch_of, corpora, in_clusters, same, widen
from hypothesis import given
from hypothesis import strategies as st
from toy_metrics import Quality

from isogloss.kernel import tallied_documents
from isogloss.kernel.counts import Counts, count_codes, count_pairs, locate_pairs
from isogloss.kernel.tallied_documents import TalliedDocuments
from isogloss.kernel.tally import Tally


def count(corpus: Corpus) -> Counts:
    return Quality(sliced=True).count(batch_of(corpus)).normalize()


def check(found: TalliedDocuments, expected: Counts) -> None:
    """Check that documents have these counts, and the tally that counts have by themselves."""
    expected = expected.normalize()
    tally = Tally.from_counts(expected)
    assert same(widen(found.expand()), expected)
    assert same(found.tally.rows, tally.rows)
    assert found.tally.times.tolist() == tally.times.tolist()


@given(corpora(), st.sets(st.sampled_from(["kind", "length", "right"])))
def test_documents_expand_to_their_counts(corpus: Corpus, names: set[str]) -> None:
    counts = count(corpus)
    check(TalliedDocuments.from_counts(counts), counts)
    check(TalliedDocuments.from_counts(counts).drop_parts(names), counts.drop_parts(names))


@pytest.mark.parametrize("most", [1, 2, 2**16])
@given(corpora(), st.data())
def test_chosen_documents_are_a_corpus_of_their_own(most: int, corpus: Corpus, data: st.DataObject) -> None:
    counts = count(corpus)
    groups = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(corpus), max_size=len(corpus))), np.int64)
    groups = np.unique(groups, return_inverse=True)[1]
    documents = TalliedDocuments.from_counts(counts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tallied_documents, "CODES_AT_ONCE", most)
        parts = documents.split(groups)
    for group, part in enumerate(parts):
        check(part, counts.select(groups == group))
        check(documents.select(groups == group), counts.select(groups == group))
    check(TalliedDocuments.merge([documents, *parts][:0:-1] or [documents]), counts)


@pytest.mark.parametrize("most", [1, 3, 2**14])
@given(corpora(), st.data())
def test_clusters_are_the_sums_of_their_documents(most: int, corpus: Corpus, data: st.DataObject) -> None:
    """Equal documents add up as if each had counts of its own, measures to the last bit."""
    counts = count([*corpus, *corpus])
    groups = data.draw(st.lists(st.integers(0, 2), min_size=2 * len(corpus), max_size=2 * len(corpus)))
    clusters = np.unique(np.array(groups, np.int64), return_inverse=True)[1]
    with pytest.MonkeyPatch.context() as patch:
        for name in ("PAIRS_AT_ONCE", "DOCUMENTS_PER_PIECE"):
            patch.setattr(tallied_documents, name, most)
        patch.setattr("isogloss.kernel.counts.CODES_AT_ONCE", most)
        found = TalliedDocuments.from_counts(counts).group_by_cluster(clusters.astype(np.uint8))
    check(found, in_clusters(counts, clusters))


@pytest.mark.parametrize("most", [1, 3, 2**16])
@given(codes=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=9))
def test_pairs_of_codes_are_counted_and_found(most: int, codes: list[tuple[int, int]]) -> None:
    one, two = np.array(codes, np.uint8).reshape(-1, 2).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("isogloss.kernel.counts.CODES_AT_ONCE", most)
        pairs, times = count_pairs(one, two, 3)
        at = locate_pairs(pairs, one, two, 3)
        assert count_codes(one, 4).tolist() == [[first for first, _ in codes].count(k) for k in range(4)]
    expected = Counter(first * 3 + second for first, second in codes)
    assert dict(zip(pairs.tolist(), times.tolist(), strict=True)) == dict(expected)
    assert pairs.tolist() == sorted(expected)
    assert pairs[at].tolist() == [first * 3 + second for first, second in codes]


@given(corpora(), corpora(), st.data())
def test_replaced_documents_have_their_new_counts(corpus: Corpus, other: Corpus, data: st.DataObject) -> None:
    counts, new = count(corpus), count(other[: len(corpus)])
    keep = ~np.isin(counts.documents, new.documents)
    expected = Counts.merge([counts.select(keep), new])
    check(TalliedDocuments.from_counts(counts).replace_documents(new), expected)
