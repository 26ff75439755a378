"""Count once, then everything is arithmetic: counts, sums, tallies, rankings, metrics and findings."""
