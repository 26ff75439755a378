from __future__ import annotations

import math

import pytest

from isogloss.runs.comparison import WorseVerdict

ALPHA = 0.05


def worse(difference: float, p: float, *, lower_is_better: bool = False) -> WorseVerdict:
    return WorseVerdict("monday", "tuesday", "strict.f1", difference, p, ALPHA, lower_is_better)


@pytest.mark.parametrize(
    ("p", "passed"),
    [(math.nextafter(ALPHA, 0), False), (ALPHA, True), (math.nextafter(ALPHA, 1), True)],
)
def test_a_loss_is_significant_only_with_p_below_alpha(p: float, *, passed: bool) -> None:
    assert worse(-0.1, p).passed is passed
    assert worse(0.1, p, lower_is_better=True).passed is passed


@pytest.mark.parametrize("difference", [0.0, 0.1])
def test_a_system_that_is_not_worse_passes_whatever_p(difference: float) -> None:
    assert worse(difference, 0.001).passed
    assert worse(-difference, 0.001, lower_is_better=True).passed


@pytest.mark.parametrize(("difference", "p"), [(math.nan, 0.5), (-0.1, math.nan), (math.nan, math.nan)])
def test_what_is_undefined_does_not_pass(difference: float, p: float) -> None:
    assert not worse(difference, p).passed


def test_equality_with_alpha_reads_as_not_significantly_worse() -> None:
    assert str(worse(-0.1, ALPHA)).startswith("tuesday is not significantly worse than monday:")
