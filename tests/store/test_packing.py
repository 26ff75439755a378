from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpora import Corpus, batch_of, corpora, same, widen
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from toy_metrics import Auc, Quality, Share

from isogloss.errors import StoreError
from isogloss.kernel.counts import Counts
from isogloss.kernel.metric import Metric
from isogloss.kernel.ranking import ClassColumn, Ranking
from isogloss.kernel.slices import Attribute
from isogloss.kernel.tallied_documents import TalliedDocuments
from isogloss.store.packing import (
    PackedArray,
    make_corrupt_error,
    open_content,
    pack_array,
    pack_attributes,
    pack_documents,
    pack_ranking,
    seal_content,
    to_array,
    unpack_attributes,
    unpack_documents,
    unpack_ranking,
)

METRICS = (Share(), Share(sliced=True), Quality(), Quality(sliced=True))


@given(corpora(min_size=0), st.sampled_from(METRICS), st.integers(0, 5))
def test_counts_survive_packing(corpus: Corpus, metric: Metric[object], seed: int) -> None:
    counts = metric.count(batch_of(corpus, seed=seed))
    documents = TalliedDocuments.from_counts(counts)
    got = unpack_documents(pack_documents(documents))
    assert same(got.tally.rows, documents.tally.rows)
    assert got.tally.times.tolist() == documents.tally.times.tolist()
    assert got.kinds.tolist() == documents.kinds.tolist()


@given(corpora(min_size=1), st.sampled_from(METRICS), st.data())
def test_document_numbers_survive_packing(corpus: Corpus, metric: Metric[object], data: st.DataObject) -> None:
    unique = st.lists(st.integers(0, 2**40), min_size=len(corpus), max_size=len(corpus), unique=True)
    numbers = np.array(data.draw(unique), np.int64)
    counts = metric.count(batch_of(corpus, numbers=numbers))
    got = unpack_documents(pack_documents(TalliedDocuments.from_counts(counts)))
    assert got.documents.tolist() == sorted(numbers.tolist())
    assert same(widen(got.expand()), counts.normalize())


def test_counts_without_repetition_survive_packing() -> None:
    generator = np.random.default_rng(5)
    right = generator.integers(0, 2**40, 500)
    counts = Counts.build(np.arange(500), {"right": right, "total": right + 1})
    assert same(widen(unpack_documents(pack_documents(TalliedDocuments.from_counts(counts))).expand()), counts)


@given(corpora(min_size=0), st.integers(0, 5))
def test_rankings_survive_packing(corpus: Corpus, seed: int) -> None:
    ranking = Auc().rank(batch_of(corpus, seed=seed))
    got = unpack_ranking(pack_ranking(ranking))
    assert got.classes == ranking.classes
    for one, two in zip(got.columns, ranking.columns, strict=True):
        for name in ("document", "score", "gold"):
            first, second = getattr(one, name), getattr(two, name)
            assert (first.dtype, first.tobytes()) == (second.dtype, second.tobytes())


def test_full_precision_scores_survive_packing() -> None:
    score = np.array([0.1, -0.0, np.inf, 1e300, 5e-324])
    ranking = Ranking(("a",), (ClassColumn(np.array([9, 1, 5, 3, 2]), score, np.array([1, 0, 1, 0, 1], np.bool_)),))
    assert unpack_ranking(pack_ranking(ranking)).columns[0].score.tobytes() == score.tobytes()


def test_shared_documents_of_classes_are_packed_once() -> None:
    documents = np.random.default_rng(0).permutation(5000)
    column = ClassColumn(documents, np.ones(5000), np.ones(5000, np.bool_))
    one, many = (len(pack_ranking(Ranking(tuple(map(str, range(n))), (column,) * n))) for n in (1, 20))
    assert many < 2 * one


