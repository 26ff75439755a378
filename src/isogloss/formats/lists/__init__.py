"""Python lists to batches: per document a list of tags, or a list of spans."""

from isogloss.formats.lists.kinds import Kind, kind_of, kind_of_both
from isogloss.formats.lists.spans import span_pairs
from isogloss.formats.lists.tags import tag_pairs

__all__ = ["Kind", "kind_of", "kind_of_both", "span_pairs", "tag_pairs"]
