"""Several systems on the same documents: how much they differ, and whether that is more than chance.

    comparison = compare(baseline, other, another)
    comparison.pairs[0].scores["strict.f1"].p_holm

`checks` says which runs can be compared, `pairs` compares two, `systems` all with a baseline,
`worse` asks one question.
"""

from isogloss.comparison.checks import check_comparable
from isogloss.comparison.pairs import METHODS, Pair, ScoreDifference, Test
from isogloss.comparison.systems import Comparison, compare
from isogloss.comparison.worse import Worse, check_alpha, worse_than

__all__ = [
    "METHODS",
    "Comparison",
    "Pair",
    "ScoreDifference",
    "Test",
    "Worse",
    "check_alpha",
    "check_comparable",
    "compare",
    "worse_than",
]
