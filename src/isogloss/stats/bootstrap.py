"""The bootstrap: how often each distinct document occurs in each resample.

The draws depend only on the distinct documents, their multiplicities and the seed, not on partition or order. Drawing n
documents with replacement is drawing how often each distinct document occurs, a multinomial, which costs the number of
distinct documents. If a distinct document occurs only a few times, drawing documents one by one is cheaper. So all such
rare documents are one category of the multinomial, and the draws of that category are made one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.metric import OrderMetric
from isogloss.kernel.ranking import Ranking
from isogloss.kernel.scores import Floats, Ints, ScoreKey, Scores, format_path
from isogloss.kernel.sums import Sums
from isogloss.kernel.tallied_documents import TalliedDocuments
from isogloss.kernel.tally import Tally

MAX_HELD_NUMBERS = 2**22  # in memory at a time
MIN_UNITS = 3  # from fewer documents or clusters, no spread between them is computed
MAX_RARE = 16  # a multinomial costs about this many single draws per distinct document


def draw_weights(times: Ints, resamples: int, seed: int, width: int = 1) -> Iterator[Ints]:
    """Yield bootstrap weights in pieces (draws, distinct).

    Args:
        times: (distinct,) how often each distinct document occurs; each row of weights has the same sum.
        resamples: number of draws in all.
        seed: seed of the generators. The size of the pieces changes no draw.
        width: how many numbers the caller computes per draw, to bound memory.
    """
    kinds, total = len(times), int(times.sum())
    common = np.flatnonzero(times > MAX_RARE)
    rare = np.repeat(np.arange(kinds), np.where(times > MAX_RARE, 0, times))  # (rare documents,) the kind of each
    shares = np.append(len(rare), times[common]) / max(1, total)  # the last is not 0: it takes the rest
    single, several = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    step = max(1, MAX_HELD_NUMBERS // max(1, kinds, width))
    for low in range(0, resamples, step):
        number = min(step, resamples - low)
        drawn = several.multinomial(total, shares, size=number)
        weights = np.zeros((number, kinds), np.int64)
        weights[:, common] = drawn[:, 1:]
        if len(rare):
            for k, wanted in enumerate(drawn[:, 0].tolist()):
                weights[k] += np.bincount(rare[single.integers(0, len(rare), wanted)], minlength=kinds)
        yield weights


def assign_ranking_units(ranking: Ranking, clusters: Ints | None = None) -> Ints:
    """Return the resampling unit of each document: (documents,).

    Args:
        ranking: scores and verdicts.
        clusters: (documents,) equal for documents that are drawn together; None to draw each by itself.
    """
    keys = _stack_sort_keys(ranking)
    order = np.lexsort(keys)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank if clusters is None else _rank_clusters(clusters, _number_equal_neighbours(keys[:, order])[rank])


def _stack_sort_keys(ranking: Ranking) -> Floats:
    """Return score and verdict of each document and class: (2 classes, documents)."""
    documents = ranking.documents
    keys = np.full((2 * len(ranking.classes), len(documents)), np.nan)
    for k, name in enumerate(sorted(ranking.classes)):
        column = ranking.get_class_column(name)
        place = np.searchsorted(documents, column.document)
        keys[2 * k, place], keys[2 * k + 1, place] = column.score, column.gold
    return keys


def _number_equal_neighbours(keys: Floats) -> Ints:
    """Number neighbours, equal ones alike: (keys, documents) -> (documents,)."""
    same = (keys[:, 1:] == keys[:, :-1]) | (np.isnan(keys[:, 1:]) & np.isnan(keys[:, :-1]))
    return np.cumsum(np.append(0, ~same.all(axis=0)))[: keys.shape[1]]


def _rank_clusters(clusters: Ints, kinds: Ints) -> Ints:
    """Return the rank of each document's cluster, by sorted members: (documents,)."""
    members: dict[int, list[int]] = {}
    for cluster, kind in zip(clusters.tolist(), kinds.tolist(), strict=True):
        members.setdefault(cluster, []).append(kind)
    ordered = sorted(members, key=lambda cluster: sorted(members[cluster]))
    place = {cluster: k for k, cluster in enumerate(ordered)}
    return np.array([place[cluster] for cluster in clusters.tolist()], np.int64)


