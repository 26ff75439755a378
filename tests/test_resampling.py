from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from corpora import Corpus, Document, batch_of, random_corpus
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from toys import Quality, Share

from isogloss import resampling
from isogloss.counts import Counts, Tally
from isogloss.ranking import Influence
from isogloss.resampling import (
    Interval,
    Spread,
    bootstrap,
    delong,
    document_means,
    draws,
    intervals,
    scored_documents,
    spreads,
    with_document_scores,
)
from isogloss.scores import Ints, Scores

SHARE = ("overall", "share")
MANY, FEW = np.array([400, 80, 20]), np.array([1, 2, 1, 3, 1])  # times for the multinomial, and for index draws
both_ways = pytest.mark.parametrize("times", [MANY, FEW], ids=["multinomial", "indices"])


def drawn(times: Ints, resamples: int, seed: int = 1, width: int = 1) -> Ints:
    return np.concatenate(list(draws(times, resamples, seed, width)))


@both_ways
def test_each_draw_has_as_many_documents_as_the_corpus(times: Ints) -> None:
    weights = drawn(times, 50)
    assert weights.shape == (50, len(times))
    assert (weights.sum(axis=1) == times.sum()).all()


@both_ways
def test_draws_have_the_moments_of_the_bootstrap(times: Ints) -> None:
    resamples, total = 40_000, times.sum()
    weights = drawn(times, resamples)
    variance = times * (1 - times / total)
    # Six standard errors of a mean and of a covariance; fourth moments of counts this size are near the normal 3.
    assert (np.abs(weights.mean(axis=0) - times) < 6 * np.sqrt(variance / resamples)).all()
    covariance = np.diag(times) - np.outer(times, times) / total
    assert (np.abs(np.cov(weights.T) - covariance) < 6 * 2 * np.sqrt(np.outer(variance, variance) / resamples)).all()


