"""Where batches are counted. An engine knows no metric: it counts batches and merges what travels."""
