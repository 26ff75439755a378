"""A margin turns the burden of proof round: a system passes if a larger loss is ruled out."""

from __future__ import annotations

import math

import pytest

import isogloss
from isogloss.errors import UsageError
from isogloss.runs.comparison import compare
from isogloss.runs.non_inferiority import judge_margin
from isogloss.runs.pair_comparison import RunPair

GOLD = [["B-PER"]] * 200


def pair_of(wrong: int, number: int = 200) -> RunPair:
    """A perfect baseline, and a system that misses the names of some documents."""
    prediction = [["O"]] * wrong + [["B-PER"]] * (number - wrong)
    runs = [isogloss.ner(GOLD[:number], each, scheme="iob2") for each in (GOLD[:number], prediction)]
    return compare(*runs).pairs[0]


def test_interval_of_the_loss_must_lie_below_the_margin() -> None:
    pair = pair_of(10)
    found = pair.scores["strict.recall"]
    assert found.difference == pytest.approx(-0.05)
    for margin, passed in [(-found.low + 1e-9, True), (-found.low, False), (0.05, False), (1.0, True)]:
        assert judge_margin(pair, "strict.recall", margin).passed is passed
    assert str(judge_margin(pair, "strict.recall", 0.5)).startswith(
        "prediction is less than 0.5 worse than prediction: with 95% confidence strict.recall is at most "
    )
    assert "is not shown to be less than 0.01 worse" in str(judge_margin(pair, "strict.recall", 0.01))


def test_a_better_system_passes() -> None:
    worse = pair_of(10)
    assert judge_margin(compare(worse.other, worse.baseline).pairs[0], "strict.recall", 0.001).passed


def test_few_documents_show_nothing() -> None:
    """Five documents that are all equal, and five that are all worse: neither passes, whatever the margin."""
    for wrong in (0, 5):
        verdict = judge_margin(pair_of(wrong, 5), "strict.f1", 2.0)
        assert not verdict.passed
        assert "The interval shows nothing: with 5 documents the smallest p-value is 0.0625" in str(verdict)


def test_equal_documents_pass_and_a_constant_loss_does_not() -> None:
    assert judge_margin(pair_of(0), "strict.f1", 0.02).passed
    assert not judge_margin(pair_of(200), "strict.recall", 0.99).passed


def test_interval_without_width_shows_nothing() -> None:
    verdict = judge_margin(pair_of(10), "macro.strict.precision", 0.5)  # 1 in every resample of both
    assert verdict.loss == (0, 0)
    assert not verdict.passed
    assert "The interval has no width, so it shows nothing." in str(verdict)


def test_lower_error_rates_are_better() -> None:
    texts = [["Так є."] * 200, ["Так word."] * 10 + ["Так є."] * 190]
    runs = [isogloss.code_switching(each, language="uk") for each in texts]
    there, back = compare(*runs).pairs[0], compare(*reversed(runs)).pairs[0]
    assert not judge_margin(there, "words.excused_rate", 0.01).passed
    assert judge_margin(back, "words.excused_rate", 0.01).passed


@pytest.mark.parametrize("margin", [0.0, -0.1, math.nan, math.inf])
def test_margins_are_positive_numbers(margin: float) -> None:
    with pytest.raises(UsageError, match="must be a positive number"):
        judge_margin(pair_of(1), "strict.f1", margin)


def test_unknown_score_is_refused() -> None:
    with pytest.raises(UsageError, match="no ratio"):
        judge_margin(pair_of(1), "strict.missed", 0.1)
