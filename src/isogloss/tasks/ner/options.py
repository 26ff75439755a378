"""Options of named entity recognition."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_beta, check_strings
from isogloss.kernel.registry import Registry, lazy
from isogloss.spans.schemes import SCHEME_SYNONYMS, SCHEMES, TagRepair
from isogloss.tasks.options import (
    BETA,
    LOCAL,
    MACRO_OVER,
    NOT_ON_COMMAND_LINE,
    PYTHON,
    ZERO_DIVISION,
    MacroOver,
    Option,
    check_choices,
    check_zero_division,
    encode_beta,
    make_format_option,
    make_prediction_format_option,
    make_profile_option,
)

AUTO = "auto"
OverlapBase = Literal["union", "reference"]  # what a smallest overlap is a share of
_PACKAGE = "isogloss.tasks.ner.profiles"
PROFILES = Registry(
    kind="profile",
    group="isogloss.ner_profiles",
    builtin={
        "conlleval": f"{_PACKAGE}.conlleval:PROFILE",
        "fair": f"{_PACKAGE}.fair:PROFILE",
        "nervaluate": f"{_PACKAGE}.nervaluate:PROFILE",
        "presidio": f"{_PACKAGE}.presidio:PROFILE",
        "seqeval": f"{_PACKAGE}.seqeval:PROFILE",
        "seqeval-strict": f"{_PACKAGE}.seqeval:STRICT_PROFILE",
        "seqscore": f"{_PACKAGE}.seqscore:PROFILE",
        "spacy": f"{_PACKAGE}.spacy:PROFILE",
    },
)


def parse_columns(text: str) -> tuple[int | str, ...]:
    """Parse numbers or names of columns separated by commas.

    Args:
        text: value of the option.

    Raises:
        UsageError: if a column is empty.
    """
    columns = [column.strip() for column in text.split(",")]
    if not all(columns):
        raise UsageError(f"--columns {text}: a column is empty. Give numbers or names separated by commas: 1,-1.")
    return tuple(int(column) if re.fullmatch(r"-?\d+", column) else column for column in columns)


def check_names(name: str, values: Any) -> tuple[str, ...]:
    """Return names in order; `check_strings` would sort them.

    Args:
        name: name of the argument.
        values: value that the caller gave.

    Raises:
        UsageError: if it is not a list of strings.
    """
    check_strings(name, values)
    return tuple(values)


def _load_label_map(value: Any) -> Any:
    from isogloss.spans.label_map_file import load_label_map

    return load_label_map(value)


def _parse_labels(name: str, values: Any) -> Any:
    from isogloss.spans.label_map_file import parse_label_option

    return parse_label_option(name, values)


LABEL_MAP_BODY = dict[str, str | list[str] | dict[str, str | list[str] | dict[str, str | list[str]]]]


def _known_formats() -> Sequence[str]:
    from isogloss.formats.registry import FORMATS

    return FORMATS.list_names()


def _known_units() -> Sequence[str]:
    from isogloss.formats.registry import OFFSET_UNITS

    return OFFSET_UNITS


ANSWERS = Option(
    "Field with the answer of a language model, read as mentions.", metavar="FIELD", surfaces=LOCAL, group="Input"
)
OFFSET_UNIT = Option(
    "What offsets of recognisers count; by default the texts of their spans show it.",
    choices=_known_units,
    surfaces=LOCAL,
    group="Input",
)
SPLIT = Option("Split of a folder of datasets, such as test.", metavar="NAME", surfaces=LOCAL, group="Input")
INPUT_FORMAT = make_format_option(_known_formats)
SCHEME = Option("Tag scheme; auto detects it.", choices=(AUTO, *SCHEMES), synonyms=SCHEME_SYNONYMS)


@dataclass(frozen=True, kw_only=True)
class NerOptions:
    """Options of the definition of scores, and of reading files.

    Raises:
        UsageError: if a value is not allowed.
    """

    profile: Annotated[str | None, make_profile_option(PROFILES)] = None
    scheme: Annotated[str, SCHEME] = AUTO
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
            group="Input",
        ),
    ] = None
    input_format: Annotated[str | None, INPUT_FORMAT] = None
    prediction_format: Annotated[str | None, make_prediction_format_option(_known_formats)] = None
    ignore_tokens: Annotated[bool, Option("Allow different tokens on both sides.", surfaces=LOCAL, group="Input")] = (
        False
    )
    strict_spans: Annotated[bool, Option("Refuse discontinuous spans.", surfaces=LOCAL, group="Input")] = False
    repair_offsets: Annotated[
        bool,
        Option(
            "Fix offsets counted in UTF-16 units or bytes, or shifted by a few characters.",
            surfaces=LOCAL,
            group="Input",
        ),
    ] = False
    offset_unit: Annotated[str | None, OFFSET_UNIT] = None
    split: Annotated[str | None, SPLIT] = None
    answers: Annotated[str | None, ANSWERS] = None
    labels: Annotated[
        tuple[str, ...] | None,
        Option(
            "Score only this label; may be repeated.",
            flag="--label",
            metavar="LABEL",
            list_values=lazy("isogloss.tasks.ner.inputs:list_labels"),
            repeats=True,
            parse=tuple,
            convert=_parse_labels,
            body_type=list[str] | LABEL_MAP_BODY,
        ),
    ] = None
    label_map: Annotated[
        Any,
        Option(
            "Rename, merge or drop labels by the rules in a TOML file.",
            flag="--labels",
            metavar="MAP",
            parse=_load_label_map,
            reads_file=True,
            surfaces=frozenset(("command",)),
        ),
    ] = None
    beta: Annotated[float, BETA] = 1.0
    zero_division: Annotated[float | None, ZERO_DIVISION] = None
    macro_over: Annotated[MacroOver, MACRO_OVER] = "union"
    min_overlap: Annotated[
        float,
        Option(
            "Smallest overlap of two spans that are paired, from 0 to 1; others are missed and spurious.",
            metavar="F",
            default_text="any overlap",
        ),
    ] = 0.0
    min_overlap_of: Annotated[
        OverlapBase,
        Option(
            "What --min-overlap is a share of: the union of both spans, or the reference span.",
            choices=get_args(OverlapBase),
        ),
    ] = "union"
    digits: Annotated[
        int | None,
        Option(
            "Decimals of --layout sklearn.", metavar="N", minimum=0, default_text="2", surfaces=frozenset(("command",))
        ),
    ] = None
    tokens: Annotated[
        Any,
        Option(
            "Words of each document, beside tags or spans.", surfaces=NOT_ON_COMMAND_LINE, body_type=list[list[str]]
        ),
    ] = None
    texts: Annotated[
        Any,
        Option("Text of each document, beside tags or spans.", surfaces=NOT_ON_COMMAND_LINE, body_type=list[str]),
    ] = None
    label_names: Annotated[
        tuple[str, ...] | None, Option("Names of tags that are numbers.", convert=check_names, surfaces=PYTHON)
    ] = None
    training: Annotated[
        Any,
        Option("Training data, for --by seen.", metavar="FILE", reads_file=True, surfaces=LOCAL, group="Input"),
    ] = None

    def __post_init__(self) -> None:
        check_choices(self)
        check_zero_division(self.zero_division)
        check_beta(self.beta)
        if not 0 <= self.min_overlap <= 1:
            raise UsageError(f"min_overlap is a share from 0 to 1, such as 0.5 for half, got {self.min_overlap!r}.")
        if self.min_overlap_of != "union" and not self.min_overlap:
            raise UsageError("--min-overlap-of has no effect without --min-overlap: add it, such as --min-overlap 0.5.")
        if self.labels is not None and not isinstance(self.labels, tuple):  # rules given as `labels`
            object.__setattr__(self, "label_map", self.labels)
            object.__setattr__(self, "labels", None)
        columns: Iterable[Any] = () if self.columns is None else self.columns
        if isinstance(columns, str) or not all(type(column) in {int, str} for column in columns):
            raise UsageError(f"columns must be whole numbers, such as (1, -1), or names, got {columns!r}.")

    def metric_options(self) -> dict[str, str | float]:
        """Return the options of the metric that differ from its defaults."""
        chosen: dict[str, str | float] = {}
        if self.beta != 1:
            chosen["beta"] = encode_beta(self.beta)
        if self.zero_division is not None:
            chosen["zero_division"] = float(self.zero_division)
        if self.macro_over != "union":
            chosen["macro_over"] = self.macro_over
        if self.min_overlap:
            chosen["min_overlap"] = float(self.min_overlap)
        if self.min_overlap_of != "union":
            chosen["min_overlap_of"] = self.min_overlap_of
        return chosen

    def choices(self) -> dict[str, str | int | float]:
        """Return the choices for the signature."""
        from isogloss.kernel.scores import format_path

        chosen: dict[str, str | int | float] = {} if self.profile is None else {"profile": self.profile}
        if self.profile is None:
            zero = "undefined" if self.zero_division is None else self.zero_division
            chosen |= {"beta": encode_beta(self.beta), "zero-division": zero, "macro-over": self.macro_over}
            if self.min_overlap:
                chosen |= {"min-overlap": float(self.min_overlap), "min-overlap-of": self.min_overlap_of}
        else:
            chosen |= {name.replace("_", "-"): value for name, value in self.metric_options().items()}
        if self.labels is not None:
            chosen["labels"] = ",".join(format_path((label,)) for label in sorted(set(self.labels)))
        if self.label_map is not None:
            chosen["label-map"] = self.label_map.short_hash
        return chosen


@dataclass(frozen=True, kw_only=True)
class NerLintOptions:
    """Options of `isogloss lint ner`."""

    fail_on: Annotated[
        tuple[str, ...],
        Option(
            "Exit 1 if there is a fault of this kind, or of any kind with all; may be repeated.",
            metavar="KIND",
            repeats=True,
            parse=tuple,
            group="Gates",
        ),
    ] = ()
    max_faults: Annotated[
        int, Option("Print at most N faults of each kind.", flag="--max", metavar="N", minimum=0, group="Output")
    ] = 20
    scheme: Annotated[str, SCHEME] = AUTO
    columns: Annotated[
        tuple[int | str, ...] | None,
        Option(
            "Columns of the token and the tag: numbers from 1, or from the end with -1, or names.",
            metavar="N,N",
            parse=parse_columns,
            group="Input",
        ),
    ] = None
    input_format: Annotated[str | None, INPUT_FORMAT] = None
    side: Annotated[
        str, Option("Side to read from a file that has both.", choices=("reference", "prediction"), group="Input")
    ] = "reference"
    answers: Annotated[str | None, ANSWERS] = None
