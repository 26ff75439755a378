"""Input and output: sources, destinations, and rows with file and line."""
