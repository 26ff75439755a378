"""Several systems on the same documents: how much they differ, and whether that is more than chance.

    comparison = compare(baseline, other, another)
    comparison.pairs[0].scores["strict.f1"].p_holm

`checks` says which runs can be compared, `pairs` compares two, `comparison` all with a baseline.
"""

from isogloss.compare.checks import check_comparable
from isogloss.compare.comparison import Comparison, compare
from isogloss.compare.pairs import METHODS, Pair, ScoreDifference, Test

__all__ = ["METHODS", "Comparison", "Pair", "ScoreDifference", "Test", "check_comparable", "compare"]
