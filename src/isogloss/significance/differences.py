"""What a test of two systems finds about a score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isogloss.resampling import Interval, intervals
from isogloss.scores import Floats, Ints, Key, Scores

SAME = 1e-12  # scores closer than this share of themselves are equal but for rounding


@dataclass(frozen=True)
class Difference:
    """The difference of two systems in a score.

    Args:
        value: score of the other system minus that of the baseline, nan where either is undefined.
        p: two-sided p-value, nan where the difference is.
        method: `randomization`, `bootstrap` or `delong`.
        trials: random trials behind the p-value, 0 where it was computed.
        undefined: trials that had no difference; they count as extreme.
        interval: of the difference, None where the method gives none.
    """

    value: float
    p: float
    method: str
    trials: int = 0
    undefined: int = 0
    interval: Interval | None = None


def p_values(extreme: Ints, trials: int) -> Floats:
    """(1 + trials at least as extreme) / (1 + trials): never 0, and no less than what such a test may claim.

    Source: Noreen (1989), Computer-intensive methods for testing hypotheses; Phipson and Smyth (2010).
    """
    return (1 + extreme) / (1.0 + trials)


def slack(baseline: Floats, other: Floats) -> Floats:
    """How far differences of these scores may lie apart and still be ties: rounding is no evidence."""
    return SAME * np.fmax(np.abs(baseline), np.abs(other))


def resampled(
    baseline: tuple[Scores, Scores], other: tuple[Scores, Scores], level: float, units: int
) -> dict[Key, Difference]:
    """Differences from the scores of two systems, () each, and those of the same resamples of both, (resamples,) each.

    A resample is extreme when its difference lies as far from the observed one as that lies from 0, or is undefined. Of
    one unit every resample is the same, and so all are extreme: it is no evidence.

    Args:
        baseline: scores of one system, and those of the resamples.
        other: likewise of the other.
        level: of the intervals.
        units: how many documents or clusters there are to draw.
    """
    (one, drawn), (two, other_drawn) = baseline, other
    moved = {key: np.asarray(other_drawn[key] - drawn[key], np.float64) for key in one}
    result = {}
    for key, interval in intervals(moved, level).items():
        sides = np.asarray(one[key], np.float64), np.asarray(two[key], np.float64)
        value, trials = float(sides[1] - sides[0]), len(moved[key])
        near = (np.abs(moved[key] - value) < abs(value) - slack(*sides)) & (units > 1)
        p = np.nan if np.isnan(value) else float(p_values(np.asarray(trials - np.count_nonzero(near)), trials))
        result[key] = Difference(value, p, "bootstrap", trials, interval.undefined, interval)
    return result
