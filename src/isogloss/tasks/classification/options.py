"""Options of text classification, and their requirements for definitions of scores.

The module imports nothing heavy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_beta
from isogloss.kernel.registry import Registry
from isogloss.tasks.options import (
    BETA,
    MACRO_OVER,
    NOT_ON_COMMAND_LINE,
    ZERO_DIVISION,
    MacroOver,
    Option,
    check_choices,
    check_zero_division,
    encode_beta,
    make_profile_option,
)

PROFILES = Registry(
    kind="profile",
    group="isogloss.classification_profiles",
    builtin={"spacy": "isogloss.tasks.classification.profiles:make_spacy_scoring"},
)
DEFAULT_THRESHOLD = 0.5
OTHERS = ""  # key in a mapping of thresholds: all labels that it does not name


@dataclass(frozen=True)
class Averaging:
    """Options of ratios and of means over labels.

    Args:
        zero_division: value of 0/0; nan for undefined.
        beta: weight of recall in the F-measure, above 0.
        macro_over: labels that enter a mean: those of both sides (`union`) or of the `reference`.
    """

    zero_division: float = math.nan
    beta: float = 1.0
    macro_over: MacroOver = "union"

    @property
    def f_name(self) -> str:
        """The name of F: `f1`, or `f` if beta is not 1."""
        return "f1" if self.beta == 1 else "f"

    @property
    def is_default(self) -> bool:
        """Whether nothing was changed.

        Python 3.13 no longer takes a nan of one dataclass for equal to the same nan of another.
        """
        return math.isnan(self.zero_division) and self.beta == 1 and self.macro_over == "union"


@dataclass(frozen=True)
class DefinitionOptions:
    """Options of a definition of scores.

    Args:
        multi_label: whether a document may have several labels.
        threshold: lowest score with which a label is predicted; used if documents may have several labels.
        thresholds: thresholds of single labels.
        averaging: options of ratios and means.
        best_threshold: whether to search the threshold with the highest F of each label.
        positive_label: the label of interest, if two labels exclude each other.
    """

    multi_label: bool = False
    threshold: float = DEFAULT_THRESHOLD
    thresholds: Mapping[str, float] = field(default_factory=dict)
    averaging: Averaging = field(default_factory=Averaging)
    best_threshold: bool = False
    positive_label: str | None = None


def parse_thresholds(given: Sequence[str]) -> float | dict[str, float]:
    """Parse thresholds from the command line.

    Args:
        given: `0.3` for all labels, or `LABEL=0.3` for one.

    Returns:
        The threshold of all labels; with `LABEL=` a mapping, in which `OTHERS` stands for the labels without their own.

    Raises:
        UsageError: if a value is not a number.
    """
    whole, of_labels = DEFAULT_THRESHOLD, {}
    for text in given:
        label, named, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            raise UsageError(
                f"--threshold must be a number or LABEL=NUMBER, such as 0.3 or pos=0.3, got {text!r}."
            ) from None
        if named:
            of_labels[label] = value
        else:
            whole = value
    return {OTHERS: whole, **of_labels} if of_labels else whole


@dataclass(frozen=True, kw_only=True)
class ClassificationOptions:
    """Options of text classification.

    Raises:
        UsageError: if a value is not allowed.
    """

    profile: Annotated[str | None, make_profile_option(PROFILES)] = None
    labels: Annotated[
        Sequence[str] | None,
        Option("Labels of the columns of arrays, in order.", surfaces=NOT_ON_COMMAND_LINE, body_type=list[str]),
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
            "Lowest score with which a label is predicted, if documents may have several; may be repeated.",
            metavar="[LABEL=]NUMBER",
            default_text="0.5",
            repeats=True,
            parse=parse_thresholds,
            body_type=int | float | dict[str, int | float],
        ),
    ] = DEFAULT_THRESHOLD
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
        check_beta(self.beta)
        if self.positive_label is not None and self.profile is None:
            raise UsageError("positive_label has no effect without the profile spacy: add --profile spacy.")
        for threshold in (self.default_threshold, *self.thresholds.values()):
            if isinstance(threshold, str) or math.isnan(threshold):
                raise UsageError(f"threshold must be a number, got {threshold!r}.")

    @property
    def default_threshold(self) -> float:
        """The threshold of labels without their own."""
        return self.threshold.get(OTHERS, DEFAULT_THRESHOLD) if isinstance(self.threshold, Mapping) else self.threshold

    @property
    def thresholds(self) -> dict[str, float]:
        """The thresholds of single labels."""
        own = self.threshold if isinstance(self.threshold, Mapping) else {}
        return {label: value for label, value in own.items() if label != OTHERS}

    def definition_options(self, *, multi_label: bool) -> DefinitionOptions:
        """Return the options of a definition of scores.

        Args:
            multi_label: whether a document may have several labels.

        Raises:
            UsageError: if a threshold is set, but labels exclude each other.
        """
        if not multi_label and (self.default_threshold != DEFAULT_THRESHOLD or self.thresholds):
            raise UsageError(
                "threshold has no effect here: labels exclude each other, and the highest score decides. Leave it out, "
                "or say --multi-label (multi_label=True).",
            )
        zero = math.nan if self.zero_division is None else float(self.zero_division)
        return DefinitionOptions(
            multi_label,
            self.default_threshold,
            self.thresholds,
            Averaging(zero, float(self.beta), self.macro_over),
            self.best_threshold,
            self.positive_label,
        )

    def list_choices(self, *, multi_label: bool) -> dict[str, str | int | float]:
        """Return the entries of the signature.

        Args:
            multi_label: whether a document may have several labels.
        """
        chosen: dict[str, str | int | float] = {} if self.profile is None else {"profile": self.profile}
        chosen["labels"] = "multiple" if multi_label else "exclusive"
        if multi_label:
            others = (f"{label}={float(value):g}" for label, value in sorted(self.thresholds.items()))
            chosen["threshold"] = ",".join((f"{float(self.default_threshold):g}", *others))
        if self.profile is None:
            zero = "undefined" if self.zero_division is None else self.zero_division
            return chosen | {"beta": encode_beta(self.beta), "zero-division": zero, "macro-over": self.macro_over}
        return chosen | ({} if self.positive_label is None else {"positive-label": self.positive_label})
