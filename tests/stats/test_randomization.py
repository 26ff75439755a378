from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, prod

import numpy as np
import pytest
from corpora import Arrival, Corpus, Document, arrivals, batch_of, corpora, in_clusters, random_corpus, seeded
from hypothesis import given
from hypothesis import strategies as st
from toy_metrics import Quality, Share

from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import Ints, ScoreKey
from isogloss.kernel.tallied_documents import TalliedDocuments
from isogloss.stats import randomization
from isogloss.stats.bootstrap import Score, average_document_scores, group_into_units
from isogloss.stats.paired_tests import SystemDifference
from isogloss.stats.randomization import ExchangeSampler, SystemExchange, randomization_test
from isogloss.stats.system_pairs import SystemPairs, subtract_counts

SHARE = ("overall", "share")


FLUENCY = ("fluency", "mean")


Naive = Callable[[Corpus, tuple[int, ...]], float]


def sides(corpus: Corpus, metric: Share | Quality) -> tuple[Counts, Counts]:
    batch = batch_of(corpus)
    return metric.count(batch), metric.count(batch.of_other_system())


def naive_share(corpus: Corpus, exchanged: tuple[int, ...]) -> float:
    """The difference of the shares after documents have been exchanged, one document at a time."""
    right, total = [0, 0], 0
    for document, turn in zip(corpus, exchanged, strict=True):
        for answer in document.answers:
            right[turn] += answer.right
            right[1 - turn] += answer.other
            total += 1
    return right[1] / total - right[0] / total if total else math.nan


def naive_fluency(corpus: Corpus, exchanged: tuple[int, ...]) -> float:
    values: list[list[float]] = [[], []]
    for document, turn in zip(corpus, exchanged, strict=True):
        for side, value in zip((turn, 1 - turn), document.fluency, strict=True):
            values[side] += [] if math.isnan(value) else [value]
    means = [math.fsum(own) / len(own) if own else math.nan for own in values]
    return means[1] - means[0]


def exhausted(corpus: Corpus, naive: Naive) -> float:
    """The share of all 2^n exchanges that are as extreme as the observed one, or undefined."""
    observed = naive(corpus, (0,) * len(corpus))
    found = [naive(corpus, turns) for turns in product((0, 1), repeat=len(corpus))]
    return sum(math.isnan(x) or abs(x) >= abs(observed) - 1e-11 for x in found) / len(found)


def exact(one: Counts, two: Counts, score: Score, key: ScoreKey) -> float:
    """The same from the collapsed changes: every number of exchanges of each kind, by its chance."""
    exchange = SystemExchange.from_pairs(SystemPairs.from_counts(one, two))
    times = exchange.changes.times.tolist()
    flips = list(product(*(range(n + 1) for n in times)))
    scores = score(
        exchange.apply_exchanges(
            exchange.changes.build_summer().sum_documents(np.array(flips, np.int64).reshape(len(flips), -1))
        )
    )[key]
    observed = score(exchange.observed)[key]
    chance = Fraction(0)
    for k, exchanged in enumerate(flips):
        found = abs(float(scores[1, k] - scores[0, k]))
        if math.isnan(found) or found >= abs(float(observed[1] - observed[0])) - 1e-11:
            chance += Fraction(prod(comb(n, b) for n, b in zip(times, exchanged, strict=True)), 2 ** sum(times))
    return float(chance)


def small_corpora() -> st.SearchStrategy[list[Document]]:
    return corpora().map(lambda corpus: corpus[:7])


@given(small_corpora())
def test_collapsed_changes_have_the_chances_of_all_exchanges(corpus: list[Document]) -> None:
    assert exact(*sides(corpus, Share()), Share().score, SHARE) == pytest.approx(exhausted(corpus, naive_share))


@given(small_corpora())
def test_measures_are_exchanged_with_their_documents(corpus: list[Document]) -> None:
    assert exact(*sides(corpus, Quality()), Quality().score, FLUENCY) == pytest.approx(exhausted(corpus, naive_fluency))


