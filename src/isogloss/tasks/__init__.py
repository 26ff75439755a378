"""The tasks that isogloss scores, one folder each."""