def group_into_units(
    documents: TalliedDocuments, overall: Score, clusters: NDArray[np.integer] | None = None
) -> TalliedDocuments:
    """Return resampling units, with document scores as measures.

    The tally of the units gives intervals by document or by cluster, and paired tests compare the units.

    Args:
        documents: the documents.
        overall: the scores to average over documents.
        clusters: (documents,) number of the cluster of each document, from 0 without gaps; None if each document is a
            unit.
    """
    scored = replace(documents, tally=add_document_scores(documents.tally, overall))
    return scored if clusters is None else scored.group_by_cluster(clusters)


def add_document_scores(tally: Tally, overall: Score) -> Tally:
    """Add each document score to a tally as a measure.

    The measure is named by the path of the score.
    """
    scores = score_distinct_documents(tally, overall)
    measured = [tally.rows.measured]
    for values in scores.values():
        known = ~np.isnan(values)
        measured.append(np.stack([np.where(known, values, 0), known], axis=1)[:, None])
    measures = (*tally.rows.measures, *map(format_path, scores))
    return replace(tally, rows=replace(tally.rows, measures=measures, measured=np.concatenate(measured, axis=1)))


def score_distinct_documents(tally: Tally, overall: Score) -> dict[ScoreKey, Floats]:
    """Compute each score of each distinct document: (distinct,)."""
    pieces = [overall(sums) for _, sums in tally.iterate_sums()]
    return {key: np.concatenate([np.asarray(piece[key], np.float64) for piece in pieces]) for key in pieces[0]}


def average_document_scores(sums: Sums, keys: Iterable[ScoreKey]) -> Scores:
    """Average scores over the documents that have them.

    Args:
        sums: sums of a tally from `add_document_scores`.
        keys: keys of the scores.
    """
    return {("per_document", *key, "mean"): sums.average_measure(format_path(key)) for key in keys}


def compute_clustered_errors(units: TalliedDocuments, keys: Iterable[ScoreKey]) -> dict[ScoreKey, float]:
    """Compute standard errors of means over documents that are grouped into clusters.

    The residuals of a cluster's documents are added before they are squared. If each document is a cluster of its own,
    this is the plain standard error.

    Args:
        units: clusters, from `group_into_units`.
        keys: keys of the scores.

    Returns:
        The standard error of each score, nan for fewer than three clusters.

    Source: Liang and Zeger (1986), Longitudinal data analysis using generalized linear models; with the factor clusters
    / (clusters - 1).
    """
    result, rows = {}, units.tally.rows
    for key in keys:
        of_kinds = rows.measured[:, rows.measures.index(format_path(key))]
        total, number = of_kinds[units.kinds].T  # (clusters,) each
        has = number > 0
        clusters, documents = int(np.count_nonzero(has)), float(number.sum())
        if clusters < MIN_UNITS:
            result[key] = np.nan
            continue
        residuals = np.sort(total[has] - number[has] * (total.sum() / documents))
        result[key] = sqrt(clusters / (clusters - 1) * float(np.square(residuals).sum())) / documents
    return result


Score = Callable[[Sums], Scores]


def bootstrap_scores(tally: Tally, score: Score, resamples: int = 1000, seed: int = 12345) -> Scores:
    """Compute all scores of all resamples; no documents give no resamples."""
    if not len(tally.times):
        return {key: np.asarray(value)[None][:0] for key, value in score(tally.sum_all()).items()}
    width = 8 * len(tally.rows.cells) * len(tally.rows.columns)
    weighing = tally.build_summer()
    pieces = [score(weighing.sum_documents(weights)) for weights in draw_weights(tally.times, resamples, seed, width)]
    return {key: np.concatenate([piece[key] for piece in pieces]) for key in pieces[0]}


def bootstrap_ranking(
    ranking: Ranking,
    metric: OrderMetric,
    resamples: int = 1000,
    seed: int = 12345,
    units: Ints | None = None,
) -> Scores:
    """Compute all scores of a ranking for all resamples of its documents.

    Args:
        ranking: scores and verdicts; without documents there are no resamples.
        metric: metric that scores the ranking.
        resamples: number of resamples.
        seed: seed of the generators.
        units: (documents,) resampling unit of each document, numbered from 0 without gaps; None if each document is a
            unit.
    """
    if not len(ranking.documents):
        return metric.score_weighted(ranking, ())
    number = len(ranking.documents) if units is None else int(units.max()) + 1
    drawn = draw_weights(np.ones(number, np.int64), resamples, seed, width=ranking.pair_count)
    return metric.score_weighted(ranking, drawn if units is None else (weights[:, units] for weights in drawn))