@both_ways
@pytest.mark.parametrize(("held", "width"), [(1, 1), (7, 1), (12, 3), (2**22, 10**9)])
def test_the_size_of_pieces_changes_no_draw(
    times: Ints, held: int, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = drawn(times, 23)
    monkeypatch.setattr(resampling, "HELD", held)
    pieces = list(draws(times, 23, seed=1, width=width))
    assert len(pieces) > 1
    assert np.concatenate(pieces).tolist() == whole.tolist()


@both_ways
def test_a_seed_gives_its_own_draws(times: Ints) -> None:
    assert drawn(times, 5, seed=1).tolist() == drawn(times, 5, seed=1).tolist()
    assert drawn(times, 5, seed=1).tolist() != drawn(times, 5, seed=2).tolist()


@pytest.mark.parametrize("held", [1, 100])
def test_the_size_of_pieces_changes_no_score(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tally = Tally.of(Quality().count(batch_of(random_corpus(1, 30))))
    whole = bootstrap(tally, Quality().score, 20)
    monkeypatch.setattr(resampling, "HELD", held)
    pieces = bootstrap(tally, Quality().score, 20)
    assert {key: value.tobytes() for key, value in pieces.items()} == {k: v.tobytes() for k, v in whole.items()}


def plain_bootstrap(corpus: Corpus, resamples: int) -> NDArray[np.float64]:
    """Documents drawn one by one, and the share of right answers among all of theirs."""
    generator = np.random.default_rng(99)
    counts = np.array([[sum(a.right for a in d.answers), len(d.answers)] for d in corpus])
    picks = generator.integers(0, len(corpus), (resamples, len(corpus)))
    right, total = counts[picks].sum(axis=1).T
    shares: NDArray[np.float64] = right / total
    return shares


@pytest.mark.parametrize("repeated", [1, 40], ids=["indices", "multinomial"])
def test_resamples_are_distributed_as_those_of_a_plain_bootstrap(repeated: int) -> None:
    corpus = random_corpus(3, 150 // repeated + 5) * repeated
    resamples = 10_000
    ours = bootstrap(Tally.of(Share().count(batch_of(corpus))), Share().score, resamples)[SHARE]
    theirs = plain_bootstrap(corpus, resamples)
    # A quantile q of n draws lies with near certainty between the quantiles q -+ 4 sqrt(q (1 - q) / n) of another n.
    for q in (0.025, 0.5, 0.975):
        slack = 4 * math.sqrt(2 * q * (1 - q) / resamples)
        low, high = np.quantile(theirs, [q - slack, q + slack])
        assert low <= np.quantile(ours, q) <= high


@pytest.mark.extra
def test_intervals_are_those_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    right = np.random.default_rng(3).integers(0, 2, 400)
    counts = Counts.build(np.arange(400), {"right": right, "total": np.ones(400, np.int64)})
    ours = intervals(bootstrap(Tally.of(counts), Share().score, 20_000))[SHARE]
    theirs = stats.bootstrap((right,), np.mean, n_resamples=20_000, method="percentile", rng=1).confidence_interval
    # Means of 400 verdicts are multiples of 1/400; both ends of 20,000 resamples are known to one of them.
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs), abs=1 / 400 + 1e-9)


def test_an_interval_has_the_quantiles_of_the_level() -> None:
    found = intervals({("x",): np.arange(101) / 100}, level=0.9)["x",]
    assert (found.low, found.high) == pytest.approx((0.05, 0.95))
    assert (found.level, found.method, found.undefined) == (0.9, "bootstrap", 0)


def test_undefined_resamples_are_left_out_and_counted() -> None:
    found = intervals({("x",): np.array([np.nan, 0.5, np.nan, 0.5])})["x",]
    assert found == Interval(0.5, 0.5, 0.95, "bootstrap", 2)


def test_a_score_that_no_resample_defines_has_no_ends() -> None:
    found = intervals({("x",): np.full(3, np.nan)})["x",]
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert found.undefined == 3


@pytest.mark.extra
def test_the_interval_of_delong_is_normal() -> None:
    stats = pytest.importorskip("scipy.stats")
    influence = Influence((("auc",),), np.array([0.8]), np.arange(2), np.array([[0.03], [0.04]]))
    found = delong(influence, level=0.9)["auc",]
    assert (found.low, found.high) == pytest.approx(stats.norm.interval(0.9, 0.8, 0.05), rel=1e-9)
    assert (found.level, found.method) == (0.9, "delong")


def test_the_interval_of_delong_stays_within_0_and_1() -> None:
    influence = Influence((("a",), ("b",)), np.array([0.01, 0.99]), np.arange(1), np.array([[0.5, 0.5]]))
    found = delong(influence)
    assert (found["a",].low, found["b",].high) == (0.0, 1.0)


def measured(values: list[float]) -> Counts:
    ones = np.ones(len(values), np.int64)
    return Counts.build(np.arange(len(values)), {"n": ones}, measures={"m": np.array(values, np.float64)})


def spread(tally: Tally, measure: str) -> Spread:
    """Over the documents that have a measure."""
    return spreads(tally, lambda sums: {("it",): sums.mean(measure)})["it",]


measures = st.lists(st.one_of(st.just(math.nan), st.sampled_from([0.1, 0.7]), st.floats(-10, 10)), max_size=12)


@given(measures)
def test_a_spread_is_over_the_documents_that_have_the_measure(values: list[float]) -> None:
    known = np.array([value for value in values if not math.isnan(value)])
    found = spread(Tally.of(measured(values)), "m")
    assert found.documents == len(known)
    low, high, mean = (known.min(), known.max(), known.mean()) if len(known) else (math.nan,) * 3
    std = known.std(ddof=1) if len(known) > 1 else math.nan
    assert [found.min, found.max] == pytest.approx([low, high], rel=0, abs=0, nan_ok=True)
    assert [found.mean, found.std] == pytest.approx([mean, std], rel=1e-12, abs=1e-13, nan_ok=True)


@given(measures, st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_change_a_bit_of_a_spread(values: list[float], random: Any) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    assert repr(spread(Tally.of(measured(values)), "m")) == repr(spread(Tally.of(measured(shuffled)), "m"))


@pytest.mark.parametrize("dense", [1, 2, 5])
@given(values=measures)
def test_documents_in_pieces_of_any_size_have_the_same_spread(dense: int, values: list[float]) -> None:
    tally = Tally.of(measured(values))
    whole = spread(tally, "m")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("isogloss.counts.tally.DENSE", dense)
        pieces = spread(tally, "m")
    assert (pieces.min, pieces.max, pieces.documents) == pytest.approx(
        (whole.min, whole.max, whole.documents), nan_ok=True
    )
    assert (pieces.mean, pieces.std) == pytest.approx((whole.mean, whole.std), rel=1e-12, abs=1e-13, nan_ok=True)


def test_repeated_documents_have_the_spread_of_all_of_them() -> None:
    values = [0.25] * 5 + [1.0] * 3
    found = spread(Tally.of(measured(values)), "m")
    assert (found.mean, found.std) == pytest.approx((np.mean(values), np.std(values, ddof=1)), rel=1e-15)


def share_alone(sums: Any) -> Scores:
    return {SHARE: Share().overall(sums)[SHARE]}


def test_scores_of_documents_become_measures_beside_those_from_outside() -> None:
    corpus = random_corpus(5, 20)
    tally = Tally.of(Quality().count(batch_of(corpus)))
    scored = with_document_scores(tally, Quality().overall)
    assert scored.rows.measures == ("fluency", "overall.share", "overall.total", "fluency.mean")
    assert spread(scored, "fluency") == spread(scored, "fluency.mean")
    assert spread(scored, "overall.total").min == min(len(document.answers) for document in corpus)


def test_scored_documents_are_what_clusters_are_grouped_from() -> None:
    corpus = [*random_corpus(6, 20), Document(author="a")]
    authors = np.array([ord(document.author) for document in corpus])
    counts = scored_documents(Share().count(batch_of(corpus)), share_alone)
    clustered = Tally.of(counts.grouped(authors))
    means = document_means(clustered.total(), [SHARE])
    shares = [np.mean([answer.right for answer in document.answers]) for document in corpus if document.answers]
    assert means["per_document", *SHARE, "mean"] == pytest.approx(np.mean(shares), rel=1e-12)
    assert len(clustered.times) <= len(set(authors.tolist()))


def test_a_spread_of_one_document_has_no_deviation() -> None:
    found = spread(Tally.of(measured([0.5])), "m")
    assert math.isnan(found.std)
    assert (found.mean, found.min, found.max, found.documents) == (0.5, 0.5, 0.5, 1)
    assert isinstance(found, Spread)
