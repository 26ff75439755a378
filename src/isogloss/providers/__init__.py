"""Find names, sentences and tokens with other libraries behind one protocol.

A provider takes texts and returns spans, in batches. `open_recogniser`, `open_splitter` and `open_tokenizer` take a
spec such as `spacy:uk_core_news_sm`, a callable or a `Provider`, and return a provider whose answers are checked.
Models load at first use, or when `load` is called. `docs/providers.md` lists the providers. To add one, see `registry`.
"""

from __future__ import annotations

from isogloss.providers.functions import CheckedProvider
from isogloss.providers.identifiers import IDENTIFIERS, LanguageIdentifier, is_same_language, open_identifier
from isogloss.providers.models import Loadable, Provider, Span, Versioned, format_versions, merge_versions
from isogloss.providers.name_lists import (
    CombinedRecogniser,
    FoundName,
    NameList,
    join_spans,
    load_name_list,
    merge_names,
)
from isogloss.providers.registry import (
    RECOGNISERS,
    SPLITTERS,
    TOKENIZERS,
    open_recogniser,
    open_splitter,
    open_tokenizer,
)
from isogloss.providers.specs import DEFAULT_BATCH_SIZE, ProviderSettings, ProviderSpec

__all__ = [
    "DEFAULT_BATCH_SIZE",
    "IDENTIFIERS",
    "RECOGNISERS",
    "SPLITTERS",
    "TOKENIZERS",
    "CheckedProvider",
    "CombinedRecogniser",
    "FoundName",
    "LanguageIdentifier",
    "Loadable",
    "NameList",
    "Provider",
    "ProviderSettings",
    "ProviderSpec",
    "Span",
    "Versioned",
    "format_versions",
    "is_same_language",
    "join_spans",
    "load_name_list",
    "merge_names",
    "merge_versions",
    "open_identifier",
    "open_recogniser",
    "open_splitter",
    "open_tokenizer",
]
