from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from corpora import Corpus, Document, batch_of, corpora, in_clusters, random_corpus
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from toy_metrics import Quality, Share

from isogloss.kernel.scores import Ints, Scores
from isogloss.kernel.slices import Attribute
from isogloss.kernel.tallied_documents import TalliedDocuments
from isogloss.kernel.tally import Tally
from isogloss.stats.bootstrap import (
    add_document_scores,
    average_document_scores,
    bootstrap_scores,
    compute_clustered_errors,
    draw_weights,
    group_into_units,
)
from isogloss.stats.intervals import DocumentSpread, compute_document_spreads

MANY, FEW, MIXED = np.array([400, 80, 20]), np.array([1, 2, 1, 3, 1]), np.array([2, 60, 1, 15, 300, 3])


both_ways = pytest.mark.parametrize("times", [MANY, FEW, MIXED], ids=["multinomial", "indices", "mixed"])


def drawn(times: Ints, resamples: int, seed: int = 1, width: int = 1) -> Ints:
    return np.concatenate(list(draw_weights(times, resamples, seed, width)))


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
    times: Ints,
    held: int,
    width: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = drawn(times, 23)
    monkeypatch.setattr("isogloss.stats.bootstrap.MAX_HELD_NUMBERS", held)
    pieces = list(draw_weights(times, 23, seed=1, width=width))
    assert len(pieces) > 1
    assert np.concatenate(pieces).tolist() == whole.tolist()


@both_ways
def test_a_seed_gives_its_own_draws(times: Ints) -> None:
    assert drawn(times, 5, seed=1).tolist() == drawn(times, 5, seed=1).tolist()
    assert drawn(times, 5, seed=1).tolist() != drawn(times, 5, seed=2).tolist()


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(0, 99))
def test_every_draw_has_as_many_documents(times: list[int], seed: int) -> None:
    weights = drawn(np.array(times), 7, seed)
    assert weights.min() >= 0
    assert weights.sum(axis=1).tolist() == [sum(times)] * 7


SHARE = ("overall", "share")


@pytest.mark.parametrize("held", [1, 100])
def test_the_size_of_pieces_changes_no_score(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tally = Tally.from_counts(Quality().count(batch_of(random_corpus(1, 30))))
    whole = bootstrap_scores(tally, Quality().score, 20)
    monkeypatch.setattr("isogloss.stats.bootstrap.MAX_HELD_NUMBERS", held)
    pieces = bootstrap_scores(tally, Quality().score, 20)
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
    ours = bootstrap_scores(Tally.from_counts(Share().count(batch_of(corpus))), Share().score, resamples)[SHARE]
    theirs = plain_bootstrap(corpus, resamples)
    # A quantile q of n draws lies with near certainty between the quantiles q -+ 4 sqrt(q (1 - q) / n) of another n.
    for q in (0.025, 0.5, 0.975):
        slack = 4 * math.sqrt(2 * q * (1 - q) / resamples)
        low, high = np.quantile(theirs, [q - slack, q + slack])
        assert low <= np.quantile(ours, q) <= high


def share_alone(sums: Any) -> Scores:
    return {SHARE: Share().overall(sums)[SHARE]}


def spread(tally: Tally, measure: str) -> DocumentSpread:
    """Over the documents that have a measure."""
    return compute_document_spreads(tally, lambda sums: {SHARE: sums.average_measure(measure)})[SHARE]


def test_document_scores_become_measures() -> None:
    corpus = random_corpus(5, 20)
    tally = Tally.from_counts(Quality().count(batch_of(corpus)))
    scored = add_document_scores(tally, Quality().overall)
    assert scored.rows.measures == ("fluency", "overall.share", "overall.total", "fluency.mean")
    assert spread(scored, "fluency") == spread(scored, "fluency.mean")
    assert spread(scored, "overall.total").min == min(len(document.answers) for document in corpus)


def test_scored_documents_are_what_clusters_are_grouped_from() -> None:
    corpus = [*random_corpus(6, 20), Document(author="a")]
    authors = np.array([ord(document.author) for document in corpus])
    scored = group_into_units(tallied(corpus), share_alone).expand()
    clustered = Tally.from_counts(in_clusters(scored, authors))
    means = average_document_scores(clustered.sum_all(), [SHARE])
    shares = [np.mean([answer.right for answer in document.answers]) for document in corpus if document.answers]
    assert means["per_document", *SHARE, "mean"] == pytest.approx(np.mean(shares), rel=1e-12)
    assert len(clustered.times) <= len(set(authors.tolist()))


def tallied(corpus: Corpus) -> TalliedDocuments:
    return TalliedDocuments.from_counts(Share().count(batch_of(corpus)))


def authors_of(corpus: Corpus) -> Attribute:
    return Attribute.build(np.arange(len(corpus)), [document.author for document in corpus])


@given(corpora())
def test_units_do_not_depend_on_document_order(corpus: list[Document]) -> None:
    backwards = TalliedDocuments.from_counts(Share().count(batch_of(corpus, np.arange(len(corpus))[::-1])))
    alone = group_into_units(backwards, share_alone)
    assert alone.documents.tolist() == list(range(len(corpus)))
    authors = authors_of(corpus).number_clusters(backwards.documents)
    clusters = group_into_units(backwards, share_alone, authors).expand()
    by_author = [[d for d in corpus if d.author == author] for author in sorted({d.author for d in corpus})]
    totals = np.zeros(len(by_author), np.int64)
    np.add.at(totals, clusters.row, clusters.values[:, clusters.columns.index("total")])
    assert totals.tolist() == [sum(len(document.answers) for document in own) for own in by_author]
    assert clusters.measured[:, 0, 1].tolist() == [sum(bool(d.answers) for d in own) for own in by_author]


def naive_error(groups: Sequence[Sequence[float]]) -> float:
    """The residuals of each cluster added, then squared."""
    values = [value for group in groups for value in group]
    mean = sum(values) / len(values)
    squares = sum(sum(value - mean for value in group) ** 2 for group in groups)
    return math.sqrt(len(groups) / (len(groups) - 1) * squares) / len(values)


def test_clustered_standard_error_equals_a_naive_sum() -> None:
    corpus = [*random_corpus(6, 40), Document(author="nothing")]
    units = group_into_units(tallied(corpus), share_alone, authors_of(corpus).number_clusters(np.arange(len(corpus))))
    groups: dict[str, list[float]] = {}
    for document in corpus[:-1]:
        share = sum(answer.right for answer in document.answers) / len(document.answers)
        groups.setdefault(document.author, []).append(share)
    assert compute_clustered_errors(units, [SHARE])[SHARE] == pytest.approx(
        naive_error(list(groups.values())), rel=1e-12
    )


def test_standard_error_of_single_documents_is_the_plain_one() -> None:
    units = group_into_units(tallied(random_corpus(7, 30)), share_alone)
    plain = spread(units.tally, "overall.share").se
    assert compute_clustered_errors(units, [SHARE])[SHARE] == pytest.approx(plain, rel=1e-12)


def test_a_single_cluster_has_no_error() -> None:
    units = group_into_units(tallied(random_corpus(7, 30)), share_alone, np.zeros(30, np.int64))
    assert math.isnan(compute_clustered_errors(units, [SHARE])[SHARE])
