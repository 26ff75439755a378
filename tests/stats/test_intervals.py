from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_metrics import Share

from isogloss.kernel.counts import Counts
from isogloss.kernel.tally import Tally
from isogloss.stats.bootstrap import bootstrap_scores
from isogloss.stats.intervals import (
    DocumentSpread,
    Interval,
    compute_design_effect_interval,
    compute_difference_interval,
    compute_document_spreads,
    compute_logit_interval,
    compute_modified_wilson_interval,
    compute_mover_interval,
    compute_percentile_intervals,
    compute_wilson_interval,
)
from isogloss.stats.student_t import find_t_quantile
from isogloss.stats.unit_variance import RatioEvidence

SHARE = ("overall", "share")


@pytest.mark.extra
def test_intervals_are_those_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    right = np.random.default_rng(3).integers(0, 2, 400)
    counts = Counts.build(np.arange(400), {"right": right, "total": np.ones(400, np.int64)})
    ours = compute_percentile_intervals(bootstrap_scores(Tally.from_counts(counts), Share().score, 20_000))[SHARE]
    theirs = stats.bootstrap((right,), np.mean, n_resamples=20_000, method="percentile", rng=1).confidence_interval
    # Means of 400 verdicts are multiples of 1/400; both ends of 20,000 resamples are known to one of them.
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs), abs=1 / 400 + 1e-9)


def test_an_interval_has_the_quantiles_of_the_level() -> None:
    found = compute_percentile_intervals({("x",): np.arange(101) / 100}, level=0.9)["x",]
    assert (found.low, found.high) == pytest.approx((0.05, 0.95))
    assert (found.level, found.method, found.undefined) == (0.9, "bootstrap", 0)


def test_undefined_resamples_are_left_out_and_counted() -> None:
    found = compute_percentile_intervals({("x",): np.array([np.nan, 0.5, np.nan, 0.5])})["x",]
    assert found == Interval(0.5, 0.5, 0.95, "bootstrap", 2)


def test_a_score_that_no_resample_defines_has_no_ends() -> None:
    found = compute_percentile_intervals({("x",): np.full(3, np.nan)})["x",]
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert found.undefined == 3


