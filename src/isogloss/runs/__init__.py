"""Runs, their comparison, and gates."""
