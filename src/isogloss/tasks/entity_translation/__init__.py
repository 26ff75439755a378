"""Entity-aware translation (m-ETA)."""
