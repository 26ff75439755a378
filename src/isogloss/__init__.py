"""Scores where words, names and languages begin and end in text of any script."""

__version__ = "0.1.0"
