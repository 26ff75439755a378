"""A run: the scores of one system on one reference, with all that they rest on."""

from isogloss.run.evidence import Evidence, Resampling, TallyEvidence
from isogloss.run.ranked import RankingEvidence
from isogloss.run.run import Input, Run

__all__ = ["Evidence", "Input", "RankingEvidence", "Resampling", "Run", "TallyEvidence"]
