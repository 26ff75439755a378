"""The HTTP requests that score code-switching.

They are the body of its route, and `/calculate/` for clients of PNaCoS.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from isogloss.errors import UsageError
from isogloss.kernel.registry import lazy
from isogloss.tasks.task import ExtraRoute, Request

Pair = tuple[int, int]
TEXTS = ("Зранку я п'ю coffee.", "Книжку видали у Львові.", "Погода today чудова.")


class AnnotatedText(msgspec.Struct, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """A text, with its sentences, tokens and names if known.

    Spans are half-open and count code points.
    """

    text: str
    id: str | int | None = None
    sentences: list[Pair] | None = None
    tokens: list[Pair | str] | None = None
    entities: list[list[int | str]] | None = None
    prompt: str | None = None
    language: str | None = None
    source: str | None = None


class CalculateRequest(msgspec.Struct):
    """Texts, as clients of PNaCoS send them; other members are ignored."""

    texts: list[str]


Count = Annotated[int, Meta(ge=0)]


class CalculateReport(msgspec.Struct):
    """The figures of PNaCoS; -1.0 without a denominator."""

    codeswitch_sentences_ratio: float
    codeswitch_texts_ratio: float
    codeswitch_words_ratio: float
    total_num_texts: Count
    total_num_sentences: Count
    total_num_tokens: Count


class Figures(CalculateReport):
    """The figures of PNaCoS, beside each other and under `report`.

    A figure without a denominator is -1.0.
    """

    report: CalculateReport


_score = lazy("isogloss.tasks.code_switching.scoring:code_switching")


def calculate_figures(body: CalculateRequest, models: Mapping[str, Any]) -> Figures:
    """Score texts with the service's models, and answer as PNaCoS does.

    Args:
        body: the texts.
        models: arguments of `isogloss.code_switching`: language, profile, recognisers, splitter, tokenizer.

    Raises:
        UsageError: if there is no such language or profile, or the profile has other figures.
    """
    document = _score(body.texts, **models).to_dict()
    names = CalculateReport.__struct_fields__
    if not document.keys() >= set(names):
        raise UsageError(
            f"`--profile {models['profile']}` does not have the figures that /calculate/ answers with. "
            "Use `--profile pnacos`.",
        )
    figures = {name: document[name] for name in names}
    return Figures(**figures, report=CalculateReport(**figures))


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
        extra_routes=(
            ExtraRoute(
                path="/calculate/",
                summary="Code-switching as PNaCoS answers it",
                body=CalculateRequest,
                answer=Figures,
                example={"texts": [*TEXTS]},
                probe={"texts": []},
                handle=calculate_figures,
            ),
        ),
    )