@given(st.dictionaries(st.text(max_size=5), st.lists(st.text("ab 中", max_size=4), max_size=8), max_size=3))
def test_attributes_survive_packing(columns: dict[str, list[str]]) -> None:
    given_ = {name: Attribute.build(np.arange(len(names))[::-1] * 3, names) for name, names in columns.items()}
    got = unpack_attributes(pack_attributes(given_))
    assert list(got) == list(given_)
    for name, attribute in given_.items():
        assert got[name].look_up(attribute.documents).tolist() == columns[name]
        assert got[name].documents.tolist() == attribute.documents.tolist()


@pytest.mark.parametrize("unpack", [unpack_documents, unpack_ranking])
def test_valid_content_of_another_kind_is_reported_as_damage(unpack: object) -> None:
    assert callable(unpack)
    with pytest.raises(StoreError, match="damaged"):
        unpack(seal_content({"colour": "red"}))
    with pytest.raises(StoreError, match="damaged"):
        unpack_attributes(seal_content({"colour": "red"}))


DTYPES = (np.int64, np.uint8, np.uint16, np.uint32, np.float64, np.float32, np.bool_)
any_array = st.sampled_from(DTYPES).flatmap(
    lambda dtype: arrays(np.dtype(dtype), array_shapes(max_dims=3, min_side=0, max_side=6)),
)


def through(array: NDArray[Any], *, steps: bool = False) -> NDArray[Any]:
    """An array on its way into bytes and back."""
    return to_array(open_content(seal_content({"array": pack_array(array, steps=steps)}))["array"])


@given(any_array, st.booleans())
def test_arrays_survive_packing_bit_by_bit(array: NDArray[Any], steps: bool) -> None:  # noqa: FBT001  drawn
    got = through(array, steps=steps)
    assert (got.dtype, got.shape, got.tobytes()) == (array.dtype, array.shape, array.tobytes())


@pytest.mark.parametrize(
    "values",
    [[-(2**63), 2**63 - 1], [2**63 - 1, -(2**63), 0], [-(2**63)], [5, 5, 5], [2**62, -(2**62)]],
)
@pytest.mark.parametrize("steps", [False, True])
def test_extreme_integers_survive_packing(values: list[int], steps: bool) -> None:  # noqa: FBT001  a parameter
    array = np.array(values, np.int64)
    assert through(array, steps=steps).tolist() == values


def test_nan_payload_survives_packing() -> None:
    array = np.array([0x7FF8000000000001, 0xFFF0000000000000], np.uint64).view(np.float64)
    assert through(array).view(np.uint64).tolist() == array.view(np.uint64).tolist()


def test_ascending_integers_pack_small() -> None:
    assert len(seal_content({"array": pack_array(np.arange(7, 1_000_007), steps=True)})) < 10_000


def test_changed_byte_is_detected() -> None:
    data = seal_content({"array": pack_array(np.arange(20)), "name": "дата"})
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 0x10
        with pytest.raises(StoreError, match=r"damaged|this version knows 1"):
            open_content(bytes(changed))


@pytest.mark.parametrize("cut", [0, 1, 4, 5, 20])
def test_truncated_content_is_detected(cut: int) -> None:
    with pytest.raises(StoreError, match="damaged"):
        open_content(seal_content({"array": pack_array(np.arange(20))})[:cut])


def test_later_layout_asks_for_an_update() -> None:
    data = seal_content({})
    with pytest.raises(StoreError, match=r"layout 2.*knows 1\nUpdate isogloss"):
        open_content(b"\x02" + data[1:])


@pytest.mark.parametrize(
    "change",
    [{"shape": (3,)}, {"data": b"no zlib"}, {"kept": "|u9"}, {"dtype": "what"}, {"shape": (2, 2)}],
)
def test_inconsistent_array_is_reported_as_damage(change: dict[str, Any]) -> None:
    entry = pack_array(np.array([1, 2, 300]))
    fields = {name: getattr(entry, name) for name in PackedArray.__struct_fields__} | change
    if change == {"shape": (3,)}:
        fields["shape"] = (4,)
    with pytest.raises(StoreError, match=str(make_corrupt_error().message)):
        to_array(list(fields.values()))
