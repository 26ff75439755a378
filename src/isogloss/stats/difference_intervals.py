"""Intervals of the differences of two systems.

Both systems are scored on the same documents or clusters.
"""

from __future__ import annotations

from isogloss.kernel.scores import ScoreKey, Scores
from isogloss.kernel.sums import Sums
from isogloss.kernel.tally import Tally
from isogloss.stats.bootstrap import Score
from isogloss.stats.intervals import Interval, compute_difference_interval
from isogloss.stats.system_pairs import SYSTEMS, SystemPairs, join_systems, score_each_system
from isogloss.stats.unit_variance import CountTrials, measure_ratios


def compute_difference_intervals(
    pairs: SystemPairs, score: Score, count_trials: CountTrials, level: float = 0.95
) -> dict[ScoreKey, Interval]:
    """Compute the interval of the difference of each ratio.

    Only ratios with a known number of trials have an interval.

    Args:
        pairs: counts of both systems on documents, or on clusters.
        score: computes all scores of one system.
        count_trials: counts the trials of each ratio of one system.
        level: confidence level in (0, 1).
    """
    scored = score_each_system(score)
    counted = score_each_system(lambda sums: count_trials(sums, score(sums)))

    def subtract(sums: Sums) -> Scores:
        scores = scored(sums)
        return {key[1:]: scores[SYSTEMS[1], *key[1:]] - value for key, value in scores.items() if key[0] == SYSTEMS[0]}

    def average_trials(sums: Sums, _: Scores) -> Scores:
        trials = counted(sums)
        return {
            key[1:]: (trials[SYSTEMS[1], *key[1:]] + value) / 2 for key, value in trials.items() if key[0] == SYSTEMS[0]
        }

    tally = Tally.from_counts(join_systems(pairs.baseline, pairs.other), pairs.times)
    evidence = measure_ratios(tally, subtract, average_trials, differences=True)
    return {key: compute_difference_interval(own, level) for key, own in evidence.ratios.items()}
