"""Which of the units that are drawn each document of a ranking is, so that the order of documents changes no interval.

Documents are put in the order of their scores and verdicts, and clusters in that of their documents. Systems that are
compared need the same draws of the same documents, not of those with the same scores: they take documents as they come.
"""

from __future__ import annotations

import numpy as np

from isogloss.ranking import Ranking
from isogloss.scores import Floats, Ints


def units_of_order(ranking: Ranking, clusters: Ints | None = None) -> Ints:
    """The unit of each document: (documents,).

    Args:
        ranking: scores and verdicts.
        clusters: (documents,) equal for documents that are drawn together; None to draw each for itself.
    """
    keys = _keys(ranking)
    order = np.lexsort(keys)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank if clusters is None else _of_clusters(clusters, _alike(keys[:, order])[rank])


def _keys(ranking: Ranking) -> Floats:
    """Score and verdict of each document for each class, nan where there is none: (2 classes, documents)."""
    documents = ranking.documents
    keys = np.full((2 * len(ranking.classes), len(documents)), np.nan)
    for k, name in enumerate(sorted(ranking.classes)):
        column = ranking.of_class(name)
        place = np.searchsorted(documents, column.document)
        keys[2 * k, place], keys[2 * k + 1, place] = column.score, column.gold
    return keys


def _alike(keys: Floats) -> Ints:
    """Ascending numbers, equal for neighbours that nothing tells apart: (keys, documents) -> (documents,)."""
    same = (keys[:, 1:] == keys[:, :-1]) | (np.isnan(keys[:, 1:]) & np.isnan(keys[:, :-1]))
    return np.cumsum(np.append(0, ~same.all(axis=0)))[: keys.shape[1]]


def _of_clusters(clusters: Ints, kinds: Ints) -> Ints:
    """The place of each document's cluster among all, ordered by the kinds of their documents: (documents,)."""
    members: dict[int, list[int]] = {}
    for cluster, kind in zip(clusters.tolist(), kinds.tolist(), strict=True):
        members.setdefault(cluster, []).append(kind)
    ordered = sorted(members, key=lambda cluster: sorted(members[cluster]))
    place = {cluster: k for k, cluster in enumerate(ordered)}
    return np.array([place[cluster] for cluster in clusters.tolist()], np.int64)
