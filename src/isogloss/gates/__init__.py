"""Thresholds that a run has to meet, and what a build server is told: JUnit, annotations, a summary.

gate = parsed("strict.f1=0.8")
gate.judged(run).passed
"""

from isogloss.gates.github import commands, summary
from isogloss.gates.junit import Judged, junit, said
from isogloss.gates.thresholds import Gate, Verdict, parsed

__all__ = ["Gate", "Judged", "Verdict", "commands", "junit", "parsed", "said", "summary"]
