"""What is drawn when a corpus is resampled: documents, or clusters of them; and means of scores over documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import sqrt

import numpy as np

from isogloss.counts import Counts, Sums, Tally
from isogloss.resampling.resamples import Score
from isogloss.scores import Ints, Key, Scores, path

Clusters = Callable[[Ints], Ints]


def in_units(counts: Counts, overall: Score, clusters: Clusters | None = None) -> Counts:
    """Counts of the units that are drawn, with each score of each single document as a measure.

    Their tally is what intervals by document or by cluster are made from, and they are what paired tests compare.

    Args:
        counts: of documents.
        overall: the scores whose means over documents are wanted.
        clusters: equal numbers for documents (documents,) of one cluster, such as `Attribute.codes`; None where every
            document is drawn for itself.
    """
    scored = scored_documents(counts, overall)
    return scored if clusters is None else scored.grouped(clusters(scored.documents))


def with_document_scores(tally: Tally, overall: Score) -> Tally:
    """The tally with each score of each single document as a measure, named by its path."""
    pieces = [overall(sums) for _, sums in tally.each()]
    names = tuple(pieces[0])
    measured = [tally.rows.measured]
    for key in names:
        values = np.concatenate([np.asarray(piece[key], np.float64) for piece in pieces])  # (distinct,)
        known = ~np.isnan(values)
        measured.append(np.stack([np.where(known, values, 0), known], axis=1)[:, None])
    rows = replace(
        tally.rows,
        measures=(*tally.rows.measures, *map(path, names)),
        measured=np.concatenate(measured, axis=1),
    )
    return replace(tally, rows=rows)


def scored_documents(counts: Counts, overall: Score) -> Counts:
    """Normal counts with each score of each single document as a measure: what clusters are grouped from."""
    tally, kind = Tally.with_kinds(counts)
    rows = with_document_scores(tally, overall).rows
    return replace(counts.normal(), measures=rows.measures, measured=rows.measured[kind])


def document_means(sums: Sums, of: Iterable[Key]) -> Scores:
    """Mean of scores over the documents that have them: scores like any other, so that they have intervals.

    Args:
        sums: sums of a tally `with_document_scores`.
        of: the scores.
    """
    return {("per_document", *key, "mean"): sums.mean(path(key)) for key in of}


def clustered_errors(units: Counts, of: Iterable[Key]) -> dict[Key, float]:
    """Standard errors of means over documents that are alike within a cluster; nan for fewer than two clusters.

    The residuals of a cluster's documents are added before they are squared. Where each document is a cluster of its
    own this is the plain standard error.

    Args:
        units: counts of clusters, from `in_units`.
        of: the scores.

    Source: Liang and Zeger (1986), Longitudinal data analysis using generalized linear models; with the factor
    clusters / (clusters - 1).
    """
    result = {}
    for key in of:
        total, number = units.measured[:, units.measures.index(path(key))].T  # (clusters,) each
        has = number > 0
        clusters, documents = int(np.count_nonzero(has)), float(number.sum())
        if clusters < 2:  # noqa: PLR2004  no variance of one
            result[key] = np.nan
            continue
        residuals = np.sort(total[has] - number[has] * (total.sum() / documents))
        result[key] = sqrt(clusters / (clusters - 1) * float(np.square(residuals).sum())) / documents
    return result
