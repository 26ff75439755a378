"""Integer counts per document, their sums, and the tally of distinct documents: count once, the rest is arithmetic."""

from isogloss.counts.cells import Cell, Name
from isogloss.counts.rows import Counts
from isogloss.counts.sums import Sums
from isogloss.counts.tally import Tally

__all__ = ["Cell", "Counts", "Name", "Sums", "Tally"]
