"""The kinds of providers by role: those of this package, and what other packages add.

A package adds one by an entry point in the group of the role. It names a factory, `(Spec, Settings) -> Provider`:

    [project.entry-points."isogloss.recognisers"]
    mine = "my_package.names:recogniser"
"""

from __future__ import annotations

from isogloss.registry import Registry

RECOGNISERS = Registry(
    "recogniser",
    "isogloss.recognisers",
    {
        "gliner": "isogloss.providers.gliner:recogniser",
        "names": "isogloss.providers.names:recogniser",
        "python": "isogloss.providers.functions:provider",
        "spacy": "isogloss.providers.spacy:recogniser",
        "stanza": "isogloss.providers.stanza:recogniser",
        "transformers": "isogloss.providers.transformers:recogniser",
    },
)
SPLITTERS = Registry(
    "splitter",
    "isogloss.splitters",
    {
        "lines": "isogloss.providers.sentences:lines",
        "python": "isogloss.providers.functions:provider",
        "sentencex": "isogloss.providers.sentences:sentencex",
        "spacy": "isogloss.providers.spacy:splitter",
        "stanza": "isogloss.providers.stanza:splitter",
        "terminators": "isogloss.providers.sentences:terminators",
    },
)
TOKENIZERS = Registry(
    "tokenizer",
    "isogloss.tokenizers",
    {
        "icu": "isogloss.providers.tokens:icu",
        "pythainlp": "isogloss.providers.tokens:pythainlp",
        "python": "isogloss.providers.functions:provider",
        "spacy": "isogloss.providers.spacy:tokenizer",
        "stanza": "isogloss.providers.stanza:tokenizer",
        "whitespace": "isogloss.providers.tokens:whitespace",
    },
)
