from __future__ import annotations

import numpy as np
from corpora import Corpus, batch_of, corpora, same, widen
from hypothesis import given
from hypothesis import strategies as st
from toy_metrics import Quality

from isogloss.kernel.counts import Counts
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


@given(corpora(), st.data())
def test_chosen_documents_are_a_corpus_of_their_own(corpus: Corpus, data: st.DataObject) -> None:
    counts = count(corpus)
    groups = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(corpus), max_size=len(corpus))), np.int64)
    groups = np.unique(groups, return_inverse=True)[1]
    documents = TalliedDocuments.from_counts(counts)
    for group, part in enumerate(documents.split(groups)):
        check(part, counts.select(groups == group))
        check(documents.select(groups == group), counts.select(groups == group))
    check(TalliedDocuments.merge(documents.split(groups)[::-1]), counts)


@given(corpora(), corpora(), st.data())
def test_replaced_documents_have_their_new_counts(corpus: Corpus, other: Corpus, data: st.DataObject) -> None:
    counts, new = count(corpus), count(other[: len(corpus)])
    keep = ~np.isin(counts.documents, new.documents)
    expected = Counts.merge([counts.select(keep), new])
    check(TalliedDocuments.from_counts(counts).replace_documents(new), expected)
