"""The HTTP request that measures code-mixing."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from isogloss.tasks.task import Request

Pair = tuple[str, str | None]  # token and language


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
                list[str | TaggedUtterance | list[str | Pair]],
                Meta(
                    description="Objects with tokens and languages, or lists of pairs; texts and lists of tokens too, "
                    "if languages come from scripts or an identifier."
                ),
            ],
        },
        {"texts": [{"tokens": ["I", "want", "tacos", "ahora"], "languages": ["en", "en", "es", "es"]}]},
        as_dicts=True,
    )
