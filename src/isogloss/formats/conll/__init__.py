"""CoNLL columns: one token per line with its tags, a blank line after each sentence."""
