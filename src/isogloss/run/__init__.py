"""A run: the scores of one system on one reference, with all that they rest on."""

from isogloss.run.evidence import Every, Evidence, Resampling, TallyEvidence
from isogloss.run.ranked import RankingEvidence
from isogloss.run.recipe import Recipe
from isogloss.run.run import Input, Run

__all__ = ["Every", "Evidence", "Input", "RankingEvidence", "Recipe", "Resampling", "Run", "TallyEvidence"]
