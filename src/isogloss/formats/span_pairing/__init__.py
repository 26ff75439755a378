"""The one place that pairs documents with spans of both sides, whatever format they come from.

    for batch in paired(reference, prediction): ...

Documents are paired by id where both sides have ids, otherwise by order. What comes out is in the order of the
reference, so that the order of the prediction changes nothing. While the ids of both sides agree, only a batch is in
memory, and 16 bytes a document to find ids that stand twice; predicted documents that come too early are held until
their turn.
"""

from isogloss.formats.span_pairing.batch import paired
from isogloss.formats.span_pairing.columns import SpanColumns, Triple, span_pairs
from isogloss.formats.span_pairing.documents import SpanDocument, SpanFile

__all__ = ["SpanColumns", "SpanDocument", "SpanFile", "Triple", "paired", "span_pairs"]
