"""Names, sentences and tokens from other libraries, behind one protocol: texts in, spans out, in batches.

`recogniser`, `splitter` and `tokenizer` take a spec such as `spacy:uk_core_news_sm`, a callable or a `Provider`, and
give one whose answers are checked. Models load at first use, or when `load` is called. `docs/providers.md` lists them.
"""

from __future__ import annotations

from isogloss.providers.functions import Guarded
from isogloss.providers.models import Loadable, Provider, Span
from isogloss.providers.names import Found, NameList, Several, joined, listed, merged
from isogloss.providers.registry import RECOGNISERS, SPLITTERS, TOKENIZERS, recogniser, splitter, tokenizer
from isogloss.providers.specs import BATCH, Settings, Spec

__all__ = [
    "BATCH",
    "RECOGNISERS",
    "SPLITTERS",
    "TOKENIZERS",
    "Found",
    "Guarded",
    "Loadable",
    "NameList",
    "Provider",
    "Settings",
    "Several",
    "Span",
    "Spec",
    "joined",
    "listed",
    "merged",
    "recogniser",
    "splitter",
    "tokenizer",
]
