"""Faults in data, found before anything is scored with it: one module for each task."""
