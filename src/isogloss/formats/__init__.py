"""Readers and writers of formats, one module or package each; pairing two inputs is one place for all."""
