"""The options of named entity recognition."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_number_between, check_strings
from isogloss.kernel.registry import Registry
from isogloss.spans.schemes import SCHEME_SYNONYMS, SCHEMES, TagRepair
from isogloss.tasks.options import LOCAL, Option, check_choices, check_zero_division

AUTO = "auto"
LARGEST_BETA = 1e6  # beyond, F is recall to all digits
_PACKAGE = "isogloss.tasks.ner.profiles"
PROFILES = Registry(
    kind="profile",
    group="isogloss.ner_profiles",
    builtin={
        "conlleval": f"{_PACKAGE}.conlleval:PROFILE",
        "fair": f"{_PACKAGE}.fair:PROFILE",
        "nervaluate": f"{_PACKAGE}.nervaluate:PROFILE",
        "seqeval": f"{_PACKAGE}.seqeval:PROFILE",
        "seqeval-strict": f"{_PACKAGE}.seqeval_strict:PROFILE",
        "seqscore": f"{_PACKAGE}.seqscore:PROFILE",
        "spacy": f"{_PACKAGE}.spacy:PROFILE",
    },
)
MacroOver = Literal["union", "reference"]


def parse_columns(text: str) -> tuple[int | str, ...]:
    """Read numbers or names of columns separated by commas.

    Raises:
        UsageError: if one of them is empty.
    """
    columns = [column.strip() for column in text.split(",")]
    if not all(columns):
        raise UsageError(f"--columns {text}: give numbers or names of columns separated by commas, such as 1,-1.")
    return tuple(int(column) if re.fullmatch(r"-?\d+", column) else column for column in columns)


def _known_formats() -> Sequence[str]:
    from isogloss.formats.detection import FORMATS

    return FORMATS.list_names()


@dataclass(frozen=True, kw_only=True)
class NerOptions:
    """What is scored and how, and how files are read.

    Raises:
        UsageError: if a value is not allowed.
    """

    profile: Annotated[
        str | None,
        Option("Reproduce the figures of another tool.", choices=PROFILES.list_names, metavar="NAME"),
    ] = None
    scheme: Annotated[str, Option("Tag scheme; auto detects it.", choices=(AUTO, *SCHEMES), synonyms=SCHEME_SYNONYMS)] = AUTO
    repair: Annotated[
        TagRepair | None,
        Option(
            "How invalid tags are handled, such as I-ORG after O.", choices=get_args(TagRepair), default_text="begin"
        ),
    ] = None
    columns: Annotated[
        tuple[int | str, ...] | None,
        Option(
            "Columns, from 1, from the end below 0, or names: token,tag; in one file token,reference,prediction.",
            metavar="N,N[,N]",
            parse=parse_columns,
            surfaces=LOCAL,
        ),
    ] = None
    input_format: Annotated[
        str | None,
        Option("Format of the input; detected if left out.", choices=_known_formats, metavar="NAME", surfaces=LOCAL),
    ] = None
    prediction_format: Annotated[
        str | None,
        Option("Format of the predictions, if it is another.", choices=_known_formats, metavar="NAME", surfaces=LOCAL),
    ] = None
    ignore_tokens: Annotated[bool, Option("Allow different tokens on both sides.", surfaces=LOCAL)] = False
    strict_spans: Annotated[bool, Option("Refuse discontinuous spans.", surfaces=LOCAL)] = False
    repair_offsets: Annotated[
        bool,
        Option("Fix offsets counted in UTF-16 units or bytes, or shifted by a few characters.", surfaces=LOCAL),
    ] = False
    answers: Annotated[
        str | None,
        Option("Field with the answer of a language model, read as mentions.", metavar="FIELD", surfaces=LOCAL),
    ] = None
    labels: Annotated[
        tuple[str, ...] | None,
        Option(
            "Score only this label; may be repeated.",
            flag="--label",
            metavar="LABEL",
            repeats=True,
            parse=tuple,
            convert=check_strings,
        ),
    ] = None
    beta: Annotated[float, Option("Weight of recall in the F-measure.")] = 1.0
    zero_division: Annotated[float | None, Option("Value of 0/0: 0 or 1.", default_text="undefined")] = None
    macro_over: Annotated[MacroOver, Option("Labels that enter a mean.", choices=get_args(MacroOver))] = "union"
    training: Annotated[
        Any,
        Option("Training data, for --by seen.", metavar="FILE", reads_file=True, surfaces=LOCAL),
    ] = None

    def __post_init__(self) -> None:
        check_choices(self)
        check_zero_division(self.zero_division)
        check_number_between("beta", self.beta, 0, LARGEST_BETA, "2")
        columns: Iterable[Any] = () if self.columns is None else self.columns
        if isinstance(columns, str) or not all(type(column) in {int, str} for column in columns):
            raise UsageError(f"columns must be whole numbers, such as (1, -1), or names, got {columns!r}.")

    def metric_options(self) -> dict[str, str | float]:
        """Return what differs from the defaults of a metric."""
        chosen: dict[str, str | float] = {}
        if self.beta != 1:
            chosen["beta"] = float(self.beta)
        if self.zero_division is not None:
            chosen["zero_division"] = float(self.zero_division)
        if self.macro_over != "union":
            chosen["macro_over"] = self.macro_over
        return chosen

    def choices(self) -> dict[str, str | int | float]:
        """Return what the signature says of them."""
        from isogloss.kernel.scores import format_path

        chosen: dict[str, str | int | float] = {} if self.profile is None else {"profile": self.profile}
        if self.profile is None:
            zero = "undefined" if self.zero_division is None else self.zero_division
            chosen |= {"beta": self.beta, "zero-division": zero, "macro-over": self.macro_over}
        else:
            chosen |= {name.replace("_", "-"): value for name, value in self.metric_options().items()}
        if self.labels is not None:
            chosen["labels"] = ",".join(format_path((label,)) for label in sorted(set(self.labels)))
        return chosen
