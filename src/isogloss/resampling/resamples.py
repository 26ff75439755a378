"""All scores of all resamples of the documents."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from isogloss.counts import Sums, Tally
from isogloss.metric import OrderMetric
from isogloss.ranking import Ranking
from isogloss.resampling.drawing import draws
from isogloss.scores import Ints, Scores

Score = Callable[[Sums], Scores]


def bootstrap(tally: Tally, score: Score, resamples: int = 1000, seed: int = 12345) -> Scores:
    """All scores of all resamples: leading axis resamples. No document, no resample."""
    if not len(tally.times):
        return {key: np.asarray(value)[None][:0] for key, value in score(tally.total()).items()}
    width = 8 * len(tally.rows.cells) * len(tally.rows.columns)
    pieces = [score(tally.weighted(weights)) for weights in draws(tally.times, resamples, seed, width)]
    return {key: np.concatenate([piece[key] for piece in pieces]) for key in pieces[0]}


def bootstrap_of_order(
    ranking: Ranking,
    metric: OrderMetric,
    resamples: int = 1000,
    seed: int = 12345,
    clusters: Ints | None = None,
) -> Scores:
    """All scores of a ranking for all resamples of its documents: leading axis resamples. No document, no resample.

    Args:
        ranking: scores and verdicts.
        metric: what scores it.
        resamples: how many.
        seed: of the generators.
        clusters: (documents,) from 0, equal for documents that are drawn together; None to draw each for itself.
    """
    number = len(ranking.documents)
    if not number:
        return metric.weighted(ranking, ())
    if clusters is None:
        return metric.weighted(ranking, draws(np.ones(number, np.int64), resamples, seed, width=ranking.size))
    times = np.ones(int(clusters.max()) + 1, np.int64)
    drawn = (weights[:, clusters] for weights in draws(times, resamples, seed, width=ranking.size))
    return metric.weighted(ranking, drawn)
