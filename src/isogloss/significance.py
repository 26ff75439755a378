"""Two systems on the same documents: their counts joined on the document, and the differences of their scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from isogloss.counts import Counts, Sums
from isogloss.resampling import Score
from isogloss.scores import Scores

SYSTEMS = ("baseline", "other")


def paired(baseline: Counts, other: Counts) -> Counts:
    """One document of both systems per document: a cell's part `system`, and a measure's prefix, say whose they are.

    Raises:
        ValueError: if the systems have not been scored on the same documents.
    """
    if not np.array_equal(np.sort(baseline.documents), np.sort(other.documents)):
        raise ValueError("systems are compared on the same documents")
    sides = zip((baseline, other), SYSTEMS, strict=True)
    return Counts.merge(_owned(counts, system) for counts, system in sides).normal()


def difference(score: Score) -> Score:
    """The score of the other system minus that of the baseline, from paired sums."""

    def scored(sums: Sums) -> Scores:
        split = sums.split("system")
        whole = sums.without("system")
        empty = whole.onto(()).onto(whole.cells)  # the same cells for both, so that both have the same scores
        baseline, other = (score(_measures_of(split.get(name, empty), name)) for name in SYSTEMS)
        return {key: other[key] - baseline[key] for key in baseline}

    return scored


def _owned(counts: Counts, system: str) -> Counts:
    """Counts with cells and measures of both systems, those of the one that it is not left empty."""
    measures = tuple(f"{name}.{measure}" for name in SYSTEMS for measure in counts.measures)
    mine = [measure.startswith(f"{system}.") for measure in measures]
    measured = np.zeros((len(counts.documents), len(measures), 2))
    measured[:, mine] = counts.measured
    tagged = counts.tagged("system", [system] * len(counts.documents))
    return replace(tagged, measures=measures, measured=measured)


def _measures_of(sums: Sums, system: str) -> Sums:
    """The measures of one system, by their own names."""
    mine = [measure.startswith(f"{system}.") for measure in sums.measures]
    names = tuple(measure.removeprefix(f"{system}.") for measure, own in zip(sums.measures, mine, strict=True) if own)
    return replace(sums, measures=names, measured=sums.measured[..., mine, :])
