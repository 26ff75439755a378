"""Alphabets, words and the patterns that excuse foreign letters: what can be told from the characters alone."""
