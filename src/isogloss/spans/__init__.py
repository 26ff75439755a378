"""Labelled spans: batches, tag schemes, decoding and one-to-one alignment."""
