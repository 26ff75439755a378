"""The definitions: what each task counts in documents, and the scores that follow. Metrics never import each other."""
