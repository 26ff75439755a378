"""What a definition of scores is asked for; it imports nothing heavy, so that options can build it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

MacroOver = Literal["union", "reference"]
DEFAULT = 0.5  # threshold


@dataclass(frozen=True)
class Averaging:
    """The choices behind ratios and means.

    Args:
        zero_division: the value of 0/0.
        beta: weight of recall in the F-measure.
        macro_over: which labels enter a mean.
    """

    zero_division: float = math.nan
    beta: float = 1.0
    macro_over: MacroOver = "union"

    @property
    def f_name(self) -> str:
        """What the F-measure is called."""
        return "f1" if self.beta == 1 else "f"


@dataclass(frozen=True)
class DefinitionOptions:
    """What a definition is asked for.

    Args:
        multi_label: whether a document may have several labels.
        threshold: a label is given from this score on; where a document may have several.
        thresholds: other thresholds for some labels.
        averaging: choices behind ratios and means.
        best_threshold: whether the threshold with the highest F of each label is wanted.
        positive_label: of two labels that exclude each other, the one that matters.
    """

    multi_label: bool = False
    threshold: float = DEFAULT
    thresholds: Mapping[str, float] = field(default_factory=dict)
    averaging: Averaging = field(default_factory=Averaging)
    best_threshold: bool = False
    positive_label: str | None = None
