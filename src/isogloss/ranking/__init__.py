"""Scores and gold verdicts per document and class, their order, and statistics of it.

`rows` is the state that batches give, `order` one class of it from the lowest score to the highest, `pooled` all
classes in one order, `influence` what each document contributes to a statistic, and `weights` the statistics of
resamples.
"""

from isogloss.ranking.influence import Influence, auc_influence
from isogloss.ranking.order import Bools, Order, Rises, ascending, placements
from isogloss.ranking.pooled import Pool
from isogloss.ranking.rows import Column, Ranking
from isogloss.ranking.weights import Weighted

__all__ = [
    "Bools",
    "Column",
    "Influence",
    "Order",
    "Pool",
    "Ranking",
    "Rises",
    "Weighted",
    "ascending",
    "auc_influence",
    "placements",
]
