from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from corpora import Corpus, Document, batch_of, corpora, random_corpus
from hypothesis import given
from toy_metrics import Quality, Share

from isogloss.kernel.scores import Scores
from isogloss.kernel.slices import Attribute
from isogloss.kernel.tally import Tally
from isogloss.stats.bootstrap import (
    add_document_scores,
    average_document_scores,
    compute_clustered_errors,
    group_into_units,
    score_documents,
)
from isogloss.stats.intervals import DocumentSpread, compute_document_spreads

SHARE = ("overall", "share")


def share_alone(sums: Any) -> Scores:
    return {SHARE: Share().overall(sums)[SHARE]}


def spread(tally: Tally, measure: str) -> DocumentSpread:
    """Over the documents that have a measure."""
    return compute_document_spreads(tally, lambda sums: {SHARE: sums.average_measure(measure)})[SHARE]


def test_scores_of_documents_become_measures_beside_those_from_outside() -> None:
    corpus = random_corpus(5, 20)
    tally = Tally.from_counts(Quality().count(batch_of(corpus)))
    scored = add_document_scores(tally, Quality().overall)
    assert scored.rows.measures == ("fluency", "overall.share", "overall.total", "fluency.mean")
    assert spread(scored, "fluency") == spread(scored, "fluency.mean")
    assert spread(scored, "overall.total").min == min(len(document.answers) for document in corpus)


def test_scored_documents_are_what_clusters_are_grouped_from() -> None:
    corpus = [*random_corpus(6, 20), Document(author="a")]
    authors = np.array([ord(document.author) for document in corpus])
    counts = score_documents(Share().count(batch_of(corpus)), share_alone)
    clustered = Tally.from_counts(counts.group_by_cluster(authors))
    means = average_document_scores(clustered.sum_all(), [SHARE])
    shares = [np.mean([answer.right for answer in document.answers]) for document in corpus if document.answers]
    assert means["per_document", *SHARE, "mean"] == pytest.approx(np.mean(shares), rel=1e-12)
    assert len(clustered.times) <= len(set(authors.tolist()))


def authors_of(corpus: Corpus) -> Attribute:
    return Attribute(np.arange(len(corpus)), np.array([document.author for document in corpus]))


@given(corpora())
def test_units_are_documents_or_clusters_however_the_documents_arrive(corpus: list[Document]) -> None:
    backwards = Share().count(batch_of(corpus, np.arange(len(corpus))[::-1]))
    alone = group_into_units(backwards, share_alone)
    assert alone.documents.tolist() == list(range(len(corpus)))
    clusters = group_into_units(backwards, share_alone, authors_of(corpus).number_clusters)
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


def test_the_error_of_a_mean_over_clustered_documents_is_that_of_a_naive_sum() -> None:
    corpus = [*random_corpus(6, 40), Document(author="nothing")]
    units = group_into_units(Share().count(batch_of(corpus)), share_alone, authors_of(corpus).number_clusters)
    groups: dict[str, list[float]] = {}
    for document in corpus[:-1]:
        share = sum(answer.right for answer in document.answers) / len(document.answers)
        groups.setdefault(document.author, []).append(share)
    assert compute_clustered_errors(units, [SHARE])[SHARE] == pytest.approx(
        naive_error(list(groups.values())), rel=1e-12
    )


def test_where_each_document_is_a_cluster_the_error_is_the_plain_one() -> None:
    units = group_into_units(Share().count(batch_of(random_corpus(7, 30))), share_alone)
    plain = spread(Tally.from_counts(units), "overall.share").se
    assert compute_clustered_errors(units, [SHARE])[SHARE] == pytest.approx(plain, rel=1e-12)


def test_a_single_cluster_has_no_error() -> None:
    units = group_into_units(Share().count(batch_of(random_corpus(7, 30))), share_alone, np.zeros_like)
    assert math.isnan(compute_clustered_errors(units, [SHARE])[SHARE])
