from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.scores import (
    Scores,
    average_defined,
    compute_f_measure,
    divide,
    find_proportions,
    format_path,
)

NAN = math.nan
counts = st.integers(0, 6)


def test_zero_by_zero_is_undefined() -> None:
    np.testing.assert_array_equal(divide([1, 0, 0], [4, 5, 0]), [0.25, 0.0, NAN])


def test_zero_by_zero_is_zero_division_if_given() -> None:
    np.testing.assert_array_equal(divide([1, 0], [4, 0], zero_division=1.0), [0.25, 1.0])


def test_parts_and_wholes_are_broadcast() -> None:
    assert divide([[1], [2]], [4, 8]).tolist() == [[0.25, 0.125], [0.5, 0.25]]


@given(found=counts, spurious=counts, right=counts, missed=counts, beta=st.sampled_from([0.5, 1.0, 2.0]))
def test_f_is_the_weighted_harmonic_mean(
    found: int,
    spurious: int,
    right: int,
    missed: int,
    beta: float,
) -> None:
    actual, possible = found + spurious, right + missed
    result = compute_f_measure(found, actual, right, possible, beta)
    if possible + actual == 0:
        expected = NAN
    elif found == 0 or right == 0:
        expected = 0.0
    else:
        precision, recall = found / actual, right / possible
        expected = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    assert result == pytest.approx(expected, rel=1e-14, nan_ok=True)


@given(credit=counts, spurious=counts, missed=counts, beta=st.sampled_from([1.0001e6, 1e200, math.inf]))
def test_f_with_a_huge_beta_is_recall(credit: int, spurious: int, missed: int, beta: float) -> None:
    possible, actual = credit + missed, credit + spurious
    expected = credit / possible if possible else (0.0 if actual else NAN)
    f = compute_f_measure(credit, actual, credit, possible, beta)
    assert f == pytest.approx(expected, rel=1e-9, nan_ok=True)


@given(credit=counts, spurious=counts, missed=counts, beta=st.sampled_from([0.5, 1.0, 2.0]))
def test_f_with_one_credit_is_a_ratio_of_counts(
    credit: int,
    spurious: int,
    missed: int,
    beta: float,
) -> None:
    possible, actual = credit + missed, credit + spurious
    expected = (1 + beta**2) * credit / (beta**2 * possible + actual) if possible + actual else NAN
    assert compute_f_measure(credit, actual, credit, possible, beta) == pytest.approx(expected, rel=1e-14, nan_ok=True)


def test_f_is_undefined_only_if_both_sides_are_empty() -> None:
    sides = compute_f_measure([0, 0, 0], [0, 2, 0], [0, 0, 0], [3, 0, 0], zero_division=1.0)
    assert sides.tolist() == [0.0, 0.0, 1.0]


@pytest.mark.extra
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=20), st.sampled_from([0.5, 1, 2]))
def test_ratios_are_those_of_scikit_learn(verdicts: list[tuple[int, int]], beta: float) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    gold, predicted = (np.array(side) for side in zip(*verdicts, strict=True))
    theirs = metrics.precision_recall_fscore_support(
        gold,
        predicted,
        beta=beta,
        labels=[0, 1],
        average=None,
        zero_division=np.nan,
    )
    for label in (0, 1):
        right = int(((gold == label) & (predicted == label)).sum())
        actual, possible = int((predicted == label).sum()), int((gold == label).sum())
        ours = divide(right, actual), divide(right, possible), compute_f_measure(right, actual, right, possible, beta)
        np.testing.assert_allclose([float(value) for value in ours], [side[label] for side in theirs[:3]], rtol=1e-14)


def test_means_skip_undefined_values_and_count_the_others() -> None:
    mean, used = average_defined(np.array([[0.5, NAN, 1.0], [NAN, NAN, NAN]]))
    np.testing.assert_array_equal(mean, [0.75, NAN])
    assert used.tolist() == [2, 0]


def test_weights_of_undefined_values_are_ignored() -> None:
    mean, used = average_defined(np.array([0.5, NAN, 1.0]), [1, 100, 3])
    assert (mean.item(), used.item()) == (0.875, 2)


def test_a_mean_with_zero_weights_is_undefined() -> None:
    mean, used = average_defined(np.array([0.5, 1.0]), [0, 0])
    assert math.isnan(mean)
    assert used == 2


def test_paths_quote_special_names() -> None:
    for key, name in [
        (("strict", "f1"), "strict.f1"),
        (("by_label", "U.S.", "strict", "f1"), 'by_label."U.S.".strict.f1'),
        (("by_label", "B-PER_2", "n"), "by_label.B-PER_2.n"),
        (("by_label", "", "n"), 'by_label."".n'),
        (("by_label", 'a"b\\', "n"), r'by_label."a\"b\\".n'),
        (("by_label", "дата", "n"), 'by_label."дата".n'),
        (("by_label", "PER\n", "n"), 'by_label."PER\n".n'),
    ]:
        assert format_path(key) == name


@given(st.lists(st.lists(st.text('a."\\', max_size=4), min_size=1, max_size=3).map(tuple), unique=True, max_size=6))
def test_no_two_keys_have_one_path(keys: list[tuple[str, ...]]) -> None:
    assert len({format_path(key) for key in keys}) == len(keys)


def arrays(numbers: Mapping[str, float]) -> Scores:
    return {tuple(path.split(".")): np.asarray(value) for path, value in numbers.items()}


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ({"word.recall": 0.5, "word.correct": 3, "word.reference": 6}, {("word", "recall"): (3, 6)}),
        ({"boundary.recall": 0.25, "boundary.tp": 1, "boundary.fn": 3}, {("boundary", "recall"): (1, 4)}),
        ({"macro.recall": 0.5}, {}),
        ({"g.recall": 0, "g.correct": 1, "g.reference": 2, "g.tp": 3, "g.fn": 4}, {("g", "recall"): (3, 7)}),
        ({"g.recall": 0, "g.correct": 1, "g.reference": 0}, {}),
        ({"partial.recall": 0.5, "partial.correct": 1, "partial.possible": 2}, {}),
        (
            {
                "micro.recall": 0.5,
                "by_label.a.l.tp": 1,
                "by_label.a.l.fn": 0,
                "by_label.b.l.tp": 0,
                "by_label.b.l.fn": 1,
            },
            {("micro", "recall"): (1, 2)},
        ),
    ],
    ids=["one whole", "sum", "no counts", "first rule", "more than the whole", "half points", "micro"],
)
def test_proportions_are_found_by_the_counts_of_their_group(
    numbers: dict[str, float], expected: dict[tuple[str, ...], tuple[int, int]]
) -> None:
    assert find_proportions(arrays(numbers), {"partial"}) == expected
