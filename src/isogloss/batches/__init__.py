"""What readers hand on: documents with their tags or spans, and where they come from.

A batch holds whole documents, numbered across the corpus, so that the same document is the same number in every batch
and for every system. Positions are half-open and count the document's units: tokens or code points.
"""

from isogloss.batches.labels import LabelledDocuments
from isogloss.batches.origin import SIDES, Columned, Notice, Origin, Passage, Side
from isogloss.batches.spans import Codes, SpanPairs, Spans, TagPairs, TokenMatches
from isogloss.batches.texts import AnnotatedTexts, Stretches
from isogloss.batches.translations import AcceptedTranslation, Translations, TranslationTask
from isogloss.batches.words import SentencePairs, WordPairs

__all__ = [
    "SIDES",
    "AcceptedTranslation",
    "AnnotatedTexts",
    "Codes",
    "Columned",
    "LabelledDocuments",
    "Notice",
    "Origin",
    "Passage",
    "SentencePairs",
    "Side",
    "SpanPairs",
    "Spans",
    "Stretches",
    "TagPairs",
    "TokenMatches",
    "TranslationTask",
    "Translations",
    "WordPairs",
]
