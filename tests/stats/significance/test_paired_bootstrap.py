from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from corpora import Arrival, Corpus, Document, arrivals, batch_of, corpora, random_corpus, seeded
from hypothesis import given
from hypothesis import strategies as st
from toy_metrics import Quality, Share

from isogloss.kernel.counts import Counts
from isogloss.stats.paired_tests import bootstrap_test
from isogloss.stats.system_pairs import SystemPairs

SHARE = ("overall", "share")


def sides(corpus: Corpus, metric: Share | Quality) -> tuple[Counts, Counts]:
    batch = batch_of(corpus)
    return metric.count(batch), metric.count(batch.of_other_system())


def plain(corpus: Corpus, resamples: int) -> tuple[float, float, float, float]:
    """Difference, ends of its interval and p-value from documents drawn one by one."""
    counts = np.array(
        [[sum(a.right for a in d.answers), sum(a.other for a in d.answers), len(d.answers)] for d in corpus],
    )
    picks = np.random.default_rng(99).integers(0, len(corpus), (resamples, len(corpus)))
    right, other, total = counts[picks].sum(axis=1).T
    drawn, observed = other / total - right / total, (counts[:, 1] - counts[:, 0]).sum() / counts[:, 2].sum()
    extreme = np.count_nonzero(np.abs(drawn - observed) >= abs(observed) - 1e-12)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return observed, low, high, (1 + extreme) / (1 + resamples)


@pytest.mark.parametrize("repeated", [1, 40], ids=["indices", "multinomial"])
def test_intervals_and_p_values_are_those_of_a_plain_bootstrap(repeated: int) -> None:
    corpus = random_corpus(3, 150 // repeated + 5) * repeated
    found = bootstrap_test(SystemPairs.from_counts(*sides(corpus, Share())), Share().score, 10_000)[SHARE]
    observed, low, high, p = plain(corpus, 10_000)
    assert found.value == pytest.approx(observed, rel=1e-12)
    assert found.interval is not None
    # The standard error of such a quantile of 10,000 nearly normal draws is 2.7 std / sqrt(10,000).
    error = 5 * math.sqrt(2) * 0.027 * (high - low) / 3.92
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=error)
    assert abs(found.p - p) <= 5 * math.sqrt(2 * p * (1 - p) / 10_000)
    assert (found.method, found.trials, found.interval.method) == ("bootstrap", 10_000, "bootstrap")


@pytest.mark.extra
def test_the_interval_is_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    generator = np.random.default_rng(4)
    right = generator.integers(0, 2, 400)
    other = np.where(generator.random(400) < 0.2, 1 - right, right)
    ones = np.ones(400, np.int64)
    one, two = (Counts.build(np.arange(400), {"right": x, "total": ones}) for x in (right, other))
    ours = bootstrap_test(SystemPairs.from_counts(one, two), Share().score, 20_000, level=0.9)[SHARE].interval
    assert ours is not None
    theirs = stats.bootstrap(
        (right, other),
        lambda x, y, axis: np.mean(y, axis) - np.mean(x, axis),
        paired=True,
        n_resamples=20_000,
        method="percentile",
        confidence_level=0.9,
        rng=1,
    ).confidence_interval
    # Differences of 400 verdicts are multiples of 1/400; both ends of 20,000 resamples are known to one of them.
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs), abs=1 / 400 + 1e-9)


@given(corpora(), st.integers(0, 99))
def test_a_system_does_not_differ_from_itself(corpus: list[Document], seed: int) -> None:
    counts = Quality().count(batch_of(corpus))
    for found in bootstrap_test(SystemPairs.from_counts(counts, counts), Quality().score, 20, seed).values():
        assert (found.value == 0 and found.p == 1) or (math.isnan(found.value) and math.isnan(found.p))


@given(corpora(), st.integers(0, 99))
def test_swapping_systems_changes_signs_and_no_p_value(corpus: list[Document], seed: int) -> None:
    one, two = sides(corpus, Share())
    there, back = (
        bootstrap_test(SystemPairs.from_counts(*pair), Share().score, 20, seed) for pair in ((one, two), (two, one))
    )
    if there["overall", "right"].value == 0:
        return  # neither is the first, and both p-values are 1
    for key, found in there.items():
        other = back[key]
        assert other.interval is not None
        assert found.interval is not None
        assert [other.value, other.p] == pytest.approx([-found.value, found.p], rel=0, abs=0, nan_ok=True)
        ends = -found.interval.high, -found.interval.low
        # A percentile between two resamples is interpolated from the other side.
        assert (other.interval.low, other.interval.high) == pytest.approx(ends, rel=1e-12, abs=1e-15, nan_ok=True)


@given(corpora(), arrivals)
def test_the_arrival_of_documents_changes_nothing(corpus: list[Document], arrival: Arrival) -> None:
    batches = seeded(corpus, arrival)
    arrived = (
        Counts.merge(Quality().count(batch) for batch in batches),
        Counts.merge(Quality().count(batch.of_other_system()) for batch in batches[::-1]),
    )
    one, two = (
        bootstrap_test(SystemPairs.from_counts(*pair), Quality().score, 20)
        for pair in (sides(corpus, Quality()), arrived)
    )
    assert repr(one) == repr(two)


def test_undefined_resamples_are_extreme_and_left_out_of_the_interval() -> None:
    # A resample without the second document has no answer at all: (3/4)^4 of them, about.
    total = np.array([0, 1, 0, 0])
    one, two = (Counts.build(np.arange(4), {"right": total * x, "total": total}) for x in (0, 1))
    found = bootstrap_test(SystemPairs.from_counts(one, two), Share().score, 1000)[SHARE]
    assert abs(found.undefined - 1000 * 0.75**4) < 5 * math.sqrt(1000 * 0.75**4 * (1 - 0.75**4))
    assert found.p == (1 + found.undefined) / 1001
    assert found.interval is not None
    assert (found.interval.low, found.interval.high, found.interval.undefined) == (1, 1, found.undefined)


def test_a_score_that_one_system_does_not_have_is_not_tested() -> None:
    one = Counts.build(np.arange(2), {"right": np.array([1, 0]), "total": np.array([1, 1])})
    two = replace(one, values=one.values * 0)
    assert math.isnan(bootstrap_test(SystemPairs.from_counts(one, two), Share().score, 10)[SHARE].p)


def test_a_seed_gives_its_own_resamples() -> None:
    pair = sides(random_corpus(4, 40), Share())
    one, again, two = (
        bootstrap_test(SystemPairs.from_counts(*pair), Share().score, 300, seed)[SHARE] for seed in (1, 1, 2)
    )
    assert one == again != two
