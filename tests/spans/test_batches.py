from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.provenance import RunWarning, Side, TextExcerpt
from isogloss.spans.batches import Spans, TagPairs


class Nowhere:
    def name(self, row: int) -> str:
        return str(row)

    def where(self, row: int, position: int, side: Side) -> str:
        return f"{side}:{row}:{position}"

    def get_excerpt(self, row: int) -> TextExcerpt | None:
        return None


def test_equal_notices_add_up_in_the_order_of_their_first_place() -> None:
    merged = RunWarning.merge(
        [
            RunWarning("b", "Tags were read as others.", 2, "x:1"),
            RunWarning("a", "Empty lines.", where="x:2"),
            RunWarning("b", "Tags were read as others.", 3, "x:9"),
            RunWarning("b", "Something else.", 1),
        ]
    )
    assert merged == (
        RunWarning("b", "Tags were read as others.", 5, "x:1"),
        RunWarning("a", "Empty lines.", 1, "x:2"),
        RunWarning("b", "Something else.", 1, None),
    )


notices = st.lists(st.builds(RunWarning, st.sampled_from("ab"), st.sampled_from("xy"), st.integers(1, 5)), max_size=8)


@given(notices, notices)
def test_notices_may_be_merged_batch_by_batch(one: list[RunWarning], two: list[RunWarning]) -> None:
    assert RunWarning.merge([*RunWarning.merge(one), *RunWarning.merge(two)]) == RunWarning.merge(one + two)


@given(st.lists(st.text("aé字🙂", min_size=1, max_size=4), min_size=1, max_size=6), st.data())
def test_a_span_of_words_is_their_text(words: list[str], data: st.DataObject) -> None:
    passage = TextExcerpt.from_words(iter(words))
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    begin, stop = passage.locate_span(start, end)
    assert passage.text[begin:stop] == " ".join(words[start:end])


def test_without_words_units_are_code_points() -> None:
    assert TextExcerpt("a🙂b").locate_span(1, 3) == (1, 3)


def test_spans_are_ordered_by_row_start_end_and_label() -> None:
    rows = np.array([[1, 0, 2, 0], [0, 3, 5, 1], [0, 3, 5, 0], [0, 3, 4, 1], [0, 0, 9, 2]])
    spans = Spans.from_unsorted(*rows.T)
    found = np.stack([spans.row, spans.start, spans.end, spans.label], axis=1).tolist()
    assert found == sorted(rows.tolist())
    assert len(spans) == 5


@pytest.mark.parametrize("at", [np.array([2, 0]), np.array([True, False, True])], ids=["positions", "mask"])
def test_take_keeps_the_order_of_positions_or_mask(at: Any) -> None:
    numbers = np.arange(3)
    chosen = Spans(numbers, numbers + 10, numbers + 20, numbers + 30).take(at)
    assert chosen.row.tolist() == numbers[at].tolist()
    assert chosen.label.tolist() == (numbers + 30)[at].tolist()


def tag_pairs(**changes: Any) -> TagPairs:
    whole: dict[str, Any] = {
        "documents": np.array([0, 1]),
        "offsets": np.array([0, 2, 3]),
        "vocabulary": ("O", "B-PER"),
        "reference": np.array([0, 1, 0], np.uint8),
        "predicted": np.array([0, 0, 1], np.uint8),
        "provenance": Nowhere(),
    }
    return TagPairs(**(whole | changes))


def test_tags_of_both_sides_fill_the_documents() -> None:
    assert tag_pairs().offsets[-1] == len(tag_pairs().predicted)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"offsets": np.array([0, 3])}, "an offset before and after each document"),
        ({"vocabulary": ("B-PER", "O")}, "'O' is code 0"),
        ({"vocabulary": ()}, "'O' is code 0"),
        ({"predicted": np.array([0, 1], np.uint8)}, "3 and 2 tags for 3 tokens"),
        ({"offsets": np.array([0, 2, 4])}, "3 and 3 tags for 4 tokens"),
    ],
)
def test_tags_that_do_not_fill_the_documents_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tag_pairs(**changes)
