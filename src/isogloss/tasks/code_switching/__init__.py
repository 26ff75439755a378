"""Code-switching: words that are not in the language of a text."""
