"""CoNLL columns: layout, fast scanning, reading in blocks, rewriting and the annotation format."""
