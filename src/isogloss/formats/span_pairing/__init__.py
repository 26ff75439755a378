"""The one place that pairs documents with spans of both sides, whatever format they come from.

    for batch in paired(reference, prediction): ...

Documents are paired by id where both sides have ids, otherwise by order. What comes out is in the order of the
reference, so that the order of the prediction changes nothing. While the ids of both sides agree, only a batch is in
memory, and 16 bytes a document to find ids that stand twice; predicted documents that come too early are held until
their turn.
"""

from isogloss.formats.span_pairing.batch import paired
from isogloss.formats.span_pairing.columns import LONGEST, SpanColumns, Triple, span_pairs
from isogloss.formats.span_pairing.documents import Located, Mention, SpanDocument, SpanFile, place_of, without_text
from isogloss.formats.span_pairing.tagged import Decode, TaggedRow, Token, batch_of, decoded

__all__ = [
    "LONGEST",
    "Decode",
    "Located",
    "Mention",
    "SpanColumns",
    "SpanDocument",
    "SpanFile",
    "TaggedRow",
    "Token",
    "Triple",
    "batch_of",
    "decoded",
    "paired",
    "place_of",
    "span_pairs",
    "without_text",
]
