"""Measures of code-mixing from language tags of tokens."""
