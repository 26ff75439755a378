"""Text as characters, grapheme clusters, scripts and words."""
