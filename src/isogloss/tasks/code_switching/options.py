"""The options of code-switching. Imports nothing heavy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_choice, check_list
from isogloss.kernel.registry import Registry
from isogloss.tasks.code_switching.reasons import CAPITALISED, DEFAULT_REASONS, EXCUSE_RULES
from isogloss.tasks.options import (
    LOCAL,
    NOT_ON_COMMAND_LINE,
    Option,
    Surface,
    check_choices,
    make_format_option,
    make_profile_option,
)

if TYPE_CHECKING:
    from isogloss.kernel.metric import Metric
    from isogloss.tasks.code_switching.excuses import ExcuseFinder
    from isogloss.tasks.code_switching.profiles import CodeSwitchingProfile
    from isogloss.text.alphabets import Alphabet

COMMAND_LINE: frozenset[Surface] = frozenset(("command",))
PROFILES = Registry(
    kind="profile",
    group="isogloss.code_switching_profiles",
    builtin={
        "language-confusion": "isogloss.tasks.code_switching.language_confusion:LANGUAGE_CONFUSION",
        "pnacos": "isogloss.tasks.code_switching.profiles:PNACOS",
    },
)
FORMATS = ("lines", "whole", "jsonl", "csv", "parquet")
Level = Literal["main", "main+auxiliary", "script"]
CountBy = Literal["tokens", "characters"]
DEFAULT_TEXT_FIELD, DEFAULT_ID_FIELD = "text", "id"
DEFAULT_FIELDS = (None, DEFAULT_TEXT_FIELD, DEFAULT_ID_FIELD)  # names of fields that the user did not choose
COUNT_BY_ALPHABET = "characters-if-unspaced"  # in signatures, if texts have languages of their own


def _convert_list(name: str, value: Any) -> tuple[Any, ...]:
    return tuple(check_list(name, value))


def _convert_names(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        raise UsageError(
            f"{name} must be a list, got {value!r}: write [{value!r}]. Names in a file are a recogniser, 'names:FILE'."
        )
    names = check_list(name, value)
    other = next((each for each in names if not isinstance(each, str)), None)
    if other is not None:
        raise UsageError(f"{name} must be a list of strings, but it has {other!r} of type {type(other).__name__}.")
    return tuple(names)


@dataclass(frozen=True, kw_only=True)
class CodeSwitchingOptions:
    """Options of code-switching.

    They choose the scores, and how texts are read, split and annotated.

    Raises:
        UsageError: if a value is not allowed, or the profile does not support it.
    """

    language: Annotated[
        str | None,
        Option("Code of the language that the texts should be in, such as uk, hi or zh.", default_text="required"),
    ] = None
    language_field: Annotated[
        str | None,
        Option(
            "Key or column with the language of each text; also slices by it.",
            metavar="FIELD",
            body_type=Literal["language"],
        ),
    ] = None
    profile: Annotated[str | None, make_profile_option(PROFILES)] = None
    level: Annotated[Level, Option("Letters that belong to the alphabet.", choices=get_args(Level))] = "main"
    alphabet: Annotated[
        str | None,
        Option("Use these letters as the alphabet.", metavar="LETTERS", default_text="of the language"),
    ] = None
    recognisers: Annotated[
        tuple[Any, ...],
        Option(
            "Find names with this recogniser, such as spacy:uk_core_news_sm or names:FILE; may be repeated.",
            flag="--recogniser",
            metavar="SPEC",
            group="Models",
            repeats=True,
            parse=tuple,
            convert=_convert_list,
            body_type=list[str],
        ),
    ] = ()
    names: Annotated[
        tuple[str, ...],
        Option(
            "Names to excuse, spelled as in the texts.",
            convert=_convert_names,
            surfaces=NOT_ON_COMMAND_LINE,
            body_type=list[str],
        ),
    ] = ()
    excuses: Annotated[
        frozenset[str] | None,
        Option(
            "Excuse by this rule, such as url or quotation, and by no other; may be repeated.",
            choices=EXCUSE_RULES,
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
        Option("Excuse foreign words that begin with a capital, as names.", surfaces=COMMAND_LINE),
    ] = False
    excuse_acronyms: Annotated[
        bool, Option("Excuse short words in capitals, such as AI or NATO.", surfaces=COMMAND_LINE)
    ] = False
    excuse_originals: Annotated[
        bool,
        Option("Excuse the foreign original in brackets after a word of the language.", surfaces=COMMAND_LINE),
    ] = False
    patterns: Annotated[
        tuple[str, ...],
        Option(
            "Excuse what matches this regular expression; may be repeated.",
            flag="--pattern",
            metavar="REGEX",
            repeats=True,
            parse=tuple,
            convert=_convert_list,
            surfaces=LOCAL,
        ),
    ] = ()
    prompt_field: Annotated[
        str | None,
        Option(
            "Excuse names that occur in this field, such as a prompt.",
            flag="--names-from",
            metavar="FIELD",
            body_type=Literal["prompt"],
        ),
    ] = None
    neutral: Annotated[bool, Option("Count tokens without letters as words.")] = False
    count_by: Annotated[
        CountBy | None,
        Option(
            "Count words in tokens or in characters (their letters).",
            choices=get_args(CountBy),
            default_text="characters in languages without spaces",
        ),
    ] = None
    splitter: Annotated[
        Any,
        Option(
            "Splitter that finds sentences.", metavar="SPEC", default_text="sentencex", surfaces=LOCAL, group="Models"
        ),
    ] = None
    tokenizer: Annotated[
        Any,
        Option("Tokenizer that finds tokens.", metavar="SPEC", default_text="words", surfaces=LOCAL, group="Models"),
    ] = None
    identifier: Annotated[
        Any,
        Option(
            "Identify the language of lines with lingua, py3langid, cld3, fasttext:PATH or python:module:function.",
            metavar="SPEC",
            group="Models",
            body_type=str,
        ),
    ] = None
    window: Annotated[
        int | None,
        Option("Also identify the language of this many words at a time.", minimum=2, metavar="WORDS", group="Models"),
    ] = None
    english_words: Annotated[
        str | None,
        Option(
            "File with an English word in each line, for the WPR of --profile language-confusion.",
            metavar="FILE",
            group="Models",
            body_type=str,
        ),
    ] = None
    download: Annotated[
        bool, Option("Download models that are missing on this machine.", surfaces=LOCAL, group="Models")
    ] = False
    batch_size: Annotated[int, Option("Sentences per batch of a model.", minimum=1, surfaces=LOCAL, group="Models")] = (
        32
    )
    jobs: Annotated[
        int, Option("Processes, for recognisers that can use several.", minimum=1, surfaces=LOCAL, group="Models")
    ] = 1
    input_format: Annotated[str | None, make_format_option(FORMATS)] = None
    whole: Annotated[
        bool, Option("Read a file as one text, not one text per line.", surfaces=COMMAND_LINE, group="Input")
    ] = False
    text_field: Annotated[str, Option("Key or column of the text.", surfaces=LOCAL, group="Input")] = DEFAULT_TEXT_FIELD
    id_field: Annotated[str, Option("Key or column of the id, if there is one.", surfaces=LOCAL, group="Input")] = (
        DEFAULT_ID_FIELD
    )

    def __post_init__(self) -> None:
        check_choices(self)
        for rule in sorted(self.excuses or ()):
            check_choice("excuses", rule, EXCUSE_RULES)
        profile = self.load_profile()
        if profile is not None:
            profile.check_options(self)
            self._fill_fields(profile)
        self._check_language()
        if self.window is not None and self.identifier is None:
            raise UsageError("window has no effect without identifier: add identifier='lingua' (--identifier lingua).")
        if self.english_words is not None and (profile is None or not profile.is_benchmark):
            raise UsageError("english_words has no effect without the profile language-confusion.")
        _ = self.letters, self.make_excuse_finder()

    def _fill_fields(self, profile: CodeSwitchingProfile) -> None:
        """Set the fields of a profile that the user did not name."""
        for name, value in profile.default_fields.items():
            is_default = getattr(self, name) in DEFAULT_FIELDS
            if is_default and not (name == "language_field" and self.language is not None):
                object.__setattr__(self, name, value)  # a frozen instance, in its `__post_init__`

    def _check_language(self) -> None:
        if self.language is None and self.language_field is None:
            raise UsageError(
                "language is missing: add language=… (--language uk), or language_field=… (--language-field NAME) "
                "if each text names its own."
            )
        if self.language_field is not None and self.alphabet is not None:
            raise UsageError("alphabet cannot be combined with language_field: it is of one language.")

    @property
    def letters(self) -> Alphabet:
        """The alphabet of the language.

        It is that of English if each text names its own language.
        """
        return self.load_letters(self.language or "en")

    def load_letters(self, language: str) -> Alphabet:
        """Return the alphabet of a language.

        Args:
            language: code of the language.

        Raises:
            UsageError: if the language is unknown.
        """
        from isogloss.text.alphabets import load_alphabet

        return load_alphabet(language, self.level, self.alphabet)

    @property
    def count_unit(self) -> CountBy | None:
        """The unit of words; None if the alphabet decides.

        A named tokenizer means tokens.
        """
        return self.count_by or (None if self.tokenizer in (None, "words") else "tokens")

    def load_profile(self) -> CodeSwitchingProfile | None:
        """Return the profile, None for the default definition."""
        return None if self.profile is None else PROFILES.load(self.profile)

    def make_metric(self, *, identified: bool) -> Metric[Any]:
        """Return the metric.

        Args:
            identified: whether a language identifier judges the lines of texts.
        """
        from isogloss.tasks.code_switching.metric import CodeSwitching

        profile = self.load_profile()
        if profile is not None:
            metric: Metric[Any] = profile.make_metric(self.letters)
            return metric
        return CodeSwitching(
            self.letters,
            self.neutral,
            identified,
            windows=self.window is not None,
            count_by=self.count_unit,
            has_languages=self.language_field is not None,
        )

    def list_metric_arguments(self, *, identified: bool) -> dict[str, Any]:
        """Return the arguments with which `scoring.make_metric` makes the metric again.

        Args:
            identified: whether a language identifier judges the lines of texts.
        """
        names = ("language", "profile", "level", "neutral")
        definition = {name: getattr(self, name) for name in names} | {"letters": self.alphabet}
        if self.profile is None:
            unit = self.count_unit or ("characters" if self.letters.is_unspaced else "tokens")
            definition["count_by"] = unit if self.language_field is None else self.count_unit
        if self.language_field is not None:
            definition["language_field"] = self.language_field
        if self.window is not None:
            definition["window"] = self.window
        return {"definition": definition, "identified": identified}

    def make_excuse_finder(self) -> ExcuseFinder:
        """Return the finder of excuses by rules and patterns."""
        from isogloss.tasks.code_switching.excuses import ExcuseFinder

        rules = frozenset(DEFAULT_REASONS if self.excuses is None else self.excuses)
        flags = {
            "acronym": self.excuse_acronyms,
            "original": self.excuse_originals,
            CAPITALISED: self.excuse_capitalised,
        }
        rules |= {name for name, given in flags.items() if given}
        return ExcuseFinder(rules, tuple(map(_compile_pattern, self.patterns)))

    def list_choices(self) -> dict[str, str | int | float]:
        """Return the entries of the signature."""
        chosen: dict[str, str | int | float] = {} if self.profile is None else {"profile": self.profile}
        alphabet = self.letters
        excuses = self.make_excuse_finder().signature
        chosen |= {"language": alphabet.language if self.language else "-", "level": alphabet.level, "excuses": excuses}
        if self.language_field is not None:
            chosen["language-field"] = self.language_field
            chosen["count"] = self.count_unit or COUNT_BY_ALPHABET
        elif self.count_by is not None or alphabet.is_unspaced:
            chosen["count"] = self.count_unit or ("characters" if alphabet.is_unspaced else "tokens")
        if self.alphabet is not None:
            chosen["alphabet"] = self.alphabet
        if self.patterns:
            chosen["patterns"] = " ".join(map(repr, self.patterns))
        if self.prompt_field is not None:
            chosen["names-from"] = self.prompt_field
        if self.window is not None:
            chosen["window"] = self.window
        return chosen | ({"neutral": "counted"} if self.neutral else {})


def _compile_pattern(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except (re.error, TypeError) as error:
        raise UsageError(f"The pattern {pattern!r} is not a regular expression: {error}.") from error
