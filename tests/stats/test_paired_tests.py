from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from corpora import Answer, Arrival, Corpus, Document, arrivals, batch_of, corpora, random_corpus, seeded
from hypothesis import given
from hypothesis import strategies as st
from toy_metrics import Quality, Share

from isogloss.kernel.counts import Counts
from isogloss.kernel.ranking import Influence, Ranking, compute_auc_influence
from isogloss.kernel.score_order import Bools
from isogloss.kernel.scores import Floats, Ints
from isogloss.kernel.tallied_documents import TalliedDocuments
from isogloss.stats import paired_tests
from isogloss.stats.paired_tests import (
    DocumentComparison,
    apply_holm_correction,
    bootstrap_differences,
    bootstrap_test,
    compare_documents,
    delong_test,
)
from isogloss.stats.system_pairs import SystemPairs

p_values = st.one_of(st.sampled_from([0.0, 0.01, 0.04, 1.0]), st.floats(0, 1))


families = st.lists(p_values, max_size=6)


def closed(ps: list[float]) -> list[float]:
    """The closed test of Bonferroni: of every part of the family with this test, the largest corrected p-value."""
    result = []
    for k in range(len(ps)):
        parts = [part for size in range(1, len(ps) + 1) for part in combinations(range(len(ps)), size) if k in part]
        result.append(max(min(1.0, len(part) * min(ps[j] for j in part)) for part in parts))
    return result


@given(families)
def test_it_is_the_closed_test_of_bonferroni(ps: list[float]) -> None:
    assert list(apply_holm_correction(dict(enumerate(ps))).values()) == closed(ps)


@given(families, st.randoms(use_true_random=False))
def test_the_order_of_the_tests_does_not_matter(ps: list[float], random: object) -> None:
    shuffled = list(enumerate(ps))
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert apply_holm_correction(dict(shuffled)) == apply_holm_correction(dict(enumerate(ps)))


def test_tests_without_a_p_value_are_no_part_of_the_family() -> None:
    found = apply_holm_correction({"a": 0.02, "b": math.nan, "c": 0.03})
    assert list(found) == ["a", "b", "c"]
    assert math.isnan(found["b"])
    assert (found["a"], found["c"]) == pytest.approx((0.04, 0.04))


def test_an_example_by_hand() -> None:
    found = apply_holm_correction({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})
    assert found == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02})


def test_a_family_without_tests_stays_empty() -> None:
    assert apply_holm_correction({}) == {}


SHARE = ("overall", "share")


def sides(corpus: Corpus, metric: Share | Quality) -> tuple[Counts, Counts]:
    batch = batch_of(corpus)
    return metric.count(batch), metric.count(batch.of_other_system())


def plain(corpus: Corpus, resamples: int) -> tuple[float, float, float, float]:
    """Difference, ends of its interval, and p-value, from documents drawn one by one.

    For the p-value each drawn document has its systems exchanged or not.
    """
    counts = np.array(
        [[sum(a.right for a in d.answers), sum(a.other for a in d.answers), len(d.answers)] for d in corpus],
    )
    generator = np.random.default_rng(99)
    picks = generator.integers(0, len(corpus), (resamples, len(corpus)))
    right, other, total = counts[picks].sum(axis=1).T
    drawn, observed = other / total - right / total, (counts[:, 1] - counts[:, 0]).sum() / counts[:, 2].sum()
    signs = generator.choice([-1, 1], picks.shape)
    equal = (signs * (counts[:, 1] - counts[:, 0])[picks]).sum(axis=1) / total
    extreme = np.count_nonzero(np.abs(equal) >= abs(observed) - 1e-12)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return observed, low, high, (1 + extreme) / (1 + resamples)


@pytest.mark.parametrize("repeated", [1, 40], ids=["indices", "multinomial"])
def test_intervals_and_p_values_are_those_of_a_plain_bootstrap(repeated: int) -> None:
    corpus = random_corpus(3, 150 // repeated + 5) * repeated
    pairs = SystemPairs.from_counts(*sides(corpus, Share()))
    found = bootstrap_test(pairs, Share().score, 10_000)[SHARE]
    interval = bootstrap_differences(pairs, Share().score, 10_000)[SHARE]
    observed, low, high, p = plain(corpus, 10_000)
    assert found.value == pytest.approx(observed, rel=1e-12)
    # The standard error of such a quantile of 10,000 nearly normal draws is 2.7 std / sqrt(10,000).
    error = 5 * math.sqrt(2) * 0.027 * (high - low) / 3.92
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=error)
    assert abs(found.p - p) <= 5 * math.sqrt(2 * p * (1 - p) / 10_000)
    assert (found.method, found.trials, interval.method) == ("bootstrap", 10_000, "bootstrap")


