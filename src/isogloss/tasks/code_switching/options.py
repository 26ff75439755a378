"""The options of code-switching."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_choice, check_list
from isogloss.kernel.registry import Registry
from isogloss.tasks.options import LOCAL, Option, Surface, check_choices, make_format_option, make_profile_option

if TYPE_CHECKING:
    from isogloss.kernel.metric import Metric
    from isogloss.tasks.code_switching.excuses import ExcuseFinder
    from isogloss.tasks.code_switching.profiles import CodeSwitchingProfile
    from isogloss.text.alphabets import Alphabet

COMMAND_LINE: frozenset[Surface] = frozenset(("command",))
NOT_ON_COMMAND_LINE: frozenset[Surface] = frozenset(("python", "service"))
PROFILES = Registry(
    kind="profile",
    group="isogloss.code_switching_profiles",
    builtin={"pnacos": "isogloss.tasks.code_switching.profiles:PNACOS"},
)
FORMATS = ("lines", "whole", "jsonl", "csv", "parquet")
Level = Literal["main", "main+auxiliary", "script"]
CAPITALISED = "capitalised"


def _several(name: str, value: Any) -> tuple[Any, ...]:
    return tuple(check_list(name, value))


def _names(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        raise UsageError(f"{name} must be a list, got {value!r}: write [{value!r}]. Names in a file are 'names:FILE'.")
    names = check_list(name, value)
    if not all(isinstance(each, str) for each in names):
        raise UsageError(f"{name} must be a list of strings.")
    return tuple(names)


def _excuse_rules() -> Sequence[str]:
    from isogloss.tasks.code_switching.excuses import RULE_REASONS

    return (*RULE_REASONS, CAPITALISED)


@dataclass(frozen=True, kw_only=True)
class CodeSwitchingOptions:
    """What is scored and how, and how texts are read, cut and annotated.

    Raises:
        UsageError: if a value is not allowed, or the profile does not support it.
    """

    language: Annotated[str, Option("Code of the language that the texts should be in: uk, hi, zh.")]
    profile: Annotated[str | None, make_profile_option(PROFILES)] = None
    level: Annotated[Level, Option("How wide the alphabet is.", choices=get_args(Level))] = "main"
    alphabet: Annotated[
        str | None,
        Option("The letters of the language.", metavar="LETTERS", default_text="of the language"),
    ] = None
    recognisers: Annotated[
        tuple[Any, ...],
        Option(
            "Find names with this, such as spacy:uk_core_news_sm or names:FILE; may be repeated.",
            flag="--recogniser",
            metavar="SPEC",
            repeats=True,
            parse=tuple,
            convert=_several,
            body_type=list[str],
        ),
    ] = ()
    names: Annotated[
        tuple[str, ...],
        Option(
            "Names to excuse, as they are written.",
            convert=_names,
            surfaces=NOT_ON_COMMAND_LINE,
            body_type=list[str],
        ),
    ] = ()
    excuses: Annotated[
        frozenset[str] | None,
        Option(
            "Excuse by this rule only, such as url or quotation; may be repeated.",
            choices=_excuse_rules,
            flag="--excuse",
            metavar="RULE",
            default_text="all rules",
            repeats=True,
            parse=frozenset,
            convert=lambda name, value: frozenset(check_list(name, value)),
            body_type=list[str],
        ),
    ] = None
    excuse_capitalised: Annotated[
        bool,
        Option("Take foreign words with a capital for names.", surfaces=COMMAND_LINE),
    ] = False
    patterns: Annotated[
        tuple[str, ...],
        Option(
            "Excuse what matches; may be repeated.",
            flag="--pattern",
            metavar="REGEX",
            repeats=True,
            parse=tuple,
            convert=_several,
            surfaces=LOCAL,
        ),
    ] = ()
    prompt_field: Annotated[
        str | None,
        Option(
            "Excuse names that stand in this field, such as a prompt.",
            flag="--names-from",
            metavar="FIELD",
            body_type=Literal["prompt"],
        ),
    ] = None
    neutral: Annotated[bool, Option("Count tokens without letters among the words.")] = False
    splitter: Annotated[Any, Option("Finds sentences.", metavar="SPEC", default_text="sentencex", surfaces=LOCAL)] = (
        None
    )
    tokenizer: Annotated[Any, Option("Finds tokens.", metavar="SPEC", default_text="words", surfaces=LOCAL)] = None
    identifier: Annotated[
        Any,
        Option(
            "Identifies the language of lines: python:module:function; adds pass_rate.",
            metavar="SPEC",
            surfaces=LOCAL,
        ),
    ] = None
    download: Annotated[bool, Option("Download models that are not on this machine.", surfaces=LOCAL)] = False
    batch_size: Annotated[int, Option("Sentences that a model is given at once.", minimum=1, surfaces=LOCAL)] = 32
    jobs: Annotated[int, Option("Processes of recognisers that can use several.", minimum=1, surfaces=LOCAL)] = 1
    input_format: Annotated[str | None, make_format_option(FORMATS)] = None
    whole: Annotated[bool, Option("Read a file as one text, not one text per line.", surfaces=COMMAND_LINE)] = False
    text_field: Annotated[str, Option("Key or column of the text.", surfaces=LOCAL)] = "text"
    id_field: Annotated[str, Option("Key or column of the id, where there is one.", surfaces=LOCAL)] = "id"

    def __post_init__(self) -> None:
        check_choices(self)
        for rule in sorted(self.excuses or ()):
            check_choice("excuses", rule, _excuse_rules())
        _ = self.letters, self.finder()
        if self.tool() is not None and self.neutral:
            raise UsageError(f"neutral cannot be combined with the profile {self.profile}.")

    @property
    def letters(self) -> Alphabet:
        """The letters of the language."""
        from isogloss.text.alphabets import load_alphabet

        return load_alphabet(self.language, self.level, self.alphabet)

    def tool(self) -> CodeSwitchingProfile | None:
        """The profile, None for the default."""
        return None if self.profile is None else PROFILES.load(self.profile)

    def metric(self, *, identified: bool) -> Metric[Any]:
        """What is counted and scored.

        Args:
            identified: whether lines are given to a language identifier.
        """
        from isogloss.tasks.code_switching.metric import CodeSwitching

        tool = self.tool()
        return CodeSwitching(self.letters, self.neutral, identified) if tool is None else tool.make_metric(self.letters)

    def ingredients(self, *, identified: bool) -> dict[str, Any]:
        """What `measure` needs to make the metric again."""
        names = ("language", "profile", "level", "neutral")
        definition = {name: getattr(self, name) for name in names} | {"letters": self.alphabet}
        return {"definition": definition, "identified": identified}

    def finder(self) -> ExcuseFinder:
        """What finds excuses by rules."""
        from isogloss.tasks.code_switching.excuses import DEFAULT_REASONS, ExcuseFinder

        rules = frozenset(DEFAULT_REASONS if self.excuses is None else self.excuses)
        rules |= {CAPITALISED} if self.excuse_capitalised else frozenset()
        return ExcuseFinder(rules, tuple(map(_compiled, self.patterns)))

    def choices(self) -> dict[str, str | int | float]:
        """What the signature says of them."""
        chosen: dict[str, str | int | float] = {} if self.profile is None else {"profile": self.profile}
        own = self.letters
        chosen |= {"language": own.language, "level": own.level, "excuses": self.finder().signature}
        if self.alphabet is not None:
            chosen["alphabet"] = self.alphabet
        if self.patterns:
            chosen["patterns"] = " ".join(map(repr, self.patterns))
        if self.prompt_field is not None:
            chosen["names-from"] = self.prompt_field
        return chosen | ({"neutral": "counted"} if self.neutral else {})


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except (re.error, TypeError) as error:
        raise UsageError(f"The pattern {pattern!r} is no regular expression: {error}.") from error
