"""Declare the body of an HTTP request that scores entity-aware translation."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from isogloss.tasks.task import Request


class Target(msgspec.Struct, gc=False):
    """A name that counts as correct, and a translation that contains it."""

    mention: str
    translation: str = ""


class TranslationReference(msgspec.Struct, gc=False):
    """A sentence to translate that names an entity."""

    id: str | int
    targets: list[Target]
    entity_types: list[str] = []
    wikidata_id: str | None = None
    source: str = ""
    target_locale: str | None = None


class Translation(msgspec.Struct, gc=False):
    """A predicted translation of a sentence; null for no translation."""

    id: str | int
    prediction: str | None


Translations = list[str | Translation | None]


def make_request() -> Request:
    """Return the types of the data in a request, and an example."""
    return Request(
        "EntityTranslationRequest",
        "Names in translations (m-ETA): rows, or rows by language.",
        {
            "reference": Annotated[
                list[TranslationReference] | dict[str, list[TranslationReference]],
                Meta(description="Sentences with the names that count as correct; or a list of them by language."),
            ],
            "prediction": Annotated[
                Translations | dict[str, str | Translations | None],
                Meta(description="Rows with id and prediction, texts in the order of the reference, or texts by id."),
            ],
        },
        {
            "reference": [{"id": "Q1_0", "targets": [{"mention": "Duna"}]}],
            "prediction": [{"id": "Q1_0", "prediction": "Chi ha scritto Duna?"}],
        },
    )