def test_intervals_that_are_known_are_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = SystemPairs.from_counts(*sides(random_corpus(3, 9), Share()))
    all_keys = bootstrap_differences(pairs, Share().score, 50).keys()
    monkeypatch.setattr(paired_tests, "bootstrap_scores", None)  # calling it would raise an error
    assert bootstrap_differences(pairs, Share().score, 50, known=all_keys) == {}


@pytest.mark.extra
def test_the_interval_is_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    generator = np.random.default_rng(4)
    right = generator.integers(0, 2, 400)
    other = np.where(generator.random(400) < 0.2, 1 - right, right)
    ones = np.ones(400, np.int64)
    one, two = (Counts.build(np.arange(400), {"right": x, "total": ones}) for x in (right, other))
    ours = bootstrap_differences(SystemPairs.from_counts(one, two), Share().score, 20_000, level=0.9)[SHARE]
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
    pairs = [SystemPairs.from_counts(*each) for each in (sides(corpus, Share()), sides(corpus, Share())[::-1])]
    there, back = (bootstrap_test(pair, Share().score, 20, seed) for pair in pairs)
    ends, other_ends = (bootstrap_differences(pair, Share().score, 20, seed) for pair in pairs)
    if there["overall", "right"].value == 0:
        return  # neither is the first, and both p-values are 1
    for key, found in there.items():
        assert [back[key].value, back[key].p] == pytest.approx([-found.value, found.p], rel=0, abs=0, nan_ok=True)
        # A percentile between two resamples is interpolated from the other side.
        mirrored = -ends[key].high, -ends[key].low
        assert (other_ends[key].low, other_ends[key].high) == pytest.approx(mirrored, rel=1e-12, abs=1e-15, nan_ok=True)


@given(corpora(), arrivals)
def test_the_arrival_of_documents_changes_nothing(corpus: list[Document], arrival: Arrival) -> None:
    batches = seeded(corpus, arrival)
    arrived = (
        Counts.merge(Quality().count(batch) for batch in batches),
        Counts.merge(Quality().count(batch.of_other_system()) for batch in batches[::-1]),
    )
    pairs = [SystemPairs.from_counts(*pair) for pair in (sides(corpus, Quality()), arrived)]
    for compute in (bootstrap_test, bootstrap_differences):
        one, two = (compute(pair, Quality().score, 20) for pair in pairs)
        assert repr(one) == repr(two)


def test_undefined_resamples_are_extreme_but_not_in_the_interval() -> None:
    # A resample without the second document has no answer at all: (3/4)^4 of them, about.
    total = np.array([0, 1, 0, 0])
    one, two = (Counts.build(np.arange(4), {"right": total * x, "total": total}) for x in (0, 1))
    pairs = SystemPairs.from_counts(one, two)
    found = bootstrap_differences(pairs, Share().score, 1000)[SHARE]
    assert abs(found.undefined - 1000 * 0.75**4) < 5 * math.sqrt(1000 * 0.75**4 * (1 - 0.75**4))
    assert (found.low, found.high) == (1, 1)
    tested = bootstrap_test(pairs, Share().score, 1000)[SHARE]
    assert tested.undefined == found.undefined  # the same resamples
    # k draws of the document are extreme if all or none are exchanged: a chance of 2^(1 - k).
    drawn = [math.comb(4, k) * 0.25**k * 0.75 ** (4 - k) for k in range(5)]
    expected = drawn[0] + sum(chance * 2 ** (1 - k) for k, chance in enumerate(drawn) if k)
    assert abs(tested.p - expected) < 5 * math.sqrt(expected * (1 - expected) / 1000) + 0.001


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


AUC = ("by_label", "c", "auc")


def ranking(score: Floats, gold: Bools, documents: Ints | None = None) -> Ranking:
    documents = np.arange(len(score)) if documents is None else documents
    return Ranking.from_rows(("c",), documents, np.zeros(len(score), np.int64), score, gold)


