from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isogloss
from isogloss.tasks.segmentation.batches import WordPairs
from isogloss.tasks.segmentation.inputs import open_input
from isogloss.tasks.segmentation.metric import REGION_KINDS
from isogloss.tasks.segmentation.options import SegmentationOptions
from isogloss.tasks.segmentation.sample_rows import build_sample_rows

TEXTS = st.lists(st.text("กขab|", max_size=7), min_size=1, max_size=6)


@st.composite
def cuts(draw: st.DrawFn) -> tuple[list[list[str]], list[list[str]]]:
    """Texts, each cut in two ways."""
    sides: tuple[list[list[str]], list[list[str]]] = [], []
    for text in draw(TEXTS):
        for side in sides:
            places = draw(st.sets(st.integers(1, max(1, len(text) - 1)))) if len(text) > 1 else set()
            edges = [0, *sorted(places), len(text)]
            side.append([text[a:b] for a, b in pairwise(edges) if a < b])
    return sides


def spans(words: Sequence[str]) -> set[tuple[int, int]]:
    at, found = 0, set()
    for word in words:
        found.add((at, at + len(word)))
        at += len(word)
    return found


def plainly(reference: list[list[str]], predicted: list[list[str]]) -> dict[str, int]:
    """All counts, by sets of spans and of places, one sample at a time."""
    count = dict.fromkeys(("tp", "fp", "fn", "tn", "inner", "correct", "split", "merge", "shift"), 0)
    for left, right in zip(reference, predicted, strict=True):
        text = "".join(left)
        a, b = ({start for start, _ in spans(side)} for side in (left, right))
        count["tp"] += len(a & b)
        count["fp"] += len(b - a)
        count["fn"] += len(a - b)
        count["tn"] += len(set(range(len(text))) - a - b)
        count["inner"] += len((a & b) - {0})
        count["correct"] += len(spans(left) & spans(right))
        edges = [*sorted(a & b), len(text)]
        for low, high in pairwise(edges):
            ours, theirs = (len([at for at in side if low <= at < high]) for side in (a, b))
            if ours > 1 or theirs > 1:
                count["split" if ours == 1 else "merge" if theirs == 1 else "shift"] += 1
    return count


@given(cuts())
def test_counts_are_those_of_a_plain_count_of_spans(sides: tuple[list[list[str]], list[list[str]]]) -> None:
    run, plain = isogloss.segmentation(*sides), plainly(*sides)
    character, word, boundary = (run.scores[name] for name in ("character", "word", "boundary"))
    assert [character[bit] for bit in ("tp", "fp", "fn", "tn")] == [plain[bit] for bit in ("tp", "fp", "fn", "tn")]
    assert [boundary[bit] for bit in ("tp", "fp", "fn")] == [plain["inner"], plain["fp"], plain["fn"]]
    assert word.correct == plain["correct"]
    assert [run.kinds[kind] for kind in REGION_KINDS] == [plain[kind] for kind in REGION_KINDS]


@given(cuts())
def test_words_of_either_side_are_those_that_are_listed(sides: tuple[list[list[str]], list[list[str]]]) -> None:
    word = isogloss.segmentation(*sides).scores["word"]
    assert (word.reference, word.predicted) == tuple(sum(map(len, side)) for side in sides)


@given(cuts())
def test_swapping_the_sides_swaps_precision_and_recall(sides: tuple[list[list[str]], list[list[str]]]) -> None:
    there, back = isogloss.segmentation(*sides).scores, isogloss.segmentation(*sides[::-1]).scores
    for group in ("character", "word", "boundary"):
        assert (there[group].precision, there[group].recall) == pytest.approx(
            (back[group].recall, back[group].precision),
            nan_ok=True,
        )


@given(cuts())
def test_a_perfect_prediction_scores_1(sides: tuple[list[list[str]], list[list[str]]]) -> None:
    scores = isogloss.segmentation(sides[0], sides[0]).scores
    expected = 1.0 if any(sides[0]) else math.nan
    for group in ("character", "word"):
        figures = [scores[group][name] for name in ("precision", "recall", "f1")]
        assert figures == pytest.approx([expected] * 3, nan_ok=True)


@given(cuts(), st.randoms(use_true_random=False))
def test_the_order_of_samples_changes_nothing(sides: tuple[list[list[str]], list[list[str]]], random: Any) -> None:
    order = list(range(len(sides[0])))
    random.shuffle(order)
    shuffled = [[side[at] for at in order] for side in sides]
    there, back = isogloss.segmentation(*sides), isogloss.segmentation(*shuffled)
    assert repr(there.to_dict()) == repr(back.to_dict())


@given(cuts())
def test_indicators_have_a_digit_per_word(
    sides: tuple[list[list[str]], list[list[str]]],
) -> None:
    rows = list(build_sample_rows(open_input(*sides), SegmentationOptions()))
    assert len(rows) == len(sides[0])
    for row, left, right in zip(rows, *sides, strict=True):
        common = spans(left) & spans(right)
        for digits, words in ((row.reference_indicators, left), (row.indicators, right)):
            assert digits == "".join(str(int(span in common)) for span in sorted(spans(words)))
        assert (row.correct, row.reference, row.predicted) == (len(common), len(left), len(right))


