from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.errors import DataError, FormatError, MismatchError
from isogloss.records import pairing
from isogloss.records.block_pairing import IdRows, OutOfStepError, RowMatcher
from isogloss.records.pairing import (
    IdColumn,
    IdHashes,
    NumberedId,
    RowPass,
    align_rows,
    hash_ids,
    pair_rows,
)

Ids = Sequence[str | None]
NAMES = st.sampled_from("abcdefg")


def column(name: str, ids: Iterable[str | None]) -> IdColumn:
    return IdColumn(name, list(ids), lambda row: f"{name}:{row + 1}")


def aligned(reference: Ids, prediction: Ids) -> list[int] | None:
    found = align_rows(column("gold", reference), column("pred", prediction))
    return None if found is None else found.tolist()


def in_blocks(rows: Sequence[tuple[str, int]], size: int) -> Iterator[IdRows[int]]:
    for first in range(0, len(rows), size):
        block = rows[first : first + size]
        yield IdRows([key for key, _ in block], range(first, first + len(block)), [row for _, row in block])


class Reference:
    """A reference whose ids are matched some at a time, and which remembers them."""

    def __init__(self, rows: Sequence[tuple[str, int]], size: int, *, in_step: bool) -> None:
        self.hashes = IdHashes()
        self.loaded: list[tuple[str, int, int, int | None]] = []
        self.partners = RowMatcher(in_blocks(rows, size), self.was_matched, self.on_load, in_step=in_step)

    def was_matched(self, ids: Sequence[str]) -> NDArray[np.bool_]:
        return self.hashes.has_each(ids)

    def on_load(self, key: str, place: int, row: int, earlier: int | None) -> None:
        self.loaded.append((key, place, row, earlier))

    def match(self, ids: list[str]) -> list[tuple[int | None, int]]:
        rows, places = self.partners.match(ids)
        self.hashes.extend(hash_ids(ids))
        return list(zip(rows, places, strict=True))


@pytest.mark.parametrize(
    ("reference", "prediction", "order"),
    [
        ("abc", "abc", None),
        ("abc", "cab", [1, 2, 0]),
        ([None, None], [None, None], None),
        ("ab", [None, None], None),
        ("", "", None),
    ],
)
def test_rows_are_aligned_by_id_or_else_by_position(reference: Ids, prediction: Ids, order: list[int] | None) -> None:
    assert aligned(reference, prediction) == order


@given(st.permutations("abcdefg"), st.permutations("abcdefg"))
def test_aligned_rows_have_the_same_ids(reference: Sequence[str], prediction: Sequence[str]) -> None:
    order = aligned(reference, prediction) or range(len(reference))
    assert [prediction[row] for row in order] == list(reference)


@pytest.mark.parametrize(
    ("reference", "prediction", "kind", "message"),
    [
        (
            "abcdefg",
            "a",
            MismatchError,
            "gold:2: 6 of 7 ids of the reference are not in the prediction\nonly in gold: 'b', 'c', 'd', 'e', 'f', …",
        ),
        ("a", "ba", MismatchError, "pred:1: 1 of 2 ids of the prediction are not in the reference\nonly in pred: 'b'"),
        ("ab", "ca", MismatchError, "gold:2: 1 of 2 ids of the reference are not in the prediction, and 1 of 2"),
        ("ab", "xy", MismatchError, "gold:1: 2 of 2 ids of the reference are not in the prediction, and 2 of 2"),
        ([None], [None, None], MismatchError, "pred:2: the reference has 1 document, the prediction 2"),
        ("aba", "aba", DataError, "gold:3: the id 'a' stands twice in the reference\nIt first stands at gold:1."),
        ("ba", "aab", DataError, "pred:2: the id 'a' stands twice in the prediction\nIt first stands at pred:1."),
        ("ab", ["a", None], FormatError, "pred:2: the document has no id, but the 1 before it have one"),
        (["a", None], ["a", None], FormatError, "gold:2: the document has no id, but the 1 before it have one"),
        ([None, "a"], "ab", FormatError, "gold:2: the document has an id, but the 1 before it have none"),
    ],
)
def test_rows_without_a_partner_are_located(reference: Ids, prediction: Ids, kind: type, message: str) -> None:
    with pytest.raises(kind, match=message):
        aligned(reference, prediction)


