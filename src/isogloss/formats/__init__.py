"""Annotation formats, their detection, and pairing the documents of two files."""
