"""Two systems on the same documents: their counts joined on the document, and the differences of their scores."""

from __future__ import annotations

import numpy as np

from isogloss.counts import Counts, Sums
from isogloss.resampling import Score
from isogloss.scores import Scores

SYSTEMS = ("baseline", "other")


def paired(baseline: Counts, other: Counts) -> Counts:
    """One document of both systems per document: a cell's part `system` says whose it is.

    Raises:
        ValueError: if the systems have not been scored on the same documents.
    """
    if not np.array_equal(np.sort(baseline.documents), np.sort(other.documents)):
        raise ValueError("systems are compared on the same documents")
    sides = zip((baseline, other), SYSTEMS, strict=True)
    return Counts.merge(c.tagged("system", [name] * len(c.documents)) for c, name in sides).normal()


def difference(score: Score) -> Score:
    """The score of the other system minus that of the baseline, from paired sums."""

    def scored(sums: Sums) -> Scores:
        split = sums.split("system")
        whole = sums.without("system")
        empty = whole.onto(()).onto(whole.cells)  # the same cells for both, so that both have the same scores
        baseline, other = (score(split.get(name, empty)) for name in SYSTEMS)
        return {key: other[key] - baseline[key] for key in baseline}

    return scored