def within(p: float, chance: float, trials: int) -> bool:
    """Whether a p-value lies within five standard errors of the chance that its trials estimate, and their 1 +."""
    return abs(p - chance) <= 5 * math.sqrt(chance * (1 - chance) / trials) + 1 / trials


def test_few_documents_have_the_exact_p_value() -> None:
    for seed in range(6):
        corpus = random_corpus(seed, 10)
        found = randomization_test(SystemPairs.from_counts(*sides(corpus, Quality())), Quality().score, 1024)
        assert found[SHARE].p == pytest.approx(exhausted(corpus, naive_share), rel=1e-12)
        assert found[FLUENCY].p == pytest.approx(exhausted(corpus, naive_fluency), rel=1e-12)
        assert {each.trials for each in found.values()} == {0}


def test_p_values_are_those_of_all_exchanges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SystemExchange, "count_outcomes", lambda _, limit: limit + 1)  # never exact
    for seed in range(6):
        corpus = random_corpus(seed, 10)
        found = randomization_test(SystemPairs.from_counts(*sides(corpus, Quality())), Quality().score, 4000)
        assert within(found[SHARE].p, exhausted(corpus, naive_share), 4000)
        assert within(found[FLUENCY].p, exhausted(corpus, naive_fluency), 4000)
        assert found[FLUENCY].value == pytest.approx(naive_fluency(corpus, (0,) * 10), rel=1e-12)


def test_kinds_of_any_size_have_the_p_values_of_single_flips() -> None:
    for number in [16, 100, 800, 3000]:
        generator = np.random.default_rng(3)
        right, other = generator.integers(0, 3, (2, number))
        total = np.full(number, 3)
        one, two = (Counts.build(np.arange(number), {"right": side, "total": total}) for side in (right, other))
        ours = randomization_test(SystemPairs.from_counts(one, two), Share().score, 4000)[SHARE].p
        signs = generator.integers(0, 2, (4000, number)) * 2 - 1
        change = other - right
        theirs = np.count_nonzero(abs(signs @ change) >= abs(change.sum())) / 4000
        assert 0.01 < theirs < 0.99  # otherwise this tests nothing
        assert abs(ours - theirs) <= 5 * math.sqrt(2 * theirs * (1 - theirs) / 4000) + 1 / 4000


