"""Files in and out: sources, destinations, and rows of any encoding with file and line."""
