"""What isogloss scores: one folder per task."""
