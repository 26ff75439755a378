from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import DataError
from isogloss.records.block_pairing import BlockQueue

LENGTHS = st.lists(st.integers(1, 5), max_size=8)


class Letters(str):
    """A block whose rows are letters."""

    __slots__ = ()

    def select_rows(self, start: int, stop: int) -> Letters:
        return Letters(self[start:stop])


def cut(lengths: list[int]) -> list[Letters]:
    letters = iter(map(chr, range(ord("a"), ord("a") + sum(lengths))))
    return [Letters("".join(next(letters) for _ in range(length))) for length in lengths]


@given(LENGTHS, LENGTHS)
def test_blocks_taken_by_number_are_cut_where_the_other_side_ends(ours: list[int], theirs: list[int]) -> None:
    queue = BlockQueue(iter(cut(theirs)))
    text, at = "".join(cut(theirs)), 0
    for number in ours:
        assert "".join(queue.take(number)) == text[at : at + number]
        at += number
    assert "".join(queue.take()) == text[at:]


def test_parts_before_an_error_are_taken() -> None:
    def fail() -> Letters:
        raise DataError("damaged")

    queue = BlockQueue(chain([Letters("ab")], (fail() for _ in range(1))))
    parts = queue.take(3)
    assert next(parts) == "ab"
    with pytest.raises(DataError, match="damaged"):
        next(parts)
    assert queue.last == "ab"