@pytest.mark.parametrize(("reference", "prediction"), [("abc", "xyz"), ("ab", "yx")])
def test_ids_with_nothing_in_common_may_be_ignored(reference: Ids, prediction: Ids) -> None:
    calls: list[str] = []
    order = align_rows(column("gold", reference), column("pred", prediction), lambda: calls.append("ignored"))
    assert (order, calls) == (None, ["ignored"])


def test_rows_in_one_order_are_read_side_by_side() -> None:
    reference, prediction = (column(name, map(str, range(100))).start_pass(name) for name in ("gold", "pred"))
    next(pair_rows(reference, prediction))
    assert (reference.count, prediction.count) == (1, 1)


def test_rows_after_an_unreadable_one_are_not_counted() -> None:
    class Broken:
        name = "pred"

        def __iter__(self) -> Iterator[NumberedId]:
            yield from (NumberedId(None, 0), NumberedId(None, 1))
            raise DataError("unreadable")

    longer = RowPass(Broken(), "prediction", lambda row: f"pred:{row.position + 1}")
    with pytest.raises(MismatchError, match=r"^pred:2: the reference has 1 document, the prediction 2 or more"):
        list(pair_rows(column("gold", [None]).start_pass("reference"), longer))


@given(ids=st.lists(NAMES, unique=True), rows=st.lists(st.tuples(NAMES, st.integers())), data=st.data())
def test_matched_rows_are_those_of_a_dictionary(
    ids: list[str],
    rows: list[tuple[str, int]],
    data: st.DataObject,
) -> None:
    sizes = st.integers(1, 4)
    size, step = data.draw(sizes), data.draw(sizes)
    expected = {key: (row, place) for place, (key, row) in enumerate(rows)}
    for in_step in (True, False):
        reference = Reference(rows, size, in_step=in_step)
        try:
            found = [pair for first in range(0, len(ids), step) for pair in reference.match(ids[first : first + step])]
            unused = reference.partners.list_unused()
        except OutOfStepError:
            assert in_step
            assert len(expected) < len(rows)
            continue
        assert found == [expected.get(key, (None, -1)) for key in ids]
        assert sorted(unused) == sorted(place for key, (_, place) in expected.items() if key not in ids)


def test_rows_in_step_are_not_loaded() -> None:
    rows = [("a", 1), ("b", 2), ("c", 3)]
    reference = Reference(rows, 2, in_step=True)
    assert reference.match(["a"]) + reference.match(["b", "c"]) == [(1, 0), (2, 1), (3, 2)]
    assert (reference.partners.list_unused(), reference.loaded) == ([], [])


def test_loaded_rows_come_with_the_earlier_row_of_their_id() -> None:
    reference = Reference([("b", 1), ("a", 2), ("b", 3)], 2, in_step=True)
    assert reference.match(["a", "b"]) == [(2, 1), (3, 2)]
    assert reference.loaded == [("b", 0, 1, None), ("a", 1, 2, None), ("b", 2, 3, 1)]


def test_a_repeat_is_found_with_both_places() -> None:
    hashes = IdHashes()
    hashes.extend(hash_ids(["a", "b"]))
    assert hashes.find_repeat(pytest.fail("no second pass is needed") for _ in "x") is None
    hashes.append("a")
    assert hashes.find_repeat(zip("aba", (1, 2, 3), strict=True)) == ("a", 1, 3)
    assert hashes.has_each(["b", "c"]).tolist() == [True, False]


def test_equal_hashes_of_different_ids_are_not_a_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing, "hash", lambda _: 0, raising=False)
    hashes = IdHashes()
    hashes.extend(hash_ids(["a", "b"]))
    assert hashes.find_repeat(zip("ab", (1, 2), strict=True)) is None
