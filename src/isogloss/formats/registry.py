"""The annotation formats by name, and the units of offsets.

A format is imported when it is used; help pages read the names only.
"""

from __future__ import annotations

from isogloss.kernel.registry import Registry

CODE_POINTS = "code-points"
OFFSET_UNITS = (CODE_POINTS, "utf-16", "utf-8", "graphemes", "text-elements")  # what offsets of recognisers may count
FORMATS = Registry(
    kind="input format",
    group="isogloss.ner_formats",
    builtin={
        "arrow": "isogloss.formats.arrow:FORMAT",
        "conll": "isogloss.formats.conll.annotation:FORMAT",
        "spacy": "isogloss.formats.spacy_jsonl:FORMAT",
        "prodigy": "isogloss.formats.prodigy:FORMAT",
        "transformers": "isogloss.formats.recogniser_outputs:TRANSFORMERS",
        "presidio": "isogloss.formats.recogniser_outputs:PRESIDIO",
        "stanza": "isogloss.formats.recogniser_outputs:STANZA",
        "flair": "isogloss.formats.recogniser_outputs:FLAIR",
        "comprehend": "isogloss.formats.recogniser_outputs:COMPREHEND",
        "azure": "isogloss.formats.recogniser_outputs:AZURE",
        "google-nl": "isogloss.formats.recogniser_outputs:GOOGLE_NL",
        "label-studio": "isogloss.formats.label_studio:FORMAT",
        "doccano": "isogloss.formats.doccano:FORMAT",
        "argilla": "isogloss.formats.argilla:FORMAT",
        "conllu": "isogloss.formats.conllu:FORMAT",
        "token-tags": "isogloss.formats.token_tags:FORMAT",
        "jsonl": "isogloss.formats.jsonl:FORMAT",
        "mentions": "isogloss.formats.mentions:FORMAT",
        "spacy-training": "isogloss.formats.spacy_training:FORMAT",
        "pubtator": "isogloss.formats.pubtator:FORMAT",
        "gliner": "isogloss.formats.gliner:FORMAT",
        "docbin": "isogloss.formats.docbin:FORMAT",
        "datasets": "isogloss.formats.saved_datasets:FORMAT",
        "brat": "isogloss.formats.brat:FORMAT",
    },
)
