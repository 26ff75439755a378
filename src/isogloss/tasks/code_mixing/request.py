"""The HTTP request that measures code-mixing."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from isogloss.tasks.task import Request


class TaggedUtterance(msgspec.Struct, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """An utterance: tokens and their languages, the text if known."""

    tokens: list[str] | None = None
    languages: list[str | None] | None = None
    text: str | None = None
    id: str | int | None = None


def make_request() -> Request:
    """Return the types of the data in a request, and an example."""
    return Request(
        "CodeMixingRequest",
        "Code-Mixing Index, M-index, I-index, burstiness, memory and entropies of tagged utterances.",
        {
            "texts": Annotated[
                list[str | TaggedUtterance],
                Meta(description="Objects with tokens and languages; texts too, with `languages_from` `scripts`."),
            ],
        },
        {"texts": [{"tokens": ["I", "want", "tacos", "ahora"], "languages": ["en", "en", "es", "es"]}]},
        as_dicts=True,
    )
