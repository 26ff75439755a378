"""Bootstrap, intervals, paired tests and slices over counts."""