@pytest.mark.extra
@given(st.integers(0, 50), st.integers(1, 50), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_the_interval_of_wilson_is_that_of_scipy(right: int, more: int, level: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    expected = stats.binomtest(right, right + more).proportion_ci(level, method="wilson")
    found = compute_wilson_interval(right, right + more, level)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9, abs=1e-12)
    assert (found.level, found.method) == (level, "wilson")


@given(st.integers(1, 50))
def test_the_interval_of_wilson_ends_where_all_or_none_are_right(total: int) -> None:
    assert compute_wilson_interval(0, total).low == 0
    assert compute_wilson_interval(total, total).high == 1


def test_the_interval_of_wilson_by_hand() -> None:
    # z = 1 at a level of 0.6827: (p + 1/2n -+ sqrt(p (1 - p) / n + 1/4n²)) / (1 + 1/n) with p = 1/2 and n = 3.
    found = compute_wilson_interval(3, 6, level=math.erf(1 / math.sqrt(2)))
    half = math.sqrt(1 / 24 + 1 / 144)
    assert (found.low, found.high) == pytest.approx(((7 / 12 - half) / (7 / 6), (7 / 12 + half) / (7 / 6)), rel=1e-12)


def test_no_trial_has_no_interval() -> None:
    assert math.isnan(compute_wilson_interval(0, 0).low)
    assert math.isnan(compute_wilson_interval(0, 0).high)


@pytest.mark.parametrize(("right", "total"), [(-1, 3), (4, 3)])
def test_more_right_than_there_are_is_refused(right: int, total: int) -> None:
    with pytest.raises(ValueError, match="not a proportion"):
        compute_wilson_interval(right, total)


@pytest.mark.parametrize("total", [2, 7, 50, 400])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_few_successes_widen_the_interval_of_wilson(total: int, level: float) -> None:
    limits = {1: -math.log(level)}  # no event of a Poisson distribution has the chance exp(-limit)
    for right in range(total + 1):
        plain = compute_wilson_interval(right, total, level)
        found = compute_modified_wilson_interval(right, total, level)
        assert found.low <= plain.low
        assert found.high >= plain.high
        mirrored = compute_modified_wilson_interval(total - right, total, level)
        assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((found.low, found.high), abs=1e-12)
        if right in limits:
            assert found.low == pytest.approx(min(plain.low, limits[right] / total))
        if 3 < right < total - 3:
            assert (found.low, found.high) == (plain.low, plain.high)


@pytest.mark.extra
@pytest.mark.parametrize("right", [2, 3])
def test_the_inner_end_of_few_successes_is_that_of_a_poisson_distribution(right: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    low = compute_modified_wilson_interval(right, 1000).low
    assert stats.poisson.cdf(right - 1, 1000 * low) == pytest.approx(0.95)


@pytest.mark.extra
@given(st.integers(1, 2000), st.sampled_from([0.2, 0.8, 0.95, 0.999]))
def test_the_quantile_of_student_is_that_of_scipy(degrees: int, level: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    assert find_t_quantile(level, degrees) == pytest.approx(stats.t.ppf((1 + level) / 2, degrees), rel=1e-7)


def solve_wilson(p: float, trials: float, quantile: float) -> tuple[float, float]:
    """The roots of (p - x)² trials = quantile² x (1 - x)."""
    square = quantile * quantile
    roots = np.roots([trials + square, -(2 * p * trials + square), p * p * trials])
    return float(min(roots.real)), float(max(roots.real))


# 0.975 quantiles of Student's t with 7 to 9, 14 and 99 degrees of freedom, from scipy 1.17.1
T_7, T_8, T_9, T_14, T_99 = 2.364624251, 2.306004135, 2.262157162798205, 2.144786688, 1.984216952


def test_a_design_effect_divides_the_trials() -> None:
    # 10 errors among 50 trials, and a variance 3 times that of independent trials; 1 + .2 x 4 = 1.8 is expected.
    found = compute_design_effect_interval(RatioEvidence(0.8, 50, 10, 5, 3 * 0.8 * 0.2 / 50))
    effect = (10 * 3 + 4 * 1.8) / (10 + 4)
    assert (found.low, found.high) == pytest.approx(solve_wilson(0.8, 50 / effect, T_9))
    assert found.method == "wilson-deff"


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_without_errors_the_expected_design_effect_is_used(value: float) -> None:
    found = compute_design_effect_interval(RatioEvidence(value, 50, 10, 5, 0))
    assert (found.low, found.high) == pytest.approx(solve_wilson(value, 50 / 1.8, T_8), abs=1e-9)
    assert not found.is_degenerate


@pytest.mark.parametrize(("errors", "quantile"), [(20, T_14), (400, T_99)])
def test_errors_in_few_of_many_units_give_few_degrees_of_freedom(errors: int, quantile: float) -> None:
    # 100 documents of 20 tokens; the design effect is 3: there are 20 / 3 or 400 / 3 independent errors, and 8 more.
    p, expected = 1 - errors / 2000, 1 + 0.2 * 19
    observed = (3 * (errors + 4) - 4 * expected) / errors
    found = compute_design_effect_interval(RatioEvidence(p, 2000, 100, 20, observed * p * (1 - p) / 2000))
    assert (found.low, found.high) == pytest.approx(solve_wilson(p, 2000 / 3, quantile), abs=1e-9)


@pytest.mark.parametrize("trials", [20, 100, 500])
@pytest.mark.parametrize("size", [1, 3, 10])
def test_one_error_does_not_raise_the_interval(trials: int, size: int) -> None:
    units = trials // size + 3
    perfect = compute_design_effect_interval(RatioEvidence(1, trials, units, size, 0))
    p = 1 - 1 / trials
    for effect in (0.5, 1, size):
        worse = compute_design_effect_interval(RatioEvidence(p, trials, units, size, effect * p * (1 - p) / trials))
        assert worse.low < perfect.low + 0.03
        assert worse.high < 1


@pytest.mark.parametrize("units", [0, 1, 2])
def test_fewer_than_three_units_have_no_interval(units: int) -> None:
    evidence = RatioEvidence(0.7, 10, units, 5, 0)
    assert compute_design_effect_interval(evidence).is_degenerate
    assert compute_mover_interval([evidence], np.ones((1, 1)), units).is_degenerate
    assert compute_difference_interval(evidence).is_degenerate


def test_mover_adds_the_distances_of_the_ratios() -> None:
    ratios = [RatioEvidence(0.9, 40, 20, 2, 0.004), RatioEvidence(0.5, 30, 15, 2, 0.01)]
    (a, b), (c, d) = ((own.low, own.high) for own in map(compute_design_effect_interval, ratios))
    unknown = RatioEvidence(math.nan, 0, 0, 0, math.nan)
    for r in (0.0, 0.4, 1.0):
        correlations = np.array([[1, r, 0], [r, 1, 0], [0, 0, 1]])
        found = compute_mover_interval([*ratios, unknown], correlations, 20)
        low = 0.7 - math.sqrt((0.9 - a) ** 2 + (0.5 - c) ** 2 + 2 * r * (0.9 - a) * (0.5 - c)) / 2
        high = 0.7 + math.sqrt((b - 0.9) ** 2 + (d - 0.5) ** 2 + 2 * r * (b - 0.9) * (d - 0.5)) / 2
        assert (found.low, found.high) == pytest.approx((low, high))
        assert found.method == "mover"


def test_logit_interval_is_that_of_scipy() -> None:
    stats, special = pytest.importorskip("scipy.stats"), pytest.importorskip("scipy.special")
    samples = np.array([0.7, 0.8, 0.9, math.nan])
    found = compute_logit_interval(0.8, samples, 7.9, 0.9)
    half = stats.t.ppf(0.95, 7) * 0.1 / (0.8 * 0.2)  # the deviation of .7, .8 and .9 is .1
    assert (found.low, found.high) == pytest.approx([special.expit(math.log(4) + end) for end in (-half, half)])
    assert (found.method, found.undefined) == ("logit-t", 1)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_logit_interval_of_no_or_all_is_that_of_wilson(value: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    found = compute_logit_interval(value, np.full(9, value), 10, 0.95)
    square = stats.t.ppf(0.975, 8) ** 2
    assert abs(found.high - found.low) == pytest.approx(square / (10 + square))
    assert value in {found.low, found.high}


@pytest.mark.parametrize(("value", "freedom"), [(0.8, 1), (math.nan, 30)])
def test_logit_interval_of_few_or_nothing_is_undefined(value: float, freedom: float) -> None:
    found = compute_logit_interval(value, np.array([0.7, 0.9]), freedom)
    assert math.isnan(found.low)
    assert math.isnan(found.high)


def test_the_variance_of_a_difference_has_one_more_trial() -> None:
    # 1 + .2 x 4 = 1.8 is the expected design effect of the added trial among 50.
    found = compute_difference_interval(RatioEvidence(-0.1, 50, 10, 5, 0.002))
    # 0.002 x (50 / 1.8)² = 1.54: one independent difference, and 6 degrees of freedom more.
    half = T_7 * math.sqrt(0.002 + 1.8 / 50**2)
    assert (found.low, found.high) == pytest.approx((-0.1 - half, -0.1 + half))
    assert not compute_difference_interval(RatioEvidence(0, 50, 10, 5, 0)).is_degenerate
    assert compute_difference_interval(RatioEvidence(0.9, 3, 3, 1, 0.5)).high == 1


@pytest.mark.parametrize(
    ("ends", "degenerate"),
    [((0.2, 0.3), False), ((0.3, 0.3), True), ((math.nan, math.nan), True), ((0.2, math.nan), True)],
)
def test_an_interval_without_width_or_end_is_degenerate(ends: tuple[float, float], degenerate: bool) -> None:  # noqa: FBT001  a case
    assert Interval(*ends, 0.95, "bootstrap").is_degenerate is degenerate


def measured(values: list[float]) -> Counts:
    ones = np.ones(len(values), np.int64)
    return Counts.build(np.arange(len(values)), {"n": ones}, measures={"m": np.array(values, np.float64)})


def spread(tally: Tally, measure: str) -> DocumentSpread:
    """Over the documents that have a measure."""
    return compute_document_spreads(tally, lambda sums: {("it",): sums.average_measure(measure)})["it",]


measures = st.lists(st.one_of(st.just(math.nan), st.sampled_from([0.1, 0.7]), st.floats(-10, 10)), max_size=12)


@given(measures)
def test_a_spread_is_over_the_documents_that_have_the_measure(values: list[float]) -> None:
    known = np.array([value for value in values if not math.isnan(value)])
    found = spread(Tally.from_counts(measured(values)), "m")
    assert found.documents == len(known)
    low, high, mean = (known.min(), known.max(), known.mean()) if len(known) else (math.nan,) * 3
    std = known.std(ddof=1) if len(known) > 1 else math.nan
    assert [found.min, found.max] == pytest.approx([low, high], rel=0, abs=0, nan_ok=True)
    assert [found.mean, found.std] == pytest.approx([mean, std], rel=1e-12, abs=1e-13, nan_ok=True)


@given(measures, st.randoms(use_true_random=False))
def test_spread_does_not_depend_on_document_order(values: list[float], random: Any) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    assert repr(spread(Tally.from_counts(measured(values)), "m")) == repr(
        spread(Tally.from_counts(measured(shuffled)), "m")
    )


@pytest.mark.parametrize("dense", [1, 2, 5])
@given(values=measures)
def test_documents_in_pieces_of_any_size_have_the_same_spread(dense: int, values: list[float]) -> None:
    tally = Tally.from_counts(measured(values))
    whole = spread(tally, "m")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("isogloss.kernel.tally.MAX_DENSE_NUMBERS", dense)
        pieces = spread(tally, "m")
    assert (pieces.min, pieces.max, pieces.documents) == pytest.approx(
        (whole.min, whole.max, whole.documents),
        nan_ok=True,
    )
    assert (pieces.mean, pieces.std) == pytest.approx((whole.mean, whole.std), rel=1e-12, abs=1e-13, nan_ok=True)


def test_repeated_documents_have_the_spread_of_all_of_them() -> None:
    values = [0.25] * 5 + [1.0] * 3
    found = spread(Tally.from_counts(measured(values)), "m")
    assert (found.mean, found.std) == pytest.approx((np.mean(values), np.std(values, ddof=1)), rel=1e-15)


def test_a_spread_of_one_document_has_no_deviation() -> None:
    found = spread(Tally.from_counts(measured([0.5])), "m")
    assert math.isnan(found.std)
    assert (found.mean, found.min, found.max, found.documents) == (0.5, 0.5, 0.5, 1)
    assert isinstance(found, DocumentSpread)


@pytest.mark.extra
def test_the_standard_error_is_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    values = [0.25, 1.0, 0.5, 0.5]
    assert spread(Tally.from_counts(measured([*values, math.nan])), "m").se == pytest.approx(
        stats.sem(values), rel=1e-12
    )


@pytest.mark.parametrize("values", [[], [0.5]])
def test_fewer_than_two_documents_have_no_standard_error(values: list[float]) -> None:
    assert math.isnan(spread(Tally.from_counts(measured(values)), "m").se)