@pytest.mark.extra
@pytest.mark.parametrize("seed", range(3))
def test_p_values_are_those_of_the_permutation_test_of_scipy(seed: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    generator = np.random.default_rng(seed)
    right, other = generator.integers(0, 4, 11), generator.integers(0, 5, 11)
    peer = stats.permutation_test(
        (other, right),
        lambda x, y: np.mean(x) - np.mean(y),
        permutation_type="samples",
        n_resamples=np.inf,
    )
    one, two = (Counts.build(np.arange(11), {"right": x, "total": np.full(11, 4)}) for x in (right, other))
    assert exact(one, two, Share().score, SHARE) == pytest.approx(peer.pvalue, rel=1e-12)
    assert within(randomization_test(SystemPairs.from_counts(one, two), Share().score)[SHARE].p, peer.pvalue, 10_000)


@pytest.mark.extra
@pytest.mark.parity
@pytest.mark.parametrize("seed", range(3))
def test_p_values_are_those_of_sacrebleu(seed: int) -> None:
    significance = pytest.importorskip("sacrebleu.significance")
    generator = np.random.default_rng(seed)
    # No two sets of documents add up to the same: sacrebleu does not count ties.
    counts = generator.integers(10**6, 10**9, (2, 60))
    counts[1] += generator.integers(0, 2 * 10**8, 60)

    class Metric:
        def _extract_corpus_statistics(self, hypotheses: list[int], _: object) -> Ints:
            stats: Ints = counts[hypotheses[0]][:, None]
            return stats

        def _aggregate_and_compute(self, stats: Ints) -> object:
            return significance.Result(float(np.sum(stats)), None)

    baseline = {"m": (counts[0][:, None], significance.Result(float(counts[0].sum()), None))}
    _, results = significance._paired_ar_test(baseline, "x", [1] * 60, None, {"m": Metric()}, 10_000, seed=seed)
    one, two = (Counts.build(np.arange(60), {"right": x, "total": np.ones(60, np.int64)}) for x in counts)
    ours, theirs = (
        randomization_test(SystemPairs.from_counts(one, two), Share().score)["overall", "right"].p,
        results["m"].p_value,
    )
    # Two estimates from 10,000 trials each.
    assert abs(ours - theirs) <= 5 * math.sqrt(2 * theirs * (1 - theirs) / 10_000) + 1 / 10_000


@given(corpora(), st.integers(0, 99))
def test_a_system_does_not_differ_from_itself(corpus: list[Document], seed: int) -> None:
    counts = Quality().count(batch_of(corpus))
    for found in randomization_test(SystemPairs.from_counts(counts, counts), Quality().score, 50, seed).values():
        assert (found.value == 0 and found.p == 1) or (math.isnan(found.value) and math.isnan(found.p))


@given(corpora(), st.integers(0, 99))
def test_swapping_systems_changes_the_sign_and_no_p_value(corpus: list[Document], seed: int) -> None:
    one, two = sides(corpus, Quality())
    there, back = (
        randomization_test(SystemPairs.from_counts(*pair), Quality().score, 50, seed)
        for pair in ((one, two), (two, one))
    )
    assert there.keys() == back.keys()
    for key, found in there.items():
        assert repr(replace(back[key], value=-back[key].value + 0.0)) == repr(replace(found, value=found.value + 0.0))


@given(corpora(), arrivals, st.data())
def test_document_order_and_numbers_change_nothing(
    corpus: list[Document],
    arrival: Arrival,
    data: st.DataObject,
) -> None:
    numbers = np.array(data.draw(st.permutations(range(len(corpus))))) * 7 - 30
    batches = seeded(corpus, arrival, numbers)
    arrived = (
        Counts.merge(Quality().count(batch) for batch in batches),
        Counts.merge(Quality().count(batch.of_other_system()) for batch in batches[::-1]),
    )
    one, two = (
        randomization_test(SystemPairs.from_counts(*pair), Quality().score, 50)
        for pair in (sides(corpus, Quality()), arrived)
    )
    assert repr(one) == repr(two)


@pytest.mark.parametrize("held", [1, 700])
def test_the_size_of_pieces_changes_nothing(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = random_corpus(1, 12) + random_corpus(2, 1) * 20 + random_corpus(3, 2) * 600
    pair = sides(corpus, Quality())
    whole = randomization_test(SystemPairs.from_counts(*pair), Quality().score, 200)
    monkeypatch.setattr("isogloss.stats.randomization.MAX_HELD_NUMBERS", held)
    assert repr(randomization_test(SystemPairs.from_counts(*pair), Quality().score, 200)) == repr(whole)


def test_a_seed_gives_its_own_trials() -> None:
    pair = sides(random_corpus(4, 40), Share())
    one, again, two = (
        randomization_test(SystemPairs.from_counts(*pair), Share().score, 300, seed)[SHARE].p for seed in (1, 1, 2)
    )
    assert one == again != two


def test_documents_that_do_not_change_take_no_part_in_the_draws() -> None:
    corpus = random_corpus(4, 10)
    same = [replace(d, answers=tuple(replace(a, other=a.right) for a in d.answers)) for d in random_corpus(5, 10)]
    right = ("overall", "right")
    with_them, without = (
        randomization_test(SystemPairs.from_counts(*sides(c, Share())), Share().score, 500)
        for c in (corpus + same, corpus)
    )
    assert with_them[right] == without[right]


def test_an_undefined_trial_is_extreme_and_counted() -> None:
    # Each system has answered one document only, and when both answers go to one system the other has no share.
    one = Counts.build(np.arange(2), {"right": np.array([1, 0]), "total": np.array([1, 0])})
    two = Counts.build(np.arange(2), {"right": np.array([0, 0]), "total": np.array([0, 1])})
    pairs = SystemPairs.from_counts(one, two)
    exact, drawn = (randomization_test(pairs, Share().score, trials)[SHARE] for trials in (4, 3))
    assert [(each.value, each.p) for each in (exact, drawn)] == [(-1.0, 1.0)] * 2
    assert (exact.undefined, exact.trials, drawn.trials) == (2, 0, 3)


def test_a_score_that_one_system_does_not_have_is_not_tested() -> None:
    one = Counts.build(np.arange(2), {"right": np.array([1, 0]), "total": np.array([1, 1])})
    two = Counts.build(np.arange(2), {"right": np.array([0, 0]), "total": np.array([0, 0])})
    found = randomization_test(SystemPairs.from_counts(one, two), Share().score, 10)[SHARE]
    assert math.isnan(found.value)
    assert math.isnan(found.p)


def test_the_p_value_counts_the_observed_exchange() -> None:
    one, two = (Counts.build(np.arange(40), {"right": np.full(40, x), "total": np.ones(40, np.int64)}) for x in (0, 1))
    pairs = SystemPairs.from_counts(one, two)
    found = randomization_test(pairs, Share().score, 40)[SHARE]  # 41 outcomes: none to 40 of equal documents
    assert found == SystemDifference(1.0, 1 / 41, "randomization", 40)
    exact = randomization_test(pairs, Share().score, 41)[SHARE]
    assert exact.p == pytest.approx(2 / 2**40, rel=1e-12)
    assert exact.trials == 0


def test_clusters_are_exchanged_as_a_whole() -> None:
    corpus = random_corpus(8, 14)
    codes = np.array([ord(document.author) for document in corpus])
    one, two = (in_clusters(counts, codes) for counts in sides(corpus, Share()))
    merged = [
        Document(answers=tuple(a for d in corpus if d.author == author for a in d.answers))
        for author in sorted({document.author for document in corpus})
    ]
    assert exact(one, two, Share().score, SHARE) == pytest.approx(exhausted(merged, naive_share))


def test_means_over_documents_are_tested_like_other_scores() -> None:
    corpus = random_corpus(9, 10)

    def naive(corpus: Corpus, exchanged: tuple[int, ...]) -> float:
        means = [0.0, 0.0]
        for document, turn in zip(corpus, exchanged, strict=True):
            means[turn] += sum(a.right for a in document.answers) / len(document.answers) / len(corpus)
            means[1 - turn] += sum(a.other for a in document.answers) / len(document.answers) / len(corpus)
        return means[1] - means[0]

    one, two = (
        group_into_units(TalliedDocuments.from_counts(counts), lambda s: {SHARE: Share().score(s)[SHARE]}).expand()
        for counts in sides(corpus, Share())
    )
    found = exact(one, two, lambda sums: average_document_scores(sums, [SHARE]), ("per_document", *SHARE, "mean"))
    assert found == pytest.approx(exhausted(corpus, naive))


def test_cells_that_only_one_system_has_are_exchanged_too() -> None:
    documents, one = np.arange(2), np.ones(2, np.int64)
    x, y = (
        Counts.build(
            documents,
            {"right": one, "total": one},
            parts={"kind": (0 * one, (name,))},
            measures={"fluency": one / 2},
        )
        for name in ("x", "y")
    )
    found = randomization_test(SystemPairs.from_counts(x, y), Quality().score, 400)
    assert found["by_label", "x", "overall", "total"].value == -2
    assert found["by_label", "y", "overall", "total"].value == 2
    assert within(found["by_label", "y", "overall", "total"].p, 1 / 2, 400)


@given(corpora())
def test_changes_are_differences_of_the_counts(corpus: list[Document]) -> None:
    one, two = (counts.normalize() for counts in sides(corpus, Quality()))
    change = subtract_counts(one, two)
    cells: dict[tuple[int, object], Ints] = {}
    for counts, sign in ((one, -1), (two, 1)):
        for row, cell, values in zip(counts.row.tolist(), counts.cell.tolist(), counts.values, strict=True):
            place = row, counts.cells[cell]
            cells[place] = cells.get(place, np.zeros(2, np.int64)) + sign * values
    expected = {place: values.tolist() for place, values in cells.items() if values.any()}
    found = zip(change.row.tolist(), change.cell.tolist(), change.values.tolist(), strict=True)
    assert {(row, change.cells[cell]): values for row, cell, values in found} == expected


def test_counts_that_are_kept_in_a_byte_change_below_zero() -> None:
    one, two = (
        Counts.build(np.arange(2), {"n": np.array(values)}, row=np.array(row)).normalize()
        for row, values in (([0, 1], [200, 7]), ([0], [3]))
    )
    narrow = [replace(counts, values=counts.values.astype(np.uint8)) for counts in (one, two)]
    assert subtract_counts(narrow[0], narrow[1]).values.tolist() == [[-197], [-7]]


@pytest.mark.parametrize("other", [[0, 1], [0, 1, 3]])
def test_systems_scored_on_other_documents_are_refused(other: list[int]) -> None:
    one, two = (Counts.build(np.array(d), {"n": np.ones(len(d), np.int64)}) for d in ([0, 1, 2], other))
    with pytest.raises(ValueError, match="same documents"):
        randomization_test(SystemPairs.from_counts(one, two), Share().score)


def test_no_trial_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1, got 0"):
        randomization_test(SystemPairs.from_counts(*sides(random_corpus(1, 3), Share())), Share().score, 0)


def test_no_document_has_no_difference() -> None:
    found = randomization_test(SystemPairs.from_counts(*sides([], Share())), Share().score, 10)
    assert math.isnan(found[SHARE].p)
    assert found["overall", "right"].p == 1


def test_flips_are_binomial() -> None:
    corpus = [d for n, d in zip((1, 3, 8, 9, 64, 65, 130, 700), random_corpus(11, 8), strict=True) for _ in range(n)]
    numbered = np.repeat(np.arange(8), (1, 3, 8, 9, 64, 65, 130, 700))
    counts = Counts.build(
        np.arange(len(corpus)),
        {"n": np.ones(len(corpus), np.int64)},
        parts={"kind": (numbered, tuple("abcdefgh"))},
    )
    nothing = Counts.build(
        np.arange(len(corpus)),
        {"n": np.zeros(0, np.int64)},
        row=np.zeros(0, np.int64),
        parts={"kind": (np.zeros(0, np.int64), ())},
    )
    exchange = SystemExchange.from_pairs(SystemPairs.from_counts(nothing, counts))
    drawn = ExchangeSampler(exchange.changes, 5).draw(20_000).values[..., 0]  # (trials, kinds)
    times = np.array([1, 3, 8, 9, 64, 65, 130, 700])
    # Five standard errors of a mean, and of a variance: that of binomial(n, 1/2) has the kurtosis 3 - 2 / n.
    assert (np.abs(drawn.mean(axis=0) - times / 2) < 5 * np.sqrt(times / 4 / 20_000)).all()
    assert (np.abs(drawn.var(axis=0) - times / 4) <= 5 * times / 4 * np.sqrt((2 - 2 / times) / 20_000) + 1e-3).all()
    covariance = np.cov(drawn.T) - np.diag(drawn.var(axis=0, ddof=1))
    assert (np.abs(covariance) < 5 * np.sqrt(np.outer(times, times) / 16 / 20_000)).all()
    assert drawn.min() >= 0
    assert (drawn.max(axis=0) <= times).all()


@pytest.mark.parametrize("kind", [np.uint8, np.uint64])
def test_set_bits_are_counted_without_numpy_2(kind: type[np.uint8 | np.uint64]) -> None:
    bits = np.random.default_rng(1).integers(0, np.iinfo(kind).max, (20, 3), kind, endpoint=True)
    bits[0] = 0, 1, np.iinfo(kind).max
    expected = [[int(number).bit_count() for number in row] for row in bits]
    assert randomization._count_bits(bits).tolist() == expected
    assert randomization.count_set_bits(bits).tolist() == expected
