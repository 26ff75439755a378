"""Declare the body of an HTTP request that scores code-switching."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from isogloss.tasks.task import Request

Pair = tuple[int, int]
TEXTS = ("Зранку я п'ю coffee.", "Книжку видали у Львові.", "Погода today чудова.")


class AnnotatedText(msgspec.Struct, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """A text, with its sentences, tokens and names if known, as half-open spans of code points."""

    text: str
    id: str | int | None = None
    sentences: list[Pair] | None = None
    tokens: list[Pair | str] | None = None
    entities: list[list[int | str]] | None = None
    prompt: str | None = None


def make_request() -> Request:
    """Return the types of the data in a request, and an example."""
    return Request(
        "CodeSwitchingRequest",
        "Words with letters that the language does not have, before and after excusing names, URLs, …",
        {
            "texts": Annotated[
                list[str | AnnotatedText],
                Meta(description="Texts, or objects with sentences, tokens and entities."),
            ],
        },
        {"texts": [*TEXTS], "language": "uk"},
        as_dicts=True,
    )
