from __future__ import annotations

import math

import numpy as np
import pytest
from corpora import Document, batch_of, corpora, random_corpus
from hypothesis import given
from toy_metrics import Gain, Quality, Share, score_difference

from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import Scores
from isogloss.kernel.sums import Sums
from isogloss.kernel.tallied_documents import TalliedDocuments
from isogloss.kernel.tally import Tally
from isogloss.stats.bootstrap import bootstrap_scores, group_into_units
from isogloss.stats.system_pairs import SystemPairs, join_systems

SHARE = ("overall", "share")


@given(corpora())
def test_a_system_does_not_differ_from_itself(corpus: list[Document]) -> None:
    counts = Quality().count(batch_of(corpus))
    scores = score_difference(Quality().score)(Tally.from_counts(join_systems(counts, counts)).sum_all())
    assert all(math.isnan(value) or value == 0 for value in scores.values())


@given(corpora())
def test_swapping_systems_swaps_the_sign(corpus: list[Document]) -> None:
    batch = batch_of(corpus)
    one, two = Share().count(batch), Share().count(batch.of_other_system())
    there, back = (
        score_difference(Share().score)(Tally.from_counts(p).sum_all())
        for p in (join_systems(one, two), join_systems(two, one))
    )
    assert there.keys() == back.keys()
    for key, value in there.items():
        np.testing.assert_array_equal(value, -back[key])


def test_systems_that_met_other_cells_have_the_same_scores() -> None:
    documents, one = np.arange(2), np.ones(2, np.int64)

    def counts(name: str) -> Counts:
        parts = {"kind": (np.zeros(2, np.int64), (name,))}
        return Counts.build(documents, {"right": one, "total": one}, parts=parts, measures={"fluency": one / 2})

    scores = score_difference(Quality().score)(Tally.from_counts(join_systems(counts("x"), counts("y"))).sum_all())
    assert scores["by_label", "x", "overall", "total"] == -2
    assert scores["by_label", "y", "overall", "total"] == 2
    assert math.isnan(scores["by_label", "x", "overall", "share"])


def test_empty_system_is_compared_with_another() -> None:
    documents = np.arange(3)
    nothing = Counts.build(documents, {"right": documents[:0], "total": documents[:0]}, row=documents[:0])
    something = Counts.build(documents, {"right": documents * 0 + 1, "total": documents * 0 + 1})
    scores = score_difference(Share().score)(Tally.from_counts(join_systems(nothing, something)).sum_all())
    assert scores["overall", "total"] == 3


def test_each_system_has_its_own_measures() -> None:
    corpus = [Document(fluency=(0.5, 0.75)), Document(fluency=(0.25, math.nan))]
    batch = batch_of(corpus)
    pair = join_systems(Quality().count(batch), Quality().count(batch.of_other_system()))
    assert score_difference(Quality().score)(Tally.from_counts(pair).sum_all())["fluency", "mean"] == 0.75 - 0.375


@pytest.mark.parametrize("other", [[0, 1], [0, 1, 3], [0, 1, 2, 2]])
def test_systems_scored_on_other_documents_are_refused(other: list[int]) -> None:
    one, two = (Counts.build(np.array(d), {"n": np.ones(len(d), np.int64)}) for d in ([0, 1, 2], other))
    with pytest.raises(ValueError, match="same documents"):
        join_systems(one, two)


def test_documents_are_joined_by_number_and_not_by_place() -> None:
    corpus = random_corpus(3, 20)
    straight, turned = batch_of(corpus), batch_of(corpus, np.arange(20)[::-1], seed=5)
    one = join_systems(Share().count(straight), Share().count(straight.of_other_system()))
    two = join_systems(Share().count(straight), Share().count(turned.of_other_system()))
    assert one.values.tolist() == two.values.tolist()


def test_one_set_of_documents_is_drawn_for_both_systems() -> None:
    generator = np.random.default_rng(4)
    right = generator.integers(0, 2, 500)
    other = np.where(generator.random(500) < 0.1, 1 - right, right)
    ones = np.ones(500, np.int64)
    one, two = (Counts.build(np.arange(500), {"right": side, "total": ones}) for side in (right, other))
    deltas = bootstrap_scores(Tally.from_counts(join_systems(one, two)), score_difference(Share().score), 8000)[SHARE]
    # The standard deviation of a mean of paired differences; 8,000 draws know it to 0.8%, and three times that is 2.4%.
    assert deltas.std() == pytest.approx((other - right).std() / math.sqrt(500), rel=0.024)


def test_a_comparison_is_a_metric_like_any_other() -> None:
    gain = Gain(Share())
    counts = gain.count(batch_of(random_corpus(1, 10)))
    assert gain.score(Tally.from_counts(counts).sum_all()).keys() == {
        SHARE,
        ("overall", "right"),
        ("overall", "total"),
    }


@given(corpora())
def test_pairs_of_documents_add_up_to_both_systems(corpus: list[Document]) -> None:
    batch = batch_of(corpus)
    one, two = Quality().count(batch), Quality().count(batch.of_other_system())
    pairs = SystemPairs.from_counts(one, two)
    assert pairs.times.sum() == len(corpus)
    for counts, sums, side in zip((one, two), pairs.sums, (pairs.baseline, pairs.other), strict=True):
        total = Tally.from_counts(counts).sum_all()
        assert sums.values.tolist() == total.values.tolist() == Tally(side, pairs.times).sum_all().values.tolist()
        assert sums.measured.tobytes() == total.measured.tobytes()


@given(corpora())
def test_pairs_are_as_many_as_there_are_different_ones(corpus: list[Document]) -> None:
    batch = batch_of(corpus)
    pairs = SystemPairs.from_counts(Share().count(batch), Share().count(batch.of_other_system()))
    distinct = {(sum(a.right for a in d.answers), sum(a.other for a in d.answers), len(d.answers)) for d in corpus}
    assert len(pairs.times) == len(distinct)


@given(corpora())
def test_scores_of_documents_may_be_added_to_pairs_or_to_counts(corpus: list[Document]) -> None:
    batch = batch_of(corpus)
    sides = Share().count(batch), Share().count(batch.of_other_system())

    def share(sums: Sums) -> Scores:
        return {SHARE: Share().overall(sums)[SHARE]}

    late = SystemPairs.from_counts(*sides, share)
    first, second = (group_into_units(TalliedDocuments.from_counts(side), share) for side in sides)
    early = SystemPairs.from_documents(first, second)
    for one, two in zip(late.sums, early.sums, strict=True):
        assert (one.measures, one.values.tolist()) == (two.measures, two.values.tolist())
        assert one.measured.tobytes() == two.measured.tobytes()
    assert late.times.sum() == early.times.sum()
