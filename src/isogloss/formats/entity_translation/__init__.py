"""Sentences that name an entity, their accepted translations, and what a system made of them.

    {"id": "Q1_0", "wikidata_id": "Q1", "entity_types": ["Book"], "source": "Who wrote Dune?",
     "targets": [{"translation": "Chi ha scritto Duna?", "mention": "Duna"}], "target_locale": "it"}
    {"id": "Q1_0", "prediction": "Chi ha scritto Dune?"}

`id`, `targets` and `mention` are needed on one side, `id` and `prediction` on the other; other keys are ignored, blank
lines skipped. A folder holds a file for each language, `it_IT.jsonl`.
"""

from isogloss.formats.entity_translation.comet import NO_COMET, Comet, Scale, read_comet
from isogloss.formats.entity_translation.languages import (
    Part,
    files_of,
    language_of_name,
    parts_of_files,
    parts_of_lists,
)
from isogloss.formats.entity_translation.pairing import TranslationOrigin, entity_of, read
from isogloss.formats.entity_translation.partners import OutOfStepError
from isogloss.formats.entity_translation.rows import FileRows, Prediction, Reference, Rows, Target, references_of
from isogloss.formats.entity_translation.sentences import Rules

__all__ = [
    "NO_COMET",
    "Comet",
    "FileRows",
    "OutOfStepError",
    "Part",
    "Prediction",
    "Reference",
    "Rows",
    "Rules",
    "Scale",
    "Target",
    "TranslationOrigin",
    "entity_of",
    "files_of",
    "language_of_name",
    "parts_of_files",
    "parts_of_lists",
    "read",
    "read_comet",
    "references_of",
]
