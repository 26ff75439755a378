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
    weighing = tally.weighing()
    pieces = [score(weighing.sums(weights)) for weights in draws(tally.times, resamples, seed, width)]
    return {key: np.concatenate([piece[key] for piece in pieces]) for key in pieces[0]}


def bootstrap_of_order(
    ranking: Ranking,
    metric: OrderMetric,
    resamples: int = 1000,
    seed: int = 12345,
    units: Ints | None = None,
) -> Scores:
    """All scores of a ranking for all resamples of its documents: leading axis resamples. No document, no resample.

    Args:
        ranking: scores and verdicts.
        metric: what scores it.
        resamples: how many.
        seed: of the generators.
        units: (documents,) which of the units that are drawn each document belongs to, from 0 and all with documents;
            None where each document is one, in their order.
    """
    if not len(ranking.documents):
        return metric.weighted(ranking, ())
    number = len(ranking.documents) if units is None else int(units.max()) + 1
    drawn = draws(np.ones(number, np.int64), resamples, seed, width=ranking.size)
    return metric.weighted(ranking, drawn if units is None else (weights[:, units] for weights in drawn))
