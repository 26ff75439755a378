"""Arithmetic on counts: sums, tallies, rankings, metrics and findings.

Each document is counted once; all scores follow from the counts.
"""