def influence(score: Floats, gold: Bools) -> Influence:
    return compute_auc_influence(ranking(score, gold), ("auc",))


def two_systems(seed: int, number: int = 80, better: float = 0.0) -> tuple[Floats, Floats, Bools]:
    generator = np.random.default_rng(seed)
    gold = generator.random(number) < 0.4
    shared = generator.normal(size=number) + gold
    one, two = (np.round(shared + generator.normal(size=number), 1) for _ in range(2))
    return one, two + better * gold, gold


def by_the_book(one: Floats, two: Floats, gold: Bools) -> tuple[float, float]:
    """Difference of the areas and its standard error, from all pairs of documents of either verdict."""
    psi = [np.heaviside(score[gold][:, None] - score[~gold][None], 0.5) for score in (one, two)]
    of_positives, of_negatives = [p.mean(axis=1) for p in psi], [p.mean(axis=0) for p in psi]
    covariance = np.cov(of_positives) / gold.sum() + np.cov(of_negatives) / (~gold).sum()
    error = math.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    return float(psi[1].mean() - psi[0].mean()), error


@pytest.mark.extra
@pytest.mark.parametrize("seed", range(4))
def test_the_test_of_delong_is_that_of_the_book(seed: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    one, two, gold = two_systems(seed, better=0.3)
    found = delong_test(influence(one, gold), influence(two, gold), level=0.9)[AUC]
    value, error = by_the_book(one, two, gold)
    assert found.value == pytest.approx(value, rel=1e-10)
    assert found.p == pytest.approx(2 * stats.norm.sf(abs(value) / error), rel=1e-9)
    assert found.interval is not None
    expected = stats.norm.interval(0.9, value, error)
    assert (found.interval.low, found.interval.high) == pytest.approx(expected, rel=1e-9)
    assert (found.method, found.interval.method, found.trials) == ("delong", "delong", 0)


@given(st.integers(0, 99))
def test_swapping_systems_changes_the_sign_and_no_p_value(seed: int) -> None:
    one, two, gold = two_systems(seed, 20)
    there, back = (delong_test(influence(x, gold), influence(y, gold))[AUC] for x, y in ((one, two), (two, one)))
    assert [back.value, back.p] == pytest.approx([-there.value, there.p], rel=1e-12, nan_ok=True)


def test_delong_finds_no_difference_of_a_system_from_itself() -> None:
    one, _, gold = two_systems(1)
    found = delong_test(influence(one, gold), influence(one, gold))[AUC]
    assert (found.value, found.p) == (0, 1)


def test_areas_without_variance_are_equal_or_not_tested() -> None:
    gold = np.array([False, False, True, True])
    right, wrong = influence(gold.astype(np.float64), gold), influence(-gold.astype(np.float64), gold)
    assert delong_test(right, right)[AUC].p == 1
    assert math.isnan(delong_test(wrong, right)[AUC].p)


def test_a_variance_of_rounding_alone_is_none() -> None:
    """Each positive wins half a negative more, and each negative is beaten by half of the positives more."""
    gold = np.array([True, True, True, False, False])
    one, two = np.array([1.0, 1, 0, 1, 1]), np.array([1.0, 2, 0, 0, 0])
    found = delong_test(influence(one, gold), influence(two, gold))[AUC]
    assert found.value == pytest.approx(5 / 6 - 1 / 3)
    assert math.isnan(found.p)


def test_an_area_whose_variance_is_not_known_is_not_tested() -> None:
    gold = np.array([False, False, True])
    one, two = np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.2, 0.1])
    found = delong_test(influence(one, gold), influence(two, gold))[AUC]
    assert found.value == -1
    assert math.isnan(found.p)


def test_clusters_are_compared_by_the_sums_of_their_documents() -> None:
    one, two, gold = two_systems(3)
    codes = np.arange(80) // 4
    found = delong_test(influence(one, gold).group_by_cluster(codes), influence(two, gold).group_by_cluster(codes))[AUC]
    contributed = (influence(two, gold).values - influence(one, gold).values)[:, 0].reshape(20, 4).sum(axis=1)
    value = by_the_book(one, two, gold)[0]
    assert found.p == pytest.approx(math.erfc(abs(value) / math.sqrt(2 * np.square(contributed).sum())), rel=1e-9)


NAN = math.nan


