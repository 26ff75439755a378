"""Profiles: the figures of other tools, their quirks included.

`ea-mt` is the scorer of SemEval-2025 Task 2 (SapienzaNLP/ea-mt-eval, `notebooks/entity_eval.ipynb` and
`comet_eval.ipynb`). What it does otherwise than the default is numbered in `definition`.

Exceptions
    1. A prediction that is null counts as wrong; there it is a crash.
    2. An id of the wrong form, or an id of the reference that stands twice, is an error there too, without its place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class TranslationProfile:
    """The definition of another tool.

    Args:
        types: the entity types that are scored, None for all.
        prefix_ids: whether ids of predictions are cut to the form `Q1_0`.
        empty_mentions: whether an empty name is in every translation.
        zero_for_missing: whether a language without predictions scores 0; else it is an error.
        missing_comet: the COMET score of a sentence that has none, nan to leave it out.
    """

    types: frozenset[str] | None = None
    prefix_ids: bool = False
    empty_mentions: bool = False
    zero_for_missing: bool = False
    missing_comet: float = math.nan


DEFAULT_PROFILE = TranslationProfile()
EA_MT = TranslationProfile(
    types=frozenset(
        (
            "Animal",
            "Artwork",
            "Book",
            "Book series",
            "Fictional entity",
            "Food",
            "Landmark",
            "Movie",
            "Musical work",
            "Natural place",
            "Person",
            "Place of worship",
            "Plant",
            "TV series",
        ),
    ),
    prefix_ids=True,
    empty_mentions=True,
    zero_for_missing=True,
    missing_comet=0.0,
)
