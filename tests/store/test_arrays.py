from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from isogloss.errors import StoreError
from isogloss.store.packing import PackedArray, make_corrupt_error, open_content, pack_array, seal_content, to_array

DTYPES = (np.int64, np.uint8, np.uint16, np.uint32, np.float64, np.float32, np.bool_)
any_array = st.sampled_from(DTYPES).flatmap(
    lambda dtype: arrays(np.dtype(dtype), array_shapes(max_dims=3, min_side=0, max_side=6)),
)


def through(array: NDArray[Any], *, steps: bool = False) -> NDArray[Any]:
    """An array on its way into bytes and back."""
    return to_array(open_content(seal_content({"array": pack_array(array, steps=steps)}))["array"])


@given(any_array, st.booleans())
def test_every_array_comes_back_bit_by_bit(array: NDArray[Any], steps: bool) -> None:  # noqa: FBT001  drawn
    got = through(array, steps=steps)
    assert (got.dtype, got.shape, got.tobytes()) == (array.dtype, array.shape, array.tobytes())


@pytest.mark.parametrize(
    "values",
    [[-(2**63), 2**63 - 1], [2**63 - 1, -(2**63), 0], [-(2**63)], [5, 5, 5], [2**62, -(2**62)]],
)
@pytest.mark.parametrize("steps", [False, True])
def test_integers_at_the_edges_come_back(values: list[int], steps: bool) -> None:  # noqa: FBT001  a parameter
    array = np.array(values, np.int64)
    assert through(array, steps=steps).tolist() == values


def test_nan_keeps_its_bits() -> None:
    array = np.array([0x7FF8000000000001, 0xFFF0000000000000], np.uint64).view(np.float64)
    assert through(array).view(np.uint64).tolist() == array.view(np.uint64).tolist()


def test_a_million_ascending_integers_take_little_room() -> None:
    assert len(seal_content({"array": pack_array(np.arange(7, 1_000_007), steps=True)})) < 10_000


def test_any_changed_byte_is_noticed() -> None:
    data = seal_content({"array": pack_array(np.arange(20)), "name": "дата"})
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 0x10
        with pytest.raises(StoreError, match=r"damaged|this version knows 1"):
            open_content(bytes(changed))


@pytest.mark.parametrize("cut", [0, 1, 4, 5, 20])
def test_bytes_that_are_cut_short_are_noticed(cut: int) -> None:
    with pytest.raises(StoreError, match="damaged"):
        open_content(seal_content({"array": pack_array(np.arange(20))})[:cut])


def test_a_later_layout_asks_for_an_update() -> None:
    data = seal_content({})
    with pytest.raises(StoreError, match=r"layout 2.*knows 1\nUpdate isogloss"):
        open_content(b"\x02" + data[1:])


@pytest.mark.parametrize(
    "change",
    [{"shape": (3,)}, {"data": b"no zlib"}, {"kept": "|u9"}, {"dtype": "what"}, {"shape": (2, 2)}],
)
def test_an_array_that_contradicts_itself_is_damaged(change: dict[str, Any]) -> None:
    entry = pack_array(np.array([1, 2, 300]))
    fields = {name: getattr(entry, name) for name in PackedArray.__struct_fields__} | change
    if change == {"shape": (3,)}:
        fields["shape"] = (4,)
    with pytest.raises(StoreError, match=str(make_corrupt_error().message)):
        to_array(list(fields.values()))