def duel(baseline: list[float], other: list[float]) -> DocumentComparison:
    number = len(baseline)
    documents, pairs, times = np.arange(number) * 10, np.arange(number), np.ones(number, np.int64)
    return DocumentComparison(documents, pairs, times, np.array(baseline), np.array(other))


def compare_sides(one: Counts, two: Counts) -> DocumentComparison:
    baseline, other = map(TalliedDocuments.from_counts, (one, two))
    return compare_documents(baseline, other, Share().overall)[SHARE]


@given(corpora())
def test_every_document_is_compared_by_itself(corpus: list[Document]) -> None:
    batch = batch_of(corpus, np.arange(len(corpus))[::-1])
    found = compare_sides(Share().count(batch), Share().count(batch.of_other_system()))
    shares = [
        (sum(a.right for a in d.answers) / len(d.answers), sum(a.other for a in d.answers) / len(d.answers))
        for d in corpus
        if d.answers
    ]
    assert found.wins == sum(other > baseline for baseline, other in shares)
    assert found.losses == sum(other < baseline for baseline, other in shares)
    assert found.ties == sum(other == baseline for baseline, other in shares)
    assert found.undefined == len(corpus) - len(shares)
    pairs = [(k, d.answers) for k, d in enumerate(corpus) if d.answers]
    assert found.only_baseline.tolist() == [
        k for k, a in pairs if all(x.right for x in a) and not all(x.other for x in a)
    ]
    assert found.only_other.tolist() == [k for k, a in pairs if all(x.other for x in a) and not all(x.right for x in a)]


def test_document_without_a_score_is_left_out() -> None:
    found = duel([NAN, 1.0, NAN, 0.5], [1.0, NAN, NAN, 1.0])
    assert (found.wins, found.ties, found.losses, found.undefined) == (1, 0, 0, 3)
    assert found.only_baseline.tolist() == []
    assert found.only_other.tolist() == [30]


def test_rounding_neither_wins_nor_is_wrong() -> None:
    found = duel([0.1 + 0.2, 1 - 2**-53, 1.0], [0.3, 1.0, 1 - 2**-53])
    assert (found.wins, found.ties, found.losses) == (0, 3, 0)
    assert found.only_baseline.tolist() == found.only_other.tolist() == []


@pytest.mark.extra
def test_verdicts_have_the_p_value_of_a_sign_test() -> None:
    stats = pytest.importorskip("scipy.stats")
    found = duel([1, 1, 0, 0, 0, 0, 0, 0, NAN], [1, 0, 1, 1, 1, 1, 1, 0, 1])
    assert found.has_only_verdicts
    assert found.compute_mcnemar_p() == pytest.approx(stats.binomtest(1, 6).pvalue, rel=1e-12)


def test_scores_between_right_and_wrong_are_no_verdicts() -> None:
    found = duel([1.0, 0.5], [0.0, 1.0])
    assert not found.has_only_verdicts
    with pytest.raises(ValueError, match="some documents have a score between 0 and 1"):
        found.compute_mcnemar_p()


def test_systems_scored_on_other_documents_are_refused() -> None:
    one, two = (Counts.build(np.array(d), {"n": np.ones(len(d), np.int64)}) for d in ([0, 1, 2], [0, 1, 3]))
    with pytest.raises(ValueError, match="same documents"):
        compare_sides(one, two)


def test_an_answer_is_a_verdict() -> None:
    corpus = [Document(answers=(Answer(None, "short", right, other),)) for right, other in ((1, 0), (0, 1), (1, 1))]
    batch = batch_of(corpus)
    found = compare_sides(Share().count(batch), Share().count(batch.of_other_system()))
    assert (found.has_only_verdicts, found.compute_mcnemar_p()) == (True, 1.0)


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 3)), min_size=1, max_size=10))
def test_clustered_verdicts_are_summed_by_cluster(rows: list[tuple[bool, bool, int]]) -> None:
    found = duel([float(one) for one, _, _ in rows], [float(two) for _, two, _ in rows])
    moved = [sum(int(two) - int(one) for one, two, own in rows if own == cluster) for cluster in range(4)]
    sums = [
        abs(sum(sign * own for sign, own in zip(signs, moved, strict=True))) for signs in product((1, -1), repeat=4)
    ]
    clusters = np.array([cluster for *_, cluster in rows])
    expected = sum(each >= abs(sum(moved)) for each in sums) / 16
    assert found.compute_mcnemar_p(clusters) == pytest.approx(expected)
