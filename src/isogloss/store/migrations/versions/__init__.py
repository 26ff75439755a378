"""The migrations, the oldest first."""
