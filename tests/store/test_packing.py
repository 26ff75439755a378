from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from corpora import Corpus, batch_of, corpora, random_corpus, same
from hypothesis import given
from hypothesis import strategies as st
from toy_metrics import Auc, Quality, Share

from isogloss.errors import StoreError
from isogloss.kernel.counts import Counts
from isogloss.kernel.metric import Metric
from isogloss.kernel.ranking import ClassColumn, Ranking
from isogloss.kernel.slices import Attribute
from isogloss.store.packing import (
    pack_attributes,
    pack_counts,
    pack_ranking,
    seal_content,
    unpack_attributes,
    unpack_counts,
    unpack_ranking,
)

METRICS = (Share(), Share(sliced=True), Quality(), Quality(sliced=True))


@given(corpora(min_size=0), st.sampled_from(METRICS), st.integers(0, 5))
def test_counts_come_back_in_their_normal_form(corpus: Corpus, metric: Metric[object], seed: int) -> None:
    counts = metric.count(batch_of(corpus, seed=seed))
    assert same(unpack_counts(pack_counts(counts)), counts.normalize())


@given(corpora(min_size=1), st.sampled_from(METRICS), st.data())
def test_documents_keep_their_numbers(corpus: Corpus, metric: Metric[object], data: st.DataObject) -> None:
    unique = st.lists(st.integers(0, 2**40), min_size=len(corpus), max_size=len(corpus), unique=True)
    numbers = np.array(data.draw(unique), np.int64)
    counts = metric.count(batch_of(corpus, numbers=numbers))
    got = unpack_counts(pack_counts(counts))
    assert got.documents.tolist() == sorted(numbers.tolist())
    assert same(got, counts.normalize())


def test_narrow_counts_stay_narrow() -> None:
    counts = Share().count(batch_of(random_corpus(1, 20))).normalize()
    narrow = replace(counts, values=counts.values.astype(np.uint8))
    assert unpack_counts(pack_counts(narrow)).values.dtype == np.uint8


def test_counts_that_do_not_repeat_come_back() -> None:
    generator = np.random.default_rng(5)
    right = generator.integers(0, 2**40, 500)
    counts = Counts.build(np.arange(500), {"right": right, "total": right + 1})
    assert same(unpack_counts(pack_counts(counts)), counts.normalize())


@given(corpora(min_size=0), st.integers(0, 5))
def test_rankings_come_back(corpus: Corpus, seed: int) -> None:
    ranking = Auc().rank(batch_of(corpus, seed=seed))
    got = unpack_ranking(pack_ranking(ranking))
    assert got.classes == ranking.classes
    for one, two in zip(got.columns, ranking.columns, strict=True):
        for name in ("document", "score", "gold"):
            first, second = getattr(one, name), getattr(two, name)
            assert (first.dtype, first.tobytes()) == (second.dtype, second.tobytes())


def test_scores_of_full_precision_and_of_none_come_back() -> None:
    score = np.array([0.1, -0.0, np.inf, 1e300, 5e-324])
    ranking = Ranking(("a",), (ClassColumn(np.array([9, 1, 5, 3, 2]), score, np.array([1, 0, 1, 0, 1], np.bool_)),))
    assert unpack_ranking(pack_ranking(ranking)).columns[0].score.tobytes() == score.tobytes()


def test_documents_of_many_classes_are_kept_once() -> None:
    documents = np.random.default_rng(0).permutation(5000)
    column = ClassColumn(documents, np.ones(5000), np.ones(5000, np.bool_))
    one, many = (len(pack_ranking(Ranking(tuple(map(str, range(n))), (column,) * n))) for n in (1, 20))
    assert many < 2 * one


@given(st.dictionaries(st.text(max_size=5), st.lists(st.text("ab 中", max_size=4), max_size=8), max_size=3))
def test_names_of_documents_come_back(columns: dict[str, list[str]]) -> None:
    given_ = {
        name: Attribute(np.arange(len(names))[::-1] * 3, np.array(names, np.str_)) for name, names in columns.items()
    }
    got = unpack_attributes(pack_attributes(given_))
    assert list(got) == list(given_)
    for name, attribute in given_.items():
        assert got[name].names.tolist() == attribute.names.tolist()
        assert got[name].documents.tolist() == attribute.documents.tolist()


@pytest.mark.parametrize("unpack", [unpack_counts, unpack_ranking])
def test_sound_bytes_of_something_else_are_damage(unpack: object) -> None:
    assert callable(unpack)
    with pytest.raises(StoreError, match="damaged"):
        unpack(seal_content({"colour": "red"}))
    with pytest.raises(StoreError, match="damaged"):
        unpack_attributes(seal_content({"colour": "red"}))
