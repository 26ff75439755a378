"""The options of text classification."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from isogloss.errors import UsageError
from isogloss.kernel.registry import Registry
from isogloss.tasks.classification.definition_options import DEFAULT, Averaging, DefinitionOptions
from isogloss.tasks.options import (
    BETA,
    MACRO_OVER,
    ZERO_DIVISION,
    MacroOver,
    Option,
    Surface,
    check_choices,
    check_zero_division,
    make_profile_option,
)

NOT_ON_COMMAND_LINE: frozenset[Surface] = frozenset(("python", "service"))
PROFILES = Registry(
    kind="profile",
    group="isogloss.classification_profiles",
    builtin={"spacy": "isogloss.tasks.classification.profiles:make_spacy_scoring"},
)


def parse_thresholds(given: Sequence[str]) -> float | dict[str, float]:
    """Read `0.3` and `LABEL=0.3`: the threshold of all labels, or of some.

    Raises:
        UsageError: if a value is not a number.
    """
    whole, of_labels = DEFAULT, {}
    for text in given:
        label, named, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            raise UsageError(f"--threshold {text}: give a number, or a label and its number: pos=0.3.") from None
        if named:
            of_labels[label] = value
        else:
            whole = value
    return {OTHERS: whole, **of_labels} if of_labels else whole


OTHERS = ""  # in a mapping of thresholds: the labels that it does not name


@dataclass(frozen=True, kw_only=True)
class ClassificationOptions:
    """What is scored and how.

    Raises:
        UsageError: if a value is not allowed.
    """

    profile: Annotated[str | None, make_profile_option(PROFILES)] = None
    labels: Annotated[
        Sequence[str] | None,
        Option("What the columns of arrays are.", surfaces=NOT_ON_COMMAND_LINE, body_type=list[str]),
    ] = None
    multi_label: Annotated[
        bool | None,
        Option(
            "Whether a document may have several labels.",
            flag="--multi-label/--exclusive",
            default_text="by the reference",
        ),
    ] = None
    threshold: Annotated[
        float | Mapping[str, float],
        Option(
            "Give a label from this score on, where a document may have several; may be repeated.",
            metavar="[LABEL=]NUMBER",
            default_text="0.5",
            repeats=True,
            parse=parse_thresholds,
            body_type=int | float | dict[str, int | float],
        ),
    ] = DEFAULT
    best_threshold: Annotated[bool, Option("Find the threshold with the highest F of each label.")] = False
    positive_label: Annotated[
        str | None,
        Option("With --profile spacy: the label whose F is cats_score.", metavar="LABEL"),
    ] = None
    beta: Annotated[float, BETA] = 1.0
    zero_division: Annotated[float | None, ZERO_DIVISION] = None
    macro_over: Annotated[MacroOver, MACRO_OVER] = "union"

    def __post_init__(self) -> None:
        check_choices(self)
        check_zero_division(self.zero_division)
        if not 0 < self.beta < math.inf:
            raise UsageError(f"beta must be a number above 0, got {self.beta!r}.")
        if self.positive_label is not None and self.profile is None:
            raise UsageError("positive_label is an option of the profile spacy.")
        for threshold in (self.default_threshold, *self.thresholds.values()):
            if isinstance(threshold, str) or math.isnan(threshold):
                raise UsageError(f"threshold must be a number, got {threshold!r}.")

    @property
    def default_threshold(self) -> float:
        """The threshold of the labels that have none of their own."""
        return self.threshold.get(OTHERS, DEFAULT) if isinstance(self.threshold, Mapping) else self.threshold

    @property
    def thresholds(self) -> dict[str, float]:
        """The thresholds of some labels."""
        own = self.threshold if isinstance(self.threshold, Mapping) else {}
        return {label: value for label, value in own.items() if label != OTHERS}

    def definition_options(self, *, multi_label: bool) -> DefinitionOptions:
        """Return the options of a definition of scores.

        Raises:
            UsageError: for thresholds where labels exclude each other.
        """
        if not multi_label and (self.default_threshold != DEFAULT or self.thresholds):
            raise UsageError(
                "A threshold decides where a document may have several labels. Here labels exclude each other, and the "
                "highest score decides; say --multi-label (multi_label=True) if that is not meant.",
            )
        zero = math.nan if self.zero_division is None else float(self.zero_division)
        averaging = Averaging() if math.isnan(zero) else Averaging(zero)
        averaging = replace(averaging, beta=float(self.beta), macro_over=self.macro_over)
        return DefinitionOptions(
            multi_label,
            self.default_threshold,
            self.thresholds,
            averaging,
            self.best_threshold,
            self.positive_label,
        )

    def choices(self, *, multi_label: bool) -> dict[str, str | int | float]:
        """Return what the signature says of them."""
        chosen: dict[str, str | int | float] = {} if self.profile is None else {"profile": self.profile}
        chosen["labels"] = "multiple" if multi_label else "exclusive"
        if multi_label:
            others = (f"{label}={float(value):g}" for label, value in sorted(self.thresholds.items()))
            chosen["threshold"] = ",".join((f"{float(self.default_threshold):g}", *others))
        if self.profile is None:
            zero = "undefined" if self.zero_division is None else self.zero_division
            return chosen | {"beta": float(self.beta), "zero-division": zero, "macro-over": self.macro_over}
        return chosen | ({} if self.positive_label is None else {"positive-label": self.positive_label})
