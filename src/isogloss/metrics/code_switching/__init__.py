"""Code-switching with proper names excused: see `definition` for what is counted."""