@given(cuts(), st.sets(st.sampled_from(["ก", "กข", "a", "ab", "|", "b|"])))
def test_words_inside_and_outside_of_the_vocabulary_add_up(
    sides: tuple[list[list[str]], list[list[str]]],
    vocabulary: set[str],
) -> None:
    scores = isogloss.segmentation(*sides, vocabulary=vocabulary).scores
    unknown = right = 0
    for left, theirs in zip(*sides, strict=True):
        ours = sorted(spans(left))
        for word, span in zip(left, ours, strict=True):
            unknown += word not in vocabulary
            right += word not in vocabulary and span in spans(theirs)
    assert (scores["oov"].total, scores["oov"].correct) == (unknown, right)
    assert scores["oov"].total + scores["iv"].total == scores["word"].reference
    assert scores["oov"].correct + scores["iv"].correct == scores["word"].correct


# The table of the reference: reference, prediction, character F1, word precision, recall, F1, indicators.
GOLDEN = [
    ("ผม|ไม่|ชอบ|กิน|ผัก", "ผม|ไม่|ชอบ|กินผัก", 8 / 9, 3 / 4, 3 / 5, 2 / 3, "1110"),
    ("ผม|ไม่|ชอบ|กินผัก", "ผม|ไม่|ชอบ|กิน|ผัก", 8 / 9, 3 / 5, 3 / 4, 2 / 3, "11100"),
    ("ตา|กลม", "ตาก|ลม", 1 / 2, 0, 0, 0, "00"),
    ("ab|c", "a|b|c", 4 / 5, 1 / 3, 1 / 2, 2 / 5, "001"),
    ("A|AA|B", "AA|A|B", 2 / 3, 1 / 3, 1 / 3, 1 / 3, "001"),
]


def test_figures_are_those_of_the_table() -> None:
    for reference, predicted, character, p, r, f, indicators in GOLDEN:
        sides = [reference.split("|")], [predicted.split("|")]
        scores = isogloss.segmentation(*sides).scores
        assert scores["character"].f1 == pytest.approx(character)
        assert [scores["word"][name] for name in ("precision", "recall", "f1")] == pytest.approx([p, r, f])
        assert next(build_sample_rows(open_input(*sides), SegmentationOptions())).indicators == indicators


def test_the_sum_and_the_mean_are_both_there_and_differ() -> None:
    # The first and the fourth row of the table: F of 2/3 and 2/5; together 4 words are right of 7 and 7.
    rows = [[text.split("|") for text in row[:2]] for row in (GOLDEN[0], GOLDEN[3])]
    run = isogloss.segmentation([row[0] for row in rows], [row[1] for row in rows])
    assert run.scores["word"].f1 == pytest.approx(4 / 7)
    spread = run.per_document["word.f1"]
    assert (spread.mean, spread.min, spread.max) == pytest.approx((8 / 15, 2 / 5, 2 / 3))
    assert spread.std == pytest.approx((2 / 3 - 2 / 5) / math.sqrt(2))  # of two values, with ddof 1


def test_an_empty_prediction_scores_zero_and_stays_in_every_mean() -> None:
    run = isogloss.segmentation([["a", "b"], ["c"]], [["a", "b"], []])
    assert run.scores["word"].recall == pytest.approx(2 / 3)
    spread = run.per_document["word.f1"]
    assert (spread.mean, spread.min, spread.documents) == (0.5, 0.0, 2)


def test_a_mismatch_that_counts_zero_has_the_words_of_both_sides() -> None:
    run = isogloss.segmentation([["a", "b"], ["c"]], [["x", "y", "z"], ["c"]], on_mismatch="zero")
    word, character, boundary = (run.scores[name] for name in ("word", "character", "boundary"))
    assert (word.correct, word.predicted, word.reference) == (1, 4, 3)
    assert [character[bit] for bit in ("tp", "fp", "fn", "tn")] == [1, 3, 2, 0]
    assert [boundary[bit] for bit in ("tp", "fp", "fn")] == [0, 2, 1]
    assert sum(run.kinds.values()) == 1


def test_nothing_on_either_side_is_undefined_but_a_document() -> None:
    run = isogloss.segmentation([[]], [[]])
    assert run.documents == 1
    assert math.isnan(run.scores["word"].f1)
    assert isogloss.segmentation([[]], [[]], zero_division=1).scores["word"].f1 == 1


def test_a_document_that_does_not_fit_its_marks_is_refused() -> None:
    none = np.zeros(0, np.int64)
    flags = np.zeros(2, np.bool_)
    with pytest.raises(ValueError, match="2 and 2 marks for 0 characters"):
        WordPairs(none, np.zeros(1, np.int64), np.zeros(0, np.uint32), flags, flags, flags[:0], none, None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="0 documents have an offset"):
        WordPairs(none, none, np.zeros(0, np.uint32), flags[:0], flags[:0], flags[:0], none, None)  # type: ignore[arg-type]
