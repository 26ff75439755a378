"""CoNLL columns: layout, scanning, reading in blocks, rewriting and annotation format."""
