"""Profiles: the figures of other tools, their quirks included. What `pnacos` does is numbered in its module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from isogloss.metrics.code_switching.pnacos import Pnacos, native
from isogloss.registry import Registry
from isogloss.rules.alphabets import Alphabet
from isogloss.scores import Key

PROFILES = Registry(
    kind="profile",
    group="isogloss.code_switching_profiles",
    builtin={"pnacos": "isogloss.metrics.code_switching.profiles:PNACOS"},
)


@dataclass(frozen=True)
class Profile:
    """The definition of another tool.

    Args:
        name: its name in `PROFILES`.
        metric: alphabet -> what it counts and scores.
        native: keys and values as the tool itself answers, from the numbers.
        cleans: whether tags and marks are taken out of texts before they are cut; then entities that are given with a
            text are all there are.
        scores_nothing: whether it has figures where there is no text.
    """

    name: str
    metric: Callable[[Alphabet], Pnacos]
    native: Callable[[Mapping[Key, int | float]], Mapping[str, int | float]]
    cleans: bool = False
    scores_nothing: bool = False


PNACOS = Profile("pnacos", Pnacos, native, cleans=True, scores_nothing=True)
